// The changes of an answer as people see them: a line for each feature, and one for each one-hot
// group whatever columns it has.
#pragma once

#include <boxwood/render.hpp>

#include <string>
#include <vector>

namespace boxwood {

struct ChangeText {
  std::string title;
  std::string now;
  std::string then;
  std::string anything;  ///< what else will do: "at most 13 months", "one of: rent, own"
};

std::vector<ChangeText> changes_in_words(const Ensemble& ensemble, const Schema& schema,
                                         const Query& query, const Solution& solution);

/// How many features people see: a one-hot group is one.
std::size_t count_features(const Schema& schema);

/// What else will do in place of one feature's value.
std::string anything_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                          const Solution& solution, std::size_t feature);

}  // namespace boxwood
