// Reads an XGBoost file: version, features, trees in order, intercept and the number of rounds
// used. Whatever an Ensemble cannot represent is an Error that names it.
#include "readers/xgboost.hpp"

#include <boxwood/error.hpp>

#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace boxwood::readers {
namespace {

/// Limits the memory for generated feature names, which is not bounded by the file size.
constexpr std::int64_t most_features = 1 << 22;

/// The types that XGBoost itself accepts. Training statistics, which are more than half of a file
/// and not used in prediction, are checked but not kept.
KeyRule rule_for(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, KeyRule>, 23> rules{{
      {"base_weights", {false, Shape::reals}},
      {"loss_changes", {false, Shape::reals}},
      {"sum_hessian", {false, Shape::reals}},
      {"parents", {false, Shape::wholes}},
      {"sorted_idx", {false, Shape::wholes}},
      {"feature_segments", {false, Shape::wholes}},
      {"name", {true, Shape::text}},
      {"id", {true, Shape::whole}},
      {"version", {true, Shape::wholes}},
      {"split_conditions", {true, Shape::reals}},
      {"leaf_weights", {true, Shape::reals}},
      {"weight_drop", {true, Shape::reals}},
      {"left_children", {true, Shape::wholes}},
      {"right_children", {true, Shape::wholes}},
      {"split_indices", {true, Shape::wholes}},
      {"categories", {true, Shape::wholes}},
      {"categories_nodes", {true, Shape::wholes}},
      {"categories_segments", {true, Shape::wholes}},
      {"categories_sizes", {true, Shape::wholes}},
      {"tree_info", {true, Shape::wholes}},
      {"iteration_indptr", {true, Shape::wholes}},
      {"default_left", {true, Shape::flags}},
      {"split_type", {true, Shape::flags}},
  }};
  for (const auto& [name, rule] : rules) {
    if (key == name) return rule;
  }
  return {true, key.ends_with("_param") ? Shape::parameters : Shape::any};
}

XgboostVersion read_version(const Field& root) {
  XgboostVersion version;
  const auto field = root.find("version");
  if (!field) return version;
  const auto parts = field->integers();
  if (parts.size() != 3) field->fail("expected three numbers");
  version = {parts[0], parts[1], parts[2]};
  if (version.major < 1 || version.major > 3) {
    refuse(*field,
           fmt::format("written by XGBoost {}.{}.{}; Boxwood reads 1.x to 3.x", version.major,
                       version.minor, version.patch),
           "Load and save the model with one of those");
  }
  return version;
}

FeatureKind kind_of(const std::string& type) {
  if (type == "int" || type == "i") return FeatureKind::integer;
  if (type == "c") return FeatureKind::categorical;
  return FeatureKind::continuous;
}

std::vector<Feature> read_features(const Field& learner) {
  const Field count = learner["learner_model_param"]["num_feature"];
  const std::int64_t wanted = count.integer();
  if (wanted < 0 || wanted > most_features) {
    count.fail(
        fmt::format("{} features; Boxwood reads models with up to {}", wanted, most_features));
  }
  std::vector<Feature> features(static_cast<std::size_t>(wanted));
  const auto given = [&](const char* key) -> std::vector<std::string> {
    const auto field = learner.find(key);
    if (!field || field->size() == 0) return {};
    auto texts = field->strings();
    if (texts.size() != features.size()) {
      field->fail(fmt::format("{} entries for {} features", texts.size(), features.size()));
    }
    return texts;
  };
  auto names = given("feature_names");
  const auto types = given("feature_types");
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i].name = names.empty() ? fmt::format("f{}", i) : std::move(names[i]);
    if (!types.empty()) features[i].kind = kind_of(types[i]);
  }
  return features;
}

std::size_t read_output_count(const Field& learner) {
  const Field parameters = learner["learner_model_param"];
  constexpr std::int64_t most_outputs = 1 << 20;
  std::int64_t outputs = 1;
  for (const char* key : {"num_class", "num_target"}) {
    const auto field = parameters.find(key);
    if (!field) continue;
    const std::int64_t count = field->integer();
    if (count < 0 || count > most_outputs) field->fail(fmt::format("{} is out of range", count));
    outputs = std::max(outputs, count);
  }
  return static_cast<std::size_t>(outputs);
}

/// The part with "model", and the weights of the trees after dropout. Up to 3.2 a dart model
/// contains a gbtree model and stores the weights beside it; from 3.3 on they are inside the model.
struct Booster {
  Field model;
  Floats weights;  // empty: all 1
  bool wrapped = false;
};

