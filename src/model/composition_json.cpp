#include "model/composition_json.hpp"

#include "model/kinds.hpp"

#include <boxwood/ensemble.hpp>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

Json calibration_json(const Calibration& one) {
  Json json{{"kind", name_of(calibration_names, one.kind)}};
  if (one.kind == Calibration::Kind::isotonic) {
    json["from"] = one.from;
    json["to"] = one.to;
  } else {
    json["slope"] = one.slope;
    if (one.shift != 0) json["shift"] = one.shift;
  }
  if (one.precision != Precision::float64) {
    json["precision"] = name_of(precision_names, one.precision);
  }
  return json;
}

Calibration calibration_from(const JsonField& field) {
  Calibration one;
  one.kind = field["kind"].choice(calibration_names);
  if (one.kind == Calibration::Kind::isotonic) {
    one.from = field["from"].numbers();
    one.to = field["to"].numbers();
  } else {
    one.slope = field["slope"].number();
    if (field.has("shift")) one.shift = field["shift"].number();
  }
  if (field.has("precision")) one.precision = field["precision"].choice(precision_names);
  return one;
}

Json member_json(const Member& member) {
  Json json{{"outputs", member.outputs},
            {"accumulator", name_of(precision_names, member.accumulator)},
            {"order", name_of(order_names, member.order)},
            {"factor", member.factor},
            {"divisor", member.divisor},
            {"link", name_of(link_names, member.link)},
            {"link_form", name_of(link_form_names, member.link_form)},
            {"steepness", member.steepness},
            {"task", name_of(task_names, member.task)},
            {"decision", name_of(decision_names, member.decision)},
            {"response", name_of(response_names, member.response)},
            {"weight", member.weight}};
  if (!member.calibrations.empty()) json["calibrations"] = Json::array();
  for (const Calibration& one : member.calibrations) {
    json["calibrations"].push_back(calibration_json(one));
  }
  json["classes"] = Json::array();
  for (const std::size_t to : member.classes) {
    json["classes"].push_back(to == Member::none ? -1 : static_cast<int>(to));
  }
  return json;
}

Member member_from(const JsonField& field) {
  Member member;
  const std::int32_t outputs = field["outputs"].int32();
  if (outputs < 1) field["outputs"].fail("there must be at least 1");
  member.outputs = static_cast<std::size_t>(outputs);
  member.accumulator = field["accumulator"].choice(precision_names);
  member.order = field["order"].choice(order_names);
  member.factor = field["factor"].number();
  member.divisor = field["divisor"].number();
  member.link = field["link"].choice(link_names);
  member.link_form = field["link_form"].choice(link_form_names);
  member.steepness = field["steepness"].number();
  member.task = field["task"].choice(task_names);
  member.decision = field["decision"].choice(decision_names);
  member.response = field["response"].choice(response_names);
  member.weight = field["weight"].number();
  if (field.has("calibrations")) {
    const JsonField list = field["calibrations"];
    for (std::size_t i = 0; i < list.size(); ++i) {
      member.calibrations.push_back(calibration_from(list[i]));
    }
  }
  for (const std::int32_t to : field["classes"].int32s()) {
    member.classes.push_back(to < 0 ? Member::none : static_cast<std::size_t>(to));
  }
  return member;
}

}  // namespace

Json composition_json(const Composition& composition) {
  Json json{{"sum", name_of(precision_names, composition.sum)}, {"divisor", composition.divisor}};
  if (composition.normalised) json["normalised"] = true;
  if (!composition.has_probabilities) json["has_probabilities"] = false;
  if (const auto& threshold = composition.threshold) {
    json["threshold"] = {{"target", threshold->target}, {"least", threshold->least}};
    if (threshold->of_score) json["threshold"]["of_score"] = true;
  }
  if (const auto& top = composition.linear) {
    json["linear"] = {{"shift", top->shift}, {"size", top->size}, {"error", top->error}};
    for (const LinearRow& row : top->rows) {
      json["linear"]["rows"].push_back(
          {{"weights", row.weights}, {"shift", row.shift}, {"size", row.size}});
    }
  }
  if (composition.by_score) json["by_score"] = true;
  if (composition.last_of_equals) json["last_of_equals"] = true;
  if (!composition.groups.empty()) json["groups"] = Json::array();
  for (const MemberGroup& group : composition.groups) {
    json["groups"].push_back({{"members", group.members},
                              {"sum", name_of(precision_names, group.sum)},
                              {"divisor", group.divisor},
                              {"weight", group.weight}});
  }
  json["members"] = Json::array();
  for (const Member& member : composition.members) json["members"].push_back(member_json(member));
  return json;
}

Composition composition_from(const JsonField& field) {
  Composition composition;
  composition.sum = field["sum"].choice(precision_names);
  composition.divisor = field["divisor"].number();
  if (field.has("normalised")) composition.normalised = field["normalised"].boolean();
  if (field.has("has_probabilities")) {
    composition.has_probabilities = field["has_probabilities"].boolean();
  }
  if (field.has("threshold")) {
    const JsonField threshold = field["threshold"];
    composition.threshold =
        Threshold{.target = threshold["target"].int32() == 0 ? std::size_t{0} : std::size_t{1},
                  .least = threshold["least"].number(),
                  .of_score = threshold.has("of_score") && threshold["of_score"].boolean()};
  }
  if (field.has("linear")) {
    const JsonField top = field["linear"];
    composition.linear = LinearTop{.shift = top["shift"].number(),
                                   .size = top["size"].number(),
                                   .error = top["error"].number(),
                                   .rows = {}};
    for (std::size_t i = 0; top.has("rows") && i < top["rows"].size(); ++i) {
      const JsonField row = top["rows"][i];
      composition.linear->rows.push_back({.weights = row["weights"].numbers(),
                                          .shift = row["shift"].number(),
                                          .size = row["size"].number()});
    }
  }
  if (field.has("by_score")) composition.by_score = field["by_score"].boolean();
  if (field.has("last_of_equals")) {
    composition.last_of_equals = field["last_of_equals"].boolean();
  }
  if (field.has("groups")) {
    const JsonField groups = field["groups"];
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::int32_t count = groups[i]["members"].int32();
      if (count < 1) groups[i]["members"].fail("there must be at least 1");
      composition.groups.push_back({.members = static_cast<std::size_t>(count),
                                    .sum = groups[i]["sum"].choice(precision_names),
                                    .divisor = groups[i]["divisor"].number(),
                                    .weight = groups[i]["weight"].number()});
    }
  }
  const JsonField members = field["members"];
  for (std::size_t i = 0; i < members.size(); ++i) {
    composition.members.push_back(member_from(members[i]));
  }
  return composition;
}

std::string composition_text(const Composition& composition) {
  return composition.members.empty() ? std::string() : composition_json(composition).dump();
}

Composition composition_from_text(std::string_view text) {
  if (text.empty()) return {};
  const nlohmann::json document = parse_json(text, "composition");
  return composition_from(JsonField(document, "composition"));
}

}  // namespace boxwood
