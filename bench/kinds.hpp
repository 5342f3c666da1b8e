// Kinds of questions beyond the plain one, to see what each costs: a query changed in place, or
// another call than explain.
#pragma once

#include <boxwood/boxwood.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
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

/// Rules about the first ten features that are numbers: the change of each, in units of its scale,
/// is at most the sum of the changes of the `terms` - 1 after it. All hold with equality now.
/// Features become discrete, with limits around the present value: at most 2,000 values each.
inline void add_linear_rules(boxwood::Query& query, std::size_t count, std::size_t terms) {
  using namespace boxwood;
  constexpr std::size_t most = 10;
  std::vector<std::size_t> numbers;
  for (std::size_t d = 0; d < query.point.size() && numbers.size() < most; ++d) {
    FeatureRule& rule = query.features[d];
    if (rule.kind == FeatureKind::categorical || std::isnan(query.point[d])) continue;
    numbers.push_back(d);
    const bool whole = rule.kind != FeatureKind::continuous;
    if (!whole && rule.step == 0) rule.step = 0.01 * rule.scale;
    constexpr double most_values = 2'000;
    const double step = whole ? std::max(rule.step, 1.0) : rule.step;
    const double reach = std::min(4 * rule.scale, most_values / 2 * step);
    rule.range = intersection(rule.range, {query.point[d] - reach, query.point[d] + reach});
  }
  for (std::size_t r = 0; r < count && r < numbers.size(); ++r) {
    LinearCondition sum{{}, {.upper = 0}};
    for (std::size_t t = 0; t < terms; ++t) {
      const std::size_t d = numbers[(r + t) % numbers.size()];
      const double coefficient = 1 / query.features[d].scale;
      sum.terms.push_back({d, t == 0 ? coefficient : -coefficient, LinearTerm::Of::change, {}});
    }
    query.clauses.push_back({{}, {sum}});
  }
}

inline const std::map<std::string, Ask>& kinds() {
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
  static const std::map<std::string, Ask> all = {
      {"plain", changed([](Query&) {})},
      {"fixed", changed([](Query& query) {
         for (std::size_t d = 0; d < query.features.size(); d += 3) query.features[d].fixed = true;
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
      {"asymmetric cost",
       changed([](Query& query) { each_number(query, [](FeatureRule& rule) { rule.up = 3; }); })},
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
      {"one order pair", changed([](Query& query) { add_linear_rules(query, 1, 2); })},
      {"ten linear rules", changed([](Query& query) { add_linear_rules(query, 10, 3); })},
      {"menu of 3, features", menu(Apart::features)},
      {"menu of 3, regions", menu(Apart::regions)},
      {"menu of 3, distance", menu(Apart::distance)},
      {"wide region",
       after([](const Prepared& prepared, const Query& query, const std::vector<double>& point,
                const Options& options) { find_wide_region(prepared, query, point, {}, options); })},
      {"path",
       after([](const Prepared& prepared, const Query& query, const std::vector<double>& point,
                const Options& options) { find_path(prepared, query, point, true, options); })},
      {"robustness",
       [](const Prepared& prepared, const Query& query, const Options& options) {
         return find_robustness(prepared, query, 0, options);
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
  return all;
}
