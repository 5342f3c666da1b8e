// How far some classes are ahead of the others, by raw scores.
#pragma once

#include <boxwood/ensemble.hpp>

#include <cstddef>
#include <span>

namespace boxwood {

/// How far one score is ahead of another. Equal ones are level, even where both overflow.
double lead(double score, double rival);

/// The best score of these classes less the best of the others; of two classes with one score: how
/// far that lies beyond the number that decides. Infinite where there are no others.
double lead_of(const Ensemble& ensemble, std::span<const double> scores,
               std::span<const std::size_t> targets);

}  // namespace boxwood
