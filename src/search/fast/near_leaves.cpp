#include "search/fast/near_leaves.hpp"

#include "base/bit_set.hpp"
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {
namespace {

/// Whether the point's own value lies in a leaf's range.
bool holds_own(const LeafBoxes& boxes, const Variable& variable, const PathRange& range) {
  const std::uint32_t rank = variable.ranks[variable.own];
  if (rank == Variable::missing_rank) return range.missing != 0;
  const std::span<const CellRange> cells = boxes.cells_of(range);
  return std::any_of(cells.begin(), cells.end(),
                     [&](const CellRange& one) { return one.contains(rank); });
}

/// So few trees do not show what share of the leaves is near.
constexpr std::size_t few_trees = 10;

/// Whether the costs of a variable's cells never fall along its axis on the way from the own cell.
bool in_axis_order(const Variable& variable, std::size_t v) {
  return !variable.listed && !variable.uneven && variable.owner == v;
}

}  // namespace

NearLeaves::NearLeaves(const LeafTable& table, const LeafBoxes& boxes,
                       std::span<const Variable> variables, Watch& watch, const Tuning& tuning)
    : table_(table),
      boxes_(boxes),
      variables_(variables),
      watch_(watch),
      path_share_(tuning.path_share) {
  watch.require_bytes(2 * table.cut_begin.back() * sizeof(double));
  from_below_.assign(table.cut_begin.back(), 0.0);
  from_above_.assign(table.cut_begin.back(), 0.0);
  listed_.assign(variables.size(), 0.0);
  in_order_ = !table.paths.given_up() && !table.max_changes;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].listed && !variables[v].group) price_listed(v);
    if (!variables[v].missing) price_cuts(v);
    in_order_ = in_order_ && in_axis_order(variables[v], v);
  }
  follows_paths_ =
      in_order_ && boxes.leaves.size() >= tuning.path_leaves * table.leaves.tree_count();
}

void NearLeaves::price_cuts(std::size_t v) {
  const Variable& variable = variables_[v];
  double* const below = &from_below_[table_.cut_begin[v]];
  double* const above = &from_above_[table_.cut_begin[v]];
  for (std::size_t cut = 0; cut < variable.kept_below.size(); ++cut) {
    const std::uint32_t kept = variable.kept_below[cut];
    if (kept > variable.own) {
      below[cut] = kept < variable.cells.size() ? variable.cells[kept].cost : endless;
    } else {
      above[cut] = kept > 0 ? variable.cells[kept - 1].cost : endless;
    }
  }
}

/// A range of a listed variable that does not hold the own cell costs at least as much as the
/// cheapest other cell. Groups are left out: several ranges of one leaf may belong to one group.
void NearLeaves::price_listed(std::size_t v) {
  const Variable& variable = variables_[v];
  listed_[v] = infinity;
  for (std::uint32_t cell = 0; cell < variable.cells.size(); ++cell) {
    if (cell != variable.own) listed_[v] = std::min(listed_[v], variable.cells[cell].cost);
  }
  any_listed_ = true;
}

double NearLeaves::in_order(std::uint32_t range) const {
  const auto [first, last] = table_.cuts_of[range];
  return std::max(from_below_[first], from_above_[last]);
}

double NearLeaves::of_listed(std::uint32_t range) const {
  const PathRange& cells = boxes_.ranges[range];
  const double cost = listed_[cells.feature];
  return cost == 0 || holds_own(boxes_, variables_[cells.feature], cells) ? 0.0 : cost;
}

double NearLeaves::cost_of(std::uint32_t leaf) const {
  const LeafBox& box = boxes_.leaves[leaf];
  double cost = 0;
  for (std::uint32_t range = box.ranges_begin; range < box.ranges_end; ++range) {
    cost += in_order(range);
  }
  if (any_listed_) {
    for (std::uint32_t range = box.ranges_begin; range < box.ranges_end; ++range) {
      cost += of_listed(range);
    }
  }
  return is_forbidden(leaf) ? infinity : cost;
}

