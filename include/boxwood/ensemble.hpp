// A tree ensemble as a plain value: what every reader produces and everything else consumes.
//
//   boxwood::Ensemble model = boxwood::read_model("model.json");   // boxwood/read.hpp
//   std::vector<double> scores = model.predict(point);             // the library's raw scores
//   std::vector<double> outputs = model.transform(scores);         // for example probabilities
//
// Numbers are stored as doubles that hold the library's own values exactly; `predict` and
// `transform` round to the library's precision at each step where the library does.
#pragma once

#include <boxwood/composition.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// What the values of a feature mean. `integer` admits whole numbers only; `ordinal` and
/// `categorical` are whole-number codes of labels, with and without an order.
enum class FeatureKind : std::uint8_t { continuous, integer, ordinal, categorical };

/// One value of a categorical feature: its code and its label. The label is empty if the model file
/// does not contain it.
struct Category {
  std::int32_t code = 0;
  std::string label;
  /// Stands for every value that is none of the other categories. Only the last one may.
  bool others = false;
  /// The model file has only a hash of the category, and the label is made from it: "#1234".
  bool hashed = false;

  bool operator==(const Category&) const = default;
};

struct Feature {
  std::string name;
  FeatureKind kind = FeatureKind::continuous;
  std::vector<Category> categories{};  ///< that the model knows, by code; empty if unknown

  bool operator==(const Feature&) const = default;
};

/// Which values go left: `x < threshold`, `x <= threshold`, `x == threshold`, or the categories of
/// a set. The category of a number is its integer part, as C++ converts it; negative categories are
/// in no set. If a library sends unknown categories left, the reader stores the set of those that
/// go right and swaps the children.
enum class NodeKind : std::uint8_t { leaf, less, less_equal, equal, in_set };

/// A split or a leaf. Children always have larger indices than their parent, so every descent ends
/// and no walk over a tree needs recursion.
struct Node {
  NodeKind kind = NodeKind::leaf;
  bool missing_left = false;     ///< split: where NaN goes
  bool missing_at_zero = false;  ///< less, less_equal: numbers within `zero_size` go where NaN goes
  bool zero_up = false;          ///< in_set: numbers between -1 and 0 are in no set
  std::int32_t feature = -1;     ///< split
  std::int32_t left = -1;        ///< split
  std::int32_t right = -1;       ///< split
  std::int32_t value = -1;  ///< leaf: index of its first number in Tree::values; in_set: of its set
  double threshold = 0;     ///< split, unless it is in_set

  bool operator==(const Node&) const = default;
};

/// LightGBM treats numbers from -zero_size to zero_size as zero.
inline constexpr double zero_size = static_cast<double>(1e-35F);

/// Node 0 is the root. With `output >= 0` a leaf holds `width` numbers, added to that output and
/// those after it; with `output == every_output` it holds one for each output.
struct Tree {
  static constexpr std::int32_t every_output = -1;

  std::vector<Node> nodes;
  std::vector<double> values;
  std::vector<std::vector<std::int32_t>> sets{};  ///< of categories, each ascending
  std::int32_t output = 0;
  std::int32_t width = 1;  ///< more than 1 only for members of a composition

  /// The outputs that a leaf adds to, of a model with `count` outputs.
  struct Outputs {
    std::size_t first = 0;
    std::size_t count = 1;
  };
  Outputs outputs(std::size_t count) const {
    if (output == every_output) return {0, count};
    return {static_cast<std::size_t>(output), static_cast<std::size_t>(width)};
  }

  bool operator==(const Tree&) const = default;
};

/// The library that reads rows for the model; `sklearn` for a pipeline, whatever its last step is.
/// XGBoost, LightGBM and CatBoost read a column of categories as positions in a list of categories;
/// the others read categories that are numbers as these numbers.
enum class Library : std::uint8_t { other, xgboost, lightgbm, catboost, sklearn, onnx };

