// Norm::linf, where the cost is the largest term. Whether a point exists whose terms are all at
// most a cap is a query about the sum of the terms that forbids cells above the cap. A bisection
// over the caps finds the least one with an answer.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// The query for the least sum of terms, with every term at most `cap`.
Query capped(const Query& query, double cap);

/// As explain_guarded, for Norm::linf. Of the points of least cost it lists those with the least
/// sum of terms, so `more_ties` is set unless nothing has to change.
Answer explain_bottleneck(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution);

}  // namespace boxwood
