#include "readers/onnx_encoders.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"
#include "readers/onnx_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace boxwood::readers {
namespace {

/// From this number on, float32, in which rows are read, does not represent every whole number.
constexpr std::int64_t first_large = std::int64_t{1} << 24;

/// The columns that an encoder makes of one column, and the OnnxType of their numbers.
struct OnnxEncoder {
  std::vector<OnnxCode> columns;
  std::int32_t type = 0;
};

std::shared_ptr<const OnnxKeys> text_keys(const std::vector<std::string_view>& texts,
                                          std::string& reason) {
  auto keys = std::make_shared<OnnxKeys>();
  std::set<std::string_view> seen;
  for (const std::string_view text : texts) {
    // A cell with an empty text is a missing value, not a category.
    if (text.empty()) reason = "one of its categories is an empty text";
    if (!seen.insert(text).second) reason = "it lists a category twice";
    keys->texts.emplace_back(text);
  }
  return keys;
}

std::shared_ptr<const OnnxKeys> number_keys(const std::vector<std::int64_t>& numbers,
                                            std::string& reason) {
  auto keys = std::make_shared<OnnxKeys>();
  std::set<std::int64_t> seen;
  for (const std::int64_t number : numbers) {
    if (number < 0 || number >= first_large) {
      reason = fmt::format("its category {} is not a whole number from 0 to {}", number,
                           first_large - 1);
      return keys;
    }
    if (!seen.insert(number).second) reason = "it lists a category twice";
    keys->numbers.push_back(static_cast<std::int32_t>(number));
  }
  return keys;
}

OnnxEncoder one_hot(const OnnxNode& node, bool texts, std::string& reason) {
  if (!node.texts("cats_strings").empty() && !node.integers("cats_int64s").empty()) {
    reason = "it lists both texts and whole numbers as categories";
  }
  auto keys =
      std::make_shared<OnnxKeys>(texts ? *text_keys(node.texts("cats_strings"), reason)
                                       : *number_keys(node.integers("cats_int64s"), reason));
  keys->refuses_others = node.integer("zeros", 1) == 0;
  OnnxEncoder made{{}, static_cast<std::int32_t>(OnnxType::float32)};
  for (std::size_t i = 0; i < keys->size(); ++i) {
    made.columns.push_back({.keys = keys, .hot = i});
  }
  return made;
}

/// The keys of a LabelEncoder that are numbers. The encoder compares floats for equality, but a set
/// of categories uses the integer part of a number. Keys that are floats therefore need an input of
/// whole numbers.
std::vector<std::int64_t> whole_keys(const OnnxNode& node, bool whole_input, std::string& reason) {
  std::vector<std::int64_t> numbers = node.integers("keys_int64s");
  for (const float key : node.floats("keys_floats")) {
    if (!whole_input) {
      reason = "it compares numbers that may be fractions with its categories";
    } else if (!(std::abs(key) < static_cast<float>(first_large)) || key != std::floor(key)) {
      reason =
          fmt::format("its category {} is not a whole number from 0 to {}", key, first_large - 1);
    }
    if (!reason.empty()) return {};
    numbers.push_back(static_cast<std::int64_t>(key));
  }
  return numbers;
}

OnnxEncoder labelled(const OnnxNode& node, bool texts, bool whole_input, std::string& reason) {
  OnnxCode code;
  code.keys = texts ? text_keys(node.texts("keys_strings"), reason)
                    : number_keys(whole_keys(node, whole_input, reason), reason);
  auto values = std::make_shared<std::vector<float>>(node.floats("values_floats"));
  auto type = OnnxType::float32;
  code.otherwise = node.number("default_float", -0.0F);
  if (node.has("values_int64s")) {
    type = OnnxType::int64;
    for (const std::int64_t value : node.integers("values_int64s")) {
      values->push_back(static_cast<float>(value));
    }
    code.otherwise = static_cast<float>(node.integer("default_int64", -1));
  }
  const bool finite =
      std::isfinite(code.otherwise) &&
      std::all_of(values->begin(), values->end(), [](float value) { return std::isfinite(value); });
  if (reason.empty() && (values->size() != code.keys->size() || !finite)) {
    reason = "it does not give a finite number for each of its categories";
  }
  code.values = std::move(values);
  return {{std::move(code)}, static_cast<std::int32_t>(type)};
}

/// The labels of a column's texts in the order in which they are found.
class Labels {
 public:
  std::int32_t code(const std::string& text) {
    const auto next = static_cast<std::int32_t>(categories_.size());
    const auto [at, is_new] = codes_.try_emplace(text, next);
    if (is_new) categories_.push_back({next, text});
    return at->second;
  }
  std::vector<Category> list(bool with_others) && {
    if (with_others) {
      std::string other = codes_.contains("(other)") ? "(any other)" : "(other)";
      categories_.push_back(
          {static_cast<std::int32_t>(categories_.size()), std::move(other), true});
    }
    return std::move(categories_);
  }

 private:
  std::map<std::string, std::int32_t> codes_;
  std::vector<Category> categories_;
};

}  // namespace

