// Reads and writes the schema file (JSON). Errors name the file and the JSON path and suggest the
// nearest known word.
#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "model/kinds.hpp"

#include <boxwood/error.hpp>
#include <boxwood/query_text.hpp>
#include <boxwood/schema.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

const std::vector<std::string> top_keys = {"boxwood_schema", "subject",     "outcome",
                                           "classes",        "output_unit", "features",
                                           "one_hot",        "rules",       "scaled"};
const std::vector<std::string> feature_keys = {
    "name",        "title",           "kind",      "labels",    "unit",
    "range",       "scale",           "weight",    "fixed",     "allowed",
    "step",        "missing_allowed", "changes",   "direction", "least_change",
    "most_change", "cost_up",         "cost_down", "quantiles"};
const std::vector<std::string> group_keys = {"title", "columns", "labels", "weight",
                                             "none_allowed"};

constexpr std::array direction_names{std::pair{"up", Direction::up},
                                     std::pair{"down", Direction::down}};

/// The names of `Spread`, in its order; the command and Python use them too.
const std::vector<std::string> spreads = {"range", "deviation", "mad", "quantiles"};

void check_keys(const JsonField& object, const std::vector<std::string>& known) {
  for (const std::string& key : object.keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string remedy = did_you_mean(key, known);
    if (remedy.empty()) remedy = fmt::format("Known keys: {}", fmt::join(known, ", "));
    object.fail(fmt::format("no key \"{}\"", key), remedy);
  }
}

std::string text_at(const JsonField& object, const char* key) {
  return object.has(key) ? object[key].string() : std::string{};
}

std::vector<std::string> labels_at(const JsonField& object, const char* key) {
  if (!object.has(key)) return {};
  const JsonField list = object[key];
  if (list.size() == 0) list.fail("must not be empty", "Leave the key out if there are no labels");
  std::vector<std::string> texts;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string text = list[i].string();
    if (text.empty()) list[i].fail("must not be empty");
    if (!seen.insert(text).second) list[i].fail(fmt::format("\"{}\" is given twice", text));
    texts.push_back(std::move(text));
  }
  return texts;
}

double positive_at(const JsonField& object, const char* key) {
  if (!object.has(key)) return 1;
  const double value = object[key].number();
  if (!(value > 0) || !std::isfinite(value)) object[key].fail("must be a number above 0");
  return value;
}

FeatureKind read_kind(const JsonField& field) {
  const std::string word = field.string();
  if (word == "one_hot") {
    field.fail("one-hot is not a kind; one-hot columns form a group of the schema",
               "List them: \"one_hot\": [{\"title\": …, \"columns\": […]}]");
  }
  std::vector<std::string> words;
  for (const auto& [name, kind] : kind_names) {
    if (word == name) return kind;
    words.emplace_back(name);
  }
  std::string remedy = did_you_mean(word, words);
  if (remedy.empty()) remedy = fmt::format("Kinds: {}", fmt::join(words, ", "));
  field.fail(fmt::format("no kind \"{}\"", word), remedy);
}

bool has_labels(FeatureKind kind) {
  return kind == FeatureKind::ordinal || kind == FeatureKind::categorical;
}

/// One end of a range: a number, a label, or null for none.
double read_end(const JsonField& field, const std::vector<std::string>& labels, double open) {
  if (field.is_null()) return open;
  if (!field.is_string()) return field.number();
  const std::string label = field.string();
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<double>(found - labels.begin());
  if (labels.empty()) field.fail("must be a number, or null for no limit");
  field.fail(fmt::format("no label \"{}\"", label), did_you_mean(label, labels));
}

Interval read_range(const JsonField& object, const FeatureSchema& feature) {
  Interval range;
  if (!feature.labels.empty()) {
    range.lower = 0;
    range.upper = static_cast<double>(feature.labels.size() - 1);
  }
  if (!object.has("range")) return range;
  const JsonField field = object["range"];
  if (field.size() != 2) field.fail("must be a list of two values: [lowest, highest]");
  Interval given;
  given.lower = read_end(field[std::size_t{0}], feature.labels, range.lower);
  given.upper = read_end(field[std::size_t{1}], feature.labels, range.upper);
  if (!(given.lower <= given.upper)) field.fail("the lowest value is greater than the highest");
  if (given.lower < range.lower || given.upper > range.upper) {
    field.fail(fmt::format("goes beyond the {} labels", feature.labels.size()),
               fmt::format("Codes run from 0 to {}", feature.labels.size() - 1));
  }
  return given;
}

