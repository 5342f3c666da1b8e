// The oracle's own reading of linear rules. It shares no code with the library.
#pragma once

#include <boxwood/query.hpp>

#include <cmath>
#include <vector>

namespace linear_oracle {

/// A sum in units of 2^-60, exact for the numbers of tests: multiples of it, not too large.
inline bool adds_up(const boxwood::Query& query, const boxwood::LinearCondition& condition,
                    const std::vector<double>& point) {
  using Whole = __int128_t;
  const auto whole = [](double value) { return static_cast<Whole>(std::ldexp(value, 60)); };
  Whole sum = 0;
  for (const boxwood::LinearTerm& term : condition.terms) {
    const double value = point[term.feature], now = query.point[term.feature];
    if (std::isnan(value)) return false;
    Whole number = whole(value);
    if (term.of == boxwood::LinearTerm::Of::codes) {
      number = 0;
      for (const std::int32_t code : term.codes) {
        if (value > -1 && std::trunc(value) == code) number = whole(1);
      }
    } else if (term.of != boxwood::LinearTerm::Of::value) {
      if (std::isnan(now)) return false;
      number -= whole(now);
      if (term.of == boxwood::LinearTerm::Of::size && number < 0) number = -number;
    }
    sum += static_cast<Whole>(term.coefficient) * number;  // whole coefficients only
  }
  const boxwood::Interval& range = condition.range;
  if (std::isfinite(range.lower)) {
    const Whole end = whole(range.lower);
    if (range.lower_closed ? sum < end : sum <= end) return false;
  }
  if (!std::isfinite(range.upper)) return true;
  const Whole end = whole(range.upper);
  return range.upper_closed ? sum <= end : sum < end;
}

/// A sum may need any value that a feature can have. Ranges in tests are small.
inline void add_all_values(const boxwood::FeatureRule& rule, const boxwood::LinearTerm& term,
                           std::vector<double>& marks) {
  for (const std::int32_t code : term.codes) marks.insert(marks.end(), {1.0 * code, code + 1.0});
  if (!term.codes.empty()) marks.insert(marks.end(), {-1, 0});
  if (!term.codes.empty() || !std::isfinite(rule.range.upper - rule.range.lower)) return;
  const double step = rule.step > 0 ? rule.step : 1;
  for (double times = std::floor(rule.range.lower / step); times * step <= rule.range.upper + step;
       ++times) {
    marks.push_back(times * step);
    marks.push_back(times / std::round(1 / step));  // as decimal steps are
  }
}

}  // namespace linear_oracle
