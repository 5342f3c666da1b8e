// The bounds of a probe's box: which leaves are within the radius, and what the best of them reach.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/simd.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

/// The radius bound. A point of the box in a leaf costs, in each variable, at least as much as the
/// cheapest cell that box and leaf share: together the box's cost and the leaf's extra cost. A leaf
/// for which that exceeds the best known cost holds no point worth finding, so its value must not
/// count.
void Probe::filter(ProbeBox& box) {
  const double radius = context_.reach();
  if (radius >= box.filtered || std::isinf(radius)) return;
  box.filtered = radius;
  const std::vector<double>& extra = state_.extra;
  context_.watch.count_leaves(extra.size());
  const double limit = radius - box.cost + extra_drift * radius;
  const bool guarded = box.holds_known && context_.known.within(radius);
  if (guarded || one_condition_) alive_before_ = box.alive;
  keep_within(extra.data(), extra.size(), limit, box.alive.words());
  if (!guarded && !one_condition_) return;
  alive_before_.erase_all(box.alive);
  alive_before_.for_each([&](std::size_t leaf) {
    if (guarded) context_.known.check_discarded(holds_known_.contains(leaf), radius, "radius");
    if (!one_condition_) return;
    // A leaf that holds the nearest point has no extra cost and stays.
    const std::uint32_t t = tree_of_[leaf];
    if (box.best[t] == leaf) look_again(t);
  });
}

std::uint32_t Probe::first_alive(const BitSet& leaves, std::size_t tree) const {
  return leaves.first_in(problem_->leaves.tree_begin[tree], problem_->leaves.tree_begin[tree + 1]);
}

std::uint32_t Probe::last_alive(const BitSet& leaves, std::size_t tree) const {
  return leaves.last_in(problem_->leaves.tree_begin[tree], problem_->leaves.tree_begin[tree + 1]);
}

/// Adds up the best alive leaves of all trees; false when a condition is out of reach. A point
/// takes one alive leaf of each tree, so no point of the box scores more. Thresholds allow for the
/// rounding of these sums.
bool Probe::measure(ProbeBox& box) {
  if (one_condition_) return measure_one(box);
  if (box.moved) sum_here(box);
  const Leaves& leaves = problem_->leaves;
  const std::size_t conditions = context_.conditions.size();
  high_.assign(context_.table.row_count, 0.0);
  low_.assign(context_.table.row_count, 0.0);
  bounds_.assign(conditions, 0.0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const std::uint32_t first = first_alive(box.alive, t);
    if (first == nothing) return false;
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count == 1) {
      high_[rows.first] += *leaves.values_of(t, first);
      low_[rows.first] += *leaves.values_of(t, last_alive(box.alive, t));
    } else {
      for (std::size_t m = 0; m < conditions; ++m) {
        double best = -infinity;
        for (std::uint32_t leaf = first; leaf < leaves.tree_begin[t + 1]; ++leaf) {
          if (!box.alive.contains(leaf)) continue;
          best = std::max(best, score(context_.conditions[m], rows, leaves.values_of(t, leaf)));
        }
        bounds_[m] += best;
      }
    }
  }
  for (std::size_t m = 0; m < conditions; ++m) {
    bounds_[m] += context_.conditions[m].most(high_, low_);
    if (bounds_[m] < problem_->thresholds[m]) return false;
  }
  return probabilities_suffice() && compositions_suffice(box);
}

/// A point of the box takes one alive leaf of each tree, so its sums lie between those of the least
/// and the largest leaves, row by row.
bool Probe::compositions_suffice(const ProbeBox& box) {
  if (problem_->settled.empty()) return true;
  const Leaves& leaves = problem_->leaves;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count == 1) continue;  // measure() has added these
    row_low_.assign(rows.count, infinity);
    row_high_.assign(rows.count, -infinity);
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      if (!box.alive.contains(leaf)) continue;
      const double* values = leaves.values_of(t, leaf);
      for (std::uint32_t r = 0; r < rows.count; ++r) {
        row_low_[r] = std::min(row_low_[r], values[r]);
        row_high_[r] = std::max(row_high_[r], values[r]);
      }
    }
    for (std::uint32_t r = 0; r < rows.count; ++r) {
      low_[rows.first + r] += row_low_[r];
      high_[rows.first + r] += row_high_[r];
    }
  }
  for (std::size_t r = 0; r < low_.size(); ++r) {
    low_[r] += problem_->settled[r];
    high_[r] += problem_->settled[r];
  }
  return context_.needs_possible(low_, high_, scratch_);
}

/// bounds_ has upper bounds of the margins of a group, so the sum of exp(-margin) is at least the
/// sum for these. If that exceeds 1, the probability is out of reach even if every single lead is
/// within reach. The thresholds allow for far more than the rounding of exp and of the sum.
bool Probe::probabilities_suffice() const {
  double sum = 0;
  for (std::size_t m = 0; m < bounds_.size(); ++m) {
    const std::int32_t group = context_.conditions[m].group;
    if (group < 0) continue;
    if (m == 0 || context_.conditions[m - 1].group != group) sum = 0;
    sum += std::exp(context_.conditions[m].unit * (problem_->thresholds[m] - bounds_[m]));
    if (sum > 1 + generous) return false;
  }
  return true;
}

/// measure() for one condition: looks only at the trees that changed. A tree is in dirty_ if its
/// best leaf has died; all others keep theirs, because leaves only die within a box. A probability
/// with one rival needs no other check: its sum has one term.
bool Probe::measure_one(ProbeBox& box) {
  for (Dirty& dirty : dirty_) {
    std::uint32_t& best = box.best[dirty.tree];
    dirty.best = best;
    if (best != nothing && box.alive.contains(best)) continue;
    if (best != nothing) box.best_units -= units_[best];
    best = best_alive(box, dirty.tree);
    if (best == nothing) return false;
    box.best_units += units_[best];
  }
  if (box.best_units < threshold_units_) return false;
  for (const Dirty& dirty : dirty_) share_again(box, dirty);
  return true;
}

std::uint32_t Probe::best_alive(const ProbeBox& box, std::size_t tree) const {
  const std::uint32_t first = first_alive(box.alive, tree);
  const Leaves::Rows rows = problem_->leaves.rows[tree];
  if (first == nothing) return nothing;
  // The leaf with the largest value comes first.
  if (rows.count == 1) return context_.conditions[0].sign > 0 ? first : last_alive(box.alive, tree);
  std::uint32_t best = first;
  for (std::uint32_t leaf = first + 1; leaf < problem_->leaves.tree_begin[tree + 1]; ++leaf) {
    if (!box.alive.contains(leaf)) continue;
    if (units_[leaf] > units_[best]) best = leaf;
  }
  return best;
}

std::int64_t Probe::least_alive(const ProbeBox& box, std::size_t tree) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::uint32_t end = problem_->leaves.tree_begin[tree + 1];
  for (std::uint32_t leaf = problem_->leaves.tree_begin[tree]; leaf < end; ++leaf) {
    if (box.alive.contains(leaf)) least = std::min(least, units_[leaf]);
  }
  return least;
}

}  // namespace boxwood::fast
