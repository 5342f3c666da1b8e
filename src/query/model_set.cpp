#include "base/names.hpp"

#include <boxwood/error.hpp>
#include <boxwood/model_set.hpp>

#include <fmt/format.h>

namespace boxwood {
namespace {

/// The labels of a feature's codes. An empty list means that its numbers stand for themselves;
/// nothing means that the model has categories without saying what their codes mean.
std::optional<std::vector<std::string>> labels_of(const Ensemble& ensemble,
                                                  const Feature& feature) {
  std::vector<std::string> labels;
  bool any = false, numbers = true;
  for (const Category& category : feature.categories) {
    any = any || !category.label.empty();
    numbers = numbers && category.label == std::to_string(labels.size());
    labels.push_back(category.label);
  }
  if (any) return numbers ? std::vector<std::string>{} : labels;
  const bool codes_only = ensemble.library == Library::xgboost ||
                          ensemble.library == Library::lightgbm ||
                          ensemble.library == Library::catboost;
  if (feature.kind == FeatureKind::categorical && codes_only) return std::nullopt;
  return std::vector<std::string>{};
}

std::string name_of_model(std::span<const std::string> names, std::size_t index) {
  return index < names.size() && !names[index].empty() ? names[index]
                                                       : fmt::format("model {}", index + 1);
}

void check_columns(const Ensemble& first, const Ensemble& other, const std::string& place,
                   const std::string& first_name) {
  const std::string remedy = "Models of one query must read the same columns in the same order";
  if (other.features.size() != first.features.size()) {
    throw Error(place,
                fmt::format("it has {} features, {} has {}", other.features.size(), first_name,
                            first.features.size()),
                remedy);
  }
  for (std::size_t i = 0; i < first.features.size(); ++i) {
    const std::string &name = other.features[i].name, &expected = first.features[i].name;
    if (name == expected) continue;
    // LightGBM writes the spaces of its columns' names as underscores.
    if (first.library == Library::lightgbm && underscored(name) == expected) continue;
    if (other.library == Library::lightgbm && underscored(expected) == name) continue;
    throw Error(
        place,
        fmt::format("feature {} is \"{}\", in {} it is \"{}\"", i, name, first_name, expected),
        remedy);
  }
}

}  // namespace

void check_same_columns(std::span<const Ensemble* const> ensembles,
                        std::span<const std::string> names) {
  const Ensemble& first = *ensembles.front();
  for (std::size_t e = 1; e < ensembles.size(); ++e) {
    const Ensemble& other = *ensembles[e];
    const std::string place = name_of_model(names, e), first_name = name_of_model(names, 0);
    check_columns(first, other, place, first_name);
    for (std::size_t i = 0; i < first.features.size(); ++i) {
      const auto expected = labels_of(first, first.features[i]);
      const auto labels = labels_of(other, other.features[i]);
      if (!expected || !labels || *expected == *labels) continue;
      throw Error(place,
                  fmt::format("it reads \"{}\" with other categories or numbers than {}",
                              other.features[i].name, first_name),
                  "Ask the models one by one");
    }
  }
}

ModelSet make_model_set(std::vector<Ensemble> ensembles, std::vector<std::string> names,
                        std::optional<Schema> schema) {
  if (ensembles.empty()) throw Error("model", "no model is given", "Give at least one model");
  std::vector<const Ensemble*> all;
  for (const Ensemble& ensemble : ensembles) all.push_back(&ensemble);
  check_same_columns(all, names);
  for (std::size_t e = names.size(); e < ensembles.size(); ++e)
    names.push_back(name_of_model({}, e));
  ModelSet models{std::move(ensembles), std::move(names), {}};
  models.schema = schema ? *std::move(schema) : schema_for(models.ensembles.front());
  apply(models.schema, models.ensembles.front());
  for (Ensemble& ensemble : models.ensembles) {
    if (ensemble.classes.empty() && ensemble.class_count() == models.schema.classes.size()) {
      ensemble.classes = models.schema.classes;
    }
  }
  return models;
}

std::vector<std::size_t> deciding_models(std::span<const Ensemble> ensembles) {
  std::vector<std::size_t> models;
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    const bool alike = ensembles[e].link == Link::isolation;
    if (alike == (ensembles.front().link == Link::isolation)) models.push_back(e);
  }
  return models;
}

}  // namespace boxwood
