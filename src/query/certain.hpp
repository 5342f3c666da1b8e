// Outcomes of models whose last sum depends on the machine (LinearTop in boxwood/composition.hpp).
// Such an outcome holds, or fails, only if it does so for every sum that a library may compute.
#pragma once

#include <boxwood/query.hpp>

#include <span>

namespace boxwood {

/// Whether a requirement is about such a sum.
bool is_of_linear_sum(const Requirement& requirement, const Ensemble& ensemble);

/// Whether the outcome is certain; for a negated requirement, whether it is certainly absent.
bool is_certain(const Requirement& requirement, const Ensemble& ensemble,
                std::span<const double> scores);

}  // namespace boxwood
