// Questions with rules about several features at once: asked of the models and of the rules' trees
// together.
#pragma once

#include <boxwood/explain.hpp>

#include <memory>
#include <span>
#include <vector>

namespace boxwood {

/// The same question without rules, about one ensemble more.
struct WithRules {
  WithRules(const Prepared& prepared, const Query& query);

  std::vector<Ensemble> ensembles;
  Prepared prepared;
  Query query;
};

/// As explain_guarded. Regions are those of the models alone: all of it has the outcome, and the
/// point obeys the rules.
Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution);

}  // namespace boxwood
