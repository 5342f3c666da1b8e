// The parts of JSON objects of answers, menus, sweeps and maps. Values that JSON cannot express are
// null: a missing value, an infinite end of an interval, the cost where there is no point.
#pragma once

#include <boxwood/render.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace boxwood {

using Json = nlohmann::ordered_json;

Json number_json(double value);
/// Its number or its name.
Json row_json(const RowLabel& row);
Json numbers_json(std::span<const double> values);
/// A fixed feature may be infinite; it must not look like a missing value.
Json point_json(std::span<const double> point);
Json interval_json(const Interval& interval);
Json region_json(const Ensemble& ensemble, const std::vector<Interval>& region);
Json changes_json(const Ensemble& ensemble, const Schema& schema, const Query& query,
                  const Solution& solution);
Json target_json(const Ensemble& ensemble, const Query& query);
Json claim_json(const Claim& claim);
/// Everything that `to_json` of an explanation writes.
Json answer_json(const Explanation& explanation);
/// Adds those of the keys `wide`, `rounded`, `path` and `why_not` whose results were found.
void add_findings(Json& object, const Explanation& explanation);

/// Texts of models and schemas may contain invalid UTF-8; the output is always valid.
std::string one_line(const Json& object);

}  // namespace boxwood
