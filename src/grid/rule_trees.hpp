// What a query says about several features at once, as trees: the engines then know how to bound
// it, how to branch on it and how to check it, as they do for any model.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>
#include <vector>

namespace boxwood {

/// Whether a query has clauses or a limit on changes.
bool has_rules(const Query& query);

/// An ensemble that scores points: minus the number of clauses that it breaks, minus the number of
/// features that it changes, and for clauses of many statements how many of them hold.
Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query);

/// The query without its rules, with demands on the scores of rule_trees() as ensemble `index`.
Query without_rules(const Query& query, std::size_t index);

}  // namespace boxwood
