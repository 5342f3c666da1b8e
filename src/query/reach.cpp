#include "query/reach.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/derived.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace boxwood {
namespace {

/// The rounding error of a sum, exact unless it overflows (Knuth's TwoSum).
double lost(double a, double b, double sum) {
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return (a - a_part) + (b - b_part);
}

/// The smallest double ≥ from + size and the largest double ≤ from + size, where the sum is exact.
double first_as_far(double from, double size) {
  const double sum = from + size;
  return lost(from, size, sum) > 0 ? std::nextafter(sum, infinity) : sum;
}
double last_as_near(double from, double size) {
  const double sum = from + size;
  return lost(from, size, sum) < 0 ? std::nextafter(sum, -infinity) : sum;
}

/// The part of a range in which an increase may end.
Interval reach_up(const FeatureRule& rule, double from, const Interval& range) {
  Interval reach = range;
  if (rule.least_change > 0) {
    const double first = first_as_far(from, rule.least_change);
    if (first > reach.lower) reach = {first, reach.upper, true, reach.upper_closed};
  }
  if (rule.most_change < infinity) {
    const double last = last_as_near(from, rule.most_change);
    if (last < reach.upper) reach = {reach.lower, last, reach.lower_closed, true};
  }
  return reach;
}

Interval mirrored(const Interval& range) {
  return {-range.upper, -range.lower, range.upper_closed, range.lower_closed};
}

constexpr Interval nowhere{0, 0, false, false};

Interval range_as_read(const Interval& range, Precision precision) {
  return {as_read(range.lower, precision), as_read(range.upper, precision), range.lower_closed,
          range.upper_closed};
}

/// The interval around a value in which a condition that it satisfies stays satisfied.
Interval kept_by(const Literal& literal, double value, Precision precision) {
  if (!literal.codes.empty()) return {value, value};
  const Interval range = range_as_read(literal.range, precision);
  if (literal.inside) return range;
  if (value <= range.lower) return {.upper = range.lower, .upper_closed = !range.lower_closed};
  return {.lower = range.upper, .lower_closed = !range.upper_closed};
}

/// The part of an interval around a feature's value in which a linear condition that holds in a
/// point still holds while the other features stay. The sum is monotone in the feature on either
/// side of its present value, so each end is found by bisection.
Interval kept_by(const LinearCondition& sum, std::span<const double> from,
                 std::span<const double> point, std::size_t feature, Interval part) {
  const double value = point[feature], now = from[feature];
  const bool sizes = std::any_of(sum.terms.begin(), sum.terms.end(), [&](const LinearTerm& term) {
    return term.feature == feature && term.of == LinearTerm::Of::size;
  });
  if (sizes && !std::isnan(now)) {
    part = intersection(part, value < now ? Interval{.upper = now} : Interval{.lower = now});
  }
  std::vector<double> trial(point.begin(), point.end());
  const auto holds_at = [&](double x) {
    trial[feature] = x;
    return holds(sum, from, trial);
  };
  if (!holds_at(value)) return {value, value};
  const auto last_in = [&](double end) {
    const double finite =
        std::clamp(end, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
    if (holds_at(finite)) return end;
    std::int64_t good = place_of(value), bad = place_of(finite);
    while (std::abs(good - bad) > 1) {
      const std::int64_t middle = good / 2 + bad / 2 + (good % 2 + bad % 2) / 2;
      (holds_at(at_place(middle)) ? good : bad) = middle;
    }
    return at_place(good);
  };
  const double lower = last_in(part.lower), upper = last_in(part.upper);
  return intersection(part, {lower, upper});
}

}  // namespace

double multiple_of(double step, double times) {
  const double parts = std::round(1 / step);
  return parts > 1 && 1 / parts == step ? times / parts : times * step;
}

bool is_multiple(double value, double step) {
  const double multiple = multiple_of(step, std::round(value / step));
  return multiple == value || static_cast<double>(static_cast<float>(multiple)) == value;
}

bool has_multiple(const Interval& interval, double step, Precision precision) {
  const Interval range = range_as_read(interval, precision);
  if (!(range.upper - range.lower < 2 * step)) return true;
  const double first = std::floor(range.lower / step);
  // The quotient may be rounded up to the next multiple, and reading moves multiples a little.
  for (double times = first - 1; times <= first + 3; ++times) {
    if (range.contains(as_read(multiple_of(step, times), precision))) return true;
  }
  return false;
}

Reach reach_of(const FeatureRule& rule, double from, Precision precision) {
  const Interval range = range_as_read(rule.range, precision);
  if (!std::isfinite(from)) return {range, range};
  Reach reach{nowhere, nowhere};
  if (rule.direction != Direction::down) reach.above = reach_up(rule, from, range);
  if (rule.direction != Direction::up) {
    reach.below = mirrored(reach_up(rule, -from, mirrored(range)));
  }
  return reach;
}

Interval admissible_part(const Query& query, std::span<const double> point, std::size_t feature,
                         const Interval& interval, Precision precision) {
  const FeatureRule& rule = query.features[feature];
  const double now = query.point[feature], value = point[feature];
  const Reach reach = reach_of(rule, now, precision);
  const bool up = value > now || std::isnan(now);
  Interval whole = up ? reach.above : reach.below;
  // If the present value is admissible, the interval may extend to its other side.
  if (rule.least_change == 0 && range_as_read(rule.range, precision).contains(now)) {
    whole.lower = reach.below.empty() ? now : reach.below.lower;
    whole.lower_closed = reach.below.empty() || reach.below.lower_closed;
    whole.upper = reach.above.empty() ? now : reach.above.upper;
    whole.upper_closed = reach.above.empty() || reach.above.upper_closed;
  }
  Interval part = intersection(interval, whole);
  for (const Clause& clause : query.clauses) {
    const auto true_one = [&](bool this_feature) {
      return std::find_if(clause.any_of.begin(), clause.any_of.end(), [&](const Literal& literal) {
        return (literal.feature == feature) == this_feature && holds(literal, point, precision);
      });
    };
    if (true_one(false) != clause.any_of.end()) continue;
    const auto literal = true_one(true);
    if (literal != clause.any_of.end()) {
      part = intersection(part, kept_by(*literal, value, precision));
      continue;
    }
    const auto sum =
        std::find_if(clause.linear.begin(), clause.linear.end(),
                     [&](const LinearCondition& one) { return holds(one, query.point, point); });
    if (sum != clause.linear.end()) part = kept_by(*sum, query.point, point, feature, part);
  }
  return part.contains(value) ? part : Interval{value, value};
}

namespace {

/// Whether a formula is monotone in a feature whose sign is known: the feature occurs once, and in
/// no divisor that consists of more than the feature.
bool is_monotone(const Derived& derived, std::size_t feature) {
  std::vector<std::size_t> uses;  // of a step
  for (const Derived::Step& step : derived.steps) {
    const bool leaf = step.op == Derived::Op::column || step.op == Derived::Op::number;
    std::size_t count = step.op == Derived::Op::column && step.feature == feature ? 1 : 0;
    if (!leaf) count = uses[step.a] + uses[step.b];
    if (step.op == Derived::Op::over && uses[step.b] > 0 &&
        derived.steps[step.b].op != Derived::Op::column) {
      return false;
    }
    uses.push_back(count);
  }
  return uses.back() <= 1;
}

}  // namespace

Interval part_with_derived(const Query& query, std::span<const double> point, std::size_t feature,
                           Interval part, std::span<const Interval> region, Precision precision) {
  const double value = point[feature];
  for (const Derived& derived : query.derived) {
    if (!reads(derived, feature) || std::isnan(value)) continue;
    if (!is_monotone(derived, feature) || value == 0) return {value, value};
    part = intersection(part, value > 0 ? Interval{.lower = 0} : Interval{.upper = 0});
    // Rules about the derived column hold as well.
    const Interval kept =
        admissible_part(query, point, derived.feature, region[derived.feature], precision);
    std::vector<double> trial(point.begin(), point.end());
    const auto last_in = [&](double end) {
      const auto stays_in = [&](double x) {
        trial[feature] = x;
        return kept.contains(as_read(derived_value(derived, trial), precision));
      };
      const double most = std::numeric_limits<double>::max();
      const double finite = std::clamp(end, -most, most);
      if (stays_in(finite)) return end;
      std::int64_t good = place_of(value), bad = place_of(finite);
      while (std::abs(good - bad) > 1) {
        const std::int64_t middle = good / 2 + bad / 2 + (good % 2 + bad % 2) / 2;
        (stays_in(at_place(middle)) ? good : bad) = middle;
      }
      return at_place(good);
    };
    part = intersection(part, {last_in(part.lower), last_in(part.upper)});
  }
  return part.contains(value) ? part : Interval{value, value};
}

bool may_be_hot(const Query& query, std::span<const std::size_t> columns, std::size_t hot) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double value = k == hot ? 1 : 0;
    const FeatureRule& rule = query.features[columns[k]];
    const double now = query.point[columns[k]];
    if (value == now) continue;
    const Reach reach = reach_of(rule, now, Precision::float64);
    if (rule.fixed || !(value < now ? reach.below : reach.above).contains(value)) return false;
    if (!rule.allowed.empty() && std::count(rule.allowed.begin(), rule.allowed.end(), value) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace boxwood
