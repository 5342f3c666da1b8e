// Requirements that hold in one way or another, taken apart: each way is a question of its own, and
// the best answer of all is the answer.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>
#include <vector>

namespace boxwood {

/// Queries whose answers together are the query's own; it alone where there is nothing to take
/// apart. Those that are nearer to the present scores come first. Throws Error where there would be
/// too many.
std::vector<Query> alternatives(std::span<const Ensemble> ensembles, const Query& query);

}  // namespace boxwood
