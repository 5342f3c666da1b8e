// The level of a requirement: the number that asks for more or less of the same outcome.
#pragma once

#include <boxwood/query.hpp>

#include <span>

namespace boxwood {

/// Whether a lower level asks for more: the requirement has an upper end only.
bool asks_at_most(const Requirement& requirement);
/// The requirement with another level. Throws Error, which names `what`, if it has none.
Requirement at_level(Requirement requirement, double level, const char* what);
/// The level that these scores reach: a probability, an output or a score. Not for margins.
double level_of(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores);

}  // namespace boxwood