Booster read_booster(const Field& learner) {
  const Field booster = learner["gradient_booster"];
  const Field name = booster["name"];
  if (name.string() != "gbtree" && name.string() != "dart") {
    refuse(name,
           fmt::format("it is {}; only tree boosters can be explained", in_quotes(name.string())),
           "Train with booster=\"gbtree\" or \"dart\"");
  }
  const bool wrapped = booster.find("gbtree").has_value();
  const Field model = wrapped ? booster["gbtree"]["model"] : booster["model"];
  auto weights = booster.find("weight_drop");
  if (!weights) weights = model.find("weight_drop");
  Booster result{model, {}, wrapped};
  if (!weights) {
    if (name.string() == "dart") booster.fail("weight_drop is absent");
    return result;
  }
  result.weights = weights->floats();
  const std::size_t trees = model["trees"].size();
  if (result.weights.size() != trees) {
    weights->fail(fmt::format("{} weights for {} trees", result.weights.size(), trees));
  }
  return result;
}

/// Where each round ends in the list of trees; entry r is the number of trees of the first r
/// rounds.
std::vector<std::size_t> read_round_ends(const Field& model, std::size_t trees,
                                         std::size_t outputs) {
  std::vector<std::size_t> ends{0};
  if (const auto field = model.find("iteration_indptr")) {
    const auto entries = field->integers();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] < 0 || static_cast<std::size_t>(entries[i]) > trees ||
          (i == 0 ? entries[i] != 0 : entries[i] < entries[i - 1])) {
        field->fail_at(i, fmt::format("{} is not a valid start of a round: the model has {} trees",
                                      entries[i], trees));
      }
      if (i > 0) ends.push_back(static_cast<std::size_t>(entries[i]));
    }
    if (ends.back() != trees) {
      field->fail(
          fmt::format("the rounds contain {} trees, but the model has {}", ends.back(), trees));
    }
    return ends;
  }
  // Before 2.0 every round has the same number of trees.
  std::int64_t parallel = 1;
  const Field parameters = model["gbtree_model_param"];
  if (const auto field = parameters.find("num_parallel_tree")) {
    parallel = std::max<std::int64_t>(1, field->integer());
  }
  const auto each = static_cast<std::uint64_t>(outputs) * static_cast<std::uint64_t>(parallel);
  if (each == 0 || each / outputs != static_cast<std::uint64_t>(parallel) || trees % each != 0) {
    parameters.fail(
        fmt::format("{} trees cannot be divided into rounds of {} trees for each of {} "
                    "outputs",
                    trees, parallel, outputs));
  }
  for (std::size_t end = each; end <= trees; end += each) ends.push_back(end);
  return ends;
}

/// The number of rounds to use. Booster.predict uses all of them; the predict of XGBoost's
/// scikit-learn classes stops after the best iteration. The file records which of the two saved it.
std::size_t read_round_count(const Field& learner, const Rounds& rounds, std::size_t available) {
  const Field attributes = learner["attributes"];
  if (rounds.first) {
    if (*rounds.first > available) {
      attributes.fail(
          fmt::format("{} rounds were requested, but the model has {}", *rounds.first, available));
    }
    return *rounds.first;
  }
  const auto best = attributes.find("best_iteration");
  switch (rounds.choice) {
    case Rounds::Choice::all:
      return available;
    case Rounds::Choice::automatic:
      if (!best || !attributes.find("scikit_learn")) return available;
      break;
    case Rounds::Choice::best:
      if (!best) {
        attributes.fail("the model has no best_iteration",
                        "Use all rounds: only training with early stopping records it");
      }
      break;
  }
  const std::int64_t iteration = best->integer();
  if (iteration == -1) return available;  // XGBoost 1.7 after no round at all
  if (iteration < 0 || static_cast<std::uint64_t>(iteration) >= available) {
    best->fail(fmt::format("round {} does not exist; the model has {}", iteration, available),
               "Read the model with all rounds");
  }
  return static_cast<std::size_t>(iteration) + 1;
}

std::vector<double> read_base(const Field& learner, const XgboostObjective& objective,
                              const XgboostVersion& version, std::size_t outputs, bool has_trees) {
  const Field parameters = learner["learner_model_param"];
  const Field field = parameters["base_score"];
  const Floats scores = field.numbers_in_text();
  if (scores.size() != 1 && scores.size() != outputs) {
    field.fail(fmt::format("{} numbers for {} outputs", scores.size(), outputs));
  }
  // Since 3.1, an intercept that was never fitted because there was no training round is
  // interpreted as a margin.
  const auto fitted_later = parameters.find("boost_from_average");
  const bool never_fitted =
      version.at_least(3, 1) && !has_trees && fitted_later && fitted_later->integer() != 0;
  const auto intercept = never_fitted ? XgboostObjective::Intercept::as_it_is : objective.intercept;
  std::vector<double> base;
  base.reserve(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    const float score = never_fitted ? 0.5F : scores[scores.size() == 1 ? 0 : k];
    base.push_back(static_cast<double>(xgboost_margin(score, intercept, version, field)));
  }
  return base;
}

