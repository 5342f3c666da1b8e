// Applies a schema to an ensemble and to a query, and makes one from a model. schema_file.cpp reads
// and writes the file.
#include <boxwood/error.hpp>
#include <boxwood/schema.hpp>

#include <fmt/format.h>
#include "base/infinity.hpp"

namespace boxwood {
namespace {

/// The labels of codes 0, 1, … if the model has all of them.
std::vector<std::string> labels_of(const Feature& feature) {
  std::vector<std::string> labels;
  for (const Category& category : feature.categories) {
    if (category.label.empty() || static_cast<std::size_t>(category.code) != labels.size()) {
      return {};
    }
    labels.push_back(category.label);
  }
  return labels;
}

/// Quantiles are not scales: a feature without quantiles is measured in its own unit.
const char* words_of(Spread spread) {
  switch (spread) {
    case Spread::range:
      return "range";
    case Spread::deviation:
      return "standard deviation";
    case Spread::median_deviation:
      return "median deviation";
    case Spread::quantiles:
      break;
  }
  return "";
}

}  // namespace

Schema schema_for(const Ensemble& ensemble) {
  Schema schema;
  schema.classes = ensemble.classes;
  schema.features.reserve(ensemble.features.size());
  for (const Feature& feature : ensemble.features) {
    FeatureSchema entry;
    entry.name = feature.name;
    entry.kind = feature.kind;
    entry.labels = labels_of(feature);
    entry.other_codes = !entry.labels.empty();
    if (!entry.labels.empty()) {
      entry.range = {0, static_cast<double>(entry.labels.size() - 1)};
    }
    schema.features.push_back(std::move(entry));
  }
  return schema;
}

void apply(const Schema& schema, Ensemble& ensemble) {
  if (schema.classes.empty()) return;
  if (schema.classes.size() != ensemble.class_count()) {
    throw Error("schema.classes",
                fmt::format("{} labels for a model of {} classes", schema.classes.size(),
                            ensemble.class_count()),
                "Give one label for each class, in the order of their numbers");
  }
  ensemble.classes = schema.classes;
}

void apply(const Schema& schema, Query& query) {
  if (schema.features.size() != query.features.size()) {
    throw Error(
        "schema.features",
        fmt::format("{} features for a query of {}", schema.features.size(), query.features.size()),
        "Read the schema for the model that the query is about");
  }
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const FeatureSchema& from = schema.features[i];
    // A model without names for the values of a category lists only those that its splits name. A
    // schema that lists the values overrides that list.
    const bool lists_values = !from.other_codes && from.range.upper < infinity;
    std::vector<double> known = std::move(query.features[i].allowed);
    if (lists_values && from.kind == FeatureKind::categorical) known.clear();
    const Interval domain = query.features[i].domain;
    FeatureRule& to = query.features[i] = from;
    to.domain = domain;
    if (to.allowed.empty()) to.allowed = std::move(known);
    if (!from.labels.empty()) to.domain = {0, static_cast<double>(from.labels.size() - 1)};
  }
  if (schema.scaled) {
    query.norm = Norm::mixture;
    query.mixture = default_mixture;
  }
  query.scale_name = schema.scaled_by ? words_of(*schema.scaled_by) : "";
  query.groups.clear();
  for (const GroupSchema& group : schema.groups) {
    query.groups.push_back({group.columns, group.weight, group.none_allowed, {}});
  }
}

}  // namespace boxwood
