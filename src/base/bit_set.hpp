// A set of small numbers as a bit string of fixed length: the leaves that are alive in a box.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood {

class BitSet {
 public:
  static constexpr std::size_t word_bits = 64;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  explicit BitSet(std::size_t count = 0) { clear(count); }

  /// The empty set of numbers below `count`.
  void clear(std::size_t count) { words_.assign((count + word_bits - 1) / word_bits, 0); }
  /// The set of all numbers below `count`.
  void fill(std::size_t count) {
    words_.assign((count + word_bits - 1) / word_bits, ~std::uint64_t{0});
    if (count % word_bits != 0) words_.back() = bit(count) - 1;
  }

  void insert(std::size_t number) { words_[number / word_bits] |= bit(number); }
  void erase(std::size_t number) { words_[number / word_bits] &= ~bit(number); }
  bool contains(std::size_t number) const {
    return (words_[number / word_bits] >> (number % word_bits) & 1) != 0;
  }
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
      std::uint64_t out = words_[w] & mask[w];
      words_[w] ^= out;
      for (; out; out &= out - 1) {
        visit(static_cast<std::uint32_t>(w * word_bits) +
              static_cast<std::uint32_t>(std::countr_zero(out)));
      }
    }
  }

  /// The smallest member from `begin` to before `end`, which is larger; `nothing` if there is none.
  std::uint32_t first_in(std::uint32_t begin, std::uint32_t end) const {
    std::uint32_t w = begin / bits;
    std::uint64_t word = words_[w] >> (begin % bits) << (begin % bits);
    while (word == 0) {
      if (++w * bits >= end) return nothing;
      word = words_[w];
    }
    const std::uint32_t found = w * bits + static_cast<std::uint32_t>(std::countr_zero(word));
    return found < end ? found : nothing;
  }
  /// The largest member from `begin` to before `end`, which is larger; `nothing` if there is none.
  std::uint32_t last_in(std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t above = bits - 1 - (end - 1) % bits;
    std::uint32_t w = (end - 1) / bits;
    std::uint64_t word = words_[w] << above >> above;
    while (word == 0) {
      if (w * bits <= begin) return nothing;
      word = words_[--w];
    }
    const std::uint32_t found =
        w * bits + bits - 1 - static_cast<std::uint32_t>(std::countl_zero(word));
    return found >= begin ? found : nothing;
  }

  /// Calls visit(number) in ascending order; visit may erase the number it is called with.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left; left &= left - 1) {
        visit(w * word_bits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  std::size_t word_count() const { return words_.size(); }
  /// For loops over whole words: bit i of word w is the number w * word_bits + i.
  std::uint64_t* words() { return words_.data(); }

 private:
  static constexpr std::uint32_t bits = word_bits;
  static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << (number % word_bits); }

  std::vector<std::uint64_t> words_;
};

}  // namespace boxwood
