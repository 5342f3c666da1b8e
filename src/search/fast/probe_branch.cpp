// Where a probe cuts a box in two.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

/// The weight of each row in the conditions that the nearest point misses.
void Probe::weigh_rows() {
  weights_.assign(context_.table.row_count, 0.0);
  const double limit = context_.tuning.rival_exponent;
  bool short_of_any = false;
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    short_of_any |= reached_[m] < problem_->thresholds[m];
  }
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    if (short_of_any && reached_[m] >= problem_->thresholds[m]) continue;
    const RowCondition& condition = context_.conditions[m];
    // The closest rivals of a probability count most.
    const double weight =
        condition.group < 0
            ? 1.0
            : std::exp(std::clamp(condition.unit * (problem_->thresholds[m] - reached_[m]), -limit,
                                  limit));
    condition.each_row([&](std::uint32_t row, double of_row) { weights_[row] += weight * of_row; });
  }
}

/// Shares a tree's gain among the ranges that keep the nearest point out of its best leaf.
void Probe::share_gain(const ProbeBox& box, double gain, std::uint32_t best) {
  if (gain <= 0 || state_.outside[best] == 0) return;
  const double share = gain / state_.outside[best];
  for (const LeafRange& range : problem_->leaves.ranges_of(best)) {
    const std::uint32_t own = box.nearest[range.variable];
    if (own >= range.first && own < range.last) continue;
    const std::uint32_t cut = own < range.first ? range.first : range.last;
    const std::uint32_t at = problem_->cell_begin[range.variable] + range.variable + cut;
    if (gain_[at] == 0) touched_.push_back(at);
    gain_[at] += share;
  }
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

/// Branching by score. Where the best alive leaves score more than the leaves of the nearest point,
/// the ranges that keep the nearest point out of them are worth cutting at; the cut with the
/// largest gain is chosen. False when nothing is gained anywhere.
bool Probe::choose(ProbeBox& box) {
  touched_.clear();
  if (one_condition_) {
    for (const std::uint32_t t : box.open) {
      const std::uint32_t best = box.best[t], here = box.here[t];
      const double less = here != nothing ? scores_[here] : least_alive(box, t);
      share_gain(box, scores_[best] - less, best);
    }
  } else {
    weigh_rows();
    for (std::size_t t = 0; t < problem_->leaves.tree_count(); ++t) add_gain(box, t);
  }
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
  // The cuts of variable v begin at cell_begin[v] + v.
  std::uint32_t v = 0, beyond = static_cast<std::uint32_t>(problem_->variable_count());
  while (beyond - v > 1) {
    const std::uint32_t middle = std::midpoint(v, beyond);
    (problem_->cell_begin[middle] + middle <= cut ? v : beyond) = middle;
  }
  box.branch = {v, cut - problem_->cell_begin[v] - v};
  return true;
}

}  // namespace boxwood::fast
