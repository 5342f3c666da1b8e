// Boxwood's own model file: versioned JSON with one array per field of a tree's nodes.
// The format is described in docs/formats.md; doubles are written so that they read back exactly.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>

#include "base/json_fields.hpp"
#include "model/composition_json.hpp"
#include "model/kinds.hpp"
#include "model/validate.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace boxwood {
namespace {

constexpr int format_version = 1;

constexpr std::array node_kinds{std::pair{"leaf", NodeKind::leaf}, std::pair{"<", NodeKind::less},
                                std::pair{"<=", NodeKind::less_equal},
                                std::pair{"==", NodeKind::equal},
                                std::pair{"in", NodeKind::in_set}};
constexpr std::array libraries{
    std::pair{"other", Library::other},       std::pair{"xgboost", Library::xgboost},
    std::pair{"lightgbm", Library::lightgbm}, std::pair{"catboost", Library::catboost},
    std::pair{"sklearn", Library::sklearn},   std::pair{"onnx", Library::onnx}};

constexpr std::array rare_flags{std::pair{"missing_at_zero", &Node::missing_at_zero},
                                std::pair{"zero_up", &Node::zero_up}};

/// JSON has no infinity: thresholds may be infinite and are written as strings then.
nlohmann::ordered_json number_json(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

nlohmann::ordered_json tree_json(const Tree& tree) {
  const auto column = [&](auto field) {
    auto entries = nlohmann::ordered_json::array();
    for (const Node& node : tree.nodes) entries.push_back(field(node));
    return entries;
  };
  nlohmann::ordered_json json;
  json["output"] = tree.output;
  if (tree.width != 1) json["width"] = tree.width;
  json["values"] = tree.values;
  json["kind"] = column([](const Node& node) { return name_of(node_kinds, node.kind); });
  json["feature"] = column([](const Node& node) { return node.feature; });
  json["threshold"] = column([](const Node& node) { return number_json(node.threshold); });
  json["missing_left"] = column([](const Node& node) { return node.missing_left; });
  json["left"] = column([](const Node& node) { return node.left; });
  json["right"] = column([](const Node& node) { return node.right; });
  json["value"] = column([](const Node& node) { return node.value; });
  if (!tree.sets.empty()) json["sets"] = tree.sets;
  // Columns that are rarely needed.
  for (const auto& [name, flag] : rare_flags) {
    const auto set = [flag = flag](const Node& node) { return node.*flag; };
    if (std::any_of(tree.nodes.begin(), tree.nodes.end(), set)) json[name] = column(set);
  }
  return json;
}

Tree tree_from(const JsonField& field) {
  Tree tree;
  tree.output = field["output"].int32();
  if (field.has("width")) tree.width = field["width"].int32();
  tree.values = field["values"].numbers();
  const auto kind = field["kind"].choices(node_kinds);
  const auto same_length = [&](const char* name, auto column) {
    if (column.size() != kind.size()) {
      field[name].fail(
          fmt::format("it has {} entries, \"kind\" has {}", column.size(), kind.size()));
    }
    return column;
  };
  const auto feature = same_length("feature", field["feature"].int32s());
  const auto threshold = same_length("threshold", field["threshold"].numbers());
  const auto missing_left = same_length("missing_left", field["missing_left"].booleans());
  const auto left = same_length("left", field["left"].int32s());
  const auto right = same_length("right", field["right"].int32s());
  const auto value = same_length("value", field["value"].int32s());
  if (field.has("sets")) {
    const JsonField sets = field["sets"];
    for (std::size_t i = 0; i < sets.size(); ++i) tree.sets.push_back(sets[i].int32s());
  }
  tree.nodes.resize(kind.size());
  for (std::size_t i = 0; i < kind.size(); ++i) {
    tree.nodes[i] = {.kind = kind[i],
                     .missing_left = missing_left[i],
                     .feature = feature[i],
                     .left = left[i],
                     .right = right[i],
                     .value = value[i],
                     .threshold = threshold[i]};
  }
  for (const auto& [name, flag] : rare_flags) {
    if (!field.has(name)) continue;
    const auto flags = same_length(name, field[name].booleans());
    for (std::size_t i = 0; i < kind.size(); ++i) tree.nodes[i].*flag = flags[i];
  }
  return tree;
}

}  // namespace

std::string to_json(const Ensemble& ensemble) {
  nlohmann::ordered_json root;
  root["boxwood_model"] = format_version;
  root["source"] = ensemble.source;
  root["library"] = name_of(libraries, ensemble.library);
  root["objective"] = ensemble.objective;
  if (!ensemble.notes.empty()) root["notes"] = ensemble.notes;
  root["task"] = name_of(task_names, ensemble.task);
  root["link"] = name_of(link_names, ensemble.link);
  root["input"] = name_of(precision_names, ensemble.input);
  root["accumulator"] = name_of(precision_names, ensemble.accumulator);
  root["order"] = name_of(order_names, ensemble.order);
  const Ensemble plain;
  if (ensemble.factor != plain.factor) root["factor"] = ensemble.factor;
  if (ensemble.divisor != plain.divisor) root["divisor"] = ensemble.divisor;
  if (ensemble.link_form != plain.link_form) {
    root["link_form"] = name_of(link_form_names, ensemble.link_form);
  }
  if (ensemble.steepness != plain.steepness) root["steepness"] = ensemble.steepness;
  if (ensemble.decision != plain.decision)
    root["decision"] = name_of(decision_names, ensemble.decision);
  root["classes"] = ensemble.classes;
  root["base"] = ensemble.base;
  if (ensemble.link == Link::composed) {
    root["composition"] = composition_json(ensemble.composition);
  }
  root["features"] = nlohmann::ordered_json::array();
  for (const Feature& feature : ensemble.features) {
    nlohmann::ordered_json json{{"name", feature.name},
                                {"kind", name_of(kind_names, feature.kind)}};
    for (const Category& category : feature.categories) {
      json["categories"].push_back({{"code", category.code}, {"label", category.label}});
      if (category.others) json["categories"].back()["others"] = true;
      if (category.hashed) json["categories"].back()["hashed"] = true;
    }
    root["features"].push_back(std::move(json));
  }
  root["trees"] = nlohmann::ordered_json::array();
  for (const Tree& tree : ensemble.trees) root["trees"].push_back(tree_json(tree));
  return root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Ensemble ensemble_from_json(std::string_view text, std::string_view place) {
  const nlohmann::json document = parse_json(text, place);
  const JsonField root(document, std::string(place));
  const int version = root["boxwood_model"].int32();
  if (version != format_version) {
    root["boxwood_model"].fail(fmt::format("version {} is unknown; this program reads version {}",
                                           version, format_version));
  }
  Ensemble ensemble;
  ensemble.source = root["source"].string();
  ensemble.objective = root["objective"].string();
  if (root.has("notes")) ensemble.notes = root["notes"].strings();
  ensemble.task = root["task"].choice(task_names);
  ensemble.link = root["link"].choice(link_names);
  ensemble.input = root["input"].choice(precision_names);
  ensemble.accumulator = root["accumulator"].choice(precision_names);
  ensemble.order = root["order"].choice(order_names);
  if (root.has("factor")) ensemble.factor = root["factor"].number();
  if (root.has("divisor")) ensemble.divisor = root["divisor"].number();
  if (root.has("link_form")) ensemble.link_form = root["link_form"].choice(link_form_names);
  if (root.has("steepness")) ensemble.steepness = root["steepness"].number();
  if (root.has("decision")) ensemble.decision = root["decision"].choice(decision_names);
  ensemble.classes = root["classes"].strings();
  ensemble.base = root["base"].numbers();
  if (root.has("composition")) ensemble.composition = composition_from(root["composition"]);
  const JsonField features = root["features"];
  for (std::size_t i = 0; i < features.size(); ++i) {
    Feature feature{features[i]["name"].string(), features[i]["kind"].choice(kind_names), {}};
    if (features[i].has("categories")) {
      const JsonField known = features[i]["categories"];
      for (std::size_t c = 0; c < known.size(); ++c) {
        const auto flag = [&](const char* key) {
          return known[c].has(key) && known[c][key].boolean();
        };
        feature.categories.push_back(
            {known[c]["code"].int32(), known[c]["label"].string(), flag("others"), flag("hashed")});
      }
    }
    ensemble.features.push_back(std::move(feature));
  }
  // What a category's number means depends on the library, so models with categories must name it.
  const bool has_categories =
      std::any_of(ensemble.features.begin(), ensemble.features.end(),
                  [](const Feature& feature) { return !feature.categories.empty(); });
  if (has_categories || root.has("library")) ensemble.library = root["library"].choice(libraries);
  const JsonField trees = root["trees"];
  for (std::size_t i = 0; i < trees.size(); ++i) ensemble.trees.push_back(tree_from(trees[i]));
  validate_within(ensemble, place);
  return ensemble;
}

}  // namespace boxwood
