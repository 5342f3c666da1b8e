// The lead of some classes over the others, in raw scores.
#pragma once

#include <boxwood/ensemble.hpp>

#include <cstddef>
#include <span>

namespace boxwood {

/// The difference of two scores; 0 for equal scores, even if both are infinite.
double lead(double score, double rival);

/// The best score of these classes minus the best score of the others. In a model with one score
/// for two classes: the distance of the score from the threshold. Infinite if there are no other
/// classes.
double lead_of(const Ensemble& ensemble, std::span<const double> scores,
               std::span<const std::size_t> targets);

}  // namespace boxwood
