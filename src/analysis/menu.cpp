// Several answers: solve, add constraints that exclude answers too similar to those found, and
// solve again.
#include "analysis/variables.hpp"
#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "grid/cuts.hpp"
#include "model/arithmetic.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <cmath>
#include <utility>

namespace boxwood {
namespace {

Literal not_missing(std::size_t feature) { return {feature, {}, true, false, {}}; }

/// At least one feature that the answer changes keeps its value. A group keeps its value if all its
/// columns do, so there is one clause for each column; if one column is 1 now, it alone decides.
std::vector<Clause> leave_something(const Query& query, const Solution& earlier) {
  std::vector<Clause> clauses{{}};
  for (const FeatureSet& set : changed_sets(query, earlier.point)) {
    std::vector<std::size_t> telling = set.columns;
    if (set.group) {
      const std::size_t hot = hot_column(*set.group, query.point).value();
      if (hot < set.columns.size()) telling = {set.columns[hot]};
    }
    std::vector<Clause> longer;
    for (const Clause& clause : clauses) {
      for (const std::size_t column : telling) {
        longer.push_back(clause);
        longer.back().any_of.push_back(stays(query, column));
      }
    }
    clauses = std::move(longer);
  }
  return clauses;
}

/// At least one feature lies outside the answer's region.
Clause leave_region(const Solution& earlier, Precision precision) {
  Clause clause;
  for (std::size_t d = 0; d < earlier.point.size(); ++d) {
    if (std::isnan(earlier.point[d])) {
      clause.any_of.push_back(not_missing(d));
    } else if (!earlier.codes.empty() && !earlier.codes[d].empty()) {
      clause.any_of.push_back({d, {}, false, true, earlier.codes[d]});
    } else {
      clause.any_of.push_back({d, readable(earlier.region[d], precision), false, true, {}});
    }
  }
  return clause;
}

/// At least one feature is far enough from its value in the answer.
Clause keep_distance(const Query& query, const Solution& earlier, double distance,
                     Precision precision) {
  Clause clause;
  for (const FeatureSet& set : feature_sets(query)) {
    if (set.group) {
      const std::size_t hot = hot_column(*set.group, earlier.point).value();
      for (std::size_t k = 0; k < set.columns.size(); ++k) {
        if (hot < set.columns.size() && k != hot) continue;
        // The column that is 1 becomes 0; if none is 1, any column becomes 1.
        clause.any_of.push_back({set.columns[k], {1, 1}, k != hot, false, {}});
      }
      continue;
    }
    const std::size_t d = set.columns.front();
    const double value = earlier.point[d];
    const FeatureRule& rule = query.features[d];
    if (rule.fixed) continue;
    const double far = rule.kind == FeatureKind::categorical ? 0 : distance * rule.scale;
    if (std::isnan(value)) {
      clause.any_of.push_back(not_missing(d));
    } else {
      // If rounding makes the distance vanish, any other number is far enough. Clauses read their
      // ends in the models' precision. The ends are therefore rounded away from the value, so that
      // answers are never too near by a float32 step.
      const double read = as_read(value, precision);
      const double low = last_left_of({read - far, true}, precision);
      const double high = first_right_of({read + far, false}, precision);
      const bool low_lost = low == read, high_lost = high == read;
      clause.any_of.push_back({d, {low, high, low_lost, high_lost}, false, true, {}});
    }
  }
  return clause;
}

}  // namespace

Menu find_menu(const Prepared& prepared, const Query& query, const MenuOptions& menu,
               const Options& options) {
  if (menu.apart == Apart::distance && !(menu.distance > 0 && menu.distance < infinity)) {
    throw Error("menu, distance", "must be a positive number");
  }
  const Precision precision = common_precision(prepared.ensembles());
  Budget budget(options);
  Menu found;
  Query next = query;
  while (found.answers.size() < menu.count) {
    Answer answer = explain(prepared, next, budget.rest());
    budget.note(answer);
    if (answer.solutions.empty()) {
      found.complete = answer.status == Status::infeasible;
      break;
    }
    found.answers.push_back(std::move(answer));
    const Solution& earlier = found.answers.back().best();
    switch (menu.apart) {
      case Apart::features:
        if (changed_sets(query, earlier.point).empty()) {
          found.complete = true;  // no change is needed: all other answers add changes
          return found;
        }
        for (Clause& clause : leave_something(query, earlier)) {
          next.clauses.push_back(std::move(clause));
        }
        break;
      case Apart::regions:
        next.clauses.push_back(leave_region(earlier, precision));
        break;
      case Apart::distance:
        next.clauses.push_back(keep_distance(query, earlier, menu.distance, precision));
        break;
    }
    if (found.answers.back().status != Status::optimal)
      break;  // out of time: the results that follow are not from this menu
  }
  found.stop = budget.stop();
  return found;
}

}  // namespace boxwood