/// A range that costs something changes its variable, and a leaf has at most one such range for
/// each variable. If there are more of them than features may change, no point in the leaf is
/// admissible.
bool NearLeaves::is_forbidden(std::uint32_t leaf) const {
  if (!table_.max_changes) return false;
  const LeafBox& box = boxes_.leaves[leaf];
  std::size_t changes = 0;
  for (std::uint32_t range = box.ranges_begin; range < box.ranges_end; ++range) {
    changes += in_order(range) > 0 || of_listed(range) > 0 ? 1U : 0U;
  }
  return changes > *table_.max_changes;
}

void NearLeaves::price_all(Pace& pace) {
  const auto count = static_cast<std::uint32_t>(leaf_count());
  pace.work(count);
  if (in_order_ && table_.paths.linked()) return sweep(pace);
  if (any_listed_ || table_.max_changes) {
    for (std::uint32_t leaf = 0; leaf < count; ++leaf) costs_[leaf] = cost_of(leaf);
    return;
  }
  // The same for plain leaves, which takes a tenth of a small query.
  const LeafTable::RangeCuts* const cuts_of = table_.cuts_of.data();
  const double* const below = from_below_.data();
  const double* const above = from_above_.data();
  double* const costs = costs_;
  for (const std::uint32_t leaf : table_.by_ranges) {
    const LeafBox& box = boxes_.leaves[leaf];
    double cost = 0;
    for (std::uint32_t range = box.ranges_begin; range < box.ranges_end; ++range) {
      cost += std::max(below[cuts_of[range].first], above[cuts_of[range].last]);
    }
    costs[leaf] = cost;
  }
}

void NearLeaves::cover(double most) {
  if (most <= covered_) return;
  covered_ = -1;
  if (!all_costs_) {
    const std::size_t costs = leaf_count() + (in_order_ ? table_.paths.splits().size() : 0);
    const std::size_t bytes = costs * sizeof(double) + leaf_count() * sizeof(std::uint32_t);
    watch_.require_bytes(bytes);
    held_ = MemoryHold(watch_, bytes + 2 * from_below_.size() * sizeof(double));
    all_costs_.reset(new double[costs]);  // not set: most leaves are far
    costs_ = all_costs_.get() + (costs - leaf_count());
  }
  Pace pace = watch_.pace();
  follows_paths_ = follows_paths_ && std::isfinite(most) && walk(most, pace);
  if (!follows_paths_) price_all(pace);
  covered_ = follows_paths_ ? most : infinity;
}

std::vector<std::uint32_t> NearLeaves::within(double most) {
  cover(most);
  std::vector<std::uint32_t> leaves(found_count());
  // Which leaves are near is as good as random, so that a branch would mostly be predicted wrong.
  std::size_t count = 0;
  const double* const costs = costs_;
  const double limit = in_order_ ? path_limit(most) : most;
  const auto add = [&](std::uint32_t leaf) {
    leaves[count] = leaf;
    count += costs[leaf] <= limit ? 1U : 0U;
  };
  if (follows_paths_) {
    for (const std::uint32_t leaf : leaves_) add(leaf);
  } else {
    for (std::uint32_t leaf = 0; leaf < leaf_count(); ++leaf) add(leaf);
  }
  leaves.resize(count);
  return leaves;
}

/// The cost of a path is the sum over features of what its splits ask for at least: for each
/// feature the dearest one, as costs never fall on the way from the own cell. At a leaf this is
/// cost_of(), added up in another order and by differences: each step adds a difference that is not
/// negative and at most the path's cost, so with `depth` steps the two stray from each other by
/// less than (2 * depth + variables + 4) units in the last place. A path that costs more than this
/// limit has only leaves that cost more than `most`.
double NearLeaves::path_limit(double most) const {
  const auto steps = static_cast<double>(2 * table_.paths.depth() + variables_.size() + 4);
  return most * (1 + steps * unit_in_last_place);
}

