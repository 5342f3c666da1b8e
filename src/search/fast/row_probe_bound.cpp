// The bounds of a probe's box: which leaves are within the radius, and what the best of them reach.
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/row_probe.hpp"
#include "search/fast/simd.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

/// The radius bound. A point of the box in a leaf costs, in each variable, at least as much as the
/// cheapest cell that box and leaf share: together the box's cost and the leaf's extra cost. A leaf
/// for which that exceeds the best known cost holds no point worth finding, so its value must not
/// count.
void RowProbe::filter(RowBox& box) {
  const double radius = context_.reach();
  if (radius >= box.filtered || std::isinf(radius)) return;
  box.filtered = radius;
  const std::vector<double>& extra = state_.extra;
  context_.watch.count_leaves(extra.size());
  const double limit = radius - box.cost + extra_drift * radius;
  const bool guarded = box.holds_known && context_.known.within(radius);
  if (guarded) alive_before_ = box.alive;
  keep_within(extra.data(), extra.size(), limit, box.alive.words());
  if (!guarded) return;
  alive_before_.erase_all(box.alive);
  alive_before_.for_each([&](std::size_t leaf) {
    context_.known.check_discarded(holds_known_.contains(leaf), radius, "radius");
  });
}

std::uint32_t RowProbe::first_alive(const BitSet& leaves, std::size_t tree) const {
  return leaves.first_in(problem_->leaves.tree_begin[tree], problem_->leaves.tree_begin[tree + 1]);
}

std::uint32_t RowProbe::last_alive(const BitSet& leaves, std::size_t tree) const {
  return leaves.last_in(problem_->leaves.tree_begin[tree], problem_->leaves.tree_begin[tree + 1]);
}

/// Adds up the best alive leaves of all trees; false when a condition is out of reach. A point
/// takes one alive leaf of each tree, so no point of the box scores more. Thresholds allow for the
/// rounding of these sums.
bool RowProbe::measure(RowBox& box) {
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
bool RowProbe::compositions_suffice(const RowBox& box) {
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
bool RowProbe::probabilities_suffice() const {
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

}  // namespace boxwood::fast
