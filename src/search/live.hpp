// Queries whose answer must lie in a region with enough rows of some data (Query::live).
#pragma once

#include <boxwood/explain.hpp>

namespace boxwood {

/// As explain, for queries with `live`. The rows lie in finitely many regions; those with enough
/// rows and the outcome are boxes, and the cheapest admissible point of each is found by a search
/// that knows only the box and the rules. The cheapest of these points is the answer.
Answer explain_live(const Prepared& prepared, const Query& query, const Options& options);

}  // namespace boxwood
