// Every leaf of every tree as a box: for each feature on its path the range of cells it takes.
// Depends on the models only, not on a query.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// Cells [first, last) of one feature's axis. Cell i lies between cuts i - 1 and i.
struct CellRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
  bool contains(std::uint32_t cell) const { return first <= cell && cell < last; }
  bool operator==(const CellRange&) const = default;
};

/// A leaf's demand on one feature that its path tests: one range of cells, or a list of several,
/// which `cells` spans. The range may be empty: a path may contradict itself for numbers and still
/// be open to a missing value.
struct LeafSide {
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
  std::uint32_t sides_begin = 0;
  std::uint32_t sides_end = 0;
};

struct LeafBoxes {
  Cuts cuts;
  std::vector<LeafBox> leaves;  ///< tree by tree
  std::vector<LeafSide> sides;
  std::vector<std::uint32_t> list_begin{0};  ///< of a list of ranges; one more
  std::vector<CellRange> ranges;             ///< of all lists, rising and apart within each
  /// Of a feature with splits on sets: its cells in an order in which such sets are mostly in one
  /// piece; empty for all others.
  std::vector<std::vector<std::uint32_t>> cell_order;
  std::uint32_t tree_count = 0;

  std::span<const CellRange> ranges_of(const LeafSide& side) const {
    if (side.list == LeafSide::no_list) return {&side.cells, 1};
    return std::span(ranges).subspan(list_begin[side.list],
                                     list_begin[side.list + 1] - list_begin[side.list]);
  }
  std::span<const LeafSide> sides_of(const LeafBox& leaf) const {
    return std::span(sides).subspan(leaf.sides_begin, leaf.sides_end - leaf.sides_begin);
  }
};

LeafBoxes box_leaves(std::span<const Ensemble> ensembles);

/// Where the cells of one list of cuts begin among those of another that has them all: of cell i of
/// the first, and of the end.
std::vector<std::uint32_t> new_places(std::span<const Cut> cuts, std::span<const Cut> more);

/// The boxes of some ensembles and of one more, without walking through the others again.
LeafBoxes add_ensemble(const LeafBoxes& boxes, const Ensemble& more, std::uint32_t index);

}  // namespace boxwood
