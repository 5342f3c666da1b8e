// A set of leaves as a bitset of fixed length, as the paper advises.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood::paper {

class LeafSet {
 public:
  explicit LeafSet(std::size_t leaves = 0) : words_((leaves + 63) / 64, 0) {}

  void insert(std::size_t leaf) { words_[leaf / 64] |= std::uint64_t{1} << (leaf % 64); }
  void erase(std::size_t leaf) { words_[leaf / 64] &= ~(std::uint64_t{1} << (leaf % 64)); }
  bool contains(std::size_t leaf) const {
    return (words_[leaf / 64] >> (leaf % 64) & std::uint64_t{1}) != 0;
  }
  void erase_all(const LeafSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~others.words_[w];
  }
  bool intersects(const LeafSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (words_[w] & other.words_[w]) return true;
    }
    return false;
  }

  /// Calls visit(leaf) in ascending order; visit may erase the leaf it is called with.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits; bits &= bits - 1) {
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace boxwood::paper
