#include "query/text_values.hpp"
#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::text {
namespace {

/// Compares lower ends; at the same number a closed end comes before an open one.
bool starts_before(const Interval& a, const Interval& b) {
  return a.lower != b.lower ? a.lower < b.lower : a.lower_closed && !b.lower_closed;
}
bool ends_before(const Interval& a, const Interval& b) {
  return a.upper != b.upper ? a.upper < b.upper : !a.upper_closed && b.upper_closed;
}
/// Whether two intervals overlap or touch; the first starts before the second.
bool touch(const Interval& a, const Interval& b) {
  return b.lower < a.upper || (b.lower == a.upper && (a.upper_closed || b.lower_closed));
}

double first_whole(const Interval& range) {
  const double up = std::ceil(range.lower);
  return up == range.lower && !range.lower_closed ? up + 1 : up;
}

}  // namespace

Values in_order(Values values) {
  std::erase_if(values, [](const Interval& range) { return range.empty(); });
  std::sort(values.begin(), values.end(), starts_before);
  Values merged;
  for (const Interval& range : values) {
    if (merged.empty() || !touch(merged.back(), range)) {
      merged.push_back(range);
    } else if (ends_before(merged.back(), range)) {
      merged.back().upper = range.upper;
      merged.back().upper_closed = range.upper_closed;
    }
  }
  return merged;
}

Values complement(const Values& values) {
  Values rest;
  Interval open;  // from the last end on
  for (const Interval& range : values) {
    open.upper = range.lower;
    open.upper_closed = !range.lower_closed;
    // Nothing lies below minus infinity.
    if (range.lower != -infinity && !open.empty()) rest.push_back(open);
    open = {.lower = range.upper, .lower_closed = !range.upper_closed};
  }
  if (values.empty() || values.back().upper != infinity) rest.push_back(open);
  return rest;
}

Values common(const Values& a, const Values& b) {
  Values both;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Interval range = intersection(a[i], b[k]);
    if (!range.empty()) both.push_back(range);
    if (ends_before(a[i], b[k])) {
      ++i;
    } else {
      ++k;
    }
  }
  return both;
}

bool contains(const Values& values, double value) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Interval& range) { return range.contains(value); });
}

bool has_whole_number(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](const Interval& range) {
    return std::isinf(range.lower) || std::isinf(range.upper) || range.contains(first_whole(range));
  });
}

Values values_of(const Literal& literal) {
  Values values;
  for (const std::int32_t code : literal.codes) {
    values.push_back({static_cast<double>(code), static_cast<double>(code)});
  }
  if (literal.codes.empty()) values.push_back(literal.range);
  values = in_order(std::move(values));
  return literal.inside ? values : complement(values);
}

std::vector<double> whole_numbers(const Values& values, double step, std::size_t most) {
  std::vector<double> numbers;
  for (const Interval& range : values) {
    if (!(range.upper - range.lower < 1e9)) return {};
    for (double one = first_whole(range); range.contains(one); ++one) {
      if (step > 0 && std::remainder(one, step) != 0) continue;
      if (numbers.size() == most || std::abs(one) > 0x1p50) return {};
      numbers.push_back(one);
    }
  }
  return numbers;
}

}  // namespace boxwood::text
