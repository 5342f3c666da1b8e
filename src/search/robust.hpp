// Queries whose answer must have the outcome together with all of its neighbours.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// As explain_guarded, for queries of which is_robust holds.
///
/// A loop. Solve without robustness; look for a neighbour of the point that lacks the outcome; ask
/// that, however rows are moved towards that neighbour's region, the outcome still holds; repeat.
/// Every robust point meets all that was asked, so each cost is a lower bound, and the first point
/// without such a neighbour is the cheapest robust one.
Answer explain_robust(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution);

}  // namespace boxwood
