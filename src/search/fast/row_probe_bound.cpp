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

/// Brings what the best leaves of a tree score up to date. False if none is alive.
bool RowProbe::measure_tree(RowBox& box, std::uint32_t tree) {
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t first = first_alive(box.alive, tree);
  if (first == nothing) return false;
  double* const most = box.most.data() + most_at_[tree];
  if (leaves.rows[tree].count == 1) {
    const std::uint32_t last = last_alive(box.alive, tree);
    box.best[tree] = first;
    box.worst[tree] = last;
    most[0] = *leaves.values_of(tree, first);
    most[1] = *leaves.values_of(tree, last);
    return true;
  }
  const std::size_t conditions = context_.conditions.size();
  const std::uint32_t begin = leaves.tree_begin[tree];
  std::fill(most, most + conditions, -infinity);
  for (std::uint32_t leaf = first; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
    if (!box.alive.contains(leaf)) continue;
    const double* const scores = scores_.data() + scores_at_[tree] + (leaf - begin) * conditions;
    for (std::size_t m = 0; m < conditions; ++m) most[m] = std::max(most[m], scores[m]);
  }
  return true;
}

/// The same for all trees that have lost leaves since. False if one has none left.
bool RowProbe::follow_deaths(RowBox& box) {
  const auto trees = static_cast<std::uint32_t>(problem_->leaves.tree_count());
  bool all_left = true;
  if (box.measured.word_count() == 0) {  // the first look at the whole problem
    for (std::uint32_t t = 0; t < trees && all_left; ++t) all_left = measure_tree(box, t);
  } else {
    std::uint32_t latest = nothing;
    box.measured.for_each_other(box.alive, [&](std::size_t leaf) {
      if (tree_of_[leaf] == latest) return;
      latest = tree_of_[leaf];
      all_left = all_left && measure_tree(box, latest);
    });
  }
  box.measured = box.alive;
  return all_left;
}

/// Adds up the best alive leaves of all trees; false when a condition is out of reach. A point
/// takes one alive leaf of each tree, so no point of the box scores more. Thresholds allow for the
/// rounding of these sums.
bool RowProbe::measure(RowBox& box) {
  if (box.moved) sum_here(box);
  if (!follow_deaths(box)) return false;
  const Leaves& leaves = problem_->leaves;
  const std::size_t conditions = context_.conditions.size();
  high_.assign(context_.table.row_count, 0.0);
  low_.assign(context_.table.row_count, 0.0);
  bounds_.assign(conditions, 0.0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* const most = box.most.data() + most_at_[t];
    if (rows.count == 1) {
      high_[rows.first] += most[0];
      low_[rows.first] += most[1];
    } else {
      for (std::size_t m = 0; m < conditions; ++m) bounds_[m] += most[m];
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
