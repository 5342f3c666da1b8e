// What the dual bound proves: the bound with all rounding subtracted, and the leaves and cells that
// no point within the radius can use.
#include "base/infinity.hpp"
#include "search/fast/dual_bound.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

double DualBound::differences_of(std::size_t variable) const {
  const std::uint32_t begin = slots_begin_[variable], end = slots_begin_[variable + 1];
  return begin < end ? slots_[end - 1].coarse_end - slots_[begin].coarse_begin : 0.0;
}

/// The sum over trees of the largest size of a leaf's reward, its terms taken one by one.
double DualBound::largest_rewards() const {
  std::vector<double> weights(context_.table.row_count, 0.0);
  for (std::size_t m = 0; m < price_.size(); ++m) {
    context_.conditions[m].each_row(
        [&](std::uint32_t row, double weight) { weights[row] += price_[m] * std::abs(weight); });
  }
  const Leaves& leaves = problem_.leaves;
  double sum = 0;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = &leaves.values[leaves.values_begin[t]];
    double most = 0;
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      double reward = 0;
      for (std::uint32_t r = 0; r < rows.count; ++r) {
        reward += weights[rows.first + r] * std::abs(*values++);
      }
      most = std::max(most, reward);
    }
    sum += most;
  }
  return sum;
}

/// Shares are sums of many rounded terms, so together they may exceed a cell's cost a little. The
/// excess is subtracted, and so is a bound on the rounding of the sums here: each adds fewer than
/// `terms` numbers whose absolute values add up to `size`.
double DualBound::certify() {
  context_.watch.count_leaves(problem_.leaf_count());
  set_rewards();
  refresh();
  double exceeded = 0;
  double size = problem_.fixed_cost;
  for (std::size_t m = 0; m < price_.size(); ++m) {
    size += price_[m] * std::abs(problem_.thresholds[m]);
  }
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    const std::uint32_t cells = problem_.cell_count(v);
    change_.assign(cells + 1, 0.0);
    double largest = 0;
    for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
      double before = 0;
      double most = 0;
      for (std::uint32_t k = slots_[s].coarse_begin; k < slots_[s].coarse_end; ++k) {
        change_[cut_[k]] += share_[k] - before;
        before = share_[k];
        most = std::max(most, std::abs(share_[k]));
      }
      largest += 2 * most;  // a difference of two shares is at most twice the largest
    }
    double run = 0;
    double worst = 0;
    const double* cost = &problem_.cost[problem_.cell_begin[v]];
    for (std::uint32_t c = 0; c < cells; ++c) {
      run += change_[c];
      worst = std::max(worst, run - cost[c]);
    }
    // The running sum of differences passes through every coarse cell of the variable's slots.
    exceeded +=
        worst + largest * (static_cast<double>(cells) + differences_of(v)) * unit_in_last_place;
    size += 4 * largest;  // shares, their minima and the extras in value(), with a margin
  }
  double most_differences = 0;
  for (std::size_t v = 0; v < problem_.variable_count(); ++v) {
    most_differences =
        std::max(most_differences, static_cast<double>(problem_.cell_count(v)) + differences_of(v));
  }
  size += largest_rewards();
  const double terms = static_cast<double>(slots_.size() + problem_.leaves.tree_count() +
                                           problem_.variable_count() + price_.size()) +
                       other_terms;
  // The sums that select() makes of a variable's cells have as many terms as those of shares here.
  rounding_ = size * (terms + most_differences) * unit_in_last_place;
  const double bound = value() - exceeded - rounding_;
  return std::isfinite(bound) ? bound : 0.0;
}

void DualBound::select(double bound, double radius, Selection& keep) const {
  const Leaves& leaves = problem_.leaves;
  const double gap = radius - bound + rounding_;
  std::vector<double> least(leaves.tree_count(), infinity);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      least[t] = std::min(least[t], leaf_value_[leaf]);
    }
    // A point in this leaf makes the tree pay its value instead of the least one.
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      if (leaf_value_[leaf] - least[t] > gap) keep.leaf[leaf] = 0;
    }
  }
  std::vector<double> change, forced;
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    const std::uint32_t cells = problem_.cell_count(v);
    change.assign(cells + 1, 0.0);
    for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
      const Slot& slot = slots_[s];
      forced.resize(slot.coarse_end - slot.coarse_begin);
      forced_values(slot, forced.data());
      double before = 0;
      for (std::uint32_t k = slot.coarse_begin; k < slot.coarse_end; ++k) {
        // What the tree pays beyond its least, its share of the cell left out: that is in the cost.
        const double value = forced[k - slot.coarse_begin] - least[slot.tree] - least_[s];
        change[cut_[k]] += value - before;
        before = value;
      }
    }
    double run = 0;
    const double* cost = &problem_.cost[problem_.cell_begin[v]];
    for (std::uint32_t c = 0; c < cells; ++c) {
      run += change[c];
      if (cost[c] + run > gap) keep.cell[problem_.cell_begin[v] + c] = 0;
    }
  }
}

}  // namespace boxwood::fast
