// The cost of each level of a requirement, and the robustness of a decision.
#include "analysis/level.hpp"
#include "base/infinity.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

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
    at.requirements.front() = at_level(first, level, "sweep");
    Options rest = budget.rest();
    if (!starts.empty()) rest.examples = starts;
    Answer answer = explain(prepared, at, rest);
    budget.note(answer);
    return answer;
  };
  const auto meets_level = [&](double level, const Solution& solution) {
    Query at = query;
    at.requirements.front() = at_level(first, level, "sweep");
    return meets(at, prepared.ensembles(), solution.point);
  };
  std::vector<SweepPoint> points;
  if (levels.empty()) return points;
  // What meets the last level meets them all: a start for each.
  const Answer last = solve(levels.back(), {});
  std::vector<std::vector<double>> starts;
  if (!last.solutions.empty()) starts.push_back(last.best().point);
  for (const double level : levels) {
    SweepPoint point{level, {}};
    const Answer* before = points.empty() ? nullptr : &points.back().answer;
    if (before && before->status == Status::infeasible) {
      point.answer = *before;  // who asks for more has even less
    } else if (before && before->status == Status::optimal && !is_robust(query) &&
               meets_level(level, before->best())) {
      // The cheapest of a larger set is in the smaller one too; so are some of its equals.
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

Requirement other_outcome(const Ensemble& ensemble, std::span<const double> point,
                          double tolerance) {
  const std::vector<double> scores = ensemble.predict(point);
  if (ensemble.task != Task::regression) {
    return require_other_class(ensemble, ensemble.classify(scores));
  }
  if (!(tolerance >= 0 && tolerance < infinity)) {
    throw Error("tolerance", "must be a number ≥ 0");
  }
  const double now = ensemble.transform(scores)[0];
  Requirement requirement = require_output({now - tolerance, now + tolerance});
  requirement.negated = true;
  return requirement;
}

Answer find_robustness(const Prepared& prepared, const Query& query, double tolerance,
                       const Options& options) {
  refuse_robust(query, "the distance to another outcome");
  Query other = query;
  other.requirements = {other_outcome(prepared.ensembles().front(), query.point, tolerance)};
  return explain(prepared, other, options);
}

}  // namespace boxwood
