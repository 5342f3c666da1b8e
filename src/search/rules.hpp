// Queries with constraints on several features at once: the constraints become the trees of one
// more ensemble, and the query asks both the models and these trees.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// An equivalent query without clauses and limit on changes, about one ensemble more.
struct WithRules {
  WithRules(const Prepared& prepared, const Query& query);

  Prepared prepared;
  Query query;
};

/// As explain_guarded. Regions are those of the models alone: every point of a region has the
/// outcome, and the answer's point also satisfies the constraints.
Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution);

}  // namespace boxwood
