// The neighbours of an answer: the rows in which a robust answer must have the outcome too.
#pragma once

#include <boxwood/query.hpp>

namespace boxwood {

/// The smallest and the largest neighbour of a value of one feature.
struct Neighbours {
  double lowest = 0, highest = 0;
};

/// The smallest and the largest value that the models may read for a neighbour of a row with this
/// value: of every number that people may write for `value`, and every number within the distance
/// of that. Both ends are the value itself if it is missing or infinite, or if the rule asks for no
/// robustness. The ends never fall as the value rises.
Neighbours neighbours_of(const FeatureRule& rule, double value, Precision precision);

/// Whether the rule of one feature asks for robustness.
bool has_neighbours(const FeatureRule& rule);

/// The query without robustness.
Query without_robustness(Query query);

/// Throws Error if the query asks for a robust answer or for one in a region with rows, which
/// `what`, such as "a map", does not support.
void refuse_robust_or_live(const Query& query, const char* what);
/// The same for answers in a region with rows only.
void refuse_live(const Query& query, const char* what);

}  // namespace boxwood