std::vector<Tree> read_trees(const Booster& booster, const Field& learner, const Rounds& rounds,
                             std::size_t features, std::size_t outputs) {
  const Field list = booster.model["trees"];
  const std::size_t available = list.size();
  const Field count = booster.model["gbtree_model_param"]["num_trees"];
  if (count.integer() < 0 || static_cast<std::uint64_t>(count.integer()) != available) {
    count.fail(fmt::format("it says {} trees, but there are {}", count.integer(), available));
  }
  const Field groups_field = booster.model["tree_info"];
  const auto groups = groups_field.integers();
  if (groups.size() != available) {
    groups_field.fail(fmt::format("{} entries for {} trees", groups.size(), available));
  }
  const auto ends = read_round_ends(booster.model, available, outputs);
  const std::size_t used = ends[read_round_count(learner, rounds, ends.size() - 1)];
  std::vector<Tree> trees;
  trees.reserve(used);
  for (std::size_t t = 0; t < used; ++t) {
    const Field field = list[t];
    if (const auto id = field.find("id"); id && id->integer() != static_cast<std::int64_t>(t)) {
      id->fail(fmt::format("tree {} is at position {}; trees must be in order", id->integer(), t));
    }
    if (groups[t] < 0 || static_cast<std::size_t>(groups[t]) >= outputs) {
      groups_field.fail_at(
          t, fmt::format("output {} does not exist; the model has {}", groups[t], outputs));
    }
    const float weight = booster.weights.empty() ? 1.0F : booster.weights[t];
    trees.push_back(xgboost_tree(field, features, outputs, {weight, booster.wrapped}));
    if (trees.back().output != Tree::every_output) trees.back().output = groups[t];
  }
  return trees;
}

/// Up to 3.1 the values of vector leaves are in a part that is otherwise not needed.
bool needs_base_weights(const Value& document, std::string_view place) {
  const Field root(document, place);
  const Field learner = root["learner"];
  read_version(root);  // check the version first
  if (read_output_count(learner) == 1) return false;
  const Field trees = read_booster(learner).model["trees"];
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const Field tree = trees[t];
    if (has_vector_leaves(tree) && !tree.find("leaf_weights")) return true;
  }
  return false;
}

Value load_xgboost(std::string_view bytes, std::string_view place, Encoding encoding) {
  bool base_weights = false;
  const auto rules = [&](std::string_view key) {
    KeyRule rule = rule_for(key);
    rule.keep |= base_weights && key == "base_weights";
    // XGBoost reads booleans in JSON only.
    if (encoding == Encoding::ubjson && rule.shape == Shape::flags) rule.shape = Shape::wholes;
    return rule;
  };
  Value document = load_document(bytes, place, encoding, rules);
  if (!needs_base_weights(document, place)) return document;
  document = Value{};
  base_weights = true;
  return load_document(bytes, place, encoding, rules);
}

}  // namespace

Ensemble read_xgboost(std::string_view bytes, std::string_view place, Encoding encoding,
                      const Rounds& rounds) {
  const Value document = load_xgboost(bytes, place, encoding);
  const Field root(document, place);
  const Field learner = root["learner"];
  const XgboostVersion version = read_version(root);
  const Booster booster = read_booster(learner);
  const std::size_t outputs = read_output_count(learner);
  const XgboostObjective objective = xgboost_objective(learner["objective"], outputs, version);

  Ensemble ensemble;
  ensemble.library = Library::xgboost;
  ensemble.source = version.major == 0 ? "XGBoost"
                                       : fmt::format("XGBoost {}.{}.{}", version.major,
                                                     version.minor, version.patch);
  ensemble.objective = learner["objective"]["name"].string();
  if (!booster.weights.empty()) ensemble.notes.push_back("dart");
  ensemble.features = read_features(learner);
  name_categories(booster.model, version, ensemble.features);
  ensemble.trees = read_trees(booster, learner, rounds, ensemble.features.size(), outputs);
  find_categories(ensemble.trees, ensemble.features);
  ensemble.base =
      read_base(learner, objective, version, outputs, booster.model["trees"].size() != 0);
  ensemble.input = Precision::float32;
  ensemble.accumulator = Precision::float32;
  ensemble.order = SumOrder::base_first;
  ensemble.link = objective.link;
  ensemble.task = objective.task;
  ensemble.decision = objective.decision;
  if (ensemble.objective == "reg:expectileerror" && outputs > 1) {
    if (booster.model["trees"].size() == 0) booster.model["trees"].fail("there are no trees");
    choose_expectile(learner, ensemble);
  }
  return ensemble;
}

}  // namespace boxwood::readers
