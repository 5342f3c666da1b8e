// The most for a budget: exact questions about one level after the other. Every answer is a real
// point, so levels jump from one value of the model to another, and a level that no point within
// the budget reaches is a proven bound.
#include "analysis/level.hpp"
#include "base/infinity.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace boxwood {
namespace {

/// Bisection ends where the bounds are this close; then every better value is asked for.
constexpr double narrow = 1.0 / 64;

class BestSearch {
 public:
  BestSearch(const Prepared& prepared, const Query& query, const Options& options)
      : prepared_(prepared), query_(query), budget_(options) {
    refuse_robust(query, "the most for a budget");
    if (query.requirements.empty() || query.requirements.front().negated) {
      throw Error("query", "no output is given to be improved",
                  "Require a class, or a lower or upper end of an output");
    }
    first_ = query.requirements.front();
    if (auto* wanted = std::get_if<ClassIs>(&first_.outcome)) {
      wanted->margin.reset();
      is_probability_ = true;
    }
    falls_ = asks_at_most(first_);
    worst_ = falls_ ? infinity : is_probability_ ? 0 : -infinity;
  }

  double value_at(std::span<const double> point) const {
    const Ensemble& ensemble = prepared_.ensembles()[first_.ensemble];
    return level_of(first_, ensemble, ensemble.predict(point));
  }

  Answer ask(double level, const Answer* start) {
    Query at = query_;
    at.requirements.front() = at_level(first_, level, "the most for a budget");
    Options rest = budget_.rest();
    std::vector<std::vector<double>> starts;
    if (start && !start->solutions.empty()) starts.push_back(start->best().point);
    if (!starts.empty()) rest.examples = starts;
    Answer answer = explain(prepared_, at, rest);
    budget_.note(answer);
    return answer;
  }

  /// The next level that asks for more.
  double beyond(double level) const { return std::nextafter(level, falls_ ? -infinity : infinity); }

  Best begin() {
    Best best;
    best.before = value_at(query_.point);
    best.answer = ask(worst_, nullptr);
    best.value = best.answer.solutions.empty() ? worst_ : value_at(best.answer.best().point);
    best.bound = falls_ ? -infinity : is_probability_ ? 1 : infinity;
    return best;
  }

  Best run() {
    Best best = begin();
    double step = falls_ ? -1 : 1;
    step *= std::max(std::abs(best.value), 1.0) / 16;
    while (best.answer.status == Status::optimal && best.value != best.bound) {
      const double level = next_level(best, step);
      Answer found = ask(level, &best.answer);
      if (found.status == Status::infeasible) {
        // No value from `level` on is reached, so at most the one before it is.
        best.bound = level == beyond(best.value) ? best.value : level;
      } else if (found.solutions.empty()) {
        best.answer.status = Status::feasible;
        best.answer.stop = found.stop;
      } else {
        best.value = value_at(found.best().point);
        best.answer = std::move(found);
        step *= 2;
      }
    }
    best.answer.statistics = budget_.used();
    return best;
  }

  Stop visit(const std::function<bool(const Best&)>& visit) {
    Best step = begin();
    for (;;) {
      if (step.answer.status != Status::optimal) return step.answer.stop;
      Answer next = ask(beyond(step.value), nullptr);
      // Proven for this step: nothing cheaper than the next one reaches more.
      const bool same_cost = !next.solutions.empty() && next.cost == step.answer.cost;
      step.bound = step.value;
      const bool proven = next.status == Status::infeasible || next.status == Status::optimal;
      if (!same_cost && proven && !visit(step)) return Stop::visitor;
      if (next.status != Status::optimal) return proven ? Stop::finished : next.stop;
      step.value = value_at(next.best().point);
      step.answer = std::move(next);
    }
  }

 private:
  double next_level(const Best& best, double step) const {
    if (std::isinf(best.bound)) return best.value + step;
    const double gap = std::abs(best.bound - best.value);
    const double size = is_probability_ ? std::min(std::max(best.value, 0.0), 1 - best.value)
                                        : std::abs(best.bound - best.before);
    const double middle = best.value + (best.bound - best.value) / 2;
    const bool close = gap <= narrow * size || middle == best.value || middle == best.bound;
    return close ? beyond(best.value) : middle;
  }

  const Prepared& prepared_;
  const Query& query_;
  Budget budget_;
  Requirement first_;
  bool is_probability_ = false, falls_ = false;
  double worst_ = 0;
};

}  // namespace

Best find_best(const Prepared& prepared, const Query& query, const Options& options) {
  return BestSearch(prepared, query, options).run();
}

Stop visit_best_curve(const Prepared& prepared, const Query& query,
                      const std::function<bool(const Best&)>& visit, const Options& options) {
  return BestSearch(prepared, query, options).visit(visit);
}

}  // namespace boxwood
