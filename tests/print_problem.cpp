#include "print_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace {
namespace print {

std::string number(double value) {
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value)) {
    return value > 0 ? "std::numeric_limits<double>::infinity()"
                     : "-std::numeric_limits<double>::infinity()";
  }
  if (value == std::floor(value) && std::abs(value) < 1e6 && !(value == 0 && std::signbit(value))) {
    return fmt::format("{:.0f}", value);
  }
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

template <class Range, class One>
std::string list(const Range& range, One one) {
  std::string text;
  for (const auto& element : range) {
    if (!text.empty()) text += ", ";
    text += one(element);
  }
  return "{" + text + "}";
}

std::string numbers(const std::vector<double>& values) { return list(values, number); }

template <class Integer>
std::string integers(const std::vector<Integer>& values) {
  return list(values, [](Integer value) { return std::to_string(value); });
}

std::string interval(const boxwood::Interval& range) {
  return fmt::format("{{{}, {}, {}, {}}}", number(range.lower), number(range.upper),
                     range.lower_closed, range.upper_closed);
}

std::string optional(const std::optional<double>& value) {
  return value ? number(*value) : "std::nullopt";
}

std::string outcome(const boxwood::ClassIs& one) {
  return fmt::format("boxwood::ClassIs{{{}, {}, {}}}", one.target, optional(one.probability),
                     optional(one.margin));
}
std::string outcome(const boxwood::ClassIn& one) {
  return fmt::format("boxwood::ClassIn{{{}}}", integers(one.targets));
}
std::string outcome(const boxwood::OutputIn& one) {
  return fmt::format("boxwood::OutputIn{{{}, {}}}", interval(one.range), one.output);
}
std::string outcome(const boxwood::ScoreIn& one) {
  return fmt::format("boxwood::ScoreIn{{{}, {}, {}}}", interval(one.range), one.output,
                     one.rival ? std::to_string(*one.rival) : "std::nullopt");
}

std::string literal(const boxwood::Literal& one) {
  return fmt::format("{{{}, {}, {}, {}, {}}}", one.feature, interval(one.range), one.inside,
                     one.missing, integers(one.codes));
}

std::string linear(const boxwood::LinearCondition& one) {
  const auto term = [](const boxwood::LinearTerm& of) {
    const char* kinds[] = {"value", "change", "size", "codes"};
    return fmt::format("{{{}, {}, boxwood::LinearTerm::Of::{}, {}}}", of.feature,
                       number(of.coefficient), kinds[static_cast<int>(of.of)], integers(of.codes));
  };
  return fmt::format("{{{}, {}}}", list(one.terms, term), interval(one.range));
}

/// Statements that set what a rule has besides the defaults.
std::string rule(const boxwood::FeatureRule& rule, std::size_t d) {
  const boxwood::FeatureRule plain;
  std::string text;
  const auto set = [&](const char* name, const auto& value, const auto& usual, auto print) {
    if (value != usual)
      text += fmt::format("  query.features[{}].{} = {};\n", d, name, print(value));
  };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  const char* kinds[] = {"continuous", "integer", "ordinal", "categorical"};
  const char* directions[] = {"both", "up", "down"};
  set("kind", rule.kind, plain.kind, [&](boxwood::FeatureKind kind) {
    return std::string("boxwood::FeatureKind::") + kinds[static_cast<int>(kind)];
  });
  set("fixed", rule.fixed, plain.fixed, truth);
  set("range", rule.range, plain.range, interval);
  set("domain", rule.domain, plain.domain, interval);
  set("allowed", rule.allowed, plain.allowed, numbers);
  set("step", rule.step, plain.step, number);
  set("missing_allowed", rule.missing_allowed, plain.missing_allowed, truth);
  set("changes", rule.changes, plain.changes,
      [](const auto& table) { return list(table, numbers); });
  set("direction", rule.direction, plain.direction, [&](boxwood::Direction direction) {
    return std::string("boxwood::Direction::") + directions[static_cast<int>(direction)];
  });
  set("least_change", rule.least_change, plain.least_change, number);
  set("most_change", rule.most_change, plain.most_change, number);
  set("weight", rule.weight, plain.weight, number);
  set("up", rule.up, plain.up, number);
  set("down", rule.down, plain.down, number);
  set("scale", rule.scale, plain.scale, number);
  set("quantiles", rule.quantiles, plain.quantiles, numbers);
  return text;
}

}  // namespace print
}  // namespace

std::string as_test(const RandomProblem& problem, const std::string& name) {
  std::string text = fmt::format("TEST(Regression, {}) {{\n", name);
  text += "  std::vector<boxwood::Ensemble> ensembles;\n";
  for (const boxwood::Ensemble& ensemble : problem.ensembles) {
    text += fmt::format("  ensembles.push_back(boxwood::ensemble_from_json(R\"json({})json\"));\n",
                        to_json(ensemble));
  }
  const boxwood::Query& query = problem.query;
  text +=
      fmt::format("  boxwood::Query query;\n  query.point = {};\n  query.features.resize({});\n",
                  print::numbers(query.point), query.features.size());
  for (const boxwood::Requirement& one : query.requirements) {
    text += fmt::format("  query.requirements.push_back({{{}, {}, {}}});\n", one.ensemble,
                        std::visit([](const auto& o) { return print::outcome(o); }, one.outcome),
                        one.negated);
  }
  for (std::size_t d = 0; d < query.features.size(); ++d) text += print::rule(query.features[d], d);
  for (const boxwood::OneHot& group : query.groups) {
    text +=
        fmt::format("  query.groups.push_back({{{}, {}, {}}});\n", print::integers(group.columns),
                    print::number(group.weight), group.none_allowed);
  }
  for (const boxwood::Clause& clause : query.clauses) {
    text += fmt::format("  query.clauses.push_back({{{}, {}}});\n",
                        print::list(clause.any_of, print::literal),
                        print::list(clause.linear, print::linear));
  }
  const char* norms[] = {"squared_l2", "l1", "l0", "linf", "mixture", "custom"};
  if (query.norm != boxwood::Norm::squared_l2) {
    text += fmt::format("  query.norm = boxwood::Norm::{};\n", norms[static_cast<int>(query.norm)]);
  }
  if (query.norm == boxwood::Norm::mixture) {
    text +=
        fmt::format("  query.mixture = {{{}, {}, {}}};\n", print::number(query.mixture.squared_l2),
                    print::number(query.mixture.l1), print::number(query.mixture.l0));
  }
  if (query.norm == boxwood::Norm::custom) text += "  query.term = /* as in the random test */;\n";
  if (query.max_changes) text += fmt::format("  query.max_changes = {};\n", *query.max_changes);
  if (query.fewest_first) text += "  query.fewest_first = true;\n";
  return text + "  check({ensembles, query});\n}\n";
}
