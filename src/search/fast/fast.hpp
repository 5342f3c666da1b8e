// The fast engine: branch and bound over boxes of cells, with cheap bounds first and stronger ones
// where they are worth their price.
#pragma once

#include "search/fast/context.hpp"
#include "search/reporter.hpp"
#include "search/unfinished.hpp"

#include <boxwood/explain.hpp>

namespace boxwood::fast {

Unfinished search(Context& context, Reporter& reporter, const Options& options, int threads);

}  // namespace boxwood::fast
