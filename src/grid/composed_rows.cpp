// Linear models of the contributions of three or more classes in boxes: how far the sum of a class
// can be ahead of another, where every contribution lies in an interval.
#include "base/infinity.hpp"
#include "grid/composed.hpp"
#include "grid/composed_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood {

/// What the contributions of a member to all classes add up to. Probabilities add up to 1; those of
/// a forest to what the values of its leaves add up to.
Interval ComposedNeed::total_of(std::size_t member, std::size_t first) const {
  const Member& one = ensemble_.composition.members[member];
  const bool complete =
      std::find(one.classes.begin(), one.classes.end(), Member::none) == one.classes.end();
  const bool votes = one.link == Link::votes && one.outputs > 1;
  if (!complete || one.response != Member::Response::probability) return {};
  const double classes = static_cast<double>(one.class_count());
  const double rounding = 4 * allowance(one) * (1 + classes);
  if (one.task == Task::binary || one.link == Link::softmax || !one.calibrations.empty()) {
    return {.lower = 1 - rounding, .upper = 1 + rounding};
  }
  if (!votes) return {};
  double low = 0, high = 0, base = 0, error = 0;
  for (std::size_t k = first; k < first + one.outputs; ++k) {
    base += base_[k];
    error += error_[k] + rounding * (1 + std::abs(base_[k]));
  }
  for (const Tree& tree : ensemble_.trees) {
    const Tree::Outputs to = tree.outputs(ensemble_.base.size());
    if (to.first < first || to.first >= first + one.outputs) continue;
    double least = infinity, most = -infinity;
    for (const Node& node : tree.nodes) {
      if (node.kind != NodeKind::leaf) continue;
      const auto begin = tree.values.begin() + node.value;
      const double sum = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(to.count), 0.0);
      least = std::min(least, sum);
      most = std::max(most, sum);
    }
    low += least;
    high += most;
  }
  const double unit = unit_[first];
  error += rounding * unit * (std::abs(low) + std::abs(high));
  return {.lower = low * unit + base - error, .upper = high * unit + base + error};
}

/// The largest value of sign * (the sum of factor * contribution), without rounding. The
/// contributions of a member lie within their intervals, and so does their sum: the best use of
/// that sum raises the contributions with the largest factors first. Guarded by
/// tests/stack_test.cpp.
double ComposedNeed::most_of(const ComposedSide& side, double sign, Scratch& scratch) const {
  const std::size_t classes = ensemble_.classes.size();
  double most = 0;
  scratch.order.resize(classes);
  for (std::size_t m = 0; m < totals_.size(); ++m) {
    const double* factors = side.factors.data() + m * classes;
    const double* low = scratch.low.data() + m * classes;
    const double* high = scratch.high.data() + m * classes;
    std::iota(scratch.order.begin(), scratch.order.end(), std::size_t{0});
    std::sort(scratch.order.begin(), scratch.order.end(),
              [&](std::size_t a, std::size_t b) { return sign * factors[a] > sign * factors[b]; });
    double least = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      least += low[k];
      most += sign * factors[k] * low[k];
    }
    double may = totals_[m].upper - least, must = totals_[m].lower - least;
    for (const std::size_t k : scratch.order) {
      const double factor = sign * factors[k];
      const double raise = std::clamp(factor > 0 ? may : must, 0.0, high[k] - low[k]);
      most += factor * raise;
      may -= raise;
      must -= raise;
    }
  }
  return most;
}

/// A probability is 1 / (1 + the sum over the rivals of exp(-lead)).
bool ComposedNeed::rows_possible(Scratch& scratch) const {
  const std::vector<LinearRow>& rows = ensemble_.composition.linear->rows;
  double fewest = 0, most_odds = 0;  // of the rivals' exponentials
  for (const ComposedSide& side : sides_) {
    double size = 0;
    for (std::size_t i = 0; i < scratch.low.size(); ++i) {
      size +=
          std::abs(side.factors[i]) * std::max(std::abs(scratch.low[i]), std::abs(scratch.high[i]));
    }
    const double slack = sum_allowance(ensemble_.composition, size);
    const double most = most_of(side, 1, scratch) + slack;
    if (most < side.least) return false;
    if (!of_share_) continue;
    const double shift = rows[side.plus].shift - rows[side.minus].shift;
    fewest += std::exp(-(most + shift));
    most_odds += std::exp(most_of(side, -1, scratch) + slack - shift);
  }
  if (!of_share_) return true;
  // Far more than the rounding of these few operations. A limit of 0 divides by zero: the odds
  // against it are infinite, and no probability is certain to be 0. Where an end of an interval is
  // no number, as the logarithm of a negative one, nothing is known.
  constexpr double rounding = 1e-9;
  const bool too_low = share_.lower > 0 && fewest > (1 / share_.lower - 1) * (1 + rounding) + 1e-15;
  const bool too_high =
      share_.upper < 1 && most_odds < (1 / share_.upper - 1) * (1 - rounding) - 1e-15;
  return !too_low && !too_high;
}

}  // namespace boxwood
