#include "grid/grid.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace boxwood {
namespace {

/// A leaf's range in terms of admitted cells; nothing when it admits none.
std::optional<CellRange> admitted(const LeafSide& side, const Variable& variable) {
  if (variable.missing) return side.missing ? std::optional(CellRange{0, 1}) : std::nullopt;
  const CellRange range{variable.kept_below[side.cells.first],
                        variable.kept_below[side.cells.last]};
  return range.size() > 0 ? std::optional(range) : std::nullopt;
}

/// Leaves gathered one by one, then put in order.
class GridBuilder {
 public:
  explicit GridBuilder(Grid& grid) : grid_(grid) { grid_.sides_begin.push_back(0); }

  void open_leaf() { pending_ = grid_.sides.size(); }
  void drop_leaf() { grid_.sides.resize(pending_); }
  void add_side(std::uint32_t variable, CellRange cells) {
    if (cells.size() < grid_.variables[variable].cells.size()) {
      grid_.sides.push_back({variable, cells});
    }
  }
  void close_leaf(std::uint32_t tree) {
    grid_.tree_of.push_back(tree);
    grid_.sides_begin.push_back(static_cast<std::uint32_t>(grid_.sides.size()));
  }

 private:
  Grid& grid_;
  std::size_t pending_ = 0;
};

}  // namespace

double Grid::leaf_cost(std::size_t leaf) const {
  double cost = 0;
  for (const Side& side : sides_of(leaf)) {
    const Variable& variable = variables[side.variable];
    cost += variable.cells[variable.nearest(side.cells.first, side.cells.last)].cost;
  }
  return cost;
}

Grid make_grid(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, const Query& query) {
  Grid grid;
  grid.tree_count = boxes.tree_count;
  grid.conditions = make_conditions(ensembles, query);
  const Precision precision = common_precision(ensembles);
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    grid.variables.push_back(make_variable(query, d, boxes.cuts[d], precision));
  }

  std::vector<const Tree*> trees;
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) trees.push_back(&tree);
  }
  const auto score = [&](std::size_t m, std::size_t leaf) {
    const LeafBox& box = boxes.leaves[leaf];
    const Condition& condition = grid.conditions[m];
    return box.ensemble == condition.ensemble ? condition.score(*trees[box.tree], box.value) : 0.0;
  };

  std::vector<std::size_t> order(boxes.leaves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!grid.conditions.empty()) {
    std::vector<double> first(order.size());
    for (const std::size_t leaf : order) first[leaf] = score(0, leaf);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const std::uint32_t tree_a = boxes.leaves[a].tree, tree_b = boxes.leaves[b].tree;
      return tree_a != tree_b ? tree_a < tree_b : first[a] > first[b];
    });
  }

  std::vector<std::size_t> kept;
  GridBuilder builder(grid);
  for (const std::size_t leaf : order) {
    const LeafBox& box = boxes.leaves[leaf];
    builder.open_leaf();
    bool reachable = true;
    for (const LeafSide& side : boxes.sides_of(box)) {
      const auto cells = admitted(side, grid.variables[side.feature]);
      if (!cells) {
        reachable = false;
        break;
      }
      builder.add_side(side.feature, *cells);
    }
    if (!reachable) {
      builder.drop_leaf();
      continue;
    }
    builder.close_leaf(box.tree);
    kept.push_back(leaf);
  }
  grid.scores.reserve(grid.conditions.size() * kept.size());
  for (std::size_t m = 0; m < grid.conditions.size(); ++m) {
    for (const std::size_t leaf : kept) grid.scores.push_back(score(m, leaf));
  }
  return grid;
}

Grid restrict_to_radius(const Grid& grid, double radius) {
  Grid smaller;
  smaller.variables = grid.variables;
  smaller.conditions = grid.conditions;
  smaller.tree_count = grid.tree_count;
  smaller.radius = radius;
  GridBuilder builder(smaller);
  std::vector<std::size_t> kept;
  for (std::size_t leaf = 0; leaf < grid.leaf_count(); ++leaf) {
    if (grid.weaken(grid.leaf_cost(leaf)) > radius) continue;
    for (const Side& side : grid.sides_of(leaf)) builder.add_side(side.variable, side.cells);
    builder.close_leaf(grid.tree_of[leaf]);
    kept.push_back(leaf);
  }
  for (std::size_t m = 0; m < grid.conditions.size(); ++m) {
    for (const std::size_t leaf : kept) smaller.scores.push_back(grid.score(m, leaf));
  }
  return smaller;
}

}  // namespace boxwood
