// Reads the question file that query_json.cpp writes. Every key is checked, so that a misspelt one
// is an error and not a silent default.
#include <boxwood/error.hpp>
#include <boxwood/question_file.hpp>

#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "model/kinds.hpp"
#include "query/query_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace boxwood {
namespace {

using Keys = std::vector<std::string>;

void check_question_keys(const JsonField& object, const Keys& known) {
  for (const std::string& key : object.keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string remedy = did_you_mean(key, known);
    if (remedy.empty()) remedy = fmt::format("Known keys: {}", fmt::join(known, ", "));
    object.fail(fmt::format("no key \"{}\"", key), remedy);
  }
}

/// A value of the point: a number, "inf", "-inf", or "nan" for a missing value.
double value_in(const JsonField& field) {
  if (field.is_string() && field.string() == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return field.number();
}

std::size_t index_in(const JsonField& field) {
  const std::int32_t index = field.int32();
  if (index < 0) field.fail("must be an integer ≥ 0");
  return static_cast<std::size_t>(index);
}

std::vector<std::size_t> indices_in(const JsonField& field) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < field.size(); ++i) indices.push_back(index_in(field[i]));
  return indices;
}

Interval interval_in(const JsonField& field) {
  if (field.size() != 4) {
    field.fail("must be a list of four: [lower, upper, lower_closed, upper_closed]");
  }
  return {field[std::size_t{0}].number(), field[1].number(), field[2].boolean(),
          field[3].boolean()};
}

Requirement requirement_in(const JsonField& field) {
  check_question_keys(field, {"class", "probability", "margin", "classes", "output", "range",
                              "score", "rival", "model", "negated", "counted"});
  Requirement requirement;
  const auto only = [&](const Keys& keys) {
    Keys known = keys;
    known.insert(known.end(), {"model", "negated", "counted"});
    check_question_keys(field, known);
  };
  if (field.has("class")) {
    only({"class", "probability", "margin"});
    ClassIs wanted{index_in(field["class"])};
    if (field.has("probability")) wanted.probability = field["probability"].number();
    if (field.has("margin")) wanted.margin = field["margin"].number();
    requirement.outcome = wanted;
  } else if (field.has("classes")) {
    only({"classes"});
    requirement.outcome = ClassIn{indices_in(field["classes"])};
  } else if (field.has("output")) {
    only({"output", "range"});
    requirement.outcome = OutputIn{interval_in(field["range"]), index_in(field["output"])};
  } else if (field.has("score")) {
    only({"score", "rival", "range"});
    ScoreIn wanted{interval_in(field["range"]), index_in(field["score"])};
    if (field.has("rival")) wanted.rival = index_in(field["rival"]);
    requirement.outcome = wanted;
  } else {
    field.fail("one of these keys is required: class, classes, output, score");
  }
  if (field.has("model")) requirement.ensemble = index_in(field["model"]);
  if (field.has("negated")) requirement.negated = field["negated"].boolean();
  if (field.has("counted")) requirement.counted = field["counted"].boolean();
  return requirement;
}

FeatureRule rule_in(const JsonField& field) {
  check_question_keys(
      field, {"kind", "fixed", "range", "domain", "allowed", "step", "missing_allowed", "changes",
              "direction", "least_change", "most_change", "weight", "up", "down", "scale",
              "quantiles", "robust", "robust_codes"});
  FeatureRule rule;
  const auto read = [&](const char* key, double& value) {
    if (field.has(key)) value = field[key].number();
  };
  if (field.has("kind")) rule.kind = field["kind"].choice(kind_names);
  if (field.has("fixed")) rule.fixed = field["fixed"].boolean();
  if (field.has("range")) rule.range = interval_in(field["range"]);
  if (field.has("domain")) rule.domain = interval_in(field["domain"]);
  if (field.has("allowed")) rule.allowed = field["allowed"].numbers();
  read("step", rule.step);
  if (field.has("missing_allowed")) rule.missing_allowed = field["missing_allowed"].boolean();
  if (field.has("changes")) {
    const JsonField table = field["changes"];
    for (std::size_t i = 0; i < table.size(); ++i) rule.changes.push_back(table[i].numbers());
  }
  if (field.has("direction")) rule.direction = field["direction"].choice(question_directions);
  read("least_change", rule.least_change);
  read("most_change", rule.most_change);
  read("weight", rule.weight);
  read("up", rule.up);
  read("down", rule.down);
  read("scale", rule.scale);
  if (field.has("quantiles")) rule.quantiles = field["quantiles"].numbers();
  read("robust", rule.robust);
  if (field.has("robust_codes")) rule.robust_codes = field["robust_codes"].int32s();
  return rule;
}

OneHot group_in(const JsonField& field) {
  check_question_keys(field, {"columns", "weight", "none_allowed", "robust"});
  OneHot group;
  group.columns = indices_in(field["columns"]);
  if (field.has("weight")) group.weight = field["weight"].number();
  if (field.has("none_allowed")) group.none_allowed = field["none_allowed"].boolean();
  if (field.has("robust")) group.robust = indices_in(field["robust"]);
  return group;
}

Literal literal_in(const JsonField& field) {
  check_question_keys(field, {"feature", "inside", "range", "codes", "missing"});
  Literal literal;
  literal.feature = index_in(field["feature"]);
  literal.inside = field["inside"].boolean();
  if (field.has("codes") == field.has("range")) field.fail("give either a range or codes");
  if (field.has("range")) literal.range = interval_in(field["range"]);
  if (field.has("codes")) {
    literal.codes = field["codes"].int32s();
    if (literal.codes.empty()) field["codes"].fail("must not be empty");
  }
  if (field.has("missing")) literal.missing = field["missing"].boolean();
  return literal;
}

