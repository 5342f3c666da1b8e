// ONNX files with one tree ensemble (ai.onnx.ml 1 to 5) as an Ensemble that predicts what
// onnxruntime computes for one row.
//   onnx_proto.cpp   the file's messages            onnx_forest.cpp  the operator's attributes
//   onnx_graph.cpp   what lies around the trees     onnx_trees.cpp   its nodes as trees
//   onnx_scores.cpp  scores, links and classes      onnx.cpp         the whole
//   onnx_columns.cpp what is done to single columns before the trees
//   onnx_encoders.cpp columns of categories that are encoded there
//   onnx_names.cpp   the features' names
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "readers/onnx_columns.hpp"
#include "readers/onnx_proto.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

/// The number of features above which a file is refused.
inline constexpr std::int64_t most_onnx_features = 1 << 20;

Ensemble read_onnx(std::string_view bytes, std::string_view place, const Rounds& rounds);

/// What the graph does with scores: times `factor`, divided by `divisor`, plus `added` (nothing,
/// one number, or one for each), and so on downwards.
struct OnnxSteps {
  double factor = 1;
  double divisor = 1;
  std::shared_ptr<const std::vector<double>> added;
  bool to_float32 = false;  ///< double scores are rounded
  bool exponential = false;
  bool takes_largest = false;  ///< the class is that of the largest, by ArgMax
  std::shared_ptr<const std::vector<std::string>> classes;  ///< labels of that, where told
  std::string first;                                        ///< the first such node, for messages

  bool operator==(const OnnxSteps&) const = default;
};

/// Whether the steps make the same scores of the same sums.
inline bool same_scores(const OnnxSteps& a, const OnnxSteps& b) {
  const bool both = a.added != nullptr && b.added != nullptr;
  return a.factor == b.factor && a.divisor == b.divisor && a.exponential == b.exponential &&
         a.to_float32 == b.to_float32 && (both ? *a.added == *b.added : a.added == b.added);
}

/// What the graph does before and after the trees.
struct OnnxGraph {
  const OnnxNode* trees = nullptr;
  std::size_t trees_index = 0;  ///< of the node, for messages
  std::vector<Feature> features;
  bool width_is_known = true;            ///< otherwise the trees say how many features
  std::int32_t type = 0;                 ///< OnnxType that the operator reads
  Precision input = Precision::float32;  ///< what a value has been rounded to by then
  bool integers = false;                 ///< the graph takes whole numbers
  /// Columns that operators change before the trees; empty if there are none. `features` then
  /// describes the columns that the trees read, until push_onnx_columns rewrites the splits and
  /// puts `inputs` in their place.
  std::vector<OnnxColumn> columns;
  std::vector<Feature> inputs;
  std::vector<std::int32_t> input_of;  ///< by column, its number in `inputs`
  OnnxSteps after;
};

/// Refuses files in which two values have one name, as onnxruntime does.
void check_onnx_names(const OnnxModel& model, std::string_view place);

OnnxGraph walk_onnx(const OnnxModel& model, std::string_view place);

/// Names the features. These are the inputs that are joined before the trees or, if operators
/// change columns, all inputs that lead to those columns, in the graph's order.
void name_onnx_features(const std::vector<const OnnxInput*>& parts, std::string_view place,
                        OnnxGraph& graph);
void name_onnx_columns(const OnnxModel& model, const std::vector<OnnxColumn>& columns,
                       std::string_view place, OnnxGraph& graph);

/// The operator's attributes in one form for all versions. Nodes are renumbered; a node may have
/// several parents, but no node leads back to itself.
struct OnnxForest {
  enum class Mode : std::uint8_t { leq, lt, gte, gt, eq, neq, in_set, leaf };
  struct Node {
    Mode mode = Mode::leaf;
    bool tracks_true = false;  ///< NaN goes with what the test is true for
    std::int64_t feature = 0;
    double threshold = 0;  ///< of a leaf: its score where it has no weight
    std::size_t yes = 0;
    std::size_t no = 0;
    std::size_t set = 0;
    std::size_t first_weight = 0;  ///< in `weights`, even where there is none of its own
    std::size_t weights = 0;
  };
  struct Weight {
    std::int64_t output = 0;
    double value = 0;
  };
  std::vector<Node> nodes;
  std::vector<std::size_t> roots;  ///< one for each tree, in the order of the sum
  std::vector<Weight> weights;     ///< by leaf, in the order in which they are added
  std::vector<std::vector<std::int32_t>> sets;
  bool is_classifier = false;
  bool newest = false;      ///< TreeEnsemble: its output has the type of its input
  std::size_t outputs = 1;  ///< classes or targets
  std::vector<std::string> classes;
  std::vector<double> base;  ///< as in the file: empty, one, or one for each
  bool average = false;
  std::string post_transform = "NONE";
  Precision precision = Precision::float32;  ///< of thresholds, weights and sums
  bool all_positive = true;                  ///< no weight is below zero
  std::string place;                         ///< of the operator, for messages
};

OnnxForest load_onnx_forest(const OnnxGraph& graph);

/// For each of the operator's outputs the output of the Ensemble; -1: dropped.
struct OnnxTrees {
  std::vector<Tree> trees;
  std::vector<bool> always_scored;  ///< by the operator's output: every row adds something to it
  bool always_positive = false;     ///< every row adds a positive number to some output
};

/// `most` bounds the nodes and the leaf values: shared nodes are written out.
OnnxTrees build_onnx_trees(const OnnxForest& forest, const std::vector<std::int32_t>& to_output,
                           std::size_t features, std::size_t most);

/// Decides how onnxruntime computes outputs and a class from the sums. Sets everything of the
/// Ensemble except trees, features and source; returns the argument of build_onnx_trees.
std::vector<std::int32_t> onnx_scores(const OnnxForest& forest, const OnnxGraph& graph,
                                      Ensemble& ensemble);

/// Throws Error if some rows would have a class without any score, because onnxruntime treats these
/// differently.
void check_onnx_scores(const OnnxForest& forest, const OnnxTrees& built);

}  // namespace boxwood::readers
