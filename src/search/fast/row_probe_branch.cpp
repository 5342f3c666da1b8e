// Where a probe cuts a box in two.
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/row_probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace boxwood::fast {

/// Less than what a score lacks, unless it is decided exactly.
constexpr double least_lack = 1e-12;

/// The weight of each row in the conditions that the nearest point misses.
void RowProbe::weigh_rows() {
  weights_.assign(context_.table.row_count, 0.0);
  const double limit = context_.tuning.rival_exponent;
  const bool short_of_any = std::find(missed_.begin(), missed_.end(), 1) != missed_.end();
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    if (short_of_any && !missed_[m]) continue;
    const RowCondition& condition = context_.conditions[m];
    // The closest rivals of a probability count most. Where there are linear rules, whose sums may
    // be of any size, what is gained counts as a share of what is missing.
    double weight = 1;
    const double lacks = problem_->thresholds[m] - reached_[m];
    if (condition.group >= 0) {
      weight = std::exp(std::clamp(condition.unit * lacks, -limit, limit));
    } else if (!context_.query.exact_clauses.empty() && short_of_any) {
      weight = 1 / std::max(lacks, least_lack);
    }
    condition.each_row([&](std::uint32_t row, double of_row) { weights_[row] += weight * of_row; });
  }
}

/// Shares a tree's gain among the ranges that keep the nearest point out of its best leaf.
void RowProbe::share_gain(const RowBox& box, double gain, std::uint32_t best) {
  if (gain <= 0 || state_.outside[best] == 0) return;
  const double share = gain / state_.outside[best];
  each_cut(best, box.nearest, [&](std::uint32_t cut) {
    if (gain_[cut] == 0) touched_.push_back(cut);
    gain_[cut] += share;
  });
}

/// Adds what a tree's best alive leaf scores more than the leaf of the nearest point. Where that
/// leaf is dead, the worst alive leaf takes its place.
void RowProbe::add_gain(const RowBox& box, std::size_t tree) {
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t here = box.here[tree];
  const Leaves::Rows rows = leaves.rows[tree];
  if (rows.count == 1) {
    const double weight = weights_[rows.first];
    if (weight == 0) return;
    const std::uint32_t best = weight > 0 ? box.best[tree] : box.worst[tree];
    const std::uint32_t other =
        here != nothing ? here : (weight > 0 ? box.worst[tree] : box.best[tree]);
    if (best == other) return;
    share_gain(box, weight * (*leaves.values_of(tree, best) - *leaves.values_of(tree, other)),
               best);
    return;
  }
  const auto weighted = [&](std::uint32_t leaf) {
    double sum = 0;
    for (std::uint32_t r = 0; r < rows.count; ++r) {
      sum += weights_[rows.first + r] * leaves.values_of(tree, leaf)[r];
    }
    return sum;
  };
  std::uint32_t best = nothing;
  double most = 0, least = 0;
  for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
    if (!box.alive.contains(leaf)) continue;
    const double value = weighted(leaf);
    if (best == nothing || value > most) {
      if (best == nothing) least = value;
      best = leaf;
      most = value;
    }
    least = std::min(least, value);
  }
  share_gain(box, most - (here != nothing ? weighted(here) : least), best);
}

/// A rule that the nearest point misses needs that some of its variables move, each by its share of
/// what is missing, or others by more. So a variable is cut where its share is reached: the half
/// beyond costs more, and in the other half the other variables have more to do. (Cut at the best
/// leaf, as for a model, the half without it would be nearly the same box.)
void RowProbe::add_rule_gain(const RowBox& box, const RuleTree& rule) {
  const std::uint32_t m = rule.condition;
  const double weight = weights_[context_.conditions[m].plus];
  const double room = bounds_[m] - reached_[m];
  if (weight == 0 || !(room > 0)) return;
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t best = first_alive(box.alive, rule.tree), here = box.here[rule.tree];
  if (best == nothing || here == nothing) return;
  const double now = *leaves.values_of(rule.tree, here);
  const double gain = *leaves.values_of(rule.tree, best) - now;
  if (!(gain > 0)) return;
  const double lacks = std::max(problem_->thresholds[m] - reached_[m], 0.0);
  const double enough = now + gain * std::min(1.0, lacks / room);
  // Leaves are in the order of their values, the largest first: the last one that is enough.
  const std::uint32_t begin = leaves.tree_begin[rule.tree];
  std::uint32_t good = best, bad = leaves.tree_begin[rule.tree + 1];
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    (*leaves.values_of(rule.tree, middle) >= enough ? good : bad) = middle;
  }
  const CellRange hull = hulls_[rule.hulls + (good - begin)];
  const std::uint32_t own = box.nearest[rule.variable];
  if (hull.contains(own)) return share_gain(box, weight * gain, best);
  const std::uint32_t cut = problem_->cell_begin[rule.variable] + rule.variable +
                            (own < hull.first ? hull.first : hull.last);
  if (gain_[cut] == 0) touched_.push_back(cut);
  gain_[cut] += weight * gain;
}

/// Branching by score. Where the best alive leaves score more than the leaves of the nearest point,
/// the ranges that keep the nearest point out of them are worth cutting at; the cut with the
/// largest gain is chosen. False when nothing is gained anywhere.
bool RowProbe::choose(RowBox& box) {
  touched_.clear();
  weigh_rows();
  for (std::size_t t = 0; t < problem_->leaves.tree_count(); ++t) {
    if (rule_tree_of_.empty() || rule_tree_of_[t] == nothing) add_gain(box, t);
  }
  for (const RuleTree& rule : rule_trees_) add_rule_gain(box, rule);
  double most = 0;
  std::uint32_t cut = nothing;
  for (const std::uint32_t at : touched_) {
    if (gain_[at] > most || (gain_[at] == most && at < cut)) {
      most = gain_[at];
      cut = at;
    }
    gain_[at] = 0;
  }
  if (cut == nothing) return false;
  box.branch = branch_at(cut);
  return true;
}

}  // namespace boxwood::fast
