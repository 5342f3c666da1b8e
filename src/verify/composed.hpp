// Compositions, evaluated once more: shares nothing with src/model/compose.cpp.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstddef>
#include <vector>

namespace boxwood::verifying {

/// A member of a composition as an ensemble by itself, without trees.
Ensemble member_alone(const Ensemble& ensemble, std::size_t member);

/// The outputs of a composition. `shared`: after they are divided by their sum, where they are.
std::vector<double> composed_outputs(const Ensemble& ensemble, const std::vector<double>& scores,
                                     bool shared = true);

/// Whether an outcome of a linear model holds whatever the order of its sum.
bool holds_in_every_order(const Requirement& requirement, const Ensemble& ensemble,
                          const std::vector<double>& scores);

/// The class that it predicts.
std::size_t composed_winner(const Ensemble& ensemble, const std::vector<double>& scores);

}  // namespace boxwood::verifying
