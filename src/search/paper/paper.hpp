// The paper's engine as three functions over a Space.
#pragma once

#include "search/incumbent.hpp"
#include "search/paper/space.hpp"
#include "search/reporter.hpp"
#include "search/unfinished.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <functional>

namespace boxwood::paper {

/// Algorithm 4: builds the nearest boxes first, backtracks where there is no point, and offers the
/// first point that meets the requirements. Gives up after `node_budget` nodes. True if the whole
/// tree was searched without finding a point, which proves that there is none.
bool backtrack(const Space& space, Incumbent& incumbent, Watch& watch, Reporter& reporter,
               std::uint64_t node_budget);

/// Algorithm 5: branch and bound below the incumbent's cost; finds all cheapest points.
Unfinished branch_and_bound(const Space& space, Incumbent& incumbent, Watch& watch,
                            Reporter& reporter, int threads);

/// Algorithm 2, within a radius: calls visit(node) for every complete node of cost at most
/// `bound`, until it returns false.
void decompose(const Space& space, double bound, Watch& watch, Reporter& reporter,
               const std::function<bool(const SearchNode&)>& visit);

}  // namespace boxwood::paper
