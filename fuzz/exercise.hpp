// What every fuzz target does with bytes: an Error is fine, and whatever is read has to be a sound
// model that predicts and survives Boxwood's own format.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace boxwood_fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void exercise_model(boxwood::Ensemble& model) {
  model.validate();
  if (model.features.size() > 1000 || model.base.size() > 1000) return;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1e300, infinity, -infinity, std::nan("")}) {
    const std::vector<double> point(model.features.size(), value);
    const auto scores = model.predict(point);
    require(scores.size() == model.base.size());
    require(!model.transform(scores).empty());
  }
  // Names may be any bytes, text may not.
  for (std::size_t i = 0; i < model.features.size(); ++i) {
    model.features[i].name = std::to_string(i);
    for (auto& category : model.features[i].categories) category.label.clear();
  }
  for (auto& label : model.classes) label.clear();
  model.source.clear();
  require(boxwood::ensemble_from_json(boxwood::to_json(model)) == model);
}

inline int exercise(const std::function<boxwood::Ensemble()>& read) {
  try {
    boxwood::Ensemble model = read();
    exercise_model(model);
  } catch (const boxwood::Error& error) {
    require(!error.place().empty() && !error.reason().empty());
  }
  return 0;
}

}  // namespace boxwood_fuzz