/// Numbers or labels, in any order.
std::vector<double> read_allowed(const JsonField& list, const std::vector<std::string>& labels) {
  std::vector<double> values;
  std::unordered_map<std::string_view, std::size_t> codes;
  for (std::size_t i = 0; i < labels.size(); ++i) codes.try_emplace(labels[i], i);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto known = list[i].is_string() ? codes.find(list[i].string()) : codes.end();
    if (known != codes.end()) {
      values.push_back(static_cast<double>(known->second));
      continue;
    }
    if (list[i].is_null()) list[i].fail("must be a number or a label");
    values.push_back(read_end(list[i], labels, 0));
  }
  if (values.empty()) list.fail("must not be empty", "Fix the feature to allow no change");
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// One row per code: the size of a change from it to every other code; null: not allowed.
void read_changes(const JsonField& rows, FeatureSchema& feature) {
  if (feature.kind != FeatureKind::categorical) {
    rows.fail("only categorical features have a table of changes", "Add \"kind\": \"categorical\"");
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> row;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const JsonField entry = rows[r][c];
      row.push_back(entry.is_null() ? std::numeric_limits<double>::infinity() : entry.number());
      if (!(row.back() >= 0))
        entry.fail("must be a number ≥ 0, or null for a change that is not allowed");
    }
    if (row.size() != rows.size()) rows[r].fail("must have as many entries as there are rows");
    feature.changes.push_back(std::move(row));
  }
  if (!feature.labels.empty() && feature.labels.size() != feature.changes.size()) {
    rows.fail(fmt::format("{} rows for {} labels", feature.changes.size(), feature.labels.size()));
  }
}

/// Direction, size and costs of a change; for all kinds except categorical.
void read_changes_of_size(const JsonField& object, FeatureSchema& feature) {
  for (const char* key :
       {"direction", "least_change", "most_change", "cost_up", "cost_down", "quantiles"}) {
    if (feature.kind == FeatureKind::categorical && object.has(key)) {
      object[key].fail(
          "a categorical feature has no order, so it has no direction and no size of a change",
          "List the allowed categories, or make the feature ordinal");
    }
  }
  if (object.has("direction")) feature.direction = object["direction"].choice(direction_names);
  const auto size_at = [&](const char* key, double& size) {
    if (!object.has(key)) return;
    size = object[key].number();
    if (!(size >= 0) || !std::isfinite(size)) object[key].fail("must be a number ≥ 0");
  };
  size_at("least_change", feature.least_change);
  size_at("most_change", feature.most_change);
  if (feature.least_change > feature.most_change) {
    object["most_change"].fail("must not be less than least_change",
                               "Fix the feature to allow no change");
  }
  feature.up = positive_at(object, "cost_up");
  feature.down = positive_at(object, "cost_down");
  if (!object.has("quantiles")) return;
  const JsonField list = object["quantiles"];
  feature.quantiles = list.numbers();
  const bool finite = std::all_of(feature.quantiles.begin(), feature.quantiles.end(),
                                  [](double value) { return std::isfinite(value); });
  if (feature.quantiles.size() < 2 || !finite ||
      !std::is_sorted(feature.quantiles.begin(), feature.quantiles.end())) {
    list.fail("must be at least two numbers in ascending order");
  }
}

void read_feature(const JsonField& object, FeatureSchema& feature) {
  check_keys(object, feature_keys);
  feature.title = text_at(object, "title");
  feature.unit = text_at(object, "unit");
  if (object.has("kind")) feature.kind = read_kind(object["kind"]);
  if (object.has("labels")) {
    feature.labels = labels_at(object, "labels");
    feature.other_codes = false;
  }
  if (!feature.labels.empty() && !has_labels(feature.kind)) {
    object["labels"].fail("only ordinal and categorical features have labels",
                          "Add \"kind\": \"ordinal\" or \"kind\": \"categorical\"");
  }
  feature.range = read_range(object, feature);
  feature.scale = positive_at(object, "scale");
  feature.weight = positive_at(object, "weight");
  if (object.has("fixed")) feature.fixed = object["fixed"].boolean();
  if (object.has("allowed")) feature.allowed = read_allowed(object["allowed"], feature.labels);
  if (object.has("step")) feature.step = positive_at(object, "step");
  if (object.has("missing_allowed")) feature.missing_allowed = object["missing_allowed"].boolean();
  if (object.has("changes")) read_changes(object["changes"], feature);
  read_changes_of_size(object, feature);
}

/// The model's features by name.
class FeatureNames {
 public:
  explicit FeatureNames(const Ensemble& ensemble) : ensemble_(ensemble) {
    for (std::size_t i = 0; i < ensemble.features.size(); ++i) {
      index_.try_emplace(ensemble.features[i].name, i);
    }
  }

  std::size_t find(const JsonField& field) const {
    const std::string name = field.string();
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    std::vector<std::string> names;
    for (const Feature& feature : ensemble_.features) names.push_back(feature.name);
    field.fail(fmt::format("the model has no feature \"{}\"", name), did_you_mean(name, names));
  }

