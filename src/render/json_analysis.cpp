// What analysis finds as JSON: the keys that it adds to an answer, and menus, sweeps, robustness
// (docs/formats.md).
#include "render/changes.hpp"
#include "render/json_parts.hpp"
#include "render/outcome.hpp"

#include <array>

namespace boxwood {
namespace {

Json names_json(const Ensemble& ensemble, const std::vector<std::size_t>& features) {
  Json list = Json::array();
  for (const std::size_t i : features) list.push_back(ensemble.features[i].name);
  return list;
}

/// The parts of an answer to a subordinate question that matter.
Json short_answer(const Explanation& explanation, const Answer& answer) {
  const auto& [ensemble, schema, query, main, row, faults, findings] = explanation;
  const bool found = !answer.solutions.empty();
  Json object;
  object["status"] = to_string(answer.status);
  object["stop"] = to_string(answer.stop);
  object["cost"] = found ? number_json(answer.cost) : Json(nullptr);
  object["lower_bound"] = number_json(answer.lower_bound);
  object["point"] = found ? point_json(answer.best().point) : Json(nullptr);
  object["changes"] =
      found ? changes_json(ensemble, schema, query, answer.best()) : Json(Json::array());
  return object;
}

Json wide_json(const Explanation& explanation, const WideRegion& wide) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  Json values = Json::object();
  for (std::size_t i = 0; i < wide.values.size(); ++i) {
    if (!wide.values[i].empty()) {
      values[ensemble.features[i].name] = numbers_json(wide.values[i]);
    }
  }
  Json words = Json::object();
  for (std::size_t i = 0; i < wide.region.size(); ++i) {
    words[ensemble.features[i].name] =
        wide_text(ensemble, schema, query, wide, answer.best().point, i);
  }
  return {{"maximal", wide.maximal},
          {"stop", to_string(wide.stop)},
          {"region", region_json(ensemble, wide.region)},
          {"values", std::move(values)},
          {"anything_in", std::move(words)}};
}

Json path_json(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  Json list = Json::array();
  for (const PathStep& step : findings.path) {
    Json object;
    object["features"] = names_json(ensemble, step.features);
    object["point"] = point_json(step.point);
    const std::vector<double> scores = ensemble.predict(step.point);
    object["output"] = numbers_json(ensemble.transform(scores));
    if (const auto label = class_label(ensemble, scores)) object["class"] = *label;
    if (step.without) object["without"] = short_answer(explanation, *step.without);
    list.push_back(std::move(object));
  }
  return list;
}

const char* rule_kind(Rule::Kind kind) {
  constexpr std::array<const char*, 11> names = {
      "fixed",        "range_lower", "range_upper", "allowed", "step",       "direction",
      "least_change", "most_change", "missing",     "clause",  "max_changes"};
  return names[static_cast<std::size_t>(kind)];
}

Json why_not_json(const Explanation& explanation, const WhyNot& why) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  Json blockers = Json::array();
  for (const Blocker& blocker : why.blockers) {
    Json object;
    object["rule"] = rule_kind(blocker.rule.kind);
    if (blocker.rule.kind < Rule::Kind::clause) {
      object["feature"] = ensemble.features[blocker.rule.index].name;
    }
    if (blocker.rule.kind == Rule::Kind::clause) object["clause"] = blocker.rule.index;
    object["text"] = rule_text(ensemble, schema, query, blocker.rule);
    object["without"] = short_answer(explanation, blocker.without);
    blockers.push_back(std::move(object));
  }
  return {{"impossible", why.impossible},
          {"smallest", why.smallest},
          {"stop", to_string(why.stop)},
          {"blockers", std::move(blockers)}};
}

Json rounded_json(const Explanation& explanation, const Rounding& rounding) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const double cost = total_cost(query, rounding.point);
  const std::vector<double> scores = ensemble.predict(rounding.point);
  Json object;
  object["tolerance"] = number_json(rounding.tolerance);
  object["point"] = point_json(rounding.point);
  object["cost"] = number_json(cost);
  object["distance"] = number_json(distance(query.norm, cost));
  object["output"] = numbers_json(ensemble.transform(scores));
  if (const auto label = class_label(ensemble, scores)) object["class"] = *label;
  return object;
}

const char* apart_name(Apart apart) {
  return apart == Apart::regions ? "regions" : apart == Apart::features ? "features" : "distance";
}

}  // namespace

void add_findings(Json& object, const Explanation& explanation) {
  const Findings& findings = explanation.findings;
  if (findings.wide) object["wide"] = wide_json(explanation, *findings.wide);
  if (findings.rounding) object["rounded"] = rounded_json(explanation, *findings.rounding);
  if (!findings.path.empty()) object["path"] = path_json(explanation);
  if (findings.why_not && explanation.answer.status == Status::infeasible) {
    object["why_not"] = why_not_json(explanation, *findings.why_not);
  }
}

std::string to_json(const MenuView& view) {
  Json object;
  object["boxwood_menu"] = 1;
  object["row"] = row_json(view.alternatives.front().row);
  object["apart"] = apart_name(view.asked.apart);
  if (view.asked.apart == Apart::distance) object["distance"] = number_json(view.asked.distance);
  object["asked"] = view.asked.count;
  object["complete"] = view.menu.complete;
  object["stop"] = to_string(view.menu.stop);
  object["alternatives"] = Json::array();
  for (const Explanation& one : view.alternatives)
    object["alternatives"].push_back(answer_json(one));
  return one_line(object);
}

std::string to_json(const SweepView& view) {
  Json object;
  object["boxwood_sweep"] = 1;
  object["row"] = row_json(view.row);
  object["swept"] = view.swept == Swept::distances ? "distances" : "levels";
  object["levels"] = Json::array();
  for (const SweepPoint& point : view.points) {
    const Query query = query_at(view, point.level);
    Json entry;
    entry["level"] = number_json(point.level);
    entry.update(
        answer_json({view.ensemble, view.schema, query, point.answer, view.row, std::nullopt}));
    object["levels"].push_back(std::move(entry));
  }
  return one_line(object);
}

std::string robustness_json(const Explanation& explanation) {
  Json object;
  object["boxwood_robustness"] = 1;
  object["radius"] = number_json(robustness_radius(explanation));
  Json rest = answer_json(explanation);
  rest.erase("boxwood_answer");
  rest.erase("text");
  object.update(rest);
  return one_line(object);
}

}  // namespace boxwood
