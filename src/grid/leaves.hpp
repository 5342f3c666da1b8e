// Every leaf of every tree as a box: for each feature on its path, the range of cells that reaches
// the leaf. Depends only on the models, not on a query.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// Cells [first, last) of one feature's axis. Cell i is between cuts i - 1 and i.
struct CellRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
  bool contains(std::uint32_t cell) const { return first <= cell && cell < last; }
  bool operator==(const CellRange&) const = default;
};

/// The cells of one feature with which a point reaches a leaf: one range, or a list of several
/// ranges, of which `cells` is the hull. The range may be empty: a path may exclude every number
/// and still admit a missing value.
struct PathRange {
  static constexpr std::uint32_t no_list = (std::uint32_t{1} << 31) - 1;

  std::uint32_t feature = 0;
  CellRange cells;
  std::uint32_t missing : 1 = 0;      ///< whether a missing value passes every test of the path
  std::uint32_t list : 31 = no_list;  ///< in LeafBoxes::list_begin
};

struct LeafBox {
  std::uint32_t ensemble = 0;
  std::uint32_t tree = 0;   ///< counted through all ensembles
  std::uint32_t value = 0;  ///< index of its first number in the tree's values
  std::uint32_t ranges_begin = 0;
  std::uint32_t ranges_end = 0;
};

struct LeafBoxes {
  Cuts cuts;
  /// Tree by tree. The leaves of a tree that adds to one output are in descending order of their
  /// values.
  std::vector<LeafBox> leaves;
  std::vector<PathRange> ranges;
  std::vector<std::uint32_t> list_begin{0};  ///< of a list of ranges; one more
  std::vector<CellRange> listed;             ///< of all lists; ascending and disjoint within each
  /// For a feature with splits on sets: its cells in an order in which most of these sets are one
  /// range. Empty for all other features.
  std::vector<std::vector<std::uint32_t>> cell_order;
  std::uint32_t tree_count = 0;

  /// The ranges of a list, or the one range.
  std::span<const CellRange> cells_of(const PathRange& range) const {
    if (range.list == PathRange::no_list) return {&range.cells, 1};
    return std::span(listed).subspan(list_begin[range.list],
                                     list_begin[range.list + 1] - list_begin[range.list]);
  }
  std::span<const PathRange> ranges_of(const LeafBox& leaf) const {
    return std::span(ranges).subspan(leaf.ranges_begin, leaf.ranges_end - leaf.ranges_begin);
  }
  /// The memory of the large lists.
  std::size_t bytes() const;
};

/// How many leaves and ranges the boxes of an ensemble have, without building them. Leaves that no
/// input reaches are counted too.
struct BoxCount {
  std::size_t leaves = 0;
  std::size_t ranges = 0;
};
BoxCount count_boxes(std::span<const Ensemble> ensembles, Pace& pace);

LeafBoxes box_leaves(std::span<const Ensemble> ensembles);
/// Completes `boxes`: builds all of them at first, or what is left after `pace` has stopped an
/// earlier call.
void box_leaves(std::span<const Ensemble> ensembles, LeafBoxes& boxes, Pace& pace);

/// For each cell of a list of cuts, its first cell in a finer list that has all these cuts; the
/// last entry is the end.
std::vector<std::uint32_t> new_places(std::span<const Cut> cuts, std::span<const Cut> more);

/// The boxes of some ensembles and one more, without walking the trees of the others again.
LeafBoxes add_ensemble(const LeafBoxes& boxes, const Ensemble& more, std::uint32_t index,
                       Pace& pace);

}  // namespace boxwood