 private:
  const Ensemble& ensemble_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

void read_groups(const JsonField& list, const FeatureNames& names, Schema& schema) {
  std::vector<bool> taken(schema.features.size(), false);
  for (std::size_t g = 0; g < list.size(); ++g) {
    const JsonField entry = list[g];
    check_keys(entry, group_keys);
    GroupSchema group;
    const JsonField columns = entry["columns"];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t column = names.find(columns[i]);
      if (taken[column]) columns[i].fail("this column is in another group as well");
      taken[column] = true;
      group.columns.push_back(column);
    }
    if (group.columns.empty()) columns.fail("must not be empty");
    group.title = entry.has("title") ? entry["title"].string() : "";
    if (group.title.empty()) group.title = schema.features[group.columns.front()].name;
    group.labels = labels_at(entry, "labels");
    if (!group.labels.empty() && group.labels.size() != group.columns.size() &&
        group.labels.size() != group.columns.size() + 1) {
      entry["labels"].fail(
          fmt::format("{} labels for {} columns", group.labels.size(), group.columns.size()),
          "Give one for each column, and one more for the category without a column");
    }
    group.weight = positive_at(entry, "weight");
    if (entry.has("none_allowed")) group.none_allowed = entry["none_allowed"].boolean();
    schema.groups.push_back(std::move(group));
  }
}

void read_features(const JsonField& list, const FeatureNames& names, Schema& schema) {
  std::vector<bool> seen(schema.features.size(), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonField entry = list[i];
    const std::size_t index = names.find(entry["name"]);
    if (seen[index]) {
      entry["name"].fail(fmt::format("\"{}\" is given twice", schema.features[index].name));
    }
    seen[index] = true;
    read_feature(entry, schema.features[index]);
    schema.scaled = schema.scaled || entry.has("scale") || entry.has("quantiles");
  }
}

/// A truth value, or what all scales were measured by.
void read_scaled(const JsonField& field, Schema& schema) {
  if (!field.is_string()) {
    schema.scaled = schema.scaled || field.boolean();
    return;
  }
  const auto found = std::find(spreads.begin(), spreads.end(), field.string());
  if (found == spreads.end()) {
    field.fail(fmt::format("no scale \"{}\"", field.string()),
               "Write true, false, range, deviation, mad or quantiles");
  }
  schema.scaled = true;
  schema.scaled_by = static_cast<Spread>(found - spreads.begin());
}

void read_classes(const JsonField& document, const Ensemble& ensemble, Schema& schema) {
  if (!document.has("classes")) return;
  schema.classes = labels_at(document, "classes");
  const JsonField field = document["classes"];
  if (ensemble.class_count() == 0) {
    field.fail("the model predicts a number, not a class", "Leave the classes out");
  }
  if (schema.classes.size() != ensemble.class_count()) {
    field.fail(fmt::format("{} labels for a model of {} classes", schema.classes.size(),
                           ensemble.class_count()),
               "Give one label for each class, in the order of their numbers");
  }
}

Json range_json(const Interval& range) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return Json::array({end(range.lower), end(range.upper)});
}

/// Parses the rules once at a point with only missing values, so that errors are found here.
void read_rules(const JsonField& list, std::string_view place, const Ensemble& ensemble,
                Schema& schema) {
  schema.rules = list.strings();
  schema.place = place;
  Query trial = query_for(ensemble, std::vector<double>(ensemble.features.size(), std::nan("")));
  apply(schema, trial);
  add_text(rule_texts(schema), std::span(&ensemble, 1), schema, trial);
}

/// A feature is found by name or title, so these must be unique.
void check_titles(const JsonField& document, const Schema& schema) {
  std::unordered_map<std::string_view, std::size_t> owner;
  for (std::size_t i = 0; i < schema.features.size(); ++i) owner[schema.features[i].name] = i;
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const std::string& title = schema.features[i].title;
    if (title.empty() || owner.try_emplace(title, i).first->second == i) continue;
    document.fail(fmt::format("the title \"{}\" of \"{}\" is also used by another feature", title,
                              schema.features[i].name),
                  "Give every feature a title of its own");
  }
}

/// A label that the model gives to one code or class must not be given to another one.
void check_order(const JsonField& document, const Schema& schema, const Ensemble& ensemble) {
  const auto check = [&](std::span<const std::string> given, const std::vector<Category>& own,
                         const std::string& whose) {
    std::unordered_map<std::string_view, std::int32_t> code;
    for (const Category& category : own) code[category.label] = category.code;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto found = code.find(given[i]);
      if (found == code.end() || found->second == static_cast<std::int32_t>(i)) continue;
      document.fail(fmt::format("\"{}\" is the model's name for {} {}, not for {}", given[i], whose,
                                found->second, i),
                    "Keep the model's order, or give other names");
    }
  };
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    check(schema.features[i].labels, ensemble.features[i].categories,
          fmt::format("\"{}\", code", schema.features[i].name));
  }
  std::vector<Category> classes;
  for (const std::string& label : ensemble.classes) {
    classes.push_back({static_cast<std::int32_t>(classes.size()), label});
  }
  check(schema.classes, classes, "class");
}

}  // namespace

