#include "search/fast/start.hpp"
#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace boxwood::fast {
namespace {

/// The exponents of the gain by which a repair ranks moves: 1 for a move that gains most for its
/// cost, more for one that gains much at once. Exponents that fail at one point work at another.
constexpr double first_exponents[] = {1, 2};
constexpr double repair_exponents[] = {1, 2, 1.5, 3};
/// Small enough that what must be met comes first, large enough for the drift of sums.
constexpr double little_desire = 1e-6;

Terrain terrain_of(const Context& context, const Problem& problem) {
  context.watch.count_leaves(problem.leaf_count());
  Terrain terrain{problem.leaves,  problem.testers,    problem.cell_begin, problem.cost,
                  problem.nearest, context.conditions, problem.thresholds, context.table.row_count,
                  context.watch,   context.tuning};
  for (std::size_t m = 0; m < context.conditions.size(); ++m) {
    terrain.thresholds[m] += context.slack[m];
  }
  if (context.rule_ends.any()) terrain.weights.assign(context.conditions.size(), 1.0);
  if (context.has_needs()) {
    terrain.composed = [&context, &problem, rows = std::vector<double>(),
                        scratch = ComposedNeed::Scratch()](std::span<const double> sums) mutable {
      rows.assign(sums.begin(), sums.end());
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r] += problem.settled[r];
      double missing = 0;
      for (const ComposedNeed& need : context.needs) {
        missing += need.missing(context.rows_of(need, rows), scratch);
      }
      return missing;
    };
  }
  return terrain;
}

/// Finds the problem's cells of a point of the grid; false when the point lies outside.
bool problem_cells(const Problem& problem, std::span<const std::uint32_t> grid,
                   std::vector<std::uint32_t>& at) {
  at.resize(problem.variable_count());
  for (std::size_t v = 0; v < at.size(); ++v) {
    const auto begin = problem.choice.begin() + problem.cell_begin[v];
    const auto end = problem.choice.begin() + problem.cell_begin[v + 1];
    const auto found = std::find(begin, end, grid[problem.variable_of[v]]);
    if (found == end) return false;
    at[v] = static_cast<std::uint32_t>(found - begin);
  }
  return true;
}

}  // namespace

Outlook::Outlook(const Context& context) {
  Pace pace = context.watch.pace();
  const LeafValues& leaves = context.table.leaves;
  // For each row, whether its largest and its least values count.
  std::vector<std::uint8_t> wants_high(context.table.row_count, 0);
  std::vector<std::uint8_t> wants_low(context.table.row_count, 0);
  for (const RowCondition& condition : context.conditions) {
    condition.each_row(
        [&](std::uint32_t row, double weight) { (weight > 0 ? wants_high : wants_low)[row] = 1; });
  }
  const auto reachable = [&](double radius) {
    std::vector<double> high(context.table.row_count, 0.0), low(context.table.row_count, 0.0);
    std::vector<double> best(context.conditions.size(), 0.0);
    for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
      const Leaves::Rows rows = leaves.rows[t];
      const std::uint32_t begin = leaves.tree_begin[t], end = leaves.tree_begin[t + 1];
      pace.work(end - begin);
      if (rows.count == 1) {
        // Leaves with larger values come first.
        if (wants_high[rows.first]) {
          std::uint32_t first = begin;
          while (first < end && !(context.leaf_cost[first] <= radius)) ++first;
          if (first == end) return false;
          high[rows.first] += *leaves.values_of(t, first);
        }
        if (wants_low[rows.first]) {
          std::uint32_t last = end;
          while (last > begin && !(context.leaf_cost[last - 1] <= radius)) --last;
          if (last == begin) return false;
          low[rows.first] += *leaves.values_of(t, last - 1);
        }
        continue;
      }
      for (std::size_t m = 0; m < best.size(); ++m) {
        double most = -infinity;
        for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
          if (!(context.leaf_cost[leaf] <= radius)) continue;
          most = std::max(most, score(context.conditions[m], rows, leaves.values_of(t, leaf)));
        }
        best[m] += most;
      }
    }
    for (std::size_t m = 0; m < best.size(); ++m) {
      best[m] += context.conditions[m].most(high, low);
      if (best[m] < context.thresholds[m]) return false;
    }
    return true;
  };
  const std::size_t stride =
      std::max<std::size_t>(1, context.leaf_cost.size() / context.tuning.outlook_samples);
  for (std::size_t leaf = 0; leaf < context.leaf_cost.size(); leaf += stride) {
    if (std::isfinite(context.leaf_cost[leaf])) costs_.push_back(context.leaf_cost[leaf]);
  }
  std::sort(costs_.begin(), costs_.end());
  const auto found =
      std::partition_point(std::upper_bound(costs_.begin(), costs_.end(), 0.0), costs_.end(),
                           [&](double radius) { return !reachable(radius); });
  least_ = found == costs_.end() ? infinity : *found;
}

double Outlook::wider(double radius, double factor) const {
  const auto beyond = std::upper_bound(costs_.begin(), costs_.end(), radius) - costs_.begin();
  const auto wanted = static_cast<std::size_t>(factor * static_cast<double>(beyond));
  return wanted < costs_.size() ? costs_[wanted] : infinity;
}

