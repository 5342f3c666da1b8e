#include "query/certain.hpp"

#include "model/compose.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace boxwood {
namespace {

/// Outputs are monotone in the sum, so they have their extremes at its ends. If both extremes lie
/// inside an interval, all outputs do.
bool within(const Interval& range, double one, double other, bool negated) {
  const auto [low, high] = std::minmax(one, other);
  if (std::isnan(low) || std::isnan(high)) return false;
  if (!negated) return range.contains(low) && range.contains(high);
  const bool below = high < range.lower || (high == range.lower && !range.lower_closed);
  const bool above = low > range.upper || (low == range.upper && !range.upper_closed);
  return below || above;
}

}  // namespace

bool is_of_linear_sum(const Requirement& requirement, const Ensemble& ensemble) {
  return ensemble.link == Link::composed && ensemble.composition.linear &&
         !std::holds_alternative<ScoreIn>(requirement.outcome);
}

bool is_certain(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores) {
  const LinearRange sum = linear_range(ensemble.composition, scores);
  std::vector<double> low(ensemble.output_count()), high(low);
  linear_outputs(sum.low, low);
  linear_outputs(sum.high, high);
  if (low.size() == 2) {
    // Libraries compute the logistic function with their own rounding, some in float32.
    const bool at_half = sum.low == 0 && sum.high == 0;  // exact everywhere
    const bool single = ensemble.composition.linear->error > 0x1p-30;
    const double doubt = at_half ? 0 : single ? 0x1p-22 : 0x1p-50;
    for (std::size_t k = 0; k < low.size(); ++k) {
      if (low[k] > high[k]) std::swap(low[k], high[k]);  // the other class falls
      low[k] = std::max(low[k] - doubt, 0.0);
      high[k] = std::min(high[k] + doubt, 1.0);
    }
  }
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    return within(output->range, low[output->output], high[output->output], requirement.negated);
  }
  const auto* one = std::get_if<ClassIs>(&requirement.outcome);
  if (one && one->probability) {
    return within({.lower = *one->probability}, low[one->target], high[one->target],
                  requirement.negated);
  }
  const auto wanted = [&](std::size_t target) {
    if (one) return one->target == target;
    const auto& targets = std::get<ClassIn>(requirement.outcome).targets;
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  };
  return wanted(sum.low > 0 ? 1 : 0) != requirement.negated &&
         wanted(sum.high > 0 ? 1 : 0) != requirement.negated;
}

}  // namespace boxwood
