// Norm::linf with linear rules between continuous features, or between discrete ones of too many
// values. Costs of cells are then no candidates for the largest change, because a rule may need any
// value within a cell: a bisection over numbers finds the cost up to the tolerance of linear rules.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// As explain_guarded, for a query with has_spread. Of the points that it could list, the answer
/// has one with the least sum of terms, up to the tolerance.
Answer explain_bottleneck_under_rules(const Prepared& prepared, const Query& query,
                                      const Options& options,
                                      std::span<const double> known_solution);

}  // namespace boxwood
