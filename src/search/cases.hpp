// Requirements that hold in one of several cases, for example "class 1 or class 2". Each case
// becomes a query of its own; the cheapest of their answers is the answer.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>
#include <vector>

namespace boxwood {

/// Queries of which a point meets at least one if and only if it meets `query`. Those closer to the
/// present scores come first. The query alone if its requirements cannot be divided. Throws Error
/// if there would be too many.
std::vector<Query> split_into_cases(std::span<const Ensemble> ensembles, const Query& query);

}  // namespace boxwood
