// The level of a requirement: the number that asks for more or less of the same outcome.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>

namespace boxwood {

/// Whether a lower level asks for more: the requirement has an upper end only.
bool asks_at_most(const Requirement& requirement);
/// The requirement with another level. Throws Error, which names `what`, if it has none.
Requirement at_level(Requirement requirement, double level, const char* what);
/// The highest level, or the lowest if lower ones ask for more, that raw scores meet.
double level_of(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores);

}  // namespace boxwood
