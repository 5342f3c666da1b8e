// What a LightGBM file says about its columns: names, which are categorical, their known codes, and
// the labels that pandas had for the codes. Prediction needs none of it.
#include "readers/lightgbm.hpp"

#include <boxwood/error.hpp>

#include "base/json_fields.hpp"
#include "readers/document.hpp"
#include "readers/special_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

namespace boxwood::readers {
namespace {

/// "3:1:-1" as numbers; nothing where the text is of another form.
std::optional<std::vector<std::int32_t>> split_codes(std::string_view text, char separator) {
  std::vector<std::int32_t> codes;
  for (;;) {
    const std::string_view word = text.substr(0, text.find(separator));
    std::int32_t code = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), code);
    if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    codes.push_back(code);
    if (word.size() == text.size()) return codes;
    text.remove_prefix(word.size() + 1);
  }
}

/// Entries are "none" for an unused column, "[minimum:maximum]" for numbers, and a list of codes
/// for categories, where -1 stands for missing values.
void add_info(Feature& feature, const LightgbmField& field, std::size_t index,
              std::string_view text) {
  if (text == "none" || text.starts_with('[')) return;
  auto codes = split_codes(text, ':');
  if (!codes) {
    field.fail_at(
        index, fmt::format("{} is not \"none\", a range or a list of categories", in_quotes(text)));
  }
  std::sort(codes->begin(), codes->end());
  codes->erase(std::unique(codes->begin(), codes->end()), codes->end());
  feature.kind = FeatureKind::categorical;
  for (const std::int32_t code : *codes) {
    if (code >= 0) feature.categories.push_back({code, {}});
  }
}

/// Columns that the parameters declare categorical, by number. They may be given by name or not at
/// all: then nothing.
std::optional<std::vector<std::int32_t>> declared_categorical(std::string_view line) {
  constexpr std::string_view start = "[categorical_feature: ";
  if (!line.starts_with(start) || !line.ends_with(']')) return std::nullopt;
  line.remove_prefix(start.size());
  line.remove_suffix(1);
  auto columns = split_codes(line, ',');
  if (columns) std::sort(columns->begin(), columns->end());
  return columns;
}

/// A label as pandas prints it; nothing for values that cannot be labels.
std::optional<std::string> label_text(const nlohmann::json& label) {
  if (label.is_string()) return label.get<std::string>();
  if (label.is_boolean()) return label.get<bool>() ? "True" : "False";
  if (label.is_number()) return label.dump();
  return std::nullopt;
}

/// Replaces the codes of a feature by all codes with a label. Labels that do not match the codes
/// and labels with the same text are dropped.
void add_labels(Feature& feature, const nlohmann::json& labels) {
  if (!labels.is_array() || labels.size() > std::numeric_limits<std::int32_t>::max()) return;
  if (!feature.categories.empty() &&
      static_cast<std::size_t>(feature.categories.back().code) >= labels.size()) {
    return;
  }
  std::vector<Category> categories;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto text = label_text(labels[i]);
    if (!text || !seen.insert(*text).second) return;
    categories.push_back({static_cast<std::int32_t>(i), std::move(*text)});
  }
  feature.categories = std::move(categories);
}

/// The columns that the labels belong to, in order: declared categorical columns without a numeric
/// range, and columns with known categories.
std::vector<std::size_t> categorical_columns(
    const LightgbmBlock& head, const std::optional<std::vector<std::int32_t>>& declared,
    std::vector<Feature>& features) {
  const auto infos = head["feature_infos"].words();
  for (const std::int32_t column : declared.value_or(std::vector<std::int32_t>{})) {
    if (column < 0 || static_cast<std::size_t>(column) >= features.size()) continue;
    const auto index = static_cast<std::size_t>(column);
    if (!infos[index].starts_with('[')) features[index].kind = FeatureKind::categorical;
  }
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i].kind == FeatureKind::categorical) columns.push_back(i);
  }
  return columns;
}

}  // namespace

std::vector<Feature> lightgbm_features(const LightgbmBlock& head) {
  const LightgbmField names_field = head["feature_names"];
  const auto names = names_field.words();
  const std::int64_t last =
      head["max_feature_idx"].integer(-1, std::numeric_limits<std::int32_t>::max() - 1);
  if (static_cast<std::size_t>(last + 1) != names.size()) {
    names_field.fail(fmt::format("it has {} names, max_feature_idx is {}", names.size(), last));
  }
  const LightgbmField infos_field = head["feature_infos"];
  const auto infos = infos_field.words();
  if (infos.size() != names.size()) {
    infos_field.fail(fmt::format("{} entries for {} features", infos.size(), names.size()));
  }
  std::vector<Feature> features(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    features[i].name = names[i];
    add_info(features[i], infos_field, i, infos[i]);
  }
  return features;
}

void add_lightgbm_labels(const LightgbmBlock& head, LightgbmLines lines, Ensemble& ensemble) {
  constexpr std::string_view pandas = "pandas_categorical:";
  constexpr std::string_view classes = "boxwood_classes:";
  std::vector<Feature>& features = ensemble.features;
  std::optional<std::vector<std::int32_t>> declared;
  std::string_view labels_text;
  bool in_parameters = false;
  for (; const auto line = lines.peek(); lines.next()) {
    if (*line == "parameters:") in_parameters = true;
    if (*line == "end of parameters") in_parameters = false;
    if (in_parameters && !declared) declared = declared_categorical(*line);
    if (in_parameters && (*line == "[boosting: dart]" || *line == "[boosting: rf]")) {
      ensemble.notes.push_back(*line == "[boosting: rf]" ? "random forest" : "dart");
    }
    if (line->starts_with(pandas)) labels_text = line->substr(pandas.size());
    if (line->starts_with(classes)) {
      const std::string where = fmt::format("{}: boxwood_classes", head.place());
      const nlohmann::json list = parse_json(line->substr(classes.size()), where);
      ensemble.classes = JsonField(list, where).strings();
    }
  }
  const auto columns = categorical_columns(head, declared, features);
  // Python writes infinite labels as Infinity, which is not JSON; ignore the labels in that case.
  if (labels_text.empty() || without_special_numbers(labels_text)) return;
  const nlohmann::json lists =
      parse_json(labels_text, fmt::format("{}: pandas_categorical", head.place()));
  // One list for each categorical column of the data frame, without its name. The lists can be
  // assigned to columns only if there are as many lists as columns that the model treats as
  // categorical. Columns of ordered categories have a list too, although LightGBM treats them as
  // numbers.
  if (!lists.is_array() || lists.size() != columns.size()) return;
  for (std::size_t i = 0; i < columns.size(); ++i) add_labels(features[columns[i]], lists[i]);
}

}  // namespace boxwood::readers