/// The cost of all leaves, by all paths: two steps for each split are a quarter of the ranges of
/// all leaves. What a path has spent on a feature is known from the last step that tests it.
void NearLeaves::sweep(Pace& pace) {
  const TreePaths& paths = table_.paths;
  const TreePaths::Split* const splits = paths.splits().data();
  const double* const below = from_below_.data();
  const double* const above = from_above_.data();
  std::vector<double> spent(2 * paths.most_splits() + 2,
                            0.0);  // of a step; nothing before the root
  double* const costs = costs_;
  const auto larger = [](double a, double b) { return a > b ? a : b; };
  for (std::size_t t = 0; t < paths.roots().size(); ++t) {
    const std::uint32_t first = paths.first_splits()[t], last = paths.first_splits()[t + 1];
    pace.work(last - first);
    if (paths.roots()[t] != TreePaths::nothing) costs[paths.roots()[t]] = 0;
    double* steps = spent.data() + 2;
    for (std::uint32_t at = first; at < last; ++at, steps += 2) {
      const TreePaths::Split& split = splits[at];
      const double from = spent[split.before], cost = costs[~static_cast<std::int32_t>(at)];
      const double to_left = above[split.cut], to_right = below[split.cut];
      const double left = larger(to_left, from), right = larger(to_right, from);
      steps[0] = left;
      steps[1] = right;
      // Whether a way ends at a leaf cannot be predicted, so both cases are one. Hardly any model
      // has leaves that no input reaches.
      if (split.left != TreePaths::nothing) costs[split.left] = cost + (left - from);
      if (split.right != TreePaths::nothing) costs[split.right] = cost + (right - from);
    }
  }
}

/// Follows the paths that cost at most path_limit(). False if too many leaves are near.
bool NearLeaves::walk(double most, Pace& pace) {
  const TreePaths::Split* const splits = table_.paths.splits().data();
  const double* const below = from_below_.data();
  const double* const above = from_above_.data();
  const double limit = path_limit(most);
  struct Later {  // a branch that is beyond a cut, seen from the own cell
    std::int32_t at;
    std::uint32_t feature;
    double cost;   // of the path
    double spent;  // on the feature
    std::size_t undo;
  };
  struct Undo {
    std::uint32_t feature;
    double spent;
  };
  std::vector<Later> later;
  std::vector<Undo> undo;
  found_.assign(words_for(leaf_count()), 0);
  spent_.assign(variables_.size(), 0.0);
  std::size_t visits = 0, found = 0, tree = 0;
  for (const std::int32_t root : table_.paths.roots()) {
    const std::size_t seen = table_.leaves.tree_begin[tree++];
    if (tree > few_trees && path_share_ * found > seen) return false;
    std::int32_t at = root;
    double cost = 0;
    for (;;) {
      ++visits;
      if (at < 0) {
        const TreePaths::Split& split = splits[~at];
        const double spent = spent_[split.feature];
        const double right = below[split.cut], left = above[split.cut];  // at least one is 0
        const bool right_is_far = right > 0;
        const double far = std::max(spent, right_is_far ? right : left);
        const double far_cost = far > spent ? cost + (far - spent) : cost;
        if (far_cost <= limit) {
          later.push_back(
              {right_is_far ? split.right : split.left, split.feature, far_cost, far, undo.size()});
        }
        at = right_is_far ? split.left : split.right;
        continue;
      }
      if (at != TreePaths::nothing) {
        set_bit(found_.data(), static_cast<std::size_t>(at));
        costs_[at] = cost;
        ++found;
      }
      if (later.empty()) break;
      const Later& next = later.back();
      for (; undo.size() > next.undo; undo.pop_back()) {
        spent_[undo.back().feature] = undo.back().spent;
      }
      undo.push_back({next.feature, spent_[next.feature]});
      spent_[next.feature] = next.spent;
      at = next.at;
      cost = next.cost;
      later.pop_back();
    }
    for (; !undo.empty(); undo.pop_back()) spent_[undo.back().feature] = undo.back().spent;
    pace.work(visits);
    visits = 0;
  }
  leaves_.clear();
  for (std::size_t w = 0; w < found_.size(); ++w) {
    for_each_bit(found_[w], w,
                 [&](std::size_t leaf) { leaves_.push_back(static_cast<std::uint32_t>(leaf)); });
  }
  return true;
}

}  // namespace boxwood::fast
