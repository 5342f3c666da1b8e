// Sets of small numbers as bit strings of fixed length: the leaves that are alive in a box. BitSet
// owns its words; the functions before it are for words that lie in a longer array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood {

inline constexpr std::size_t bits_per_word = 64;

inline constexpr std::size_t words_for(std::size_t count) {
  return (count + bits_per_word - 1) / bits_per_word;
}
inline constexpr std::uint64_t bit_in_word(std::size_t number) {
  return std::uint64_t{1} << (number % bits_per_word);
}
inline bool has_bit(const std::uint64_t* words, std::size_t number) {
  return (words[number / bits_per_word] & bit_in_word(number)) != 0;
}
inline void set_bit(std::uint64_t* words, std::size_t number) {
  words[number / bits_per_word] |= bit_in_word(number);
}
inline void clear_bit(std::uint64_t* words, std::size_t number) {
  words[number / bits_per_word] &= ~bit_in_word(number);
}
/// Calls visit(number) for each bit of word number `w`, in ascending order.
template <typename Visit>
void for_each_bit(std::uint64_t word, std::size_t w, Visit visit) {
  for (; word != 0; word &= word - 1) {
    visit(w * bits_per_word + static_cast<std::size_t>(std::countr_zero(word)));
  }
}

inline constexpr std::uint32_t no_bit = ~std::uint32_t{0};

/// The first bit from `begin` to before `end`, which is larger, that is set; or no_bit.
inline std::uint32_t first_bit_in(const std::uint64_t* words, std::uint32_t begin,
                                  std::uint32_t end) {
  constexpr std::uint32_t bits = bits_per_word;
  std::uint32_t w = begin / bits;
  std::uint64_t word = words[w] >> (begin % bits) << (begin % bits);
  while (word == 0) {
    if (++w * bits >= end) return no_bit;
    word = words[w];
  }
  const std::uint32_t found = w * bits + static_cast<std::uint32_t>(std::countr_zero(word));
  return found < end ? found : no_bit;
}
/// The last such bit.
inline std::uint32_t last_bit_in(const std::uint64_t* words, std::uint32_t begin,
                                 std::uint32_t end) {
  constexpr std::uint32_t bits = bits_per_word;
  const std::uint32_t above = bits - 1 - (end - 1) % bits;
  std::uint32_t w = (end - 1) / bits;
  std::uint64_t word = words[w] << above >> above;
  while (word == 0) {
    if (w * bits <= begin) return no_bit;
    word = words[--w];
  }
  const std::uint32_t found =
      w * bits + bits - 1 - static_cast<std::uint32_t>(std::countl_zero(word));
  return found >= begin ? found : no_bit;
}

class BitSet {
 public:
  static constexpr std::uint32_t nothing = no_bit;

  explicit BitSet(std::size_t count = 0) { clear(count); }

  /// The empty set of numbers below `count`.
  void clear(std::size_t count) { words_.assign(words_for(count), 0); }
  /// The set of all numbers below `count`.
  void fill(std::size_t count) {
    words_.assign(words_for(count), ~std::uint64_t{0});
    if (count % bits_per_word != 0) words_.back() = bit_in_word(count) - 1;
  }

  void insert(std::size_t number) { set_bit(words_.data(), number); }
  void erase(std::size_t number) { clear_bit(words_.data(), number); }
  bool contains(std::size_t number) const { return has_bit(words_.data(), number); }
  void erase_all(const BitSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~others.words_[w];
  }
  bool intersects(const BitSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (words_[w] & other.words_[w]) return true;
    }
    return false;
  }
  /// Becomes the intersection of two sets of the same length.
  void intersect(const BitSet& a, const BitSet& b) {
    words_.resize(a.words_.size());
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] = a.words_[w] & b.words_[w];
  }

  /// Takes out the members that a mask of as many words has, and calls visit(number) for each.
  template <typename Visit>
  void take_out(const std::uint64_t* mask, Visit visit) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t out = words_[w] & mask[w];
      words_[w] ^= out;
      for_each_bit(out, w, [&](std::size_t number) { visit(static_cast<std::uint32_t>(number)); });
    }
  }

  /// The smallest member from `begin` to before `end`, which is larger; `nothing` if there is none.
  std::uint32_t first_in(std::uint32_t begin, std::uint32_t end) const {
    return first_bit_in(words_.data(), begin, end);
  }
  /// The largest member from `begin` to before `end`, which is larger; `nothing` if there is none.
  std::uint32_t last_in(std::uint32_t begin, std::uint32_t end) const {
    return last_bit_in(words_.data(), begin, end);
  }

  /// Calls visit(number) in ascending order; visit may erase the number it is called with.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) for_each_bit(words_[w], w, visit);
  }

  /// Calls visit(number) in ascending order for the members that a set of the same length lacks.
  template <typename Visit>
  void for_each_other(const BitSet& others, Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for_each_bit(words_[w] & ~others.words_[w], w, visit);
    }
  }

  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  std::size_t word_count() const { return words_.size(); }
  /// For loops over whole words: bit i of word w is the number w * bits_per_word + i.
  std::uint64_t* words() { return words_.data(); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace boxwood
