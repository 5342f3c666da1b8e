#include "search/paper/dimensions.hpp"

#include <algorithm>
#include <limits>

namespace boxwood::paper {
namespace {

constexpr std::size_t most_entries = std::size_t{1} << 25;  // of Dimensions::rest

}  // namespace

std::size_t dimension_bytes(const Grid& grid, bool with_rest) {
  const std::size_t leaves = grid.leaf_count(), positions = grid.variables.size() + 1;
  std::size_t ends = 0;
  for (const LeafRange& range : grid.ranges) {
    ends += range.cells.first > 0 ? 1U : 0U;
    ends += range.cells.last < grid.variables[range.variable].cells.size() ? 1U : 0U;
  }
  std::size_t bytes = ends * sizeof(Dimension::End) + positions * leaves / 8;
  if (with_rest && leaves > 0 && positions <= most_entries / leaves) {
    bytes += positions * leaves * sizeof(double);
  }
  return bytes;
}

Dimensions make_dimensions(const Grid& grid, bool with_rest) {
  const std::size_t leaves = grid.leaf_count();
  std::vector<Dimension> all(grid.variables.size());
  for (std::size_t v = 0; v < all.size(); ++v) {
    all[v].variable = static_cast<std::uint32_t>(v);
    all[v].late = BitSet(leaves);
  }
  std::vector<std::size_t> testers(all.size(), 0);
  std::vector<std::size_t> starts(all.size(), 0), ends(all.size(), 0);
  for (const LeafRange& range : grid.ranges) {
    starts[range.variable] += range.cells.first > 0 ? 1U : 0U;
    ends[range.variable] +=
        range.cells.last < grid.variables[range.variable].cells.size() ? 1U : 0U;
  }
  for (std::size_t v = 0; v < all.size(); ++v) {
    all[v].starts.reserve(starts[v]);
    all[v].ends.reserve(ends[v]);
  }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (const LeafRange& range : grid.ranges_of(leaf)) {
      Dimension& dimension = all[range.variable];
      ++testers[range.variable];
      const auto id = static_cast<std::uint32_t>(leaf);
      if (range.cells.first > 0) {
        dimension.starts.push_back({range.cells.first, id});
        dimension.late.insert(leaf);
      }
      if (range.cells.last < grid.variables[range.variable].cells.size()) {
        dimension.ends.push_back({range.cells.last, id});
      }
    }
  }
  const auto by_cell = [](const Dimension::End& a, const Dimension::End& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.leaf < b.leaf;
  };
  Dimensions dimensions;
  dimensions.leaf_count = leaves;
  for (Dimension& dimension : all) {
    if (dimension.starts.empty() && dimension.ends.empty()) continue;
    std::sort(dimension.starts.begin(), dimension.starts.end(), by_cell);
    std::sort(dimension.ends.begin(), dimension.ends.end(), by_cell);
    dimensions.list.push_back(std::move(dimension));
  }
  std::stable_sort(dimensions.list.begin(), dimensions.list.end(),
                   [&](const Dimension& a, const Dimension& b) {
                     return testers[a.variable] > testers[b.variable];
                   });

  const std::size_t positions = dimensions.list.size() + 1;
  if (!with_rest || leaves == 0 || positions > most_entries / leaves) return dimensions;
  dimensions.rest.assign(positions * leaves, 0.0);
  std::vector<std::size_t> position_of(grid.variables.size(), 0);
  for (std::size_t p = 0; p < dimensions.list.size(); ++p) {
    position_of[dimensions.list[p].variable] = p;
  }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (const LeafRange& range : grid.ranges_of(leaf)) {
      const Variable& variable = grid.variables[range.variable];
      const double cost =
          variable.cells[variable.nearest(range.cells.first, range.cells.last)].cost;
      dimensions.rest[position_of[range.variable] * leaves + leaf] = cost;
    }
    for (std::size_t p = dimensions.list.size(); p-- > 0;) {
      dimensions.rest[p * leaves + leaf] += dimensions.rest[(p + 1) * leaves + leaf];
    }
  }
  return dimensions;
}

}  // namespace boxwood::paper
