// Answers and regions as JSON objects. What JSON has no word for is null: a missing value, an end
// of an interval at infinity, a cost where there is no point (docs/formats.md).
#include "render/changes.hpp"
#include "render/outcome.hpp"

#include <boxwood/render.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// A fixed feature may be infinite, which must not read as missing.
Json value_json(double value) {
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : number(value);
}

Json point_json(const std::vector<double>& point) {
  Json list = Json::array();
  for (const double value : point) list.push_back(value_json(value));
  return list;
}

Json interval_json(const Interval& interval) {
  if (std::isnan(interval.lower)) return nullptr;
  return {{"lower", number(interval.lower)},
          {"lower_closed", interval.lower_closed},
          {"upper", number(interval.upper)},
          {"upper_closed", interval.upper_closed}};
}

Json region_json(const Ensemble& ensemble, const std::vector<Interval>& region) {
  Json object = Json::object();
  for (std::size_t i = 0; i < region.size(); ++i) {
    object[ensemble.features[i].name] = interval_json(region[i]);
  }
  return object;
}

Json changes_json(const Ensemble& ensemble, const Schema& schema, const Query& query,
                  const Solution& solution) {
  Json list = Json::array();
  for (const std::size_t i : changed_features(query, solution.point)) {
    const FeatureSchema& feature = schema.features[i];
    list.push_back({{"feature", ensemble.features[i].name},
                    {"from", number(query.point[i])},
                    {"to", number(solution.point[i])},
                    {"now", value_text(feature, query.point[i], ensemble.input)},
                    {"change_to", value_text(feature, solution.point[i], ensemble.input)},
                    {"anything_in", anything_text(ensemble, schema, query, solution, i)}});
    if (i < solution.codes.size() && !solution.codes[i].empty()) {
      list.back()["codes"] = solution.codes[i];
    }
  }
  return list;
}

/// Of models other than the first requirement's only the numbers of classes are known here.
Json target_json(const Ensemble& ensemble, const Query& query) {
  Json list = Json::array();
  for (const Requirement& requirement : query.requirements) {
    if (requirement.negated) {
      Query opposite = query;
      opposite.requirements = {{requirement.ensemble, requirement.outcome}};
      list.push_back({{"not", target_json(ensemble, opposite).front()}});
      continue;
    }
    const bool first = requirement.ensemble == query.requirements.front().ensemble;
    const auto class_json = [&](std::size_t target) {
      return first ? Json(ensemble.class_name(target)) : Json(target);
    };
    if (const auto* wanted = std::get_if<OutputIn>(&requirement.outcome)) {
      list.push_back({{"output", wanted->output}, {"range", interval_json(wanted->range)}});
      continue;
    }
    if (const auto* score = std::get_if<ScoreIn>(&requirement.outcome)) {
      list.push_back({{"score", score->output}, {"range", interval_json(score->range)}});
      if (score->rival) list.back()["rival"] = *score->rival;
      continue;
    }
    if (const auto* several = std::get_if<ClassIn>(&requirement.outcome)) {
      Json names = Json::array();
      for (const std::size_t target : several->targets) names.push_back(class_json(target));
      list.push_back({{"one_of", std::move(names)}});
      continue;
    }
    const auto& wanted = std::get<ClassIs>(requirement.outcome);
    list.push_back(
        {{"class", class_json(wanted.target)},
         {"probability", wanted.probability ? Json(*wanted.probability) : Json(nullptr)}});
    if (wanted.margin) list.back()["margin"] = *wanted.margin;
  }
  return list;
}

/// Texts of models and schemas may hold bytes that are no UTF-8; the output always is.
std::string one_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults] = explanation;
  const bool found = !answer.solutions.empty();
  const bool proven = answer.status == Status::optimal || answer.status == Status::infeasible;
  const std::vector<double> scores_before = ensemble.predict(query.point);
  Json object;
  object["boxwood_answer"] = 1;
  object["row"] = row;
  object["status"] = to_string(answer.status);
  object["proven"] = proven;
  object["stop"] = to_string(answer.stop);
  object["already_met"] = answer.already_met;
  object["target"] = target_json(ensemble, query);
  object["cost"] = found ? number(answer.cost) : Json(nullptr);
  object["distance"] = found ? number(answer.distance) : Json(nullptr);
  object["lower_bound"] = number(answer.lower_bound);
  object["gap"] = found ? number(answer.gap()) : Json(nullptr);
  object["point"] = found ? point_json(answer.best().point) : Json(nullptr);
  object["changes"] =
      found ? changes_json(ensemble, schema, query, answer.best()) : Json(Json::array());
  object["region"] = found ? region_json(ensemble, answer.best().region) : Json(nullptr);
  object["output_before"] = numbers(ensemble.transform(scores_before));
  std::vector<double> scores_after;
  if (found) scores_after = ensemble.predict(answer.best().point);
  object["output_after"] = found ? numbers(ensemble.transform(scores_after)) : Json(nullptr);
  if (const auto label = class_label(ensemble, scores_before)) {
    object["class_before"] = *label;
    object["class_after"] = found ? Json(*class_label(ensemble, scores_after)) : Json(nullptr);
  }
  object["ties"] = Json::array();
  for (std::size_t s = 1; s < answer.solutions.size(); ++s) {
    const Solution& tie = answer.solutions[s];
    object["ties"].push_back({{"point", point_json(tie.point)},
                              {"changes", changes_json(ensemble, schema, query, tie)},
                              {"region", region_json(ensemble, tie.region)}});
  }
  object["more_ties"] = answer.more_ties;
  object["nodes"] = answer.statistics.nodes;
  object["open_nodes"] = answer.statistics.open_nodes;
  object["peak_bytes"] = answer.statistics.peak_bytes;
  object["threads"] = answer.statistics.threads;
  object["seconds"] = number(answer.statistics.seconds);
  object["text"] = sentences(explanation);
  if (faults) {
    object["verified"] = faults->empty();
    object["faults"] = *faults;
  }
  return one_line(object);
}

std::string to_json(const RegionView& view) {
  const auto& [ensemble, schema, query, region, row, count] = view;
  Json object;
  object["boxwood_region"] = 1;
  object["row"] = row;
  object["number"] = count;
  object["cost"] = number(region.cost);
  object["distance"] = number(distance(query.norm, region.cost));
  object["point"] = point_json(region.nearest.point);
  object["changes"] = changes_json(ensemble, schema, query, region.nearest);
  object["region"] = region_json(ensemble, region.nearest.region);
  object["score"] = numbers(region.scores.front());
  object["output"] = numbers(ensemble.transform(region.scores.front()));
  if (const auto label = class_label(ensemble, region.scores.front())) object["class"] = *label;
  return one_line(object);
}

}  // namespace boxwood
