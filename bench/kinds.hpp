// Kinds of questions beyond the plain one, to see what each costs: a query changed in place, or
// another call than explain.
#pragma once

#include <boxwood/boxwood.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

using Ask = std::function<boxwood::Answer(const boxwood::Prepared&, const boxwood::Query&,
                                          const boxwood::Options&)>;

/// A query with one thing changed, explained.
inline Ask changed(const std::function<void(boxwood::Query&)>& change) {
  return [change](const boxwood::Prepared& prepared, const boxwood::Query& query,
                  const boxwood::Options& options) {
    boxwood::Query other = query;
    change(other);
    return boxwood::explain(prepared, other, options);
  };
}

/// Something that starts from the plain answer, the time of which is counted too.
inline Ask after(
    const std::function<void(const boxwood::Prepared&, const boxwood::Query&,
                             const std::vector<double>&, const boxwood::Options&)>& then) {
  return [then](const boxwood::Prepared& prepared, const boxwood::Query& query,
                const boxwood::Options& options) {
    boxwood::Answer answer = boxwood::explain(prepared, query, options);
    if (!answer.solutions.empty()) then(prepared, query, answer.best().point, options);
    return answer;
  };
}

/// The first ten features that are numbers and known in this row.
inline std::vector<std::size_t> ten_numbers(const boxwood::Query& query) {
  constexpr std::size_t most = 10;
  std::vector<std::size_t> numbers;
  for (std::size_t d = 0; d < query.point.size() && numbers.size() < most; ++d) {
    const bool number = query.features[d].kind != boxwood::FeatureKind::categorical;
    if (number && !std::isnan(query.point[d])) numbers.push_back(d);
  }
  return numbers;
}

/// Rule number `first` about these features: one of them, in units of its scale, is at most so much
/// more than the sum of those after it.
inline boxwood::LinearCondition rule_about(const boxwood::Query& query,
                                           const std::vector<std::size_t>& numbers,
                                           std::size_t first, std::size_t terms,
                                           boxwood::LinearTerm::Of of) {
  boxwood::LinearCondition sum;
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t d = numbers[(first + t) % numbers.size()];
    const double coefficient = 1 / query.features[d].scale;
    sum.terms.push_back({d, t == 0 ? coefficient : -coefficient, of, {}});
  }
  return sum;
}

/// Ten rules of three features that hold in all of these rows, at least one with equality: what
/// somebody finds who looks for relations in the data.
inline std::vector<boxwood::Clause> rules_of_rows(const std::vector<boxwood::Query>& rows) {
  using namespace boxwood;
  std::vector<Clause> rules;
  if (rows.empty()) return rules;
  const std::vector<std::size_t> numbers = ten_numbers(rows.front());
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    LinearCondition rule = rule_about(rows.front(), numbers, r, 3, LinearTerm::Of::value);
    rule.range.upper = -std::numeric_limits<double>::infinity();
    for (const Query& row : rows) {
      double sum = 0;
      for (const LinearTerm& term : rule.terms) sum += term.coefficient * row.point[term.feature];
      if (sum > rule.range.upper) rule.range.upper = sum;  // not where a value is missing
    }
    rules.push_back({{}, {rule}});
  }
  return rules;
}

/// Rules about changes that the row satisfies with equality, so that nearly every change of these
/// features breaks one: the hardest rules there are.
inline void add_tight_rules(boxwood::Query& query, std::size_t count, std::size_t terms) {
  const std::vector<std::size_t> numbers = ten_numbers(query);
  for (std::size_t r = 0; r < count && r < numbers.size(); ++r) {
    boxwood::LinearCondition rule =
        rule_about(query, numbers, r, terms, boxwood::LinearTerm::Of::change);
    rule.range.upper = 0;
    query.clauses.push_back({{}, {rule}});
  }
}

/// Neighbours of the answer must have the outcome too, in the first two numbers that are neither
/// ordinal nor fixed: within 1 of whole numbers, within 100 where these are large (one month and
/// 100 DM of German credit), within a hundredth of the scale of others.
inline void make_robust(boxwood::Query& query) {
  constexpr double large = 1000;
  int left = 2;
  for (boxwood::FeatureRule& rule : query.features) {
    const bool whole = rule.kind == boxwood::FeatureKind::integer;
    if (left == 0 || rule.fixed) continue;
    if (!whole && rule.kind != boxwood::FeatureKind::continuous) continue;
    rule.robust = !whole ? 0.01 * rule.scale : rule.scale < large ? 1 : 100;
    --left;
  }
}

/// A map of the first two numbers that are free, a tenth of their scale on each side of the row,
/// with a radius somewhat larger than the distance of the answer.
inline boxwood::MapOptions map_around(const boxwood::Query& query, double distance) {
  constexpr double part = 0.1, beyond = 1.5;
  boxwood::MapOptions map;
  map.radius = beyond * distance;
  std::vector<std::size_t> axes;
  for (const std::size_t d : ten_numbers(query)) {
    if (!query.features[d].fixed) axes.push_back(d);
  }
  map.x = axes.at(0);
  map.y = axes.at(1);
  const auto view = [&](std::size_t d) {
    const double room = part * query.features[d].scale;
    return boxwood::Interval{query.point[d] - room, query.point[d] + room};
  };
  map.x_view = view(map.x);
  map.y_view = view(map.y);
  return map;
}

