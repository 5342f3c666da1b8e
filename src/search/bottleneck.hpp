// The largest change as the cost, by a search over sums: the question "is there a point whose
// changes all cost at most this?" is one about sums with dearer cells forbidden.
#pragma once

#include <boxwood/explain.hpp>

#include <span>

namespace boxwood {

/// The question with no change that costs more than `cap`, nearest in the sum of its terms.
Query capped(const Query& query, double cap);

/// The answer for Norm::linf. Of all points of the least cost those with the least sum are given.
Answer explain_bottleneck(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution);

}  // namespace boxwood
