// What the columns of a model mean to people: names, kinds, labels, units, ranges, and what may
// change. A schema is a JSON file, described in docs/formats.md; everything in it is optional.
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

/// Columns of zeros with a single 1 that people know as one feature.
struct GroupSchema {
  std::string title;                 ///< "colour"
  std::vector<std::size_t> columns;  ///< features of the model
  std::vector<std::string>
      labels{};  ///< of the columns, for people; the columns' titles where empty
  double weight = 1;
  bool none_allowed = false;
};

struct Schema {
  std::vector<FeatureSchema> features;  ///< in the model's order, one for each feature
  std::vector<GroupSchema> groups{};
  std::string subject;               ///< what a row is: "applicant"
  std::string outcome;               ///< what is predicted: "credit"
  std::vector<std::string> classes;  ///< labels of the classes: ["refused", "granted"]
  std::string output_unit;           ///< regression: "USD"
  /// Rules and costs in query text (docs/query.md), for all questions. They need a point and the
  /// models: pass them to add_text of boxwood/query_text.hpp, as `rule_texts` gives them.
  std::vector<std::string> rules{};
  std::string place{};  ///< where it was read, for errors about the rules
};

/// A schema that says only what the model itself knows.
Schema schema_for(const Ensemble& ensemble);

/// Reads a schema for this model; throws Error naming file and JSON path, with the nearest name
/// where a feature does not exist.
Schema read_schema(const std::filesystem::path& file, const Ensemble& ensemble);
Schema schema_from_json(std::string_view text, std::string_view place, const Ensemble& ensemble);
std::string to_json(const Schema& schema);

/// Copies class labels into the ensemble's; what features may do and cost, and the one-hot groups,
/// into the query's.
void apply(const Schema& schema, Ensemble& ensemble);
void apply(const Schema& schema, Query& query);

/// How far the values of a feature spread: from the least to the largest; the standard deviation
/// (of all values, not of a sample); the median of the distances from the median; or `quantiles`,
/// where a change counts by the share of the data that it passes.
enum class Spread : std::uint8_t { range, deviation, median_deviation, quantiles };

/// Sets the scales of all features but categorical ones from data, rows in the model's order of
/// features; missing and infinite values do not count. With `quantiles` it sets 101 of them instead
/// and the scale to 1. Where the median deviation is 0 the standard deviation is taken, and where
/// that or the range is 0 too, or there are no values, 1.
void measure(Schema& schema, std::span<const std::vector<double>> rows, Spread spread);

}  // namespace boxwood
