#include "query/certain.hpp"

#include "model/compose.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace boxwood {
namespace {

/// An output is monotone in every sum, so it has its extremes at their ends. If both extremes lie
/// inside an interval, all outputs do.
bool within(const Interval& range, const LinearRange& output, bool negated) {
  const auto [low, high] = output;
  if (std::isnan(low) || std::isnan(high)) return false;
  if (!negated) return range.contains(low) && range.contains(high);
  const bool below = high < range.lower || (high == range.lower && !range.lower_closed);
  const bool above = low > range.upper || (low == range.upper && !range.upper_closed);
  return below || above;
}

/// The least and the largest value of an output that a library may compute. Libraries compute the
/// logistic function and the softmax with their own rounding, some in float32.
LinearRange output_range(const Ensemble& ensemble, std::span<const LinearRange> sums,
                         std::size_t output) {
  const std::size_t classes = ensemble.output_count();
  std::vector<double> ends(sums.size()), outputs(classes);
  LinearRange range;
  for (const bool up : {false, true}) {
    // Of one sum the first class falls; of several each falls with the sums of the others.
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const bool raised = sums.size() == 1 ? output + 1 == classes : k == output;
      ends[k] = raised == up ? sums[k].high : sums[k].low;
    }
    linear_outputs(ends, outputs);
    (up ? range.high : range.low) = outputs[output];
  }
  if (classes == 1) return range;
  const bool single = ensemble.composition.linear->error > 0x1p-30;
  const bool at_half = sums.size() == 1 && sums[0].low == 0 && sums[0].high == 0;  // everywhere
  // Of a softmax: each exponential may be off by some units, and the sum by one for each class.
  const double units = sums.size() == 1 ? 4 : static_cast<double>(classes) + 16;
  const double doubt = at_half ? 0 : units * (single ? 0x1p-24 : 0x1p-52);
  return {std::max(range.low - doubt, 0.0), std::min(range.high + doubt, 1.0)};
}

/// The class that every sum gives. Sums that differ by rounding only give none.
std::optional<std::size_t> certain_class(std::span<const LinearRange> sums) {
  if (sums.size() == 1) {
    const bool low = sums[0].low > 0, high = sums[0].high > 0;
    return low == high ? std::optional<std::size_t>(low ? 1 : 0) : std::nullopt;
  }
  const auto lower = [](const LinearRange& a, const LinearRange& b) { return a.low < b.low; };
  const auto best = std::max_element(sums.begin(), sums.end(), lower);
  for (auto rival = sums.begin(); rival != sums.end(); ++rival) {
    if (rival != best && !(best->low > rival->high)) return std::nullopt;
  }
  return static_cast<std::size_t>(best - sums.begin());
}

}  // namespace

bool is_of_linear_sum(const Requirement& requirement, const Ensemble& ensemble) {
  return ensemble.link == Link::composed && ensemble.composition.linear &&
         !std::holds_alternative<ScoreIn>(requirement.outcome);
}

bool is_certain(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores) {
  const std::vector<LinearRange> sums = linear_ranges(ensemble.composition, scores);
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    const LinearRange number = output_range(ensemble, sums, output->output);
    return within(output->range, number, requirement.negated);
  }
  const auto* one = std::get_if<ClassIs>(&requirement.outcome);
  if (one && one->probability) {
    const LinearRange number = output_range(ensemble, sums, one->target);
    return within({.lower = *one->probability}, number, requirement.negated);
  }
  const std::optional<std::size_t> winner = certain_class(sums);
  if (!winner) return false;
  if (one) return (one->target == *winner) != requirement.negated;
  const auto& targets = std::get<ClassIn>(requirement.outcome).targets;
  return (std::find(targets.begin(), targets.end(), *winner) != targets.end()) !=
         requirement.negated;
}

}  // namespace boxwood
