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
    std::int32_t left = 0;  ///< the number of a leaf, or ~ that of a split
    std::int32_t right = 0;
    /// The last step on the way here that tests the same feature: 2 + 2 * the number of its split
    /// within the tree, and 1 more if it leads to the right. 0 if there is none.
    std::uint32_t before = 0;
  };
  /// A leaf that no input reaches.
  static constexpr std::int32_t nothing = std::numeric_limits<std::int32_t>::max();

  void reserve(std::size_t trees, std::size_t splits) {
    roots_.reserve(trees);
    first_splits_.reserve(trees + 1);
    splits_.reserve(splits);
  }
  /// Adds a tree whose leaves have the numbers from `first_leaf` on.
  void add(const Tree& tree, const LeafBoxes& boxes, std::span<const std::uint32_t> cut_begin,
           std::size_t first_leaf, std::size_t past_leaf);
  /// From now on, and for ever, the trees have no paths.
  void give_up();

  bool given_up() const { return given_up_; }
  const std::vector<std::int32_t>& roots() const { return roots_; }
  const std::vector<Split>& splits() const { return splits_; }
  std::size_t depth() const { return depth_; }
  /// The splits of a tree are those from first_splits()[tree] on.
  const std::vector<std::uint32_t>& first_splits() const { return first_splits_; }
  std::size_t most_splits() const { return most_splits_; }
  /// Whether Split::before is known. In trees that are very deep it takes too long to find.
  bool linked() const { return depth_ <= most_depth; }
  std::size_t bytes() const {
    return (roots_.capacity() + first_splits_.capacity()) * sizeof(std::uint32_t) +
           splits_.capacity() * sizeof(Split);
  }

 private:
  static constexpr std::size_t most_depth = 64;

  std::vector<Split> splits_;        // a split comes before those below it
  std::vector<std::int32_t> roots_;  // of a tree: as Split::left
  std::vector<std::uint32_t> first_splits_{0};
  std::size_t most_splits_ = 0;  // of a tree

  std::size_t depth_ = 0;  // the most splits on a path
  bool given_up_ = false;
};

}  // namespace boxwood::fast
