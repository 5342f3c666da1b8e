// Linear conditions as trees: each feature of a sum is a tree with one leaf for each value that the
// feature may have, and the leaf's score is what that value adds to the sum. So the engines bound
// sums, branch on them and give them a price as they do for any model.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// The most values that one feature of a linear condition may have.
inline constexpr std::size_t most_linear_values = 50'000;

/// All values that a feature may have besides missing, ascending, the present one among them.
/// Throws Error if it is continuous, if it has no limits, or if there are more than
/// most_linear_values.
std::vector<double> listed_values(const Query& query, std::size_t feature, Precision precision,
                                  const std::string& name);

/// The ends of a linear condition that are finite: each is a score of its own.
std::size_t linear_sides(const LinearCondition& condition);

/// Adds one score for each finite end of the clause's linear condition, with its trees. If the
/// clause holds, the score is at least 0. If it does not, the score may still be 0 or more by
/// rounding, unless all values are whole numbers.
void add_linear_trees(const Query& query, const Clause& clause, Ensemble& rules);

/// What must hold of single features if the clause is to hold: a value where none is known makes
/// the sum undefined.
std::vector<Clause> clauses_on_missing(const Query& query, const Clause& clause);

}  // namespace boxwood
