// The fewest changes first, then the cheapest: whether one change is enough, or two or three; if
// not, how many are; then the cheapest point with that many.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// As explain_guarded, for queries with `fewest_first`. Stopped before the number of changes was
/// proven it knows no bound on the cost.
Answer explain_fewest(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution);

}  // namespace boxwood
