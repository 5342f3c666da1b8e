// The splits of all trees as a search walks them: from the root to the leaves that are near a
// point, without a look at all the others.
#pragma once

#include "grid/leaves.hpp"

#include <boxwood/ensemble.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace boxwood::fast {

/// Only for models in which every split cuts its feature's axis once, with the smaller values on
/// the left. Splits on sets, on equality, or with a rule of their own for zero do not.
class TreePaths {
 public:
  struct Split {
    std::uint32_t cut = 0;  ///< LeafTable's number of the cut
    std::uint32_t feature = 0;
    std::uint32_t left = 0;  ///< a split or a leaf
    std::uint32_t right = 0;
  };
  /// Instead of a split: this bit and the number of a leaf.
  static constexpr std::uint32_t leaf_mark = std::uint32_t{1} << 31;
  /// A leaf that no input reaches.
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

  void reserve(std::size_t trees, std::size_t splits) {
    roots_.reserve(trees);
    splits_.reserve(splits);
  }
  /// Adds a tree whose leaves have the numbers from `first_leaf` on.
  void add(const Tree& tree, const LeafBoxes& boxes, std::span<const std::uint32_t> cut_begin,
           std::size_t first_leaf, std::size_t past_leaf);
  /// From now on, and for ever, the trees have no paths.
  void give_up();

  bool given_up() const { return given_up_; }
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  const std::vector<Split>& splits() const { return splits_; }
  std::size_t depth() const { return depth_; }
  std::size_t bytes() const {
    return roots_.capacity() * sizeof(std::uint32_t) + splits_.capacity() * sizeof(Split);
  }

 private:
  std::vector<Split> splits_;         // a split comes before those below it
  std::vector<std::uint32_t> roots_;  // of a tree: a split or a leaf
  std::size_t depth_ = 0;             // the most splits on a path
  bool given_up_ = false;
};

}  // namespace boxwood::fast
