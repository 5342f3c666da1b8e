// XGBoost model files (JSON, UBJSON) of versions 1.x to 3.x as an Ensemble.
// xgboost.cpp reads the whole, xgboost_tree.cpp one tree, xgboost_objective.cpp knows the
// objectives.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"
#include "readers/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

Ensemble read_xgboost(std::string_view bytes, std::string_view place, Encoding encoding,
                      const Rounds& rounds);

struct XgboostVersion {
  std::int64_t major = 0;  ///< 0.0.0 where the file does not say
  std::int64_t minor = 0;
  std::int64_t patch = 0;
  bool at_least(std::int64_t wanted_major, std::int64_t wanted_minor) const {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  }
};

/// How an objective turns an intercept into a margin and a margin into a prediction.
struct XgboostObjective {
  enum class Intercept : std::uint8_t { as_it_is, logit, log };
  Task task = Task::regression;
  Link link = Link::identity;
  Intercept intercept = Intercept::as_it_is;
};

/// `objective` is the file's learner.objective. Throws Error for one that cannot be represented.
XgboostObjective xgboost_objective(const Field& objective, std::size_t outputs);

/// The file's intercept, which is in the space of predictions, as a margin: XGBoost's own float32
/// operations, in the version that wrote the file.
float xgboost_margin(float base_score, XgboostObjective::Intercept intercept,
                     const XgboostVersion& version, const Field& place);

/// What dropout (dart) left of a tree. Until 3.2 XGBoost adds a dart tree's leaf to a zero before
/// it weighs it, which turns a negative zero positive.
struct TreeShare {
  float weight = 1;
  bool added_to_zero = false;
};

/// Renumbers the nodes that the root reaches so that children come after their parents.
Tree xgboost_tree(const Field& tree, std::size_t features, const TreeShare& share);

}  // namespace boxwood::readers
