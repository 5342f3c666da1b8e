// Query::fewest_first: the fewest changes, then the least cost. It tries whether one, two or three
// changes are enough, counts the fewest changes otherwise, and then searches for the cheapest point
// with that many changes.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// As explain_guarded, for queries with `fewest_first`. If it stops before the number of changes is
/// proven, the lower bound on the cost is 0.
Answer explain_fewest(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution);

}  // namespace boxwood
