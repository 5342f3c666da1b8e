// Queries of which some requirements need not hold: at least m of k (Query::agree).
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// As explain_guarded, for queries with `agree`.
///
/// Branch and bound over the sets of counted requirements that are asked. The cheapest point that
/// has some of them costs no more than one that has more, so each search is a lower bound. If its
/// point has m of them, nothing cheaper exists in the node. Otherwise the point lacks more than
/// k - m, of which every solution has at least one: each of k - m + 1 of them is asked in turn,
/// without those before it.
Answer explain_agreeing(const Prepared& prepared, const Query& query, const Options& options,
                        std::span<const double> known_solution);

}  // namespace boxwood