struct Ensemble {
  std::string source;  ///< the library and its version: "XGBoost 3.2.0"
  Library library = Library::other;
  std::string objective;             ///< the library's name for it: "binary:logistic"
  std::vector<std::string> notes{};  ///< special features, for people: "dart"
  std::vector<Feature> features;
  std::vector<Tree> trees;
  std::vector<double> base;                    ///< one for each output, in raw-score space
  Precision input = Precision::float32;        ///< what the library rounds feature values to
  Precision accumulator = Precision::float32;  ///< the type its sums run in
  SumOrder order = SumOrder::base_first;
  double factor = 1;  ///< the sum of the trees is multiplied by this,
  double divisor =
      1;  ///< then divided by this, both positive; a base that comes last is added then
  Link link = Link::identity;
  LinkForm link_form = LinkForm::plain;
  double steepness = 1;  ///< of Link::sigmoid
  Task task = Task::regression;
  Decision decision = Decision::output_above_half;
  std::vector<std::string> classes;  ///< labels, one for each class; empty where unknown
  /// For Link::composed: the members, whose raw scores and trees are this ensemble's, in order.
  Composition composition{};

  /// Raw scores, one for each output, bit for bit as the library computes them. NaN is a missing
  /// value. Throws Error if the length of the point is not that of `features`.
  std::vector<double> predict(std::span<const double> point) const;
  /// Writes the raw scores to `scores`, which has room for one number for each output. Allocates
  /// nothing.
  void predict(std::span<const double> point, std::span<double> scores) const;

  /// Applies the link in the library's arithmetic. For `winner` one number: the class index.
  std::vector<double> transform(std::span<const double> scores) const;
  /// Writes the outputs to `outputs`, which has room for `output_count` numbers and does not
  /// overlap `scores`. Allocates nothing.
  void transform(std::span<const double> scores, std::span<double> outputs) const;

  /// How many numbers `transform` gives: one for each raw score, but 1 for Link::winner; for
  /// Link::composed one for each class, or 1.
  std::size_t output_count() const;

  /// The class that the library's classifier predicts.
  /// Throws Error for a regression model.
  std::size_t classify(std::span<const double> scores) const;

  /// Whether the outputs are probabilities of the classes.
  bool has_probabilities() const;

  /// The probability of a class, from the outputs of `transform`, as the library's classifier
  /// reports it. Throws Error if the model has no probabilities.
  double probability(std::span<const double> outputs, std::size_t index) const;

  /// 2 for binary, the number of outputs for multiclass, 0 for regression.
  std::size_t class_count() const;
  std::size_t leaf_count() const;
  std::size_t depth() const;

  /// "good", or "class 1" where the labels are unknown.
  std::string class_name(std::size_t index) const;
  /// Index of a class given by label, by number or as `class_name` writes it; throws Error naming
  /// the known ones.
  std::size_t class_index(std::string_view name) const;
  /// Index of a feature by name; throws Error with the nearest name.
  std::size_t feature_index(std::string_view name) const;

  /// Throws Error with a place such as "trees[3].nodes[7]" unless every index is in range, every
  /// child comes after its parent and has one parent, thresholds are numbers, base and leaf
  /// values are finite and lengths agree.
  void validate() const;

  bool operator==(const Ensemble&) const = default;
};

/// Whether a value, as it is read, goes to the left child of a split.
bool goes_left(const Tree& tree, const Node& node, double value);

/// The index of the leaf node that a point reaches. `Precision` is the ensemble's `input`.
std::int32_t reach_leaf(const Tree& tree, std::span<const double> point, Precision input);

/// Boxwood's own model file: versioned JSON, described in docs/formats.md.
std::string to_json(const Ensemble& ensemble);
/// `place` names the text in errors. Throws Error with byte position or JSON path.
Ensemble ensemble_from_json(std::string_view text, std::string_view place = "model");

/// The entry "composition" of that file; empty for an ensemble that is none.
std::string composition_text(const Composition& composition);
Composition composition_from_text(std::string_view text);

}  // namespace boxwood
