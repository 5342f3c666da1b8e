// A schema describes the columns of a model: titles, kinds, labels, units, ranges, constraints and
// costs. It is a JSON file, described in docs/formats.md; every part of it is optional.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// What one column of the model means, what it may change to and what a change costs. The rule's
/// `domain` is not part of a schema: it follows from the labels.
struct FeatureSchema : FeatureRule {
  std::string name;                 ///< the model's column
  std::string title;                ///< shown to people; the name where empty
  std::vector<std::string> labels;  ///< ordinal, categorical: label of code 0, 1, …
  bool other_codes = false;         ///< a code without a label is a value the model has not seen
  std::string unit;                 ///< "months"
};

/// One-hot columns that encode one categorical feature.
struct GroupSchema {
  std::string title;                 ///< "colour"
  std::vector<std::size_t> columns;  ///< features of the model
  /// One for each column; if empty, the columns' titles. A further label names the category for
  /// which all columns are 0; without it that category is called "(none)".
  std::vector<std::string> labels{};
  double weight = 1;
  bool none_allowed = false;
};

/// What the scale of a feature is measured by: the range of its values; their standard deviation
/// (of the population); the median absolute deviation from the median; or `quantiles`, where the
/// size of a change is the share of the data between the two values.
enum class Spread : std::uint8_t { range, deviation, median_deviation, quantiles };

struct Schema {
  std::vector<FeatureSchema> features;  ///< one for each feature, in the model's order
  std::vector<GroupSchema> groups{};
  std::string subject;               ///< what a row is: "applicant"
  std::string outcome;               ///< what is predicted: "credit"
  std::vector<std::string> classes;  ///< labels of the classes: ["refused", "granted"]
  std::string output_unit;           ///< regression: "USD"
  /// Rules and costs in query text (docs/query.md) that apply to every question. `apply` does not
  /// add them, because they need the models: pass `rule_texts(schema)` to `add_text`
  /// (boxwood/query_text.hpp).
  std::vector<std::string> rules{};
  /// The scales of the features are known, from data or from a file that gives one; the default
  /// cost is then `default_mixture` instead of squared L2.
  bool scaled = false;
  std::optional<Spread> scaled_by{};  ///< what all scales were measured by, where that is known
  std::string place{};                ///< the file it was read from, for errors about its rules
};

/// A schema with what the model file itself says.
Schema schema_for(const Ensemble& ensemble);

/// Reads a schema for this model. Throws Error with the file and the JSON path; for an unknown
/// feature it suggests the nearest name.
Schema read_schema(const std::filesystem::path& file, const Ensemble& ensemble);
Schema schema_from_json(std::string_view text, std::string_view place, const Ensemble& ensemble);
std::string to_json(const Schema& schema);

/// Copies the class labels into the ensemble; copies the constraints and costs of features, the
/// one-hot groups and the default cost into the query.
void apply(const Schema& schema, Ensemble& ensemble);
void apply(const Schema& schema, Query& query);

/// Sets the scales of all features that are not categorical from data, whose rows have the model's
/// order of features; missing and infinite values are ignored. `quantiles` sets 101 quantiles and
/// the scale 1. If the median absolute deviation is 0, the standard deviation is used; if that or
/// the range is 0, or there are no values, the scale is 1.
void measure(Schema& schema, std::span<const std::vector<double>> rows, Spread spread);

}  // namespace boxwood
