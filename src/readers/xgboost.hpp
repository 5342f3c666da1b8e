// XGBoost model files (JSON, UBJSON) of versions 1.x to 3.x as an Ensemble.
// xgboost.cpp reads the whole, xgboost_tree.cpp one tree, xgboost_categories.cpp its splits on
// categories and their names, xgboost_objective.cpp knows the objectives, xgboost_expectiles.cpp
// those whose outputs depend on several scores.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"
#include "readers/fields.hpp"

#include <cstdint>
#include <span>
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
  Decision decision = Decision::output_above_half;
};

/// `objective` is the file's learner.objective. Throws Error for one that cannot be represented.
XgboostObjective xgboost_objective(const Field& objective, std::size_t outputs,
                                   const XgboostVersion& version);

/// The file's intercept, which is in the space of predictions, as a margin: XGBoost's own float32
/// operations, in the version that wrote the file.
float xgboost_margin(float base_score, XgboostObjective::Intercept intercept,
                     const XgboostVersion& version, const Field& place);

/// The weight of a tree after dropout (dart). Up to 3.2 XGBoost adds the leaf of a dart tree to
/// zero before multiplying it by the weight, which turns a negative zero into a positive one.
struct TreeShare {
  float weight = 1;
  bool added_to_zero = false;
};

/// Renumbers the nodes that the root reaches so that children come after their parents. A tree of
/// vector leaves has the output Tree::every_output, any other 0.
Tree xgboost_tree(const Field& tree, std::size_t features, std::size_t outputs,
                  const TreeShare& share);

/// Whether the leaves of a tree hold one number for each output; up to 3.1 these are in
/// "base_weights", since 3.2 in "leaf_weights".
bool has_vector_leaves(const Field& tree);

/// The splits on categories of one tree. Borrows the document.
class CategorySplits {
 public:
  explicit CategorySplits(const Field& tree);
  /// The categories that a node of the file sends right, rising; empty where it has none.
  std::span<const std::int32_t> right_of(std::size_t node) const;

 private:
  std::span<const std::int32_t> nodes_, starts_, sizes_, codes_;
};

/// Gives features the categories that the file names; `model` is the part with "trees".
void name_categories(const Field& model, const XgboostVersion& version,
                     std::vector<Feature>& features);

/// Makes a model of several expectiles one of a single number: XGBoost adds up functions of the
/// scores, and the attribute "boxwood_output" of the file chooses the sum. Throws Error without it.
void choose_expectile(const Field& learner, Ensemble& ensemble);

/// Makes features categorical that a tree splits by categories. Those without named categories get
/// the codes of these splits.
void find_categories(const std::vector<Tree>& trees, std::vector<Feature>& features);

}  // namespace boxwood::readers
