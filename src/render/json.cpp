// Answers and regions as JSON objects (docs/formats.md).
#include "render/claim.hpp"
#include "render/json_parts.hpp"
#include "render/outcome.hpp"

#include <boxwood/render.hpp>

namespace boxwood {

Json answer_json(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const bool found = !answer.solutions.empty();
  const bool proven = answer.status == Status::optimal || answer.status == Status::infeasible;
  const std::vector<double> scores_before = ensemble.predict(query.point);
  Json object;
  object["boxwood_answer"] = 1;
  object["row"] = row_json(row);
  object["status"] = to_string(answer.status);
  object["proven"] = proven;
  object["stop"] = to_string(answer.stop);
  object["already_met"] = answer.already_met;
  object["target"] = target_json(ensemble, query);
  if (query.agree) {
    object["agree"] = {{"at_least", *query.agree}};
    if (findings.models && !answer.solutions.empty()) {
      object["agree"]["agreeing"] = findings.models->agreeing;
    }
  }
  object["cost"] = found ? number_json(answer.cost) : Json(nullptr);
  object["distance"] = found ? number_json(answer.distance) : Json(nullptr);
  object["lower_bound"] = number_json(answer.lower_bound);
  object["gap"] = found ? number_json(answer.gap()) : Json(nullptr);
  object["claim"] = claim_json(claim_of(explanation));
  object["point"] = found ? point_json(answer.best().point) : Json(nullptr);
  object["changes"] =
      found ? changes_json(ensemble, schema, query, answer.best()) : Json(Json::array());
  object["region"] = found ? region_json(ensemble, answer.best().region) : Json(nullptr);
  object["output_before"] = numbers_json(ensemble.transform(scores_before));
  std::vector<double> scores_after;
  if (found) scores_after = ensemble.predict(answer.best().point);
  object["output_after"] = found ? numbers_json(ensemble.transform(scores_after)) : Json(nullptr);
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
  object["seconds"] = number_json(answer.statistics.seconds);
  object["text"] = sentences(explanation);
  if (faults) {
    object["verified"] = faults->empty();
    object["faults"] = *faults;
  }
  add_findings(object, explanation);
  return object;
}

std::string to_json(const Explanation& explanation) { return one_line(answer_json(explanation)); }

std::string to_json(const RegionView& view) {
  const auto& [ensemble, schema, query, region, row, count] = view;
  Json object;
  object["boxwood_region"] = 1;
  object["row"] = row;
  object["number"] = count;
  object["cost"] = number_json(region.cost);
  object["distance"] = number_json(distance(query.norm, region.cost));
  object["point"] = point_json(region.nearest.point);
  object["changes"] = changes_json(ensemble, schema, query, region.nearest);
  object["region"] = region_json(ensemble, region.nearest.region);
  object["score"] = numbers_json(region.scores.front());
  object["output"] = numbers_json(ensemble.transform(region.scores.front()));
  if (const auto label = class_label(ensemble, region.scores.front())) object["class"] = *label;
  return one_line(object);
}

}  // namespace boxwood
