// The neighbours of an answer: the rows in which a robust answer must have the outcome too.
#pragma once

#include <boxwood/query.hpp>

namespace boxwood {

/// The smallest and the largest neighbour of a value of one feature.
struct Neighbours {
  double lowest = 0, highest = 0;
};

/// Of `value` as the models read it. Both ends are the value itself for a missing or infinite
/// value, and where the rule asks for no robustness. The ends never fall as the value rises.
Neighbours neighbours_of(const FeatureRule& rule, double value, Precision precision);

/// Whether the rule of one feature asks for robustness.
bool has_neighbours(const FeatureRule& rule);

/// The query without robustness.
Query without_robustness(Query query);

/// Throws Error that `what`, such as "a map", is not there for robust answers, if the query asks
/// for one.
void refuse_robust(const Query& query, const char* what);

}  // namespace boxwood
