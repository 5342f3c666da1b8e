// Answers for people and for programs: a table, JSON and CSV, all with the same facts.
//
//   boxwood::Explanation shown{model, schema, query, answer, row};
//   std::cout << boxwood::to_table(shown);          // feature, now, change to, anything in
//   std::cout << boxwood::to_json(shown) << '\n';   // one object on one line
//
// The JSON objects and the CSV columns are described in docs/formats.md.
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace boxwood {

/// "13 months", "4 870 DM", "100 to 500 DM" (a label), "missing".
std::string value_text(const FeatureSchema& feature, double value,
                       Precision precision = Precision::float32);

/// "at most 13 months", "one of: none, guarantor", "more than 3.5". Whole-number kinds are told by
/// the whole numbers inside, and an end beyond the feature's range is not mentioned, unless the
/// value that it has `now` lies out there too.
std::string interval_text(const FeatureSchema& feature, const Interval& interval,
                          Precision precision = Precision::float32,
                          std::optional<double> now = std::nullopt);

/// One question and its answer. It only refers to its parts: they must outlive it.
struct Explanation {
  const Ensemble& ensemble;  ///< the one that the query's first requirement is about
  const Schema& schema;
  const Query& query;
  const Answer& answer;
  std::size_t row = 0;
  /// What `verify` found wrong: empty when everything holds, nothing when it was not asked.
  std::optional<std::vector<std::string>> faults;
};

/// One region of `visit_regions`, counted from 1.
struct RegionView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;
  const Region& region;
  std::size_t row = 0;
  std::size_t number = 1;
};

struct TableStyle {
  bool colour = false;
};

/// The features whose value differs between the query's point and another one, in their order.
std::vector<std::size_t> changed_features(const Query& query, const std::vector<double>& point);

/// The answer in full sentences: the outcome now, what to change, what is proven, and notes.
std::vector<std::string> sentences(const Explanation& explanation);

/// A block of lines for a terminal, ending in a newline.
std::string to_table(const Explanation& explanation, const TableStyle& style = {});
std::string to_table(const RegionView& view, const TableStyle& style = {});

/// One JSON object on one line, without a newline.
std::string to_json(const Explanation& explanation);
std::string to_json(const RegionView& view);

/// A header and, for each explanation or region, one record; without newlines.
std::string csv_header(const Ensemble& ensemble, bool verified);
std::string to_csv(const Explanation& explanation);
std::string region_csv_header(const Ensemble& ensemble);
std::string to_csv(const RegionView& view);

}  // namespace boxwood
