// First points: greedy from the query's point on the whole model, then better ones around the best
// on a problem that was compiled for its radius.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/local_search.hpp"

#include <cstdint>
#include <span>

namespace boxwood::fast {

/// Greedy repair with several exponents from the point itself.
void start_on_model(const Context& context);

/// Destroys parts of the best point and repairs them; gives up after `patience` tries in vain.
void improve(const Context& context, const Problem& problem, int patience, std::uint32_t seed);

/// Repairs and pulls back the point of these cells of the problem.
void improve_from(const Context& context, const Problem& problem,
                  std::span<const std::uint32_t> cells);

}  // namespace boxwood::fast
