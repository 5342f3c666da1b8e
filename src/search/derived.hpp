// Queries with derived columns: columns that are calculated from others. A branch and bound around
// the search. Each box limits the arguments of the formulas and the derived columns; within it the
// derived columns are free and cost nothing, so that the search gives a lower bound. If the formula
// gives an outcome that is wanted too, the box is done. Otherwise it is cut in two.
#pragma once

#include <boxwood/explain.hpp>

namespace boxwood {

Answer explain_derived(const Prepared& prepared, const Query& query, const Options& options);

}  // namespace boxwood
