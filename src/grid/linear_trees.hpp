// Linear conditions as trees: each feature of a sum is a tree with one leaf for each value that the
// feature may have, and the leaf's score is what that value adds to the sum. So the engines bound
// sums, branch on them and give them a price as they do for any model. A feature with many values
// has a leaf for each of its cells, with the most that a value of the cell can add: necessary for
// the condition, and not sufficient. search/linear_box.hpp decides about single boxes of such
// cells.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// The most values that one feature of a linear condition may have where each has a leaf.
inline constexpr std::size_t most_linear_values = 50'000;
/// The most values that it may have where each cell has a leaf and the optimum is exact.
inline constexpr double most_exact_values = 1e6;

/// Whether a feature takes whole numbers, steps, listed values or categories only.
bool is_discrete(const FeatureRule& rule);
/// Whether the values of a feature cannot be listed: it is continuous, or there are too many.
bool is_spread(const Query& query, std::size_t feature);
/// Whether the trees have a leaf for each cell of a feature and not for each value: it is spread,
/// or has more values than trees should have leaves.
bool is_by_cell(const Query& query, std::size_t feature);

/// Whether a clause of the query has a linear condition.
bool has_linear_rules(const Query& query);

/// Whether a linear condition of the query, or of its exact clauses, has such a feature. The cost
/// is then within a tolerance of the lowest one.
bool has_spread(const Query& query);

/// Throws Error if a linear condition has such a feature and the query asks for a cost that is not
/// a convex function of its change.
void check_spread_costs(const Query& query, std::span<const Ensemble> ensembles);

/// All values that a feature may have besides missing, ascending, the present one among them.
/// Not if is_by_cell. Throws Error if there are more than most_linear_values.
std::vector<double> listed_values(const Query& query, std::size_t feature, Precision precision,
                                  const std::string& name, Pace& pace);

/// The ends of a linear condition that are finite: each is a score of its own.
std::size_t linear_sides(const LinearCondition& condition);

/// About how many leaves the trees of all linear conditions have, without building them. Not less
/// than there are for features whose values are listed; the cells of others are not counted.
std::size_t most_linear_leaves(const Query& query);

/// Adds one score for each finite end of the clause's linear condition, with its trees. If the
/// clause holds, the score is at least 0. If it does not, the score may still be 0 or more by
/// rounding, unless all values are whole numbers; and where a feature is continuous. `cuts` are
/// those of the models.
void add_linear_trees(const Query& query, const Clause& clause, const Cuts& cuts, Ensemble& rules,
                      Pace& pace);

/// What must hold of single features if the clause is to hold: a value where none is known makes
/// the sum undefined.
std::vector<Clause> clauses_on_missing(const Query& query, const Clause& clause);

}  // namespace boxwood
