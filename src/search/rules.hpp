// Queries with constraints on several features at once: the constraints become the trees of one
// more ensemble, and the query asks both the models and these trees.
#pragma once

#include "search/watch.hpp"

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// An equivalent query without clauses and limit on changes, about one ensemble more.
struct WithRules {
  /// Throws as LazyTables::get.
  WithRules(const Prepared& prepared, const Query& query, Watch& watch);

  MemoryHold held;  ///< of the copied models and tables
  Prepared prepared;
  Query query;

  /// Limits for a search that follows within the limits of `watch`.
  Limits rest(const Limits& limits, const Watch& watch) const;

 private:
  std::uint64_t base_ = 0;  ///< memory of the tables that were copied
};

/// As explain_guarded. Regions are those of the models alone: every point of a region has the
/// outcome, and the answer's point also satisfies the constraints.
Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution);

}  // namespace boxwood
