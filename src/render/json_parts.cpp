#include "render/json_parts.hpp"

#include "base/text.hpp"
#include "render/changes.hpp"

#include <cmath>

namespace boxwood {
namespace {

Json value_json(double value) {
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : number_json(value);
}

}  // namespace

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json row_json(const RowLabel& row) {
  if (row.number) return *row.number;
  return row.name.empty() ? Json(nullptr) : Json(row.name);
}

Json numbers_json(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

Json point_json(std::span<const double> point) {
  Json list = Json::array();
  for (const double value : point) list.push_back(value_json(value));
  return list;
}

Json interval_json(const Interval& interval) {
  if (std::isnan(interval.lower)) return nullptr;
  return {{"lower", number_json(interval.lower)},
          {"lower_closed", interval.lower_closed},
          {"upper", number_json(interval.upper)},
          {"upper_closed", interval.upper_closed}};
}

Json region_json(const Ensemble& ensemble, const std::vector<Interval>& region) {
  Json object = Json::object();
  for (std::size_t i = 0; i < region.size(); ++i) {
    object[ensemble.features[i].name] = interval_json(region[i]);
  }
  return object;
}

/// The values of a column. The columns of a group depend on each other, so each has only its own
/// value.
std::string column_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                        const Solution& solution, std::size_t i) {
  if (!group_of(schema, i)) {
    return text_of(values_inside(ensemble, schema, query, solution, i));
  }
  return text_of({Values::Kind::number, value_text(schema.features[i], solution.point[i])});
}

Json changes_json(const Ensemble& ensemble, const Schema& schema, const Query& query,
                  const Solution& solution) {
  Json list = Json::array();
  for (const std::size_t i : changed_features(query, solution.point)) {
    const FeatureSchema& feature = schema.features[i];
    list.push_back({{"feature", ensemble.features[i].name},
                    {"from", number_json(query.point[i])},
                    {"to", number_json(solution.point[i])},
                    {"now", value_text(feature, query.point[i], ensemble.input)},
                    {"change_to", value_text(feature, solution.point[i], ensemble.input)},
                    {"anything_in", column_text(ensemble, schema, query, solution, i)}});
    if (i < solution.codes.size() && !solution.codes[i].empty()) {
      list.back()["codes"] = solution.codes[i];
    }
  }
  return list;
}

/// For models other than that of the first requirement, only the numbers of classes are known here.
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
  for (std::size_t r = 0; r < list.size(); ++r) {
    const std::size_t model = query.requirements[r].ensemble;
    if (model > 0) list[r]["model"] = model + 1;  // by its number, from 1
  }
  return list;
}

Json claim_json(const Claim& claim) {
  Json object;
  object["text"] = claim_text(claim);
  object["minimised"] = claim.fewest_first ? Json{"changes", "cost"} : Json{"cost"};
  object["cost"] = claim.cost_name;
  object["changes"] = std::isfinite(claim.cost) ? Json(claim.changes) : Json(nullptr);
  if (claim.fewest_first) object["least_changes"] = claim.least_changes;
  object["lower_bound"] = number_json(claim.lower_bound);
  object["among_changes"] = claim.among_changes ? Json(*claim.among_changes) : Json(nullptr);
  if (claim.robust) object["robust"] = true;
  if (claim.earlier_alternatives > 0) object["earlier_alternatives"] = claim.earlier_alternatives;
  return object;
}

std::string one_line(const Json& object) {
  // JSON escapes control characters itself, but not the other characters that `visible` escapes.
  // Those can only occur inside strings.
  return visible(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace boxwood
