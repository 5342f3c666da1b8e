// From the graph's inputs through the tree operator to its outputs. Operators that only pass
// numbers on are followed, a few that scale or shift scores are taken over, every other one is
// refused by its name.
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace boxwood::readers {
namespace {

/// What is known about a named value. Lists are shared, so copies are cheap.
struct Known {
  enum class Kind : std::uint8_t { features, constant, scores, label, largest, changed };
  Kind kind = Kind::changed;
  std::int32_t type = 0;
  // features
  std::shared_ptr<const std::vector<const OnnxInput*>> parts;
  Precision precision = Precision::float32;
  bool integers = false;
  std::shared_ptr<const std::vector<OnnxColumn>> columns;  // none: those of the parts, unchanged
  bool cut = false;                                        // to the whole part, by a cast
  bool deep = false;  // (rows, 1, columns), as OneHotEncoder writes them
  const OnnxTensor* constant = nullptr;
  OnnxSteps steps;  // of scores, and of a label made of them
  // changed: the operator that did it, and why it is not supported
  std::string culprit, reason;
};

template <std::size_t Count>
bool is_one_of(std::string_view type, const std::array<std::string_view, Count>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool is_tree_operator(const OnnxNode& node) {
  return node.domain == "ai.onnx.ml" &&
         is_one_of(node.type,
                   std::array<std::string_view, 3>{"TreeEnsembleClassifier",
                                                   "TreeEnsembleRegressor", "TreeEnsemble"});
}

bool is_float(std::int32_t type) {
  return type == static_cast<std::int32_t>(OnnxType::float32) ||
         type == static_cast<std::int32_t>(OnnxType::float64);
}
bool is_integer(std::int32_t type) {
  return type == static_cast<std::int32_t>(OnnxType::int32) ||
         type == static_cast<std::int32_t>(OnnxType::int64);
}

bool is_text(std::int32_t type) { return type == static_cast<std::int32_t>(OnnxType::string); }

constexpr std::array<std::string_view, 4> operators{"Mul", "Div", "Add", "Sub"};

class Walk {
 public:
  Walk(const OnnxModel& model, std::string_view place) : model_(model), place_(place) {}

  OnnxGraph run() {
    for (const OnnxTensor& tensor : model_.constants) keep_constant(tensor.name, tensor);
    for (const OnnxInput& input : model_.inputs) {
      if (known_.count(input.name) != 0) continue;  // an initial value that a caller may replace
      Known known;
      known.kind = is_float(input.type) || is_integer(input.type) || is_text(input.type)
                       ? Known::Kind::features
                       : Known::Kind::changed;
      known.culprit = fmt::format("{}: input {}", place_, in_quotes(input.name));
      known.type = input.type;
      known.precision = input.type == static_cast<std::int32_t>(OnnxType::float64)
                            ? Precision::float64
                            : Precision::float32;
      known.integers = is_integer(input.type);
      known.parts = std::make_shared<std::vector<const OnnxInput*>>(1, &input);
      known_.insert_or_assign(input.name, std::move(known));
    }
    // Holds the constants of nodes at stable addresses.
    constants_.reserve(model_.nodes.size());
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) visit(i);
    if (graph_.trees == nullptr) refuse_without_trees();
    check_outputs();
    return std::move(graph_);
  }

 private:
  void keep_constant(std::string_view name, const OnnxTensor& tensor) {
    Known known;
    known.kind = Known::Kind::constant;
    known.type = tensor.type;
    known.constant = &tensor;
    known_.insert_or_assign(name, std::move(known));
  }

  const Known* input_of(const OnnxNode& node, std::size_t index) const {
    if (index >= node.inputs.size()) return nullptr;
    const auto found = known_.find(node.inputs[index]);
    return found == known_.end() ? nullptr : &found->second;
  }

  void visit(std::size_t index) {
    const OnnxNode& node = model_.nodes[index];
    if (is_tree_operator(node)) return visit_trees(index);
    if (node.type == "Constant" && node.domain.empty() && node.outputs.size() == 1) {
      if (auto tensor = node.tensor("value")) {
        constants_.push_back(std::move(*tensor));
        return keep_constant(node.outputs[0], constants_.back());
      }
    }
    reason_.clear();
    std::optional<Known> result = follow(node);
    if (!result) {
      // Errors name the first operator that changed the value.
      result = Known{};
      result->culprit = node.where(index);
      result->reason = reason_.empty() ? about_whole_numbers(node) : reason_;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Known* input = input_of(node, i);
        if (input != nullptr && input->kind == Known::Kind::changed) {
          result->culprit = input->culprit;
          result->reason = input->reason;
          break;
        }
      }
    }
    if (result->steps != OnnxSteps{} && result->steps.first.empty()) {
      result->steps.first = node.where(index);
    }
    for (const std::string_view output : node.outputs) known_.insert_or_assign(output, *result);
  }

  /// Why an operator that is supported for floats is refused here.
  std::string about_whole_numbers(const OnnxNode& node) const {
    constexpr std::array<std::string_view, 3> types{"Concat", "Scaler", "Imputer"};
    const auto is_whole = [&](std::string_view name) {
      return known_.count(name) != 0 && is_integer(known_.at(name).type);
    };
    if (!is_one_of(node.type, types) ||
        std::none_of(node.inputs.begin(), node.inputs.end(), is_whole)) {
      return {};
    }
    return "it reads whole numbers: export with FloatTensorType for all inputs that are numbers";
  }

  /// Returns nothing for an unsupported operator.
  std::optional<Known> follow(const OnnxNode& node) const {
    const Known* first = input_of(node, 0);
    if (first == nullptr || first->kind == Known::Kind::changed) return std::nullopt;
    if (node.domain == "ai.onnx.ml") return follow_ml(node, *first);
    if (!node.domain.empty()) return std::nullopt;
    if (node.type == "Identity") return *first;
    if (node.type == "Cast") return cast(node, *first);
    if (node.type == "Concat") return concat(node);
    using Kind = Known::Kind;
    if (is_one_of(node.type, operators)) {
      const Known* second = input_of(node, 1);
      if (first->kind == Kind::features) return changed_by_constant(node, *first, second);
      if (second != nullptr && second->kind == Kind::features) {
        return changed_by_constant(node, *second, first);
      }
    }
    if (first->kind == Kind::features) {
      if (node.type == "Gather") return chosen(node, *first);
      if (node.type == "Reshape" || node.type == "Flatten") return flat(node, *first);
      return std::nullopt;
    }
    // These operators keep the order of a row's numbers.
    constexpr std::array<std::string_view, 4> shapes{"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    if (is_one_of(node.type, shapes)) return *first;
    if (node.type == "ArgMax" && first->kind == Kind::scores) return largest(node, *first);
    if (node.type == "Exp" && first->kind == Kind::scores && !first->steps.exponential) {
      Known result = *first;
      result.steps.exponential = true;
      return result;
    }
    return arithmetic(node);
  }

  std::optional<Known> follow_ml(const OnnxNode& node, const Known& first) const {
    if (node.type == "ZipMap" && first.kind == Known::Kind::scores) return first;
    if (first.kind == Known::Kind::features) {
      if (node.type == "Scaler") return scaled(node, first);
      if (node.type == "Imputer") return imputed(node, first);
      if (node.type == "ArrayFeatureExtractor") return chosen(node, first);
      if (node.type == "OneHotEncoder" || node.type == "LabelEncoder") return encoded(node, first);
      return std::nullopt;
    }
    if (node.type == "ArrayFeatureExtractor" && first.kind == Known::Kind::constant) {
      const Known* second = input_of(node, 1);
      if (second == nullptr || second->kind != Known::Kind::largest) return std::nullopt;
      auto classes = std::make_shared<std::vector<std::string>>(first.constant->strings);
      for (const double number : first.constant->numbers) {
        classes->push_back(fmt::format("{}", number));
      }
      Known label = *second;
      label.kind = Known::Kind::label;
      label.steps.classes = std::move(classes);
      return label;
    }
    return std::nullopt;
  }

  static std::optional<Known> cast(const OnnxNode& node, const Known& value) {
    const std::int64_t to = node.integer("to", 0);
    Known result = value;
    if (value.kind == Known::Kind::label || value.kind == Known::Kind::largest) return result;
    if (value.kind == Known::Kind::features && to == 7) return whole(value);
    if ((to != 1 && to != 11) || is_text(value.type) || value.cut) return std::nullopt;
    result.type = static_cast<std::int32_t>(to);
    const bool narrows = to == 1 && value.type == static_cast<std::int32_t>(OnnxType::float64);
    if (value.kind == Known::Kind::constant) {
      return value.type == to ? std::optional(result) : std::nullopt;
    }
    if (value.kind == Known::Kind::scores) {
      if (narrows) result.steps.to_float32 = true;
      return result;
    }
    if (value.columns && to != 1) return std::nullopt;
    // Integers beyond the precision of a double are indistinguishable from their double here.
    if (value.integers && is_integer(value.type)) {
      result.precision = to == 1 ? Precision::float32 : Precision::float64;
    } else if (narrows) {
      result.precision = Precision::float32;
    }
    return result;
  }

  /// The whole parts of numbers. Only encoders read them.
  static std::optional<Known> whole(const Known& value) {
    if (is_integer(value.type)) return value;
    const bool encoded = value.columns && std::any_of(value.columns->begin(), value.columns->end(),
                                                      [](const auto& one) { return one.code; });
    if (value.type != 1 || value.precision != Precision::float32 || encoded) return std::nullopt;
    Known result = value;
    result.type = static_cast<std::int32_t>(OnnxType::int64);
    result.cut = true;
    return result;
  }

  /// Whether two values may be joined.
  static bool alike(const Known& a, const Known& b) {
    return a.kind == b.kind && a.type == b.type && a.precision == b.precision &&
           (a.integers == b.integers || is_float(a.type)) && a.cut == b.cut && a.deep == b.deep;
  }

  std::optional<Known> concat(const OnnxNode& node) const {
    const std::int64_t axis = node.integer("axis", 1);
    const Known* first = input_of(node, 0);
    if ((axis != 1 && axis != -1) || first->kind != Known::Kind::features ||
        (first->deep && axis != -1)) {
      return std::nullopt;
    }
    Known result = *first;
    auto parts = std::make_shared<std::vector<const OnnxInput*>>();
    bool has_columns = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Known* part = input_of(node, i);
      if (part == nullptr || !alike(*part, *first)) return std::nullopt;
      has_columns = has_columns || part->columns;
    }
    if (has_columns) return concat_columns(node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Known* part = input_of(node, i);
      // Repeated concatenation could double the size at every node.
      if (part->parts->size() > 1 && node.inputs.size() > 1) return std::nullopt;
      parts->insert(parts->end(), part->parts->begin(), part->parts->end());
    }
    result.parts = std::move(parts);
    return result;
  }

  /// The columns of a value. No value if there are too many, or if their number is unknown: the
  /// size of the file alone would not bound the work.
  std::optional<std::vector<OnnxColumn>> columns_of(const Known& value) const {
    constexpr std::size_t most_columns = 1 << 22;  // of all such values together
    std::vector<OnnxColumn> columns;
    if (value.columns) {
      columns = *value.columns;
    } else {
      for (const OnnxInput* part : *value.parts) {
        if (part->width <= 0 || part->width > most_onnx_features) return std::nullopt;
        for (std::int64_t i = 0; i < part->width; ++i) columns.push_back({part, i, {}});
        if (columns.size() > most_columns) return std::nullopt;
      }
    }
    for (const OnnxColumn& column : columns) copied_ += 1 + column.steps.size();
    return copied_ > most_columns ? std::nullopt : std::optional(std::move(columns));
  }

  static Known with_columns(const Known& value, std::vector<OnnxColumn> columns) {
    Known result = value;
    result.columns = std::make_shared<std::vector<OnnxColumn>>(std::move(columns));
    return result;
  }

  /// Adds a step to every column of float32 numbers; `step(i)` is that of column i.
  template <typename Step>
  std::optional<Known> with_step(const Known& value, Step step) const {
    if (value.type != 1 || value.precision != Precision::float32 || value.deep) return std::nullopt;
    auto columns = columns_of(value);
    if (!columns) return std::nullopt;
    for (std::size_t i = 0; i < columns->size(); ++i) {
      const std::optional<OnnxStep> next = step(i, columns->size());
      if (!next || !next->rises()) return std::nullopt;
      (*columns)[i].steps.push_back(*next);
    }
    return with_columns(value, std::move(*columns));
  }

  /// One number for all columns, or one for each.
  template <typename Number>
  static std::optional<float> one_of(const std::vector<Number>& numbers, std::size_t i,
                                     std::size_t count) {
    if (numbers.size() != 1 && numbers.size() != count) return std::nullopt;
    return static_cast<float>(numbers[numbers.size() == 1 ? 0 : i]);
  }

  std::optional<Known> scaled(const OnnxNode& node, const Known& value) const {
    const std::vector<float> offsets = node.floats("offset"), scales = node.floats("scale");
    return with_step(value, [&](std::size_t i, std::size_t count) -> std::optional<OnnxStep> {
      const auto offset = one_of(offsets, i, count), scale = one_of(scales, i, count);
      if (!offset || !scale) return std::nullopt;
      return OnnxStep{OnnxStep::Kind::scale, *offset, *scale};
    });
  }

  std::optional<Known> imputed(const OnnxNode& node, const Known& value) const {
    if (!std::isnan(node.number("replaced_value_float", 0))) return std::nullopt;
    const std::vector<float> numbers = node.floats("imputed_value_floats");
    return with_step(value, [&](std::size_t i, std::size_t count) -> std::optional<OnnxStep> {
      const auto number = one_of(numbers, i, count);
      if (!number) return std::nullopt;
      return OnnxStep{OnnxStep::Kind::impute, *number};
    });
  }

  std::optional<Known> changed_by_constant(const OnnxNode& node, const Known& value,
                                           const Known* other) const {
    const bool swapped = input_of(node, 0) != &value;
    const bool commutes = node.type == "Mul" || node.type == "Add";
    if (other == nullptr || other->kind != Known::Kind::constant || other->type != 1 ||
        !other->constant->is_scalar_or_list || (swapped && !commutes) || node.inputs.size() != 2) {
      return std::nullopt;
    }
    const OnnxStep::Kind kind = node.type == "Mul"   ? OnnxStep::Kind::multiply
                                : node.type == "Div" ? OnnxStep::Kind::divide
                                : node.type == "Add" ? OnnxStep::Kind::add
                                                     : OnnxStep::Kind::subtract;
    return with_step(value, [&](std::size_t i, std::size_t count) -> std::optional<OnnxStep> {
      const auto number = one_of(other->constant->numbers, i, count);
      if (!number) return std::nullopt;
      return OnnxStep{kind, *number};
    });
  }

  /// Some columns of a table, by a constant list of their numbers.
  std::optional<Known> chosen(const OnnxNode& node, const Known& value) const {
    const Known* list = input_of(node, 1);
    if (list == nullptr || list->kind != Known::Kind::constant) return std::nullopt;
    if (node.type == "Gather") {
      const std::int64_t axis = node.integer("axis", 0);
      if (axis != -1 && (axis != 1 || value.deep)) return std::nullopt;
    } else if (value.deep) {
      return std::nullopt;
    }
    const auto columns = columns_of(value);
    if (!columns) return std::nullopt;
    std::vector<OnnxColumn> taken;
    for (const double number : list->constant->numbers) {
      if (!(number >= 0 && number < static_cast<double>(columns->size()))) return std::nullopt;
      taken.push_back((*columns)[static_cast<std::size_t>(number)]);
    }
    return taken.empty() ? std::nullopt : std::optional(with_columns(value, std::move(taken)));
  }

  /// A table of the same columns, one row for each.
  std::optional<Known> flat(const OnnxNode& node, const Known& value) const {
    const auto columns = columns_of(value);
    if (!columns) return std::nullopt;
    if (node.type == "Flatten") {
      if (node.integer("axis", 1) != 1) return std::nullopt;
    } else {
      const Known* shape = input_of(node, 1);
      const std::vector<double> wanted{-1, static_cast<double>(columns->size())};
      if (shape == nullptr || shape->kind != Known::Kind::constant ||
          shape->constant->numbers != wanted) {
        return std::nullopt;
      }
    }
    Known result = value;
    result.deep = false;
    return result;
  }

  std::optional<Known> encoded(const OnnxNode& node, const Known& value) const {
    const auto columns = columns_of(value);
    const bool texts = is_text(value.type);
    if (!columns || columns->size() != 1 || value.deep || columns->front().code ||
        (!texts && value.precision != Precision::float32)) {
      reason_ = "it does not read a single column of texts, float32 or whole numbers";
      return std::nullopt;
    }
    std::int32_t type = 0;
    std::vector<OnnxColumn> made = encode_onnx_column(node, columns->front(), texts, type, reason_);
    if (made.empty()) return std::nullopt;
    Known result = with_columns(value, std::move(made));
    result.type = type;
    result.precision = Precision::float32;
    result.integers = result.cut = false;
    result.deep = node.type == "OneHotEncoder";
    return result;
  }

  std::optional<Known> concat_columns(const OnnxNode& node) const {
    const Known* first = input_of(node, 0);
    std::vector<OnnxColumn> all;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Known* part = input_of(node, i);
      if (part == nullptr || !alike(*part, *first)) return std::nullopt;
      const auto columns = columns_of(*part);
      if (!columns) return std::nullopt;
      all.insert(all.end(), columns->begin(), columns->end());
    }
    return with_columns(*first, std::move(all));
  }

  static std::optional<Known> largest(const OnnxNode& node, const Known& scores) {
    const std::int64_t axis = node.integer("axis", 0);
    if ((axis != 1 && axis != -1) || node.integer("select_last_index", 0) != 0) {
      return std::nullopt;
    }
    Known result = scores;
    result.kind = Known::Kind::largest;
    result.steps.takes_largest = true;
    return result;
  }

  /// Scores and a constant. Several steps are supported if together they amount to what an Ensemble
  /// does: times a factor, divided by a divisor, plus a base.
  std::optional<Known> arithmetic(const OnnxNode& node) const {
    if (!is_one_of(node.type, operators) || node.inputs.size() != 2) return std::nullopt;
    const Known* scores = input_of(node, 0);
    const Known* other = input_of(node, 1);
    const bool swaps = node.type == "Mul" || node.type == "Add";
    if (swaps && scores->kind == Known::Kind::constant) std::swap(scores, other);
    if (scores == nullptr || other == nullptr || scores->kind != Known::Kind::scores ||
        other->kind != Known::Kind::constant || other->type != scores->type) {
      return std::nullopt;
    }
    std::vector<double> numbers = other->constant->numbers;
    if (numbers.empty() || !other->constant->is_scalar_or_list) return std::nullopt;
    const bool scales = node.type == "Mul" || node.type == "Div";
    const double neutral = scales ? 1.0 : 0.0;
    const bool all_same = std::all_of(numbers.begin(), numbers.end(),
                                      [&](double number) { return number == numbers[0]; });
    if (all_same && numbers[0] == neutral) return *scores;
    Known result = *scores;
    OnnxSteps& steps = result.steps;
    if (steps.exponential || steps.to_float32 || steps.added) return std::nullopt;
    if (!scales) {
      if (node.type == "Sub") {
        for (double& number : numbers) number = -number;
      }
      steps.added = std::make_shared<std::vector<double>>(std::move(numbers));
      return result;
    }
    if (!all_same || !(numbers[0] > 0) || steps.divisor != 1) return std::nullopt;
    if (node.type == "Mul") {
      if (steps.factor != 1) return std::nullopt;
      steps.factor = numbers[0];
    } else {
      steps.divisor = numbers[0];
    }
    return result;
  }

  void visit_trees(std::size_t index) {
    const OnnxNode& node = model_.nodes[index];
    if (graph_.trees != nullptr) {
      throw UnsupportedModel(node.where(index), "the graph has more than one tree ensemble",
                             "Export a single ensemble (for LightGBM, without the split option)");
    }
    const Known* input = input_of(node, 0);
    if (input == nullptr || input->kind != Known::Kind::features || is_text(input->type) ||
        input->cut || input->deep) {
      refuse_input(input, node.where(index));
    }
    graph_.trees = &node;
    graph_.trees_index = index;
    graph_.type = input->type;
    graph_.input = input->precision;
    graph_.integers = input->integers;
    if (input->columns) {
      name_onnx_columns(model_, *input->columns, place_, graph_);
    } else {
      name_onnx_features(*input->parts, place_, graph_);
    }
    const bool is_classifier = node.type == "TreeEnsembleClassifier";
    Known scores;
    scores.kind = Known::Kind::scores;
    // Only TreeEnsemble returns doubles.
    scores.type = node.type == "TreeEnsemble" ? input->type : 1;
    Known label;
    label.kind = Known::Kind::label;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      known_.insert_or_assign(node.outputs[i], is_classifier && i == 0 ? label : scores);
    }
  }

  [[noreturn]] static void refuse_input(const Known* input, std::string place) {
    if (input != nullptr && !input->culprit.empty()) place = input->culprit;
    std::string message = "this operator transforms the features before the trees";
    if (input != nullptr && !input->reason.empty()) message += ", and " + input->reason;
    throw UnsupportedModel(
        std::move(place), std::move(message),
        "Boxwood reads Scaler and Imputer of float32 numbers, OneHotEncoder, LabelEncoder of "
        "texts and int64 numbers, ArrayFeatureExtractor, Gather and Concat; export the "
        "trees without other steps, and give the transformed data");
  }

  [[noreturn]] void refuse_without_trees() const {
    std::string types;
    std::vector<std::string_view> seen;
    for (const OnnxNode& node : model_.nodes) {
      if (std::find(seen.begin(), seen.end(), node.type) != seen.end() || seen.size() == 5)
        continue;
      types += (seen.empty() ? "" : ", ") + in_quotes(node.type);
      seen.push_back(node.type);
    }
    throw UnsupportedModel(
        std::string(place_),
        seen.empty() ? "the graph is empty"
                     : fmt::format("the graph has no tree ensemble, only {}", types),
        "Boxwood reads TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble");
  }

  /// All outputs must be computed from the same scores, so that there is one model.
  void check_outputs() {
    bool answers = false;
    std::optional<OnnxSteps> scores;
    for (const std::string_view output : model_.outputs) {
      const auto found = known_.find(output);
      if (found == known_.end()) continue;
      const Known& known = found->second;
      if (known.kind == Known::Kind::changed) {
        throw UnsupportedModel(known.culprit,
                               "this operator transforms the scores in an unsupported way",
                               "Export the model without the steps after the trees");
      }
      const bool is_score = known.kind == Known::Kind::scores;
      const bool is_class = known.kind == Known::Kind::label || known.kind == Known::Kind::largest;
      answers = answers || is_score || is_class;
      if (is_class && known.steps.takes_largest) {
        graph_.after.takes_largest = true;
        graph_.after.classes = known.steps.classes;
      }
      if (!is_score && !(is_class && known.steps.takes_largest)) continue;
      OnnxSteps steps = known.steps;
      steps.takes_largest = false;
      steps.classes.reset();
      if (scores && !same_scores(*scores, steps)) {
        throw UnsupportedModel(fmt::format("{}: output {}", place_, in_quotes(output)),
                               "it transforms the same scores differently from another output",
                               "Export the model with one of them");
      }
      scores = std::move(steps);
    }
    if (scores) {
      scores->takes_largest = graph_.after.takes_largest;
      scores->classes = std::move(graph_.after.classes);
      graph_.after = std::move(*scores);
    }
    if (!answers) throw Error(std::string(place_), "no output of the graph comes from the trees");
  }

  const OnnxModel& model_;
  std::string_view place_;
  std::map<std::string_view, Known> known_;
  mutable std::size_t copied_ = 0;  // columns and steps, of all values
  mutable std::string reason_;      // why the operator that is visited is not supported
  std::vector<OnnxTensor> constants_;
  OnnxGraph graph_;
};

}  // namespace

OnnxGraph walk_onnx(const OnnxModel& model, std::string_view place) {
  return Walk(model, place).run();
}

}  // namespace boxwood::readers