Schema schema_from_json(std::string_view text, std::string_view place, const Ensemble& ensemble) {
  const nlohmann::json parsed = parse_json(text, place);
  const JsonField document(parsed, std::string(place));
  if (!document.has("boxwood_schema")) {
    document.fail("is not a schema file", "Start it with \"boxwood_schema\": 1");
  }
  if (const JsonField version = document["boxwood_schema"]; version.number() != format_version) {
    version.fail(fmt::format("version {} is not known", version.number()),
                 fmt::format("This program reads version {}", format_version));
  }
  check_keys(document, top_keys);
  Schema schema = schema_for(ensemble);
  const FeatureNames names(ensemble);
  schema.subject = text_at(document, "subject");
  schema.outcome = text_at(document, "outcome");
  schema.output_unit = text_at(document, "output_unit");
  read_classes(document, ensemble, schema);
  if (document.has("features")) read_features(document["features"], names, schema);
  if (document.has("scaled")) read_scaled(document["scaled"], schema);
  if (document.has("one_hot")) read_groups(document["one_hot"], names, schema);
  check_titles(document, schema);
  check_order(document, schema, ensemble);
  if (document.has("rules")) read_rules(document["rules"], place, ensemble, schema);
  return schema;
}

Schema read_schema(const std::filesystem::path& file, const Ensemble& ensemble) {
  const std::string text = read_file(file, "Check the path of the schema");
  return schema_from_json(text, file.string(), ensemble);
}

std::string to_json(const Schema& schema) {
  Json document;
  document["boxwood_schema"] = format_version;
  if (!schema.subject.empty()) document["subject"] = schema.subject;
  if (!schema.outcome.empty()) document["outcome"] = schema.outcome;
  if (!schema.classes.empty()) document["classes"] = schema.classes;
  if (!schema.output_unit.empty()) document["output_unit"] = schema.output_unit;
  document["features"] = Json::array();
  for (const FeatureSchema& feature : schema.features) {
    Json entry;
    entry["name"] = feature.name;
    if (!feature.title.empty()) entry["title"] = feature.title;
    entry["kind"] = name_of(kind_names, feature.kind);
    if (!feature.labels.empty()) entry["labels"] = feature.labels;
    if (!feature.unit.empty()) entry["unit"] = feature.unit;
    if (feature.range != Interval{}) entry["range"] = range_json(feature.range);
    if (feature.scale != 1) entry["scale"] = feature.scale;
    if (feature.weight != 1) entry["weight"] = feature.weight;
    if (feature.fixed) entry["fixed"] = true;
    if (!feature.allowed.empty()) entry["allowed"] = feature.allowed;
    if (feature.step != 0) entry["step"] = feature.step;
    if (feature.missing_allowed) entry["missing_allowed"] = true;
    for (const std::vector<double>& row : feature.changes) {
      Json sizes = Json::array();
      for (const double size : row) sizes.push_back(std::isfinite(size) ? Json(size) : Json());
      entry["changes"].push_back(std::move(sizes));
    }
    if (feature.direction != Direction::both) {
      entry["direction"] = name_of(direction_names, feature.direction);
    }
    if (feature.least_change != 0) entry["least_change"] = feature.least_change;
    if (std::isfinite(feature.most_change)) entry["most_change"] = feature.most_change;
    if (feature.up != 1) entry["cost_up"] = feature.up;
    if (feature.down != 1) entry["cost_down"] = feature.down;
    if (!feature.quantiles.empty()) entry["quantiles"] = feature.quantiles;
    document["features"].push_back(std::move(entry));
  }
  for (const GroupSchema& group : schema.groups) {
    Json entry;
    entry["title"] = group.title;
    for (const std::size_t column : group.columns) {
      entry["columns"].push_back(schema.features[column].name);
    }
    if (!group.labels.empty()) entry["labels"] = group.labels;
    if (group.weight != 1) entry["weight"] = group.weight;
    if (group.none_allowed) entry["none_allowed"] = true;
    document["one_hot"].push_back(std::move(entry));
  }
  if (schema.scaled) document["scaled"] = true;
  if (schema.scaled_by) document["scaled"] = spreads[static_cast<std::size_t>(*schema.scaled_by)];
  if (!schema.rules.empty()) document["rules"] = schema.rules;
  // Strings from a program may be invalid UTF-8; the file must be valid.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace boxwood
