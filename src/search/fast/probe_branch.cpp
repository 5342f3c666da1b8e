// Where a probe cuts a box in two.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace boxwood::fast {

/// Finds the cheapest neighbour of a nearest cell that costs no more than the best known point.
bool Probe::find_tie(const ProbeBox& box, Branch& branch) const {
  const double radius = context_.reach();
  double least = infinity;
  bool found = false;
  for (std::uint32_t v = 0; v < box.nearest.size(); ++v) {
    const std::uint32_t own = box.nearest[v];
    const double* cost = &problem_->cost[problem_->cell_begin[v]];
    const auto consider = [&](std::uint32_t cell, std::uint32_t cut) {
      const double more = cost[cell] - cost[own];
      if (more >= least || box.cost + more > radius * (1 + cost_closeness)) return;
      if (box.cost + more >= radius * (1 - cost_closeness) && exact_cost(box, v, cell) > radius)
        return;
      least = more;
      branch = {v, cut};
      found = true;
    };
    if (own > box.range[v].first) consider(own - 1, own);
    if (own + 1 < box.range[v].last) consider(own + 1, own + 1);
  }
  return found;
}

/// Less than what a score lacks, unless it is decided exactly.
constexpr double least_lack = 1e-12;

/// The weight of each row in the conditions that the nearest point misses.
void Probe::weigh_rows() {
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

/// Calls visit(cut) for every range of a leaf that does not hold the nearest point. Cuts are
/// numbered through all variables.
template <typename Visit>
void Probe::each_cut(std::uint32_t leaf, const std::vector<std::uint32_t>& nearest,
                     Visit visit) const {
  for (const LeafRange& range : problem_->leaves.ranges_of(leaf)) {
    const std::uint32_t v = range.variable, own = nearest[v];
    if (own >= range.first && own < range.last) continue;
    visit(problem_->cell_begin[v] + v + (own < range.first ? range.first : range.last));
  }
}

/// Shares a tree's gain among the ranges that keep the nearest point out of its best leaf.
void Probe::share_gain(const ProbeBox& box, double gain, std::uint32_t best) {
  if (gain <= 0 || state_.outside[best] == 0) return;
  const double share = gain / state_.outside[best];
  each_cut(best, box.nearest, [&](std::uint32_t cut) {
    if (gain_[cut] == 0) touched_.push_back(cut);
    gain_[cut] += share;
  });
}

/// Takes back what a tree added to the gains of cuts before and adds what it gains now, as
/// share_gain() does, but in whole units: so that nothing is left of what is taken back. Other
/// trees need no update: as long as a leaf is not reached, a move towards it leaves the cut where
/// it is.
void Probe::share_again(ProbeBox& box, const Dirty& dirty) {
  std::int64_t& share = box.share[dirty.tree];
  const auto add = [&](std::uint32_t cut) {
    cut_units_[cut] += share;
    box.cut_changes.push_back({cut, share});
  };
  if (share != 0) {
    share = -share;
    // Where the nearest point was when this was added.
    if (box.moved) std::swap(box.nearest[box.came.variable], box.came.cell);
    each_cut(dirty.best, box.nearest, add);
    if (box.moved) std::swap(box.nearest[box.came.variable], box.came.cell);
  }
  share = 0;
  const std::uint32_t best = box.best[dirty.tree], here = box.here[dirty.tree];
  const std::uint32_t outside = state_.outside[best];
  if (best == here || outside == 0) return;
  const std::int64_t gain =
      units_[best] - (here != nothing ? units_[here] : least_alive(box, dirty.tree));
  if (gain <= 0) return;
  share = std::max<std::int64_t>(1, gain / outside);
  each_cut(best, box.nearest, add);
}

/// Adds what a tree's best alive leaf scores more than the leaf of the nearest point. Where that
/// leaf is dead, the worst alive leaf takes its place.
void Probe::add_gain(const ProbeBox& box, std::size_t tree) {
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t here = box.here[tree];
  const Leaves::Rows rows = leaves.rows[tree];
  if (rows.count == 1) {
    const double weight = weights_[rows.first];
    if (weight == 0) return;
    const auto extreme = [&](bool largest) {
      return largest ? first_alive(box.alive, tree) : last_alive(box.alive, tree);
    };
    const std::uint32_t best = extreme(weight > 0);
    const std::uint32_t other = here != nothing ? here : extreme(!(weight > 0));
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
void Probe::add_rule_gain(const ProbeBox& box, const RuleTree& rule) {
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
bool Probe::choose(ProbeBox& box) {
  if (one_condition_) return choose_by_units(box);
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
  cut_at(box, cut);
  return true;
}

bool Probe::choose_by_units(ProbeBox& box) const {
  std::int64_t most = 0;
  std::uint32_t chosen = nothing;
  const auto consider = [&](std::uint32_t cut) {
    const std::int64_t gain = cut_units_[cut];
    if (gain < most || (gain == most && cut >= chosen)) return;
    most = gain;
    chosen = cut;
  };
  // All cuts, or those of the best leaves, whichever is less work.
  if (cut_units_.size() <= cuts_for_a_tree * box.best.size()) {
    const auto found = std::max_element(cut_units_.begin(), cut_units_.end());
    if (found != cut_units_.end()) {
      most = *found;
      chosen = static_cast<std::uint32_t>(found - cut_units_.begin());
    }
  } else {
    for (std::size_t t = 0; t < box.best.size(); ++t) {
      if (box.share[t] != 0) each_cut(box.best[t], box.nearest, consider);
    }
  }
  if (most == 0) return false;
  cut_at(box, chosen);
  return true;
}

/// The cuts of variable v begin at cell_begin[v] + v.
void Probe::cut_at(ProbeBox& box, std::uint32_t cut) const {
  std::uint32_t v = 0, beyond = static_cast<std::uint32_t>(problem_->variable_count());
  while (beyond - v > 1) {
    const std::uint32_t middle = std::midpoint(v, beyond);
    (problem_->cell_begin[middle] + middle <= cut ? v : beyond) = middle;
  }
  box.branch = {v, cut - problem_->cell_begin[v] - v};
}

}  // namespace boxwood::fast
