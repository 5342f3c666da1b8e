// The dimensions in the order in which boxes are built, with the leaves sorted in each.
#pragma once

#include "base/bit_set.hpp"
#include "grid/grid.hpp"

#include <cstdint>
#include <vector>

namespace boxwood::paper {

/// One dimension's interval ends, sorted once. A subset of leaves stays sorted, which makes
/// Intersect1D linear at every node.
struct Dimension {
  struct End {
    std::uint32_t cell;
    std::uint32_t leaf;
  };
  std::uint32_t variable = 0;
  std::vector<End> starts;  ///< leaves that begin after the first cell, by first cell
  std::vector<End> ends;    ///< leaves that end before the last cell, by end
  BitSet late;              ///< the leaves in `starts`
};

struct Dimensions {
  std::vector<Dimension> list;
  /// At [p * leaves + i]: the least cost of the ranges of leaf i in the dimensions from p on. Empty
  /// if the table would be too large.
  std::vector<double> rest;
  std::size_t leaf_count = 0;

  double rest_of(std::size_t position, std::size_t leaf) const {
    return rest.empty() ? 0.0 : rest[position * leaf_count + leaf];
  }
};

/// The variables that separate leaves. Those that most leaves test come first, because they
/// separate most leaves and put the largest distances near the root.
Dimensions make_dimensions(const Grid& grid, bool with_rest);
/// The most memory that make_dimensions takes.
std::size_t dimension_bytes(const Grid& grid, bool with_rest);

/// Algorithm 1, Intersect1D: the maximal intersections of the node's leaves in one dimension, in
/// ascending order. Calls emit(cells, leaves) for each; `running` is scratch.
template <typename Emit>
void intersect_1d(const Dimension& dimension, std::uint32_t cell_count, const BitSet& alive,
                  BitSet& running, Emit emit) {
  running = alive;
  running.erase_all(dimension.late);
  auto start = dimension.starts.begin();
  auto end = dimension.ends.begin();
  const auto skip_others = [&](auto& at, const auto& stop) {
    while (at != stop && !alive.contains(at->leaf)) ++at;
  };
  std::uint32_t from = 0;
  for (;;) {
    skip_others(start, dimension.starts.end());
    skip_others(end, dimension.ends.end());
    std::uint32_t to = cell_count;
    if (start != dimension.starts.end()) to = start->cell;
    if (end != dimension.ends.end() && end->cell < to) to = end->cell;
    emit(CellRange{from, to}, running);
    if (to == cell_count) return;
    for (; end != dimension.ends.end() && end->cell == to; ++end) running.erase(end->leaf);
    for (; start != dimension.starts.end() && start->cell == to; ++start) {
      if (alive.contains(start->leaf)) running.insert(start->leaf);
    }
    from = to;
  }
}

}  // namespace boxwood::paper
