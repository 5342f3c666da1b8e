// The admissible numbers of one feature: whole numbers, steps, a list, a range.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/query.hpp>

#include <optional>

namespace boxwood {

/// Finds the lowest admissible number above the point's own value and the highest one below it,
/// between two cuts, each of which may be absent. If the point's value is missing, every number
/// counts as above it and as below it.
class Axis {
 public:
  Axis(const FeatureRule& rule, double from, Precision precision);

  std::optional<double> lowest(const Cut* lower, const Cut* upper) const;
  std::optional<double> highest(const Cut* lower, const Cut* upper) const;
  /// The smallest admissible number ≥ `value` (`up`), or the largest one ≤ it. Infinite if there is
  /// none.
  double rounded(double value, bool up) const { return up ? round_up(value) : round_down(value); }
  /// All numbers between two cuts to which a feature may rise, or fall: from the first to the last,
  /// which may be infinite. Empty (first > last) if there is none. Steps are ignored.
  Interval between(const Cut* lower, const Cut* upper, bool up) const;
  /// For a missing value: an admissible number. All of them are equally near.
  std::optional<double> any(const Cut* lower, const Cut* upper) const;

 private:
  double round_up(double value) const;
  double round_down(double value) const;
  static std::optional<double> admitted(double value, const Interval& range, bool inside);

  const FeatureRule& rule;
  Precision precision;
  Interval above, below;  ///< where an increase and a decrease may end under the rule
};

/// From the first to the last number of a precision in an interval.
Interval readable(const Interval& range, Precision precision);

}  // namespace boxwood
