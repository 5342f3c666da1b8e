// Writes the question file: a query as JSON, without what has its default value. question_file.cpp
// reads it; docs/formats.md describes it.
#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "model/kinds.hpp"
#include "query/query_names.hpp"

#include <boxwood/query.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN; both are written as text.
Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(number_text(value)); }

Json json_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const Interval& range) {
  return {json_of(range.lower), json_of(range.upper), range.lower_closed, range.upper_closed};
}

struct OutcomeWriter {
  Json& object;
  void operator()(const ClassIs& wanted) const {
    object["class"] = wanted.target;
    if (wanted.probability) object["probability"] = json_of(*wanted.probability);
    if (wanted.margin) object["margin"] = json_of(*wanted.margin);
  }
  void operator()(const ClassIn& wanted) const { object["classes"] = wanted.targets; }
  void operator()(const OutputIn& wanted) const {
    object["output"] = wanted.output;
    object["range"] = json_of(wanted.range);
  }
  void operator()(const ScoreIn& wanted) const {
    object["score"] = wanted.output;
    if (wanted.rival) object["rival"] = *wanted.rival;
    object["range"] = json_of(wanted.range);
  }
};

Json json_of(const Requirement& requirement) {
  Json object;
  std::visit(OutcomeWriter{object}, requirement.outcome);
  if (requirement.ensemble != 0) object["model"] = requirement.ensemble;
  if (requirement.negated) object["negated"] = true;
  if (requirement.counted) object["counted"] = true;
  return object;
}

Json json_of(const FeatureRule& rule) {
  const FeatureRule plain;
  Json object = Json::object();
  const auto add = [&](const char* key, const auto& value, const auto& usual) {
    if (value != usual) object[key] = json_of(value);
  };
  if (rule.kind != plain.kind) object["kind"] = name_of(kind_names, rule.kind);
  if (rule.fixed) object["fixed"] = true;
  add("range", rule.range, plain.range);
  add("domain", rule.domain, plain.domain);
  add("allowed", rule.allowed, plain.allowed);
  add("step", rule.step, plain.step);
  if (rule.missing_allowed) object["missing_allowed"] = true;
  for (const std::vector<double>& row : rule.changes) object["changes"].push_back(json_of(row));
  if (rule.direction != plain.direction) {
    object["direction"] = name_of(question_directions, rule.direction);
  }
  add("least_change", rule.least_change, plain.least_change);
  add("most_change", rule.most_change, plain.most_change);
  add("weight", rule.weight, plain.weight);
  add("up", rule.up, plain.up);
  add("down", rule.down, plain.down);
  add("scale", rule.scale, plain.scale);
  add("quantiles", rule.quantiles, plain.quantiles);
  add("robust", rule.robust, plain.robust);
  if (!rule.robust_codes.empty()) object["robust_codes"] = rule.robust_codes;
  return object;
}

Json json_of(const Derived& derived) {
  Json steps = Json::array();
  for (const Derived::Step& step : derived.steps) {
    Json object{{"op", name_of(question_steps, step.op)}};
    if (step.op == Derived::Op::column) {
      object["feature"] = step.feature;
    } else if (step.op == Derived::Op::number) {
      object["number"] = json_of(step.number);
    } else {
      object["of"] = {step.a, step.b};
    }
    steps.push_back(std::move(object));
  }
  Json object{{"feature", derived.feature}, {"steps", std::move(steps)}};
  if (derived.precision == Precision::float32) object["float32"] = true;
  return object;
}

Json json_of(const Clause& clause) {
  Json any_of = Json::array();
  for (const Literal& literal : clause.any_of) {
    Json object{{"feature", literal.feature}, {"inside", literal.inside}};
    if (literal.codes.empty()) {
      object["range"] = json_of(literal.range);
    } else {
      object["codes"] = literal.codes;
    }
    if (literal.missing) object["missing"] = true;
    any_of.push_back(std::move(object));
  }
  for (const LinearCondition& sum : clause.linear) {
    Json terms = Json::array();
    for (const LinearTerm& term : sum.terms) {
      Json object{{"feature", term.feature}, {"coefficient", json_of(term.coefficient)}};
      if (term.of != LinearTerm::Of::value) object["of"] = name_of(question_terms, term.of);
      if (!term.codes.empty()) object["codes"] = term.codes;
      terms.push_back(std::move(object));
    }
    any_of.push_back({{"sum", std::move(terms)}, {"range", json_of(sum.range)}});
  }
  return any_of;
}

}  // namespace

std::string question_number(double value) { return json_of(value).dump(); }

std::string to_json(const Query& query) {
  Json object;
  object["boxwood_question"] = question_version;
  object["point"] = json_of(query.point);
  object["requirements"] = Json::array();
  for (const Requirement& one : query.requirements) object["requirements"].push_back(json_of(one));
  object["features"] = Json::array();
  for (const FeatureRule& rule : query.features) object["features"].push_back(json_of(rule));
  for (const OneHot& group : query.groups) {
    object["groups"].push_back({{"columns", group.columns},
                                {"weight", json_of(group.weight)},
                                {"none_allowed", group.none_allowed}});
    if (!group.robust.empty()) object["groups"].back()["robust"] = group.robust;
  }
  // All clauses must hold, so their order does not matter.
  std::vector<Json> clauses;
  for (const Clause& clause : query.clauses) clauses.push_back(json_of(clause));
  std::sort(clauses.begin(), clauses.end(),
            [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
  if (!clauses.empty()) object["clauses"] = clauses;
  for (const Derived& one : query.derived) object["derived"].push_back(json_of(one));
  if (query.max_changes) object["max_changes"] = *query.max_changes;
  if (query.live > 0) {
    object["live"] = {{"least", query.live}, {"rows", query.live_regions->rows}};
  }
  if (query.agree) object["agree"] = *query.agree;
  object["cost"] = name_of(question_norms, query.norm);
  if (query.norm == Norm::mixture) {
    object["mixture"] = {{"l2", json_of(query.mixture.squared_l2)},
                         {"l1", json_of(query.mixture.l1)},
                         {"l0", json_of(query.mixture.l0)}};
  }
  if (query.fewest_first) object["fewest_first"] = true;
  if (!query.scale_name.empty()) object["scale_name"] = query.scale_name;
  return object.dump();
}

}  // namespace boxwood
