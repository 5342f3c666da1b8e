// Drops from a problem what a limit on the number of changes excludes.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"

namespace boxwood::fast {

/// Drops leaves that require more changes than are allowed and, for a variable that no point can
/// change, all cells but its own. False when no point is left. Does nothing where the model does
/// not limit the number of changes.
bool limit_changes(const Context& context, const Problem& problem, Selection& keep);

}  // namespace boxwood::fast