template <typename Value, typename Read>
std::vector<Value> list_in(const JsonField& object, const char* key, Read read) {
  std::vector<Value> values;
  if (!object.has(key)) return values;
  const JsonField list = object[key];
  for (std::size_t i = 0; i < list.size(); ++i) values.push_back(read(list[i]));
  return values;
}

LinearTerm term_in(const JsonField& field) {
  check_question_keys(field, {"feature", "coefficient", "of", "codes"});
  LinearTerm term;
  term.feature = index_in(field["feature"]);
  term.coefficient = field["coefficient"].number();
  if (field.has("of")) term.of = field["of"].choice(question_terms);
  if (field.has("codes")) term.codes = field["codes"].int32s();
  return term;
}

LinearCondition sum_in(const JsonField& field) {
  check_question_keys(field, {"sum", "range"});
  return {list_in<LinearTerm>(field, "sum", term_in), interval_in(field["range"])};
}

Clause clause_in(const JsonField& list) {
  Clause clause;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].has("sum")) {
      clause.linear.push_back(sum_in(list[i]));
    } else {
      clause.any_of.push_back(literal_in(list[i]));
    }
  }
  return clause;
}

Derived::Step step_in(const JsonField& field) {
  check_question_keys(field, {"op", "feature", "number", "of"});
  Derived::Step step;
  step.op = field["op"].choice(question_steps);
  if (step.op == Derived::Op::column) {
    step.feature = index_in(field["feature"]);
  } else if (step.op == Derived::Op::number) {
    step.number = field["number"].number();
  } else {
    const std::vector<std::size_t> of = indices_in(field["of"]);
    if (of.size() != 2) field["of"].fail("must name two steps");
    step.a = of[0];
    step.b = of[1];
  }
  return step;
}

Derived derived_in(const JsonField& field) {
  check_question_keys(field, {"feature", "steps", "float32"});
  Derived derived{index_in(field["feature"]), list_in<Derived::Step>(field, "steps", step_in)};
  if (field.has("float32") && field["float32"].boolean()) derived.precision = Precision::float32;
  return derived;
}

}  // namespace

Query query_from_json(std::string_view text, std::string_view place) {
  const nlohmann::json document = parse_json(text, place);
  const JsonField root(document, std::string(place));
  if (!root.has("boxwood_question")) {
    root.fail("\"boxwood_question\" is missing", "Give a file that --save-question has written");
  }
  if (const std::int32_t version = root["boxwood_question"].int32(); version != question_version) {
    root["boxwood_question"].fail(fmt::format(
        "version {} is unsupported; this Boxwood reads version {}", version, question_version));
  }
  check_question_keys(
      root, {"boxwood_question", "point", "requirements", "features", "groups", "clauses",
             "derived", "max_changes", "agree", "cost", "mixture", "fewest_first", "scale_name"});
  Query query;
  root["point"];
  query.point = list_in<double>(root, "point", value_in);
  root["requirements"];
  query.requirements = list_in<Requirement>(root, "requirements", requirement_in);
  root["features"];
  query.features = list_in<FeatureRule>(root, "features", rule_in);
  query.groups = list_in<OneHot>(root, "groups", group_in);
  query.clauses = list_in<Clause>(root, "clauses", clause_in);
  for (Derived& one : list_in<Derived>(root, "derived", derived_in)) {
    if (one.feature >= query.features.size() || query.point.size() < query.features.size()) {
      root["derived"].fail(fmt::format("feature {} does not exist", one.feature));
    }
    add_derived(query, std::move(one));
  }
  if (root.has("max_changes")) query.max_changes = index_in(root["max_changes"]);
  if (root.has("agree")) query.agree = index_in(root["agree"]);
  query.norm = root["cost"].choice(question_norms);
  if (query.norm == Norm::custom) {
    root["cost"].fail("a cost function cannot be read from a file", "Use a norm or a mixture");
  }
  if (root.has("mixture") != (query.norm == Norm::mixture)) {
    root.fail("\"mixture\" must be given for the cost \"mixture\", and only for it");
  }
  if (query.norm == Norm::mixture) {
    const JsonField mixture = root["mixture"];
    check_question_keys(mixture, {"l2", "l1", "l0"});
    query.mixture = {mixture["l2"].number(), mixture["l1"].number(), mixture["l0"].number()};
  }
  if (root.has("fewest_first")) query.fewest_first = root["fewest_first"].boolean();
  if (root.has("scale_name")) query.scale_name = root["scale_name"].string();
  return query;
}

Query read_question(const std::filesystem::path& file) {
  return query_from_json(read_file(file, "Check the path of the question"), file.string());
}

std::string question_text(const Query& query) {
  if (query.norm == Norm::custom) {
    throw Error("question", "a cost function has no file form",
                "Use a norm or a mixture, or keep the question in the program");
  }
  if (query.live > 0) {
    throw Error("question", "the rows of `live` have no file form",
                "Leave out `live`, or keep the question in the program");
  }
  return to_json(query) + "\n";
}

QuestionTexts::QuestionTexts(const Query& query) {
  Query bare = query;
  bare.point.clear();
  const std::string text = question_text(bare);
  const std::string_view key = "\"point\":[";  // the first list of the file
  const std::size_t list = text.find(key) + key.size();
  start_ = text.substr(0, list);
  end_ = text.substr(list);
}

std::string QuestionTexts::at(std::span<const double> point) const {
  std::string text = start_;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (i > 0) text += ',';
    text += question_number(point[i]);
  }
  return text + end_;
}

}  // namespace boxwood
