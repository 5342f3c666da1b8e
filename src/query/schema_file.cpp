// The schema file: JSON in, JSON out. Every complaint names file and JSON path, and a word that is
// not known is answered with the nearest one that is.
#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "model/kinds.hpp"

#include <boxwood/error.hpp>
#include <boxwood/schema.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

const std::vector<std::string> top_keys = {"boxwood_schema", "subject",     "outcome",
                                           "classes",        "output_unit", "features"};
const std::vector<std::string> feature_keys = {"name",  "title", "kind",   "labels", "unit",
                                               "range", "scale", "weight", "fixed",  "group"};

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
  if (list.size() == 0) list.fail("must not be empty", "Leave it out where there are no labels");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string text = list[i].string();
    if (text.empty()) list[i].fail("must not be empty");
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
      list[i].fail(fmt::format("\"{}\" is there twice", text));
    }
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
    field.fail("one-hot groups are not supported yet",
               "Hold the columns of the group fixed, or leave their kind out");
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
  if (field.size() != 2) field.fail("must be two ends: [lowest, highest]");
  Interval given;
  given.lower = read_end(field[std::size_t{0}], feature.labels, range.lower);
  given.upper = read_end(field[std::size_t{1}], feature.labels, range.upper);
  if (!(given.lower <= given.upper)) field.fail("the lowest value is above the highest");
  if (given.lower < range.lower || given.upper > range.upper) {
    field.fail(fmt::format("goes beyond the {} labels", feature.labels.size()),
               fmt::format("Codes run from 0 to {}", feature.labels.size() - 1));
  }
  return given;
}

void read_feature(const JsonField& object, FeatureSchema& feature) {
  check_keys(object, feature_keys);
  if (object.has("group")) {
    object["group"].fail("one-hot groups are not supported yet",
                         "Hold the columns of the group fixed, and leave the group out");
  }
  feature.title = text_at(object, "title");
  feature.unit = text_at(object, "unit");
  if (object.has("kind")) feature.kind = read_kind(object["kind"]);
  feature.labels = labels_at(object, "labels");
  if (!feature.labels.empty() && !has_labels(feature.kind.value_or(FeatureKind::continuous))) {
    object["labels"].fail("only ordinal and categorical features have labels",
                          "Add \"kind\": \"ordinal\" or \"kind\": \"categorical\"");
  }
  feature.range = read_range(object, feature);
  feature.scale = positive_at(object, "scale");
  feature.weight = positive_at(object, "weight");
  if (object.has("fixed")) feature.fixed = object["fixed"].boolean();
}

void read_features(const JsonField& list, Schema& schema) {
  std::vector<std::string> names;
  for (const FeatureSchema& feature : schema.features) names.push_back(feature.name);
  std::vector<bool> seen(names.size(), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonField entry = list[i];
    const JsonField field = entry["name"];
    const std::string name = field.string();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      field.fail(fmt::format("the model has no feature \"{}\"", name), did_you_mean(name, names));
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (seen[index]) field.fail(fmt::format("\"{}\" is there twice", name));
    seen[index] = true;
    read_feature(entry, schema.features[index]);
  }
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

/// A column may be called by name or title, so no two features may answer to the same word.
void check_titles(const JsonField& document, const Schema& schema) {
  std::unordered_map<std::string_view, std::size_t> owner;
  for (std::size_t i = 0; i < schema.features.size(); ++i) owner[schema.features[i].name] = i;
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const std::string& title = schema.features[i].title;
    if (title.empty() || owner.try_emplace(title, i).first->second == i) continue;
    document.fail(fmt::format("the title \"{}\" of \"{}\" belongs to another feature too", title,
                              schema.features[i].name),
                  "Give every feature a title of its own");
  }
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
  schema.subject = text_at(document, "subject");
  schema.outcome = text_at(document, "outcome");
  schema.output_unit = text_at(document, "output_unit");
  read_classes(document, ensemble, schema);
  if (document.has("features")) read_features(document["features"], schema);
  check_titles(document, schema);
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
    if (feature.kind) entry["kind"] = name_of(kind_names, *feature.kind);
    if (!feature.labels.empty()) entry["labels"] = feature.labels;
    if (!feature.unit.empty()) entry["unit"] = feature.unit;
    if (feature.range != Interval{}) entry["range"] = range_json(feature.range);
    if (feature.scale != 1) entry["scale"] = feature.scale;
    if (feature.weight != 1) entry["weight"] = feature.weight;
    if (feature.fixed) entry["fixed"] = true;
    document["features"].push_back(std::move(entry));
  }
  // Texts given by a program may be no UTF-8; the file always is.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace boxwood
