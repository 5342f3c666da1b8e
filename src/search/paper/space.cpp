#include "search/paper/space.hpp"

#include "search/speaker.hpp"

#include <algorithm>

namespace boxwood::paper {
namespace {

constexpr std::uint32_t no_tree = ~std::uint32_t{0};

/// Whether a leaf has numbers for several outputs.
bool several(const Tree& tree) { return tree.output == Tree::every_output || tree.width > 1; }

}  // namespace

Space::Space(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts,
             const Grid& grid, const PaperAdditions& additions,
             std::span<const double> known_solution)
    : ensembles_(ensembles),
      query_(query),
      grid_(grid),
      additions_(additions),
      known_(ensembles, query, cuts, grid.variables, known_solution),
      linear_(ensembles, query, cuts),
      known_leaves_(grid.leaf_count()),
      dimensions_(make_dimensions(grid, additions.leaf_pruning)) {
  for (const Ensemble& ensemble : ensembles) {
    first_output_.push_back(output_count_);
    output_count_ += ensemble.base.size();
  }
  // Score pruning discards everything that the vote rule discards.
  const std::size_t voted = additions.score_pruning ? 0 : grid.conditions.size();
  for (std::size_t m = 0; m < voted; ++m) {
    votes_.emplace_back(grid.leaf_count());
    for (std::size_t leaf = 0; leaf < grid.leaf_count(); ++leaf) {
      if (grid.score(m, leaf) > 0) votes_.back().insert(leaf);
    }
  }
  if (!known_.active()) return;
  std::uint32_t trees = 0;
  for (std::size_t leaf = 0; leaf < grid.leaf_count(); ++leaf) {
    const std::span<const LeafRange> ranges = grid.ranges_of(leaf);
    if (std::all_of(ranges.begin(), ranges.end(), [&](const LeafRange& range) {
          return range.cells.contains(known_.cell(range.variable));
        })) {
      known_leaves_.insert(leaf);
      ++trees;
    }
  }
  known_.check_discarded(trees != grid.tree_count, grid.radius, "radius");
}

SearchNode Space::root() const {
  SearchNode node{BitSet(grid_.leaf_count()), {}, 0, {}};
  for (std::size_t leaf = 0; leaf < grid_.leaf_count(); ++leaf) node.leaves.insert(leaf);
  return node;
}

bool Space::expand(const SearchNode& node, double bound, Watch& watch,
                   std::vector<SearchNode>& children) const {
  watch.count_leaves(grid_.leaf_count());
  const auto first_child = static_cast<std::ptrdiff_t>(children.size());
  const Dimension& dimension = dimensions_.list[node.box.size()];
  const Variable& variable = grid_.variables[dimension.variable];
  const auto cell_count = static_cast<std::uint32_t>(variable.cells.size());
  bool whole = true;
  BitSet running;
  const auto check_discarded = [&](CellRange cells, const char* prune) {
    if (!known_.within(bound)) return;
    known_.check_discarded(cells.contains(known_.cell(dimension.variable)) && holds_known(node),
                           bound, prune);
  };
  const auto add_child = [&](CellRange cells, const BitSet& leaves) {
    const std::uint32_t nearest = variable.nearest(cells.first, cells.last);
    const double cost = node.cost + variable.cells[nearest].cost;
    // The cost of a box only grows with further dimensions.
    if (beyond(cost, bound)) {
      check_discarded(cells, "distance");
      return;
    }
    if (watch.expired()) {
      whole = false;
      return;
    }
    if (!has_votes(leaves)) {
      check_discarded(cells, "votes");
      return;
    }
    SearchNode child;
    child.leaves = leaves;
    child.box.reserve(node.box.size() + 1);
    child.box = node.box;
    child.box.push_back(cells);
    child.cost = cost;
    if (!survives(child, bound)) return;
    child.memory = MemoryHold(
        watch, sizeof(child) + child.leaves.bytes() + child.box.capacity() * sizeof(CellRange));
    children.push_back(std::move(child));
  };
  intersect_1d(dimension, cell_count, node.leaves, running, add_child);
  std::stable_sort(children.begin() + first_child, children.end(),
                   [](const SearchNode& a, const SearchNode& b) { return a.cost > b.cost; });
  return whole;
}

bool Space::survives(SearchNode& child, double bound) const {
  if (additions_.leaf_pruning) drop_far_leaves(child, bound);
  if (additions_.score_pruning && !scores_suffice(child)) {
    if (known_.within(bound)) known_.check_discarded(holds_known(child), bound, "score");
    return false;
  }
  return true;
}

/// The paper discards a node when none of its leaves votes for the target. For conditions: if no
/// leaf has a positive score, the sum is at most 0, and the condition fails if the threshold, from
/// which the base score is subtracted, is positive. (Without the base score the rule would be
/// wrong: the base score alone may reach the target; see Engines.TheBaseAloneMayReachTheTarget.)
bool Space::has_votes(const BitSet& leaves) const {
  for (std::size_t m = 0; m < votes_.size(); ++m) {
    if (grid_.conditions[m].threshold > 0 && !leaves.intersects(votes_[m])) return false;
  }
  return true;
}

/// Addition to the paper. A point of the child's box that lies in a leaf costs at least the box in
/// the dimensions built plus the leaf's own ranges in the dimensions to come; a leaf for which that
/// is beyond the bound holds no point worth finding and its score must not count.
void Space::drop_far_leaves(SearchNode& child, double bound) const {
  if (dimensions_.rest.empty()) return;
  const std::size_t position = child.box.size();
  child.leaves.for_each([&](std::size_t leaf) {
    if (!beyond(child.cost + dimensions_.rest_of(position, leaf), bound)) return;
    if (known_.within(bound)) {
      known_.check_discarded(known_leaves_.contains(leaf) && holds_known(child), bound, "leaf");
    }
    child.leaves.erase(leaf);
  });
}

/// Addition to the paper. Every point of the child's box takes one remaining leaf of each tree, so
/// each condition's sum is at most the sum of the best remaining scores; a tree without a
/// remaining leaf admits no point at all. Thresholds allow for the rounding of these sums.
bool Space::scores_suffice(const SearchNode& child) const {
  return grid_.conditions.size() > 1 ? all_scores_suffice(child) : one_score_suffices(child);
}

bool Space::one_score_suffices(const SearchNode& child) const {
  // Leaves of a tree are sorted by this score: the first alive leaf is the best one.
  const bool scored = !grid_.conditions.empty();
  double sum = 0;
  std::uint32_t trees = 0;
  std::uint32_t last_tree = no_tree;
  child.leaves.for_each([&](std::size_t leaf) {
    if (grid_.tree_of[leaf] == last_tree) return;
    last_tree = grid_.tree_of[leaf];
    ++trees;
    if (scored) sum += grid_.first_scores[leaf];
  });
  return trees == grid_.tree_count && (!scored || sum >= grid_.conditions[0].threshold);
}

/// A tree with one output contributes its largest or its smallest number to a condition, whichever
/// is better for it. These numbers are added up for each output first, because there may be as many
/// conditions as classes. Trees whose leaves have a number for every output are evaluated for each
/// condition.
bool Space::all_scores_suffice(const SearchNode& child) const {
  const std::size_t count = grid_.conditions.size();
  std::vector<double> sums(count, 0.0), best(count, 0.0);
  std::vector<double> largest(output_count_, 0.0), smallest(output_count_, 0.0);
  double high = 0, low = 0;
  std::uint32_t trees = 0;
  std::uint32_t last_tree = no_tree;
  const auto finish_tree = [&] {
    if (last_tree == no_tree) return;
    ++trees;
    const Tree& tree = *grid_.trees[last_tree];
    if (several(tree)) {
      for (std::size_t m = 0; m < count; ++m) sums[m] += best[m];
      return;
    }
    const std::size_t output = output_index(grid_.ensemble_of[last_tree], tree.output);
    largest[output] += high;
    smallest[output] += low;
  };
  child.leaves.for_each([&](std::size_t leaf) {
    const bool first = grid_.tree_of[leaf] != last_tree;
    if (first) finish_tree();
    last_tree = grid_.tree_of[leaf];
    const Tree& tree = *grid_.trees[last_tree];
    if (several(tree)) {
      for (std::size_t m = 0; m < count; ++m) {
        const double score = grid_.score(m, leaf);
        best[m] = first ? score : std::max(best[m], score);
      }
    } else {
      const double value = tree.values[grid_.value_of[leaf]];
      high = first ? value : std::max(high, value);
      low = first ? value : std::min(low, value);
    }
  });
  finish_tree();
  if (trees != grid_.tree_count) return false;
  for (std::size_t m = 0; m < count; ++m) {
    const Condition& condition = grid_.conditions[m];
    for (std::size_t k = 0; k < condition.weights.size(); ++k) {
      const std::size_t output = output_index(condition.ensemble, static_cast<std::int32_t>(k));
      const double weight = condition.weights[k];
      sums[m] += weight * (weight > 0 ? largest[output] : smallest[output]);
    }
    if (sums[m] < condition.threshold && !condition.weights.empty()) return false;
    if (!condition.weights.empty()) continue;
    const std::size_t plus = output_index(condition.ensemble, condition.plus);
    sums[m] += condition.sign > 0 ? largest[plus] : -smallest[plus];
    if (condition.minus >= 0)
      sums[m] -= smallest[output_index(condition.ensemble, condition.minus)];
    if (sums[m] < condition.threshold) return false;
  }
  return true;
}

bool Space::holds_known(const SearchNode& node) const {
  for (std::size_t p = 0; p < node.box.size(); ++p) {
    if (!node.box[p].contains(known_.cell(dimensions_.list[p].variable))) return false;
  }
  return true;
}

std::vector<CellRange> Space::shared_cells(const SearchNode& node) const {
  std::vector<CellRange> shared(grid_.variables.size());
  for (std::size_t v = 0; v < shared.size(); ++v) {
    shared[v] = {0, static_cast<std::uint32_t>(grid_.variables[v].cells.size())};
  }
  node.leaves.for_each([&](std::size_t leaf) {
    for (const LeafRange& range : grid_.ranges_of(leaf)) {
      CellRange& common = shared[range.variable];
      common.first = std::max(common.first, range.cells.first);
      common.last = std::min(common.last, range.cells.last);
    }
  });
  return shared;
}

std::vector<double> Space::nearest_point(const SearchNode& node) const {
  std::vector<double> point = query_.point;
  place_nearest(node, point);
  return point;
}

std::vector<double> Space::speaker(const SearchNode& node) const {
  std::vector<double> point = query_.point;
  const std::vector<std::uint32_t> cells = place_nearest(node, point);
  settle_listed(ensembles_, grid_.variables, cells, point);
  return point;
}

bool Space::offer(const SearchNode& node, Incumbent& incumbent, Watch& watch) const {
  std::vector<double> point = speaker(node);
  if (linear_.needed() && linear_.is_exact()) {
    bool found = false;
    linear_.visit(point, incumbent, watch, [&](const std::vector<double>& one) {
      if (!meets_requirements(one)) return false;
      incumbent.offer(one);
      return found = true;
    });
    return found;
  }
  if (linear_.needed()) {
    // Its leaves are one box of cells of the continuous features of rules: see Context::offer.
    const double reach = incumbent.cost();
    BoxAnswer found = linear_.solve(point, reach);
    const bool good = found.point.empty() || meets_requirements(found.point);
    if (!(found.bound > reach)) incumbent.close_box(found.bound, found.settled && good);
    if (found.point.empty()) return false;
    point = std::move(found.point);
  }
  if (!meets_requirements(point)) return false;
  incumbent.offer(std::move(point));
  return true;
}

bool Space::speaks_for(std::span<const Interval> box, const SearchNode& node) const {
  std::vector<double> point = query_.point;
  const std::vector<std::uint32_t> cells = place_nearest(node, point);
  return boxwood::speaks_for(box, grid_.variables, cells, point);
}

std::vector<std::uint32_t> Space::place_nearest(const SearchNode& node,
                                                std::vector<double>& point) const {
  const std::vector<CellRange> shared = shared_cells(node);
  std::vector<std::uint32_t> cells;
  for (const Variable& variable : grid_.variables) cells.push_back(variable.own);
  for (const Dimension& dimension : dimensions_.list) {
    const std::uint32_t v = dimension.variable;
    const Variable& variable = grid_.variables[v];
    cells[v] = variable.nearest(shared[v].first, shared[v].last);
    variable.place(cells[v], v, point);
  }
  return cells;
}

bool Space::holds_nearest_point(const SearchNode& node) const {
  const std::vector<CellRange> shared = shared_cells(node);
  for (std::size_t p = 0; p < node.box.size(); ++p) {
    const std::uint32_t v = dimensions_.list[p].variable;
    const Variable& variable = grid_.variables[v];
    if (!node.box[p].contains(variable.nearest(shared[v].first, shared[v].last))) return false;
  }
  return true;
}

}  // namespace boxwood::paper
