// Values and intervals of a feature in its own words: units, labels, whole numbers.
#include "base/infinity.hpp"
#include "base/text.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace boxwood {
namespace {

/// English units that people give in the plural: "1 year", but "2 years". Other units, such as DM
/// or Celsius, are never altered.
constexpr std::array<std::string_view, 12> plurals = {"years",  "months",  "weeks",   "days",
                                                      "hours",  "minutes", "seconds", "rooms",
                                                      "points", "units",   "items",   "pieces"};

/// Two numbers always take the plural.
constexpr double plural_number = 2;

/// Words that end in a number, followed by the unit of that number.
std::string with_unit(const std::string& words, double number, const FeatureSchema& feature) {
  if (feature.unit.empty()) return words;
  std::string_view unit = feature.unit;
  if (std::abs(number) == 1 && std::find(plurals.begin(), plurals.end(), unit) != plurals.end()) {
    unit.remove_suffix(1);
  }
  return fmt::format("{} {}", words, visible(unit));
}

Values some(std::string words) { return {Values::Kind::some, std::move(words)}; }

bool whole_numbers(const FeatureSchema& feature) { return feature.kind != FeatureKind::continuous; }

/// The next number of the precision after `value`; infinity stays.
double next_number(double value, double towards, Precision precision) {
  if (std::isinf(value)) return value;
  if (precision == Precision::float64) return std::nextafter(value, towards);
  return static_cast<double>(
      std::nextafter(static_cast<float>(value), static_cast<float>(towards)));
}

/// Of two closed intervals.
Interval overlap(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

/// The ends of a range as the models read them: a float32 model reads the end 0.7 as 0.699999988.
Interval range_as_read(const Interval& range, Precision precision) {
  return {as_read(range.lower, precision), as_read(range.upper, precision), range.lower_closed,
          range.upper_closed};
}

/// A value without the rounding error of a few operations: 0.3 for 0.30000000000000004, where
/// values are multiples of 0.1.
double without_noise(const FeatureSchema& feature, double value) {
  if (!(feature.step > 0) || !std::isfinite(value)) return value;
  const double multiple = multiple_of(feature.step, std::round(value / feature.step));
  const double spacing = std::nextafter(std::abs(value), infinity) - std::abs(value);
  return std::abs(multiple - value) <= 4 * spacing ? multiple : value;
}

/// Whether an interval reaches as far as the range does. At infinity an open end excludes nothing.
bool holds_lower_end(const Interval& interval, const Interval& range) {
  if (interval.lower != range.lower) return interval.lower < range.lower;
  return interval.lower_closed || !range.lower_closed || std::isinf(range.lower);
}

bool holds_upper_end(const Interval& interval, const Interval& range) {
  if (interval.upper != range.upper) return interval.upper > range.upper;
  return interval.upper_closed || !range.upper_closed || std::isinf(range.upper);
}

Values labelled_values(const FeatureSchema& feature, const Interval& hull, const Interval& range) {
  const auto label = [&](double code) {
    return visible(feature.labels[static_cast<std::size_t>(code)]);
  };
  const double count = hull.upper - hull.lower + 1;
  const double allowed = range.upper - range.lower + 1;
  if (count >= allowed) return {Values::Kind::all, {}};
  if (count == 1) return some(label(hull.lower));
  std::vector<std::string> inside;
  std::vector<std::string> outside;
  for (double code = range.lower; code <= range.upper; ++code) {
    (hull.contains(code) ? inside : outside).push_back(label(code));
  }
  if (count <= 3) return some(fmt::format("one of: {}", fmt::join(inside, ", ")));
  if (feature.kind == FeatureKind::ordinal) {
    if (hull.upper == range.upper) return some("at least " + label(hull.lower));
    if (hull.lower == range.lower) return some("at most " + label(hull.upper));
  }
  if (outside.size() == 1) return some("anything but " + outside.front());
  return some(fmt::format("one of: {}", fmt::join(inside, ", ")));
}

Values whole_values(const FeatureSchema& feature, const Interval& hull, const Interval& range) {
  const auto number = [](double value) { return grouped_number(value, Precision::float64); };
  const bool from_start = hull.lower <= range.lower;
  const bool to_end = hull.upper >= range.upper;
  if (hull.lower == hull.upper) {
    return {Values::Kind::number, with_unit(number(hull.lower), hull.lower, feature)};
  }
  if (from_start && to_end) return {Values::Kind::all, {}};
  if (from_start) return some(with_unit("at most " + number(hull.upper), hull.upper, feature));
  if (to_end) return some(with_unit("at least " + number(hull.lower), hull.lower, feature));
  return some(with_unit(fmt::format("between {} and {}", number(hull.lower), number(hull.upper)),
                        plural_number, feature));
}

Values continuous_values(const FeatureSchema& feature, const Interval& interval,
                         Precision precision) {
  const auto number = [&](double value) { return grouped_number(value, precision); };
  const Interval range = range_as_read(feature.range, precision);
  const bool from_start = holds_lower_end(range_as_read(interval, precision), range);
  const bool to_end = holds_upper_end(range_as_read(interval, precision), range);
  if (interval.lower == interval.upper) {
    return {Values::Kind::number, with_unit(number(interval.lower), interval.lower, feature)};
  }
  if (from_start && to_end) return {Values::Kind::all, {}};
  const std::string above = fmt::format("{} {}", interval.lower_closed ? "at least" : "more than",
                                        number(interval.lower));
  const std::string below =
      fmt::format("{} {}", interval.upper_closed ? "at most" : "less than", number(interval.upper));
  if (from_start) return some(with_unit(below, interval.upper, feature));
  if (to_end) return some(with_unit(above, interval.lower, feature));
  if (interval.lower_closed && interval.upper_closed) {
    return some(
        with_unit(fmt::format("between {} and {}", number(interval.lower), number(interval.upper)),
                  plural_number, feature));
  }
  return some(with_unit(fmt::format("{} and {}", above, below), plural_number, feature));
}

}  // namespace

Interval whole_hull(const Interval& interval, Precision precision) {
  const double lower =
      interval.lower_closed ? interval.lower : next_number(interval.lower, infinity, precision);
  const double upper =
      interval.upper_closed ? interval.upper : next_number(interval.upper, -infinity, precision);
  return {std::ceil(lower), std::floor(upper)};
}

std::string value_text(const FeatureSchema& feature, double value, Precision precision) {
  if (std::isnan(value)) return "missing";
  if (value >= 0 && value == std::floor(value) &&
      value < static_cast<double>(feature.labels.size())) {
    return visible(feature.labels[static_cast<std::size_t>(value)]);
  }
  return with_unit(grouped_number(without_noise(feature, value), precision), value, feature);
}

std::string text_of(const Values& values) {
  switch (values.kind) {
    case Values::Kind::all:
      return "anything";
    case Values::Kind::missing:
      return "missing";
    case Values::Kind::number:
      return "exactly " + values.words;
    case Values::Kind::some:
      break;
  }
  return values.words;
}

std::string interval_text(const FeatureSchema& feature, const Interval& interval,
                          Precision precision, std::optional<double> now) {
  return text_of(interval_values(feature, interval, precision, now));
}

Values interval_values(const FeatureSchema& feature, const Interval& interval, Precision precision,
                       std::optional<double> now) {
  if (std::isnan(interval.lower) || std::isnan(interval.upper)) return {Values::Kind::missing, {}};
  if (now && !feature.range.contains(*now)) {
    // The range does not contain the present value. Only values in both the range and the interval
    // are possible answers, and an end that excludes the present value has to be shown.
    FeatureSchema wider = feature;
    wider.range = {std::min(feature.range.lower, *now), std::max(feature.range.upper, *now)};
    const Interval both = intersection(interval, feature.range);
    if (!both.empty()) return interval_values(wider, both, precision);
  }
  if (!whole_numbers(feature)) return continuous_values(feature, interval, precision);
  Interval hull = whole_hull(interval, precision);
  Interval range = whole_hull(feature.range, precision);
  if (!feature.labels.empty()) {
    const Interval codes{0, static_cast<double>(feature.labels.size() - 1)};
    hull = overlap(hull, codes);
    range = overlap(range, codes);
  }
  // A present value that is not a whole number (3.5 months in the data) may be alone in its region.
  if (hull.lower > hull.upper) return continuous_values(feature, interval, precision);
  // Outside the range only the present value is possible, so the whole interval is shown.
  Interval told = overlap(hull, range);
  if (told.lower > told.upper) {
    told = hull;
    range = Interval{};
    if (!feature.labels.empty()) range = {0, static_cast<double>(feature.labels.size() - 1)};
  }
  return feature.labels.empty() ? whole_values(feature, told, range)
                                : labelled_values(feature, told, range);
}

}  // namespace boxwood