std::vector<OnnxColumn> encode_onnx_column(const OnnxNode& node, const OnnxColumn& column,
                                           bool texts, std::int32_t& type, std::string& reason) {
  std::optional<float> filled_in;
  for (const OnnxStep& step : column.steps) {
    if (step.kind != OnnxStep::Kind::impute) {
      reason = "its numbers are scaled or shifted before";
      return {};
    }
    filled_in = through(column.steps, std::numeric_limits<float>::quiet_NaN());
  }
  const std::int32_t given = column.input->type;
  const bool whole_input = given == static_cast<std::int32_t>(OnnxType::int32) ||
                           given == static_cast<std::int32_t>(OnnxType::int64);
  OnnxEncoder encoder = node.type == "OneHotEncoder" ? one_hot(node, texts, reason)
                                                     : labelled(node, texts, whole_input, reason);
  if (reason.empty() && (encoder.columns.empty() || encoder.columns[0].keys->size() == 0)) {
    reason = fmt::format("it lists no categories that are {}", texts ? "texts" : "whole numbers");
  }
  if (!reason.empty()) return {};
  type = encoder.type;
  std::vector<OnnxColumn> made;
  for (OnnxCode& code : encoder.columns) {
    code.filled_in = filled_in;
    made.push_back({column.input, column.index, std::move(code), {}});
  }
  return made;
}

OnnxCategories::OnnxCategories(const std::vector<OnnxColumn>& columns,
                               const std::vector<std::int32_t>& raw, std::string_view place,
                               std::vector<Feature>& inputs)
    : place_(place) {
  std::map<std::int32_t, Labels> labels;
  std::map<std::int32_t, std::set<std::int32_t>> numbers;
  std::set<std::int32_t> refusing;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].code) continue;
    const OnnxKeys& keys = *columns[i].code->keys;
    if (keys.refuses_others) refusing.insert(raw[i]);
    auto [at, is_new] = codes_.try_emplace({&keys, raw[i]});
    if (!is_new) continue;
    for (const std::string& text : keys.texts) at->second.push_back(labels[raw[i]].code(text));
    at->second.insert(at->second.end(), keys.numbers.begin(), keys.numbers.end());
    if (keys.texts.empty()) numbers[raw[i]].insert(keys.numbers.begin(), keys.numbers.end());
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].code || (!labels.contains(raw[i]) && !numbers.contains(raw[i]))) continue;
    throw UnsupportedModel(place_,
                           fmt::format("the trees read {} both encoded and as a number",
                                       in_quotes(inputs[static_cast<std::size_t>(raw[i])].name)),
                           "Export the model with one of the two");
  }
  for (auto& [feature, known] : labels) {
    Feature& input = inputs[static_cast<std::size_t>(feature)];
    input.kind = FeatureKind::categorical;
    input.categories = std::move(known).list(!refusing.contains(feature));
  }
  for (const auto& [feature, known] : numbers) {
    Feature& input = inputs[static_cast<std::size_t>(feature)];
    input.kind = FeatureKind::categorical;
    for (const std::int32_t code : known) input.categories.push_back({code, {}});
  }
}

const std::vector<std::int32_t>& OnnxCategories::codes_of(const OnnxKeys& keys,
                                                          std::int32_t raw) const {
  return codes_.at({&keys, raw});
}

void OnnxCategories::push(const OnnxColumn& column, std::int32_t raw, std::size_t most, Tree& tree,
                          Node& node) {
  const OnnxCode& code = *column.code;
  const std::vector<std::int32_t>& codes = codes_of(*code.keys, raw);
  const auto left = [&](float value) {
    return goes_left(tree, node, static_cast<double>(through(column.steps, value)));
  };
  const bool others_left = left(code.otherwise);
  // The listed values that go to the other child than values that are not listed.
  std::vector<std::int32_t> apart;
  const auto add = [&](std::size_t key) {
    if (left(code.value_of(key)) != others_left) apart.push_back(codes[key]);
  };
  if (code.values) {
    for (std::size_t key = 0; key < codes.size(); ++key) add(key);
    std::sort(apart.begin(), apart.end());
  } else {
    add(code.hot);  // other keys have the number of values that are not listed
  }
  bool missing_left = others_left;
  if (code.filled_in && *code.filled_in > -1 && *code.filled_in < static_cast<float>(first_large)) {
    const auto filled = static_cast<std::int32_t>(*code.filled_in);
    if (std::binary_search(apart.begin(), apart.end(), filled)) missing_left = !others_left;
  }
  in_sets_ += apart.size() + 1;
  if (in_sets_ > most) {
    throw UnsupportedModel(
        place_, fmt::format("its splits on encoded columns need more than {} entries", most),
        "Encode the columns by OneHotEncoder, or merge rare categories");
  }
  // Values in a set go left.
  if (others_left) {
    std::swap(node.left, node.right);
  }
  node.missing_left = missing_left != others_left;
  node.kind = NodeKind::in_set;
  node.threshold = 0;
  node.feature = raw;
  node.value = static_cast<std::int32_t>(tree.sets.size());
  tree.sets.push_back(std::move(apart));
}

}  // namespace boxwood::readers