void start_from_examples(const Context& context, std::span<const std::vector<double>> examples) {
  std::vector<std::pair<double, std::vector<std::uint32_t>>> near;
  for (const std::vector<double>& example : examples) {
    if (example.size() != context.variables.size()) continue;
    std::vector<std::uint32_t> cells = context.cells_of(example);
    near.emplace_back(context.cost(cells), std::move(cells));
  }
  const std::size_t tries = std::min<std::size_t>(context.tuning.example_tries, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(tries), near.end());
  for (std::size_t i = 0; i < tries; ++i) {
    if (context.offer(near[i].second)) return;
  }
}

void start_from_home(const Context& context, const Problem& problem) {
  LocalSearch local(terrain_of(context, problem));
  for (const double exponent : first_exponents) {
    local.place(problem.nearest);
    const double limit = context.reach() - problem.fixed_cost;
    if (!local.repair(exponent, limit)) continue;
    local.pull_back();
    if (local.cost() < limit && context.offer(problem.grid_cells(local.at()))) return;
  }
}

void reach_high(const Context& context, const Problem& problem) {
  if (context.conditions.empty()) return;
  Terrain terrain = terrain_of(context, problem);
  const std::int32_t group = context.conditions.front().group;
  terrain.desired = 1;
  while (group >= 0 && terrain.desired < context.conditions.size() &&
         context.conditions[terrain.desired].group == group) {
    ++terrain.desired;
  }
  // More than any point has: the leaves of each tree differ by at most twice the largest value.
  const double trees = static_cast<double>(problem.leaves.tree_count());
  const double more = 2 * (1 + trees) * std::max(context.table.largest_value, 1e-30);
  for (std::size_t m = 0; m < terrain.desired; ++m) terrain.thresholds[m] += more;
  if (terrain.desired < context.conditions.size()) terrain.desire = little_desire;
  LocalSearch local(std::move(terrain));
  const double limit = context.reach() - problem.fixed_cost;
  std::vector<std::uint32_t> best;
  double least = infinity;
  const auto keep = [&] {
    const double missing = local.missing();
    if (!(missing < least) || local.cost() > limit) return false;
    // Less by rounding alone is no reason to go on: the table of moves drifts.
    const bool better = !(missing >= least - context.tuning.least_repair_gain * std::abs(least));
    least = missing;
    best.assign(local.at().begin(), local.at().end());
    return better;
  };
  for (const double exponent : first_exponents) {
    local.place(problem.nearest);
    local.repair(exponent, limit);
    keep();
  }
  std::minstd_rand random(1);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t failed = 0; !best.empty() && failed < context.tuning.start_patience;) {
    if (context.watch.expired()) break;
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (local.at()[v] != best[v]) local.move(v, best[v]);
    }
    moved.clear();
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (best[v] != problem.nearest[v]) moved.push_back(v);
    }
    if (moved.empty()) break;
    const std::size_t count = 1 + random() % std::min<std::size_t>(3, moved.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t one = moved[random() % moved.size()];
      local.move(one, problem.nearest[one]);
    }
    local.shake(static_cast<std::uint32_t>(random()));
    local.repair(repair_exponents[random() % std::size(repair_exponents)], limit);
    failed = keep() ? 0 : failed + 1;
  }
  if (!best.empty()) context.offer(problem.grid_cells(best));
}

void improve_from(const Context& context, const Problem& problem,
                  std::span<const std::uint32_t> cells) {
  LocalSearch local(terrain_of(context, problem));
  local.place(cells);
  const double limit = context.reach() - problem.fixed_cost;
  if (!local.repair(1, limit)) return;
  local.pull_back();
  if (local.cost() < limit) context.offer(problem.grid_cells(local.at()));
}

void improve(const Context& context, const Problem& problem, std::uint32_t patience,
             std::uint32_t seed) {
  const Tuning& tuning = context.tuning;
  std::vector<std::uint32_t> best;
  const std::vector<double> point = context.incumbent.best_point();
  if (point.empty() || !problem_cells(problem, context.cells_of(point), best)) return;
  LocalSearch local(terrain_of(context, problem));
  local.place(best);
  double best_cost = local.cost();
  std::minstd_rand random(seed);
  std::vector<std::uint32_t> moved;
  std::uint32_t failed = 0;  // attempts since the last better point
  while (failed < patience && !context.watch.expired()) {
    moved.clear();
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (local.at()[v] != problem.nearest[v]) moved.push_back(v);
    }
    if (moved.empty()) return;
    const std::size_t most = std::max<std::size_t>(1, moved.size() / tuning.reset_one_in);
    const std::size_t count = 1 + random() % most;
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(moved[i], moved[i + random() % (moved.size() - i)]);
      local.move(moved[i], problem.nearest[moved[i]]);
    }
    ++failed;
    const double exponent = repair_exponents[random() % std::size(repair_exponents)];
    bool stay = false;
    local.shake(static_cast<std::uint32_t>(random()));
    if (local.repair(exponent, best_cost * tuning.worse_repair)) {
      local.pull_back();
      stay = local.cost() < best_cost * tuning.worse_accepted;
      const bool better = local.cost() < best_cost * (1 - tuning.least_gain);
      if (better && context.offer(problem.grid_cells(local.at()))) {
        best_cost = local.cost();
        best.assign(local.at().begin(), local.at().end());
        failed = 0;
      }
    }
    if (stay && failed % tuning.restart_every != tuning.restart_every - 1) continue;
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (local.at()[v] != best[v]) local.move(v, best[v]);
    }
  }
}

}  // namespace boxwood::fast
