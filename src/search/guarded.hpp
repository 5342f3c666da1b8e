// explain with a known solution, for tests: in developer builds, a prune that discards this point
// before a cheaper one is known throws std::logic_error. Other builds ignore the known solution.
#pragma once

#include <boxwood/explain.hpp>

#include <span>
#include <vector>

namespace boxwood {

Answer explain_guarded(const Prepared& prepared, const Query& query, const Options& options,
                       std::span<const double> known_solution);

/// What each ensemble predicts for a row.
std::vector<std::vector<double>> outputs_at(std::span<const Ensemble> ensembles,
                                            std::span<const double> point);

class Watch;

/// The answer of a search that a limit has stopped before it began: nothing is known.
Answer stopped_answer(const Prepared& prepared, const Query& query, const Watch& watch);

}  // namespace boxwood
