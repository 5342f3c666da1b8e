#include "grid/axis.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The next whole number that a double can hold. Beyond 2^53 neighbouring doubles differ by more
/// than 1.
double one_more(double count) { return std::max(count + 1, std::nextafter(count, infinity)); }
double one_less(double count) { return -one_more(-count); }

}  // namespace

Axis::Axis(const FeatureRule& given_rule, double from, Precision given_precision)
    : rule(given_rule), precision(given_precision) {
  const Reach reach = reach_of(rule, from, precision);
  above = reach.above;
  below = reach.below;
}

/// The smallest admissible number that is at least `value`; infinite if there is none. Rounding a
/// number of the precision up to a whole number gives a number of the precision: where the
/// precision is coarser than 1, all its numbers are whole. Where it is coarser than two steps, each
/// of its numbers is the rounded value of some multiple, so only a few multiples are tried. Reading
/// a number in the model's precision never swaps the order of two numbers.
double Axis::round_up(double value) const {
  if (std::isfinite(value)) value = first_right_of({value, false}, precision);
  if (!rule.allowed.empty()) {
    const auto found =
        std::partition_point(rule.allowed.begin(), rule.allowed.end(),
                             [&](double allowed) { return as_read(allowed, precision) < value; });
    return found == rule.allowed.end() ? infinity : as_read(*found, precision);
  }
  if (rule.step > 0 && std::isfinite(value)) {
    const auto multiple = [&](double times) {
      return as_read(multiple_of(rule.step, times), precision);
    };
    if (multiple(std::round(value / rule.step)) == value) return value;
    double count = std::ceil(value / rule.step);
    while (multiple(one_less(count)) >= value) count = one_less(count);
    while (multiple(count) < value) count = one_more(count);
    return multiple(count);
  }
  return rule.kind != FeatureKind::continuous ? std::ceil(value) : value;
}

double Axis::round_down(double value) const {
  if (std::isfinite(value)) value = last_left_of({value, true}, precision);
  if (!rule.allowed.empty()) {
    const auto found =
        std::partition_point(rule.allowed.begin(), rule.allowed.end(),
                             [&](double allowed) { return as_read(allowed, precision) <= value; });
    return found == rule.allowed.begin() ? -infinity : as_read(*(found - 1), precision);
  }
  if (rule.step > 0 && std::isfinite(value)) {
    const auto multiple = [&](double times) {
      return as_read(multiple_of(rule.step, times), precision);
    };
    if (multiple(std::round(value / rule.step)) == value) return value;
    double count = std::floor(value / rule.step);
    while (multiple(one_more(count)) <= value) count = one_more(count);
    while (multiple(count) > value) count = one_less(count);
    return multiple(count);
  }
  return rule.kind != FeatureKind::continuous ? std::floor(value) : value;
}

/// The largest of the bounds' smallest numbers is the one that meets every lower bound.
std::optional<double> Axis::lowest(const Cut* lower, const Cut* upper) const {
  double value = -infinity;
  if (lower) value = std::max(value, first_right_of(*lower, precision));
  if (above.lower != -infinity) {
    value = std::max(value, first_right_of({above.lower, !above.lower_closed}, precision));
  }
  value = round_up(value);
  return admitted(value, above, upper ? upper->left_of(value) : true);
}

std::optional<double> Axis::highest(const Cut* lower, const Cut* upper) const {
  double value = infinity;
  if (upper) value = std::min(value, last_left_of(*upper, precision));
  if (below.upper != infinity) {
    value = std::min(value, last_left_of({below.upper, below.upper_closed}, precision));
  }
  value = round_down(value);
  return admitted(value, below, lower ? !lower->left_of(value) : true);
}

Interval Axis::between(const Cut* lower, const Cut* upper, bool up) const {
  const Interval& range = up ? above : below;
  Interval all;
  if (lower) all.lower = first_right_of(*lower, precision);
  if (upper) all.upper = last_left_of(*upper, precision);
  if (range.lower != -infinity) {
    all.lower = std::max(all.lower, first_right_of({range.lower, !range.lower_closed}, precision));
  }
  if (range.upper != infinity) {
    all.upper = std::min(all.upper, last_left_of({range.upper, range.upper_closed}, precision));
  }
  return all;
}

std::optional<double> Axis::any(const Cut* lower, const Cut* upper) const {
  if (const auto value = lowest(lower, upper)) return value;
  if (const auto value = highest(lower, upper)) return value;
  // Both cuts are infinite or absent: neither end is a number.
  const bool inside = (!lower || !lower->left_of(0)) && (!upper || upper->left_of(0));
  const bool whatever = rule.allowed.empty() && rule.range.contains(0);
  return inside && whatever ? std::optional(0.0) : std::nullopt;
}

std::optional<double> Axis::admitted(double value, const Interval& range, bool inside) {
  if (!std::isfinite(value) || !inside || !range.contains(value)) return std::nullopt;
  return value + 0.0;  // never -0.0, which people would read as another number
}

Interval readable(const Interval& range, Precision precision) {
  Interval inner;
  if (range.lower > -infinity) {
    inner.lower = first_right_of({range.lower, !range.lower_closed}, precision);
  }
  if (range.upper < infinity) {
    inner.upper = last_left_of({range.upper, range.upper_closed}, precision);
  }
  return inner;
}

}  // namespace boxwood
