// A model and its predictions as JSON, for `inspect` and `predict`; docs/formats.md describes the
// keys.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace boxwood {

/// The model, its classes, and its features with what the schema says about them; one object on one
/// line.
std::string model_json(const Ensemble& ensemble, const Schema& schema);

/// What the model says about a row: its class, probabilities or outputs, and the row itself in
/// numbers and in words.
std::string prediction_json(const Ensemble& ensemble, const Schema& schema,
                            std::span<const double> point, std::size_t row);

}  // namespace boxwood
