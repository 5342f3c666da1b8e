// Sets of values along an axis, as ascending intervals that do not meet: the values that the
// statements permit.
#pragma once

#include <boxwood/query.hpp>

#include <vector>

namespace boxwood::text {

using Values = std::vector<Interval>;

/// The same set, in order and without overlaps.
Values in_order(Values values);
Values complement(const Values& values);
Values common(const Values& a, const Values& b);
bool contains(const Values& values, double value);
bool has_whole_number(const Values& values);

/// The values of its feature for which a literal holds.
Values values_of(const Literal& literal);

/// The whole numbers of the set that are multiples of `step`; no value if there are more than
/// `most`.
std::vector<double> whole_numbers(const Values& values, double step, std::size_t most);

}  // namespace boxwood::text
