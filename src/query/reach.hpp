// What the rules of one feature leave of its axis.
#pragma once

#include <boxwood/query.hpp>

#include <span>

namespace boxwood {

/// Where a change up and a change down may end, by range, direction and size of a change. From a
/// missing value there is no way up or down: the range counts for both.
struct Reach {
  Interval above, below;
};
Reach reach_of(const FeatureRule& rule, double from);

/// What of an interval around a point's value the query's rules leave to one feature that the point
/// changes, the others being as they are in it. Steps and lists do not count.
Interval admissible_part(const Query& query, std::span<const double> point, std::size_t feature,
                         const Interval& interval, Precision precision);

/// Whether the rules of a one-hot group's columns let this one be 1 and the others 0; all 0 where
/// it is their number.
bool may_be_hot(const Query& query, std::span<const std::size_t> columns, std::size_t hot);

}  // namespace boxwood
