#include "grid/grid.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace boxwood {
namespace {

/// A leaf's range in admissible cells; nothing if it has none.
std::optional<CellRange> admitted(const PathRange& range, const Variable& variable) {
  if (variable.missing) return range.missing ? std::optional(CellRange{0, 1}) : std::nullopt;
  const CellRange cells{variable.kept_below[range.cells.first],
                        variable.kept_below[range.cells.last]};
  return cells.size() > 0 ? std::optional(cells) : std::nullopt;
}

/// Adds leaves to a grid one by one.
class GridBuilder {
 public:
  explicit GridBuilder(Grid& grid) : grid_(grid) { grid_.ranges_begin.push_back(0); }

  void add_range(std::uint32_t variable, CellRange cells) {
    if (cells.size() < grid_.variables[variable].cells.size()) {
      grid_.ranges.push_back({variable, cells});
    }
  }
  void close_leaf(std::uint32_t tree, std::uint32_t value) {
    grid_.tree_of.push_back(tree);
    grid_.value_of.push_back(value);
    grid_.ranges_begin.push_back(static_cast<std::uint32_t>(grid_.ranges.size()));
  }

 private:
  Grid& grid_;
};

}  // namespace

double Grid::leaf_cost(std::size_t leaf) const {
  double cost = 0;
  for (const LeafRange& range : ranges_of(leaf)) {
    const Variable& variable = variables[range.variable];
    cost += variable.cells[variable.nearest(range.cells.first, range.cells.last)].cost;
  }
  return cost;
}

std::size_t Grid::bytes() const {
  std::size_t cells = 0;
  for (const Variable& variable : variables) cells += variable.cells.size();
  return cells * (sizeof(Cell) + sizeof(std::uint32_t)) + ranges.size() * sizeof(LeafRange) +
         leaf_count() * (3 * sizeof(std::uint32_t) + sizeof(double));
}

Grid make_grid(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, const Query& query,
               CellOrder cell_order, std::uint64_t most_ranges, Pace& pace) {
  Grid grid;
  grid.tree_count = boxes.tree_count;
  grid.conditions = make_conditions(ensembles, query);
  grid.variables = make_variables(ensembles, query, boxes, cell_order, pace);

  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    for (const Tree& tree : ensembles[e].trees) {
      grid.trees.push_back(&tree);
      grid.ensemble_of.push_back(static_cast<std::uint32_t>(e));
    }
  }
  const auto first_score = [&](const LeafBox& box) {
    const Condition& condition = grid.conditions.front();
    return box.ensemble == condition.ensemble ? condition.score(*grid.trees[box.tree], box.value)
                                              : 0.0;
  };

  std::vector<std::size_t> order(boxes.leaves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!grid.conditions.empty()) {
    std::vector<double> first(order.size());
    for (const std::size_t leaf : order) first[leaf] = first_score(boxes.leaves[leaf]);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const std::uint32_t tree_a = boxes.leaves[a].tree, tree_b = boxes.leaves[b].tree;
      return tree_a != tree_b ? tree_a < tree_b : first[a] > first[b];
    });
  }

  std::vector<CellRange> all;
  for (const Variable& variable : grid.variables) {
    all.push_back({0, static_cast<std::uint32_t>(variable.cells.size())});
  }
  Pieces pieces(grid.variables, all);
  constexpr double everything = std::numeric_limits<double>::infinity();
  std::vector<LeafRange> even;
  grid.ranges.reserve(boxes.ranges.size());
  grid.tree_of.reserve(order.size());
  grid.value_of.reserve(order.size());
  grid.ranges_begin.reserve(order.size() + 1);
  grid.first_scores.reserve(order.size());
  GridBuilder builder(grid);
  for (const std::size_t leaf : order) {
    const LeafBox& box = boxes.leaves[leaf];
    pace.work(1);
    pieces.begin();
    even.clear();
    bool reachable = true;
    for (const PathRange& range : boxes.ranges_of(box)) {
      if (pieces.is_odd(range)) {
        pieces.add(range, boxes.cells_of(range));
        continue;
      }
      const auto cells = admitted(range, grid.variables[range.feature]);
      if (!cells) {
        reachable = false;
        break;
      }
      even.push_back({range.feature, *cells});
    }
    if (!reachable) continue;
    pieces.each(everything, [&](std::span<const LeafRange> odd) {
      pace.work(1);
      if (!odd.empty() && grid.ranges.size() > most_ranges) grid.complete = false;
      if (!grid.complete) return false;
      for (const LeafRange& range : even) builder.add_range(range.variable, range.cells);
      for (const LeafRange& range : odd) builder.add_range(range.variable, range.cells);
      builder.close_leaf(box.tree, box.value);
      if (!grid.conditions.empty()) grid.first_scores.push_back(first_score(box));
      return true;
    });
    if (!grid.complete) break;
  }
  return grid;
}

std::size_t grid_bytes(const LeafBoxes& boxes) {
  std::size_t cells = 0;
  for (const std::vector<Cut>& cuts : boxes.cuts) cells += cuts.size() + 1;
  // Sorting needs three more numbers for each leaf.
  return cells * (sizeof(Cell) + sizeof(std::uint32_t)) + boxes.ranges.size() * sizeof(LeafRange) +
         boxes.leaves.size() * (3 * sizeof(std::uint32_t) + 4 * sizeof(double));
}

Grid make_grid(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, const Query& query) {
  Pace unlimited;
  return make_grid(ensembles, boxes, query, CellOrder::by_cost,
                   std::numeric_limits<std::uint64_t>::max(), unlimited);
}

Grid restrict_to_radius(const Grid& grid, double radius, Pace& pace) {
  Grid smaller;
  smaller.variables = grid.variables;
  smaller.conditions = grid.conditions;
  smaller.tree_count = grid.tree_count;
  smaller.trees = grid.trees;
  smaller.ensemble_of = grid.ensemble_of;
  smaller.radius = radius;
  GridBuilder builder(smaller);
  for (std::size_t leaf = 0; leaf < grid.leaf_count(); ++leaf) {
    pace.work(1);
    if (grid.weaken(grid.leaf_cost(leaf)) > radius) continue;
    for (const LeafRange& range : grid.ranges_of(leaf))
      builder.add_range(range.variable, range.cells);
    builder.close_leaf(grid.tree_of[leaf], grid.value_of[leaf]);
    if (!grid.conditions.empty()) smaller.first_scores.push_back(grid.first_scores[leaf]);
  }
  return smaller;
}

}  // namespace boxwood
