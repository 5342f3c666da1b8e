// What a required outcome of a composition asks of the sums of its members' contributions.
#include "grid/composed.hpp"

#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The log-odds that a probability of at least p needs, and those that a probability of at most p
/// permits. Rounding moves them by less than a millionth, except for probabilities next to 0 or 1,
/// for which the limits are wide or infinite.
constexpr double next_to_zero = 1e-9;
constexpr double largest_odds = 20;

double least_odds(double p) {
  if (p < next_to_zero) return -infinity;
  const double odds = p < 1 ? std::min(std::log(p / (1 - p)), largest_odds) : largest_odds;
  return odds - 1e-6 * (1 + std::abs(odds));
}
double most_odds(double p) { return -least_odds(1 - p); }

/// Sides of a linear model: its sum without the shift is that of class 1, or the number.
std::vector<ComposedSide> linear_sides(const Ensemble& ensemble, const Requirement& requirement) {
  const double shift = ensemble.composition.linear->shift;
  const bool regression = ensemble.task == Task::regression;
  const std::size_t sum = regression ? 0 : 1;
  std::vector<ComposedSide> sides;
  const auto between = [&](double low, double high) {
    if (low > -infinity) sides.push_back({sum, ComposedSide::none, 1, low - shift, false});
    if (high < infinity) sides.push_back({sum, ComposedSide::none, -1, shift - high, false});
  };
  const auto probable = [&](std::size_t target, double low, double high) {
    low = least_odds(low);
    high = most_odds(high);
    target == 1 ? between(low, high) : between(-high, -low);
  };
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    const Interval& range = output->range;
    regression ? between(range.lower, range.upper)
               : probable(output->output, range.lower, range.upper);
  } else if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    if (wanted->probability) {
      probable(wanted->target, *wanted->probability, 1);
    } else {
      wanted->target == 1 ? between(0, infinity) : between(-infinity, 0);
    }
  }
  return sides;
}

/// Sides of a linear model of three or more classes: the sum of a class exceeds every other one by
/// the log-odds of the probability that is asked for at least. One that is asked for at most is no
/// linear condition; ComposedNeed::possible() looks at it.
std::vector<ComposedSide> row_sides(const Ensemble& ensemble, const Requirement& requirement) {
  const std::vector<LinearRow>& rows = ensemble.composition.linear->rows;
  double least = 0;
  std::size_t target = 0;
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    least = least_odds(output->range.lower);
    target = output->output;
  } else if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    if (wanted->probability) least = least_odds(*wanted->probability);
    target = wanted->target;
  }
  std::vector<ComposedSide> sides;
  for (std::size_t rival = 0; rival < rows.size(); ++rival) {
    if (rival == target) continue;
    ComposedSide side{target, rival,
                      1,      least + rows[rival].shift - rows[target].shift,
                      true,   rows[target].weights};
    for (std::size_t i = 0; i < side.factors.size(); ++i) {
      side.factors[i] -= rows[rival].weights[i];
    }
    sides.push_back(std::move(side));
  }
  return sides;
}

}  // namespace

std::vector<ComposedSide> sides_of(const Ensemble& ensemble, const Requirement& requirement) {
  const Composition& composition = ensemble.composition;
  if (composition.linear && !composition.linear->rows.empty()) {
    return row_sides(ensemble, requirement);
  }
  if (composition.linear) return linear_sides(ensemble, requirement);
  const double divisor = composition.divisor;
  std::vector<ComposedSide> sides;
  const auto within = [&](std::size_t output, const Interval& range) {
    if (range.lower > -infinity)
      sides.push_back({output, ComposedSide::none, 1, range.lower * divisor, !range.lower_closed});
    if (range.upper < infinity)
      sides.push_back(
          {output, ComposedSide::none, -1, -range.upper * divisor, !range.upper_closed});
  };
  if (const auto* output = std::get_if<OutputIn>(&requirement.outcome)) {
    within(output->output, output->range);
  } else if (const auto* wanted = std::get_if<ClassIs>(&requirement.outcome)) {
    if (wanted->probability) {
      within(wanted->target, {.lower = *wanted->probability});
    } else if (const auto& threshold = composition.threshold; threshold && !threshold->of_score) {
      const bool rises = wanted->target == threshold->target;
      const double least = threshold->least * divisor;
      sides.push_back({threshold->target, ComposedSide::none, rises ? 1.0 : -1.0,
                       rises ? least : -least, !rises});
    } else if (!threshold && !composition.by_score) {  // scores are compared by conditions.cpp
      for (std::size_t rival = 0; rival < ensemble.classes.size(); ++rival) {
        if (rival == wanted->target) continue;
        const bool strict = (rival < wanted->target) != composition.last_of_equals;
        sides.push_back({wanted->target, rival, 1, 0, strict});
      }
    }
  }
  return sides;
}

}  // namespace boxwood