/// The plain answer, feasible where the wide region around it or the map is not finished.
inline boxwood::Answer wide_region(const boxwood::Prepared& prepared, const boxwood::Query& query,
                                   const boxwood::Options& options) {
  boxwood::Answer answer = boxwood::explain(prepared, query, options);
  if (answer.solutions.empty()) return answer;
  const auto wide = boxwood::find_wide_region(prepared, query, answer.best().point, {}, options);
  if (wide.stop != boxwood::Stop::finished) answer.status = boxwood::Status::feasible;
  return answer;
}
inline boxwood::Answer small_map(const boxwood::Prepared& prepared, const boxwood::Query& query,
                                 const boxwood::Options& options) {
  boxwood::Answer answer = boxwood::explain(prepared, query, options);
  if (answer.solutions.empty()) return answer;
  const boxwood::MapOptions around = map_around(query, answer.distance);
  const boxwood::Map drawn = boxwood::find_map(prepared, query, around, options);
  if (drawn.stop != boxwood::Stop::finished) answer.status = boxwood::Status::feasible;
  return answer;
}

/// `rules`: rules_of_rows of all rows that are asked about.
inline std::map<std::string, Ask> kinds(const std::vector<boxwood::Clause>& rules) {
  using namespace boxwood;
  static const auto each_number = [](Query& query,
                                     const std::function<void(FeatureRule&)>& change) {
    for (FeatureRule& rule : query.features) {
      if (rule.kind != FeatureKind::categorical) change(rule);
    }
  };
  static const auto menu = [](Apart apart) {
    return [apart](const Prepared& prepared, const Query& query, const Options& options) {
      const Menu found = find_menu(prepared, query, {3, apart, 0.1}, options);
      return found.answers.empty() ? Answer{} : found.answers.back();
    };
  };
  return {{"plain", changed([](Query&) {})},
          {"fixed", changed([](Query& query) {
             for (std::size_t d = 0; d < query.features.size(); d += 3)
               query.features[d].fixed = true;
           })},
          {"direction", changed([](Query& query) {
             each_number(query, [](FeatureRule& rule) { rule.direction = Direction::up; });
           })},
          {"step", changed([](Query& query) {
             each_number(query, [](FeatureRule& rule) {
               if (rule.kind == FeatureKind::continuous) rule.step = 0.05 * rule.scale;
             });
           })},
          {"least change", changed([](Query& query) {
             each_number(query, [](FeatureRule& rule) { rule.least_change = 0.05 * rule.scale; });
           })},
          {"most change", changed([](Query& query) {
             each_number(query, [](FeatureRule& rule) { rule.most_change = 0.5 * rule.scale; });
           })},
          {"asymmetric cost", changed([](Query& query) {
             each_number(query, [](FeatureRule& rule) { rule.up = 3; });
           })},
          {"l1 + 0.1 l0", changed([](Query& query) {
             query.norm = Norm::mixture;
             query.mixture = {0, 1, 0.1};
           })},
          {"fewest first", changed([](Query& query) { query.fewest_first = true; })},
          {"at most 3 changes", changed([](Query& query) { query.max_changes = 3; })},
          {"implications", changed([](Query& query) {
             for (std::size_t d = 0; d + 1 < query.point.size() && d < 6; d += 2) {
               query.clauses.push_back({{stays(query, d), negated(falls(query, d + 1))}});
             }
           })},
          {"one order pair", changed([](Query& query) { add_tight_rules(query, 1, 2); })},
          {"ten linear rules", changed([rules](Query& query) {
             query.clauses.insert(query.clauses.end(), rules.begin(), rules.end());
           })},
          {"ten tight linear rules", changed([](Query& query) { add_tight_rules(query, 10, 3); })},
          {"menu of 3, features", menu(Apart::features)},
          {"menu of 3, regions", menu(Apart::regions)},
          {"menu of 3, distance", menu(Apart::distance)},
          {"wide region", wide_region},
          {"map", small_map},
          {"path",
           after([](const Prepared& prepared, const Query& query, const std::vector<double>& point,
                    const Options& options) { find_path(prepared, query, point, true, options); })},
          {"robustness",
           [](const Prepared& prepared, const Query& query, const Options& options) {
             return find_robustness(prepared, query, 0, options);
           }},
          {"robust in two numbers", changed(make_robust)},
          {"best within 1.5 times the cost",
           [](const Prepared& prepared, const Query& query, const Options& options) {
             Answer answer = explain(prepared, query, options);
             if (!std::holds_alternative<ClassIs>(query.requirements[0].outcome)) return answer;
             return find_best(prepared, query, 1.5 * answer.cost, options).answer;
           }},
          {"sweep of 10", [](const Prepared& prepared, const Query& query, const Options& options) {
             Query first = query;
             auto* wanted = std::get_if<ClassIs>(&first.requirements[0].outcome);
             if (!wanted) return explain(prepared, query, options);
             wanted->probability = 0.5;
             std::vector<double> levels;
             for (int i = 0; i < 10; ++i) levels.push_back(0.5 + 0.03 * i);
             return find_sweep(prepared, first, levels, {}, options).back().answer;
           }}};
}
