// Answers and regions as CSV records: figures first, then one column for each feature of the new
// point. Numbers are written so that they read back exactly. A missing value, and a figure that
// does not exist, is an empty cell. Every record is one line, and no cell is a formula for a
// spreadsheet.
#include "base/digits.hpp"
#include "base/text.hpp"
#include "render/claim.hpp"
#include "render/outcome.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace boxwood {
namespace {

/// Spreadsheets run a cell that begins with one of these as a formula, unless it is a number. An
/// apostrophe in front makes it text.
bool is_formula(std::string_view text) {
  constexpr std::array<std::string_view, 8> starts = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
  double number = 0;
  const auto [end, error] = from_digits(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return !is_number && std::any_of(starts.begin(), starts.end(),
                                   [&](std::string_view start) { return text.starts_with(start); });
}

std::string quoted(const std::string& given) {
  std::string text = visible(given);
  if (is_formula(text)) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

std::string number(double value) { return std::isfinite(value) ? number_text(value) : ""; }

std::string record(const std::vector<std::string>& cells) {
  std::vector<std::string> escaped;
  escaped.reserve(cells.size());
  for (const std::string& cell : cells) escaped.push_back(quoted(cell));
  return fmt::format("{}", fmt::join(escaped, ","));
}

std::size_t output_count(const Ensemble& ensemble) { return ensemble.output_count(); }

/// "output_before", or "output_before_0" and so on where a model has several.
void add_output_names(std::vector<std::string>& cells, const Ensemble& ensemble,
                      const std::string& name) {
  const std::size_t count = output_count(ensemble);
  for (std::size_t k = 0; k < count; ++k) {
    cells.push_back(count == 1 ? name : fmt::format("{}_{}", name, k));
  }
}

void add_feature_names(std::vector<std::string>& cells, const Ensemble& ensemble) {
  for (const Feature& feature : ensemble.features) cells.push_back(feature.name);
}

void add_point(std::vector<std::string>& cells, const std::vector<double>& point) {
  for (const double value : point) {
    // Infinite values are legal inputs of a model; only a missing one has no text.
    cells.push_back(std::isnan(value) ? "" : number_text(value));
  }
}

std::string changed_names(const Ensemble& ensemble, const Query& query,
                          const std::vector<double>& point) {
  std::vector<std::string> names;
  for (const std::size_t i : changed_features(query, point)) {
    names.push_back(ensemble.features[i].name);
  }
  return fmt::format("{}", fmt::join(names, ";"));
}

const char* yes_no(bool value) { return value ? "true" : "false"; }

}  // namespace

std::string csv_header(const Ensemble& ensemble, bool verified) {
  std::vector<std::string> cells = {"row",  "status",   "proven",      "stop", "already_met",
                                    "cost", "distance", "lower_bound", "gap",  "claim"};
  add_output_names(cells, ensemble, "output_before");
  add_output_names(cells, ensemble, "output_after");
  if (ensemble.task != Task::regression) {
    cells.insert(cells.end(), {"class_before", "class_after"});
  }
  cells.insert(cells.end(), {"changed", "ties", "more_ties", "nodes", "seconds"});
  if (verified) cells.emplace_back("verified");
  add_feature_names(cells, ensemble);
  return record(cells);
}

std::string to_csv(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const bool found = !answer.solutions.empty();
  const std::vector<double> before = ensemble.predict(query.point);
  std::vector<double> after;
  if (found) after = ensemble.predict(answer.best().point);
  std::vector<std::string> cells = {
      row_text(row),
      to_string(answer.status),
      yes_no(answer.status == Status::optimal || answer.status == Status::infeasible),
      to_string(answer.stop),
      yes_no(answer.already_met),
      found ? number(answer.cost) : "",
      found ? number(answer.distance) : "",
      number(answer.lower_bound),
      found ? number(answer.gap()) : "",
      claim_text(claim_of(explanation))};
  for (const double value : ensemble.transform(before)) cells.push_back(number(value));
  if (found) {
    for (const double value : ensemble.transform(after)) cells.push_back(number(value));
  } else {
    cells.insert(cells.end(), output_count(ensemble), "");
  }
  if (const auto label = class_label(ensemble, before)) {
    cells.push_back(*label);
    cells.push_back(found ? *class_label(ensemble, after) : "");
  }
  cells.push_back(found ? changed_names(ensemble, query, answer.best().point) : "");
  cells.push_back(std::to_string(found ? answer.solutions.size() - 1 : 0));
  cells.emplace_back(yes_no(answer.more_ties));
  cells.push_back(std::to_string(answer.statistics.nodes));
  cells.push_back(number(answer.statistics.seconds));
  if (faults) cells.emplace_back(yes_no(faults->empty()));
  if (found) {
    add_point(cells, answer.best().point);
  } else {
    cells.insert(cells.end(), ensemble.features.size(), "");
  }
  return record(cells);
}

std::string region_csv_header(const Ensemble& ensemble) {
  std::vector<std::string> cells = {"row", "number", "cost", "distance"};
  add_output_names(cells, ensemble, "output");
  if (ensemble.task != Task::regression) cells.emplace_back("class");
  for (const Feature& feature : ensemble.features) {
    cells.push_back(feature.name);
    cells.push_back(feature.name + " in");
  }
  return record(cells);
}

std::string to_csv(const RegionView& view) {
  const auto& [ensemble, schema, query, region, row, count] = view;
  const std::vector<double>& scores = region.scores.front();
  std::vector<std::string> cells = {std::to_string(row), std::to_string(count), number(region.cost),
                                    number(distance(query.norm, region.cost))};
  for (const double value : ensemble.transform(scores)) cells.push_back(number(value));
  if (const auto label = class_label(ensemble, scores)) cells.push_back(*label);
  for (std::size_t i = 0; i < ensemble.features.size(); ++i) {
    const double value = region.nearest.point[i];
    const Interval& interval = region.nearest.region[i];
    cells.push_back(std::isnan(value) ? "" : number_text(value));
    cells.push_back(std::isnan(interval.lower)
                        ? ""
                        : fmt::format("{}{}, {}{}", interval.lower_closed ? '[' : '(',
                                      number_text(interval.lower), number_text(interval.upper),
                                      interval.upper_closed ? ']' : ')'));
  }
  return record(cells);
}

}  // namespace boxwood
