// The values that the rules of one feature permit.
#pragma once

#include <boxwood/query.hpp>

#include <span>

namespace boxwood {

/// The intervals in which an increase and a decrease may end, given range, direction and size of a
/// change. A change from a missing value is neither an increase nor a decrease: both intervals are
/// then the range.
struct Reach {
  Interval above, below;
};
/// The ends of the range are read in the models' precision, so that "at most 0.3" admits the
/// float32 nearest to 0.3; sizes of changes are compared exactly.
Reach reach_of(const FeatureRule& rule, double from, Precision precision);

/// The multiple of a step that is `times` steps from 0. For a step of 0.01 it is the quotient of
/// `times` by 100, which is the double nearest to the decimal number that people write; the product
/// with the double 0.01 may be a neighbour of it. Quotients and products both never fall as the
/// number of steps rises.
double multiple_of(double step, double times);
/// Whether a number is such a multiple, or the float32 nearest to one.
bool is_multiple(double value, double step);
/// Whether an interval contains a multiple as the models read it.
bool has_multiple(const Interval& interval, double step, Precision precision);

/// The part of an interval around a point's value that the query's rules permit for one changed
/// feature while all other features keep their values in the point. Steps and lists of values are
/// ignored.
Interval admissible_part(const Query& query, std::span<const double> point, std::size_t feature,
                         const Interval& interval, Precision precision);

/// The part of an interval around a value of a feature in which all derived columns stay in their
/// intervals of `region` and keep the rules about them while the other features stay. Only the
/// value itself where a formula is not monotone in the feature.
Interval part_with_derived(const Query& query, std::span<const double> point, std::size_t feature,
                           Interval part, std::span<const Interval> region, Precision precision);

/// Whether the rules of a one-hot group permit column `hot` to be 1 and the others 0;
/// `columns.size()`: all 0.
bool may_be_hot(const Query& query, std::span<const std::size_t> columns, std::size_t hot);

}  // namespace boxwood
