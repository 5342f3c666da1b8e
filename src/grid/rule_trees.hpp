// Rules of a query about several features, as trees. The engines bound them, branch on them and
// check them like the trees of a model.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>
#include <vector>

namespace boxwood {

/// Whether a query has clauses or a limit on changes.
bool has_rules(const Query& query);

/// An ensemble that scores points: minus the number of broken clauses, minus the number of changed
/// features, and for clauses of many statements the number of statements that hold.
/// `cuts` are those of the ensembles. Linear rules list the values of features, which may take
/// longer than a limit allows.
Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts,
                    Pace& pace);
Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts);

/// The query without its rules, but with requirements on the scores of rule_trees(), which is
/// ensemble `index`.
Query without_rules(const Query& query, std::size_t index);

}  // namespace boxwood
