// The cost of each level of a requirement and of robust distances, and the robustness of a
// decision.
#include "analysis/level.hpp"
#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace boxwood {
std::vector<SweepPoint> find_sweep(const Prepared& prepared, const Query& query,
                                   std::span<const double> levels, const SweepVisitor& visit,
                                   const Options& options) {
  if (query.requirements.empty()) {
    throw Error("query", "nothing is required", "Give at least one requirement");
  }
  const Requirement& first = query.requirements.front();
  if (first.negated) throw Error("sweep", "a negated requirement has no level");
  const bool falling = asks_at_most(first);
  const bool ordered = falling ? std::is_sorted(levels.begin(), levels.end(), std::greater<>{})
                               : std::is_sorted(levels.begin(), levels.end());
  if (!ordered) {
    throw Error("sweep, levels", falling ? "must be descending" : "must be ascending",
                "Each level must ask for more than the one before");
  }
  Budget budget(options);
  const auto solve = [&](double level, const std::vector<std::vector<double>>& starts) {
    Query at = query;
    set_level(at, level);
    Options rest = budget.rest();
    if (!starts.empty()) rest.examples = starts;
    Answer answer = explain(prepared, at, rest);
    budget.note(answer);
    return answer;
  };
  const auto meets_level = [&](double level, const Solution& solution) {
    Query at = query;
    set_level(at, level);
    return meets(at, prepared.ensembles(), solution.point);
  };
  std::vector<SweepPoint> points;
  if (levels.empty()) return points;
  // A point that meets the last level meets all levels, so it is a start for each of them.
  const Answer last = solve(levels.back(), {});
  std::vector<std::vector<double>> starts;
  if (!last.solutions.empty()) starts.push_back(last.best().point);
  for (const double level : levels) {
    SweepPoint point{level, {}};
    const Answer* before = points.empty() ? nullptr : &points.back().answer;
    if (before && before->status == Status::infeasible) {
      point.answer = *before;  // a level that asks for more has no answer either
    } else if (before && before->status == Status::optimal && !is_robust(query) &&
               meets_level(level, before->best())) {
      // The answer to the level before is the cheapest point of a larger set. If it is in this
      // smaller set, it is the cheapest here, and so are its ties in this set.
      point.answer = *before;
      std::erase_if(point.answer.solutions,
                    [&](const Solution& solution) { return !meets_level(level, solution); });
    } else if (level == levels.back()) {
      point.answer = last;
    } else {
      point.answer = solve(level, starts);
    }
    points.push_back(std::move(point));
    if (visit && !visit(points.back())) break;
  }
  return points;
}

Query with_distances(Query query, double multiple) {
  if (multiple == 0) return without_robustness(std::move(query));
  for (FeatureRule& rule : query.features) rule.robust *= multiple;
  return query;
}

std::vector<SweepPoint> find_robust_sweep(const Prepared& prepared, const Query& query,
                                          std::span<const double> multiples,
                                          const SweepVisitor& visit, const Options& options) {
  if (!is_robust(query)) {
    throw Error("robust", "there is no distance to vary", "Give `robust` distances");
  }
  if (query.agree) {  // explain refuses it too, but the multiple 0 asks without robustness
    throw Error("robust", "an outcome of some of the models cannot be robust",
                "Ask all models, or leave out the robustness");
  }
  const bool fits = std::all_of(multiples.begin(), multiples.end(),
                                [](double one) { return one >= 0 && one < infinity; });
  if (!fits || !std::is_sorted(multiples.begin(), multiples.end())) {
    throw Error("multiples", "they must be ascending numbers ≥ 0");
  }
  Budget budget(options);
  // A row withstands these distances if none of its neighbours misses a requirement.
  const auto withstands = [&](const Query& at, const std::vector<double>& point) {
    for (std::size_t r = 0; r < at.requirements.size(); ++r) {
      const Query near = neighbour_query(at, point, common_precision(prepared.ensembles()), r);
      if (budget.note(explain(prepared, near, budget.rest())).status != Status::infeasible) {
        return false;
      }
    }
    return true;
  };
  std::vector<SweepPoint> points;
  for (const double multiple : multiples) {
    const Query at = with_distances(query, multiple);
    const Answer* const before = points.empty() ? nullptr : &points.back().answer;
    SweepPoint point{multiple, {}};
    if (before && before->status == Status::infeasible) {
      point.answer = *before;  // larger distances permit fewer rows
    } else if (before && before->status == Status::optimal && is_robust(at) &&
               withstands(at, before->best().point)) {
      // The cheapest point of a larger set, if it is in the smaller one, is the cheapest there. Its
      // ties were not checked.
      point.answer = *before;
      point.answer.more_ties |= point.answer.solutions.size() > 1;
      point.answer.solutions.resize(1);
    } else {
      point.answer = budget.note(explain(prepared, at, budget.rest()));
    }
    points.push_back(std::move(point));
    if (visit && !visit(points.back())) break;
  }
  return points;
}

Requirement other_outcome(const Ensemble& ensemble, std::span<const double> point,
                          double tolerance) {
  const std::vector<double> scores = ensemble.predict(point);
  if (ensemble.task != Task::regression) {
    return require_other_class(ensemble, ensemble.classify(scores));
  }
  if (!(tolerance >= 0 && tolerance < infinity)) {
    throw Error("tolerance", "must be a number ≥ 0");
  }
  if (ensemble.output_count() > 1) {
    throw Error("robustness",
                fmt::format("the model predicts {} numbers, and robustness is about one",
                            ensemble.output_count()),
                "Ask for a change of one of them by explain, or give a model of one output");
  }
  const double now = ensemble.transform(scores)[0];
  Requirement requirement = require_output({now - tolerance, now + tolerance});
  requirement.negated = true;
  return requirement;
}

Answer find_robustness(const Prepared& prepared, const Query& query, double tolerance,
                       const Options& options) {
  refuse_robust_or_live(query, "the distance to another outcome");
  Query other = query;
  other.requirements = {other_outcome(prepared.ensembles().front(), query.point, tolerance)};
  return explain(prepared, other, options);
}

}  // namespace boxwood
