// Where only so many features may change: what that leaves of a problem.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

namespace boxwood::fast {

/// Drops leaves that ask for more changes than are left, and all cells but its own of a variable
/// that no point can afford to change. False when no point is left. Keeps everything where the
/// model does not limit the number of changes.
bool limit_changes(const Context& context, const Problem& problem, Selection& keep);

}  // namespace boxwood::fast
