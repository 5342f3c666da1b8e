// The neighbours of an answer: the rows in which a robust answer must have the outcome too.
#pragma once

#include <boxwood/query.hpp>

namespace boxwood {

/// The smallest and the largest neighbour of a value of one feature.
struct Neighbours {
  double lowest = 0, highest = 0;
};

/// Of `value` as the models read it: all that the models read of a row whose value is, as people
/// write it, within the distance of a number that they read as `value`. Both ends are the value
/// itself for a missing or infinite value, and where the rule asks for no robustness. The ends
/// never fall as the value rises.
Neighbours neighbours_of(const FeatureRule& rule, double value, Precision precision);

/// Whether the rule of one feature asks for robustness.
bool has_neighbours(const FeatureRule& rule);

/// The query without robustness.
Query without_robustness(Query query);

/// Throws Error that `what`, such as "a map", is not there for robust answers and for answers in a
/// region with rows, if the query asks for one.
void refuse_robust_or_live(const Query& query, const char* what);
/// The same for answers in a region with rows only.
void refuse_live(const Query& query, const char* what);

}  // namespace boxwood
