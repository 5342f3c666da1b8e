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

namespace {

/// What the best leaves within a radius reach, for all radii of an ascending list at once.
class Reachable {
 public:
  Reachable(const Context& context, std::span<const double> radii)
      : context_(context),
        radii_(radii),
        high_(context.table.row_count * (radii.size() + 1), 0.0),
        low_(high_),
        bounds_(context.conditions.size() * (radii.size() + 1), 0.0),
        wants_high_(context.table.row_count, 0),
        wants_low_(context.table.row_count, 0) {
    for (const RowCondition& condition : context.conditions) {
      condition.each_row([&](std::uint32_t row, double weight) {
        (weight > 0 ? wants_high_ : wants_low_)[row] = 1;
      });
    }
  }

  /// Adds a tree with these leaves, ascending: `leaf_at(i)` for i from 0 to before `count`. It
  /// counts as `trees` trees.
  template <typename LeafAt>
  void add_tree(std::size_t tree, double trees, std::size_t count, LeafAt leaf_at) {
    const LeafValues& leaves = context_.table.leaves;
    const Leaves::Rows rows = leaves.rows[tree];
    const std::uint32_t first = leaves.tree_begin[tree];
    const double* const values = &leaves.values[leaves.values_begin[tree]];
    const double* const costs = context_.near.costs();
    if (rows.count == 1) {
      const auto choice = [&](std::uint32_t leaf) {
        return Choice{costs[leaf], trees * values[leaf - first]};
      };
      // Leaves with larger values come first.
      if (wants_high_[rows.first]) {
        add(count, &high_[rows.first * stride()],
            [&](std::size_t i) { return choice(leaf_at(i)); });
      }
      if (wants_low_[rows.first]) {
        add(count, &low_[rows.first * stride()],
            [&](std::size_t i) { return choice(leaf_at(count - 1 - i)); });
      }
      return;
    }
    for (std::size_t m = 0; m < context_.conditions.size(); ++m) {
      sorted_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t leaf = leaf_at(i);
        const double* const numbers = values + (leaf - first) * rows.count;
        sorted_.push_back({costs[leaf], trees * score(context_.conditions[m], rows, numbers)});
      }
      std::sort(sorted_.begin(), sorted_.end(),
                [](const Choice& a, const Choice& b) { return a.value > b.value; });
      add(count, &bounds_[m * stride()], [&](std::size_t i) { return sorted_[i]; });
    }
  }

  /// The first radius within which the conditions can be met, or the number of radii.
  std::size_t first() {
    const std::size_t stride = this->stride();
    const std::size_t rows = wants_high_.size(), conditions = context_.conditions.size();
    std::vector<double> high(rows, 0.0), low(rows, 0.0), best(conditions, 0.0);
    for (std::size_t i = 0; i < radii_.size(); ++i) {
      for (std::size_t r = 0; r < rows; ++r) {
        high[r] += high_[r * stride + i];
        low[r] += low_[r * stride + i];
      }
      bool enough = i >= possible_;
      for (std::size_t m = 0; m < conditions; ++m) {
        best[m] += bounds_[m * stride + i];
        enough =
            enough && !(best[m] + context_.conditions[m].most(high, low) < context_.thresholds[m]);
      }
      if (enough) return i;
    }
    return radii_.size();
  }

 private:
  std::size_t stride() const { return radii_.size() + 1; }

  struct Choice {  // of a leaf
    double cost = 0;
    double value = 0;
  };

  /// Adds a tree's best leaf within each radius, as differences from the radius before. `choice`
  /// has the leaves in descending order of what they are worth.
  template <typename ChoiceOf>
  void add(std::size_t count, double* differences, ChoiceOf choice) {
    std::size_t reached = radii_.size();  // from here on a better leaf is within the radius
    for (std::size_t i = 0; i < count && reached > 0; ++i) {
      const auto [cost, value] = choice(i);
      if (!(cost <= radii_[reached - 1])) continue;
      const std::size_t at = below(cost, reached);
      differences[at] += value;
      differences[reached] -= value;
      reached = at;
    }
    possible_ = std::max(possible_, reached);
  }

  /// How many of the first `count` radii are less than a cost. As std::lower_bound, but without
  /// branches, which would mostly be predicted wrong.
  std::size_t below(double cost, std::size_t count) const {
    const double* base = radii_.data();
    while (count > 1) {
      const std::size_t half = count / 2;
      base += base[half - 1] < cost ? half : 0;
      count -= half;
    }
    return static_cast<std::size_t>(base - radii_.data()) + (*base < cost ? 1U : 0U);
  }

  const Context& context_;
  std::span<const double> radii_;
  std::vector<double> high_, low_;  // of a row and a radius: more than at the radius before
  std::vector<double> bounds_;  // of a condition and a radius, the same of trees of several rows
  std::vector<std::uint8_t> wants_high_, wants_low_;  // of a row: whether its extremes count
  std::vector<Choice> sorted_;
  std::size_t possible_ = 0;  // the first radius within which every tree has a leaf
};

}  // namespace

Outlook::Outlook(Context& context) {
  NearLeaves& near = context.near;
  if (!near.follows_paths()) near.cover(infinity);
  const std::size_t leaves = near.leaf_count();
  const std::size_t stride = std::max<std::size_t>(1, leaves / context.tuning.outlook_samples);
  costs_.reserve(leaves / stride + 1);
  for (std::uint32_t leaf = 0; leaf < leaves; leaf += static_cast<std::uint32_t>(stride)) {
    const double cost = near.follows_paths() ? near.cost_of(leaf) : near.costs()[leaf];
    if (cost < NearLeaves::endless) costs_.push_back(cost);
  }
  std::sort(costs_.begin(), costs_.end());
  const auto beyond = std::upper_bound(costs_.begin(), costs_.end(), 0.0) - costs_.begin();
  const auto radii = std::span(costs_).subspan(static_cast<std::size_t>(beyond));
  least_ = infinity;
  // Mostly a small share of the leaves is enough, and then only these are looked at.
  std::size_t share = near.follows_paths() ? costs_.size() / context.tuning.outlook_share : 0;
  if (share == 0) share = costs_.size();
  const std::size_t at_home = costs_.size() - radii.size();  // leaves that cost nothing
  if (share > at_home) least_ = least_among(context, radii.first(share - at_home));
  if (std::isinf(least_) && share < costs_.size()) least_ = least_among(context, radii);
}

/// Chooses the trees that are looked at for a guess: of those that add to the same rows one in so
/// many, from the middle of each group, because the trees of a boosted model become smaller.
class SampledTrees {
 public:
  SampledTrees(const LeafTable& table, std::size_t wanted)
      : table_(table), of_row_(table.row_count) {
    for (const Leaves::Rows& rows : table.leaves.rows) ++of_row_[rows.first].count;
    for (Trees& trees : of_row_) trees.group = std::max<std::size_t>(1, trees.count / wanted);
  }
  /// How many trees the next one stands for, 0 if it is left out. Called for each tree in order.
  std::size_t weight(std::size_t tree) {
    Trees& trees = of_row_[table_.leaves.rows[tree].first];
    const std::size_t at = trees.next++, begin = at - at % trees.group;
    const std::size_t size = std::min(trees.group, trees.count - begin);
    return at - begin == size / 2 ? size : 0;
  }

 private:
  struct Trees {
    std::size_t count = 0, group = 1, next = 0;
  };
  const LeafTable& table_;
  std::vector<Trees> of_row_;
};

/// The first of ascending radii within which the conditions seem to be possible; infinite if there
/// is none.
double Outlook::least_among(Context& context, std::span<const double> radii) {
  if (radii.empty()) return infinity;
  NearLeaves& near = context.near;
  near.cover(radii.back());
  const LeafValues& leaves = context.table.leaves;
  Pace pace = context.watch.pace();
  Reachable reachable(context, radii);
  SampledTrees sampled(context.table, context.tuning.outlook_trees);
  const std::uint32_t* next = near.leaves().data();
  const std::uint32_t* const past = next + near.leaves().size();
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const std::uint32_t first = leaves.tree_begin[t], last = leaves.tree_begin[t + 1];
    const auto trees = static_cast<double>(sampled.weight(t));
    if (!near.follows_paths()) {
      if (trees == 0) continue;
      pace.work(last - first);
      reachable.add_tree(t, trees, last - first,
                         [&](std::size_t i) { return first + static_cast<std::uint32_t>(i); });
      continue;
    }
    const std::uint32_t* const begin = next;
    while (next != past && *next < last) ++next;
    const auto count = static_cast<std::size_t>(next - begin);
    pace.work(1 + count);
    if (trees > 0) reachable.add_tree(t, trees, count, [&](std::size_t i) { return begin[i]; });
  }
  const std::size_t first = reachable.first();
  return first == radii.size() ? infinity : radii[first];
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
