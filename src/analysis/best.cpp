// The most for a budget: exact questions about one level after the other. Every answer is a point
// of the model, so levels jump from one value of the model to the next. A level that no point
// within the budget reaches is a proven bound.
#include "analysis/level.hpp"
#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace boxwood {
namespace {

constexpr const char* place = "the most for a budget";

/// The nodes that a question may take before an easier one is asked. The number grows each time
/// that both end undecided. Most questions need fewer.
constexpr std::uint64_t first_nodes = 20'000;
constexpr std::uint64_t more_nodes = 4;
/// After this many questions for anything better, every other question asks for much more.
/// Otherwise many small steps could make the search long.
constexpr int patient_questions = 4;

/// The requirement without its level: rising ones ask for at least 0, falling ones for at most 0.
Requirement without_level(Requirement first, std::span<const Ensemble> ensembles) {
  if (first.negated) {
    throw Error(place, "a negated requirement cannot be improved",
                "Name a class, or a lower or upper end of an output");
  }
  if (first.counted) {
    throw Error(place, "an outcome of some of the models cannot be improved",
                "Ask for the outcome of one model");
  }
  if (const auto* one = std::get_if<ClassIn>(&first.outcome)) {
    if (one->targets.size() != 1) {
      throw Error(place, "several classes are wanted", "Name a single class");
    }
    first.outcome = ClassIs{one->targets.front()};
  }
  const Ensemble& ensemble = ensembles[first.ensemble];
  if (auto* wanted = std::get_if<ClassIs>(&first.outcome)) {
    if (ensemble.has_probabilities()) {
      *wanted = ClassIs{wanted->target, 0.0};
      return first;
    }
    if (ensemble.task != Task::binary || ensemble.base.size() != 1) {
      throw Error(place, "the model has no probabilities", "Ask for one of its scores");
    }
    const Interval higher{.lower = 0}, lower{.upper = 0};
    first.outcome = ScoreIn{wanted->target == 1 ? higher : lower};
    return first;
  }
  const auto one_end = [](Interval& range) {
    const bool falls = range.lower == -infinity && range.upper < infinity;
    if (range.lower > -infinity && range.upper < infinity) {
      throw Error(place, "a range with two ends cannot be improved",
                  "Give a lower end for the highest, or an upper end for the lowest output");
    }
    range = falls ? Interval{.upper = 0} : Interval{.lower = 0};
  };
  if (auto* output = std::get_if<OutputIn>(&first.outcome)) one_end(output->range);
  if (auto* score = std::get_if<ScoreIn>(&first.outcome)) one_end(score->range);
  return first;
}

class BestSearch {
 public:
  BestSearch(const Prepared& prepared, const Query& query, double budget, const Options& options)
      : prepared_(prepared), query_(query), most_(budget), options_(options), budget_(options) {
    refuse_robust_or_live(query, place);
    validate(query, prepared.ensembles());
    if (!(budget >= 0)) throw Error("budget", "must be a number ≥ 0");
    if (query.requirements.empty()) {
      throw Error(place, "no output is given", "Name a class, or an end of an output");
    }
    if (query.fewest_first) {
      throw Error(place, "a budget limits the cost, and the fewest changes come first here",
                  "Limit the number of changes instead");
    }
    first_ = without_level(query.requirements.front(), prepared.ensembles());
    is_probability_ = std::holds_alternative<ClassIs>(first_.outcome);
    falls_ = asks_at_most(first_);
    best_.before = value_at(query.point);
    best_.bound = falls_ ? -infinity : is_probability_ ? 1 : infinity;
    best_.value = falls_ ? infinity : is_probability_ ? 0 : -infinity;
  }

  const Best& find() {
    raise(ask(best_.value, unlimited, most_));
    if (!point_.empty()) rise();
    finish();
    return best_;
  }

  BestCurve curve(const std::function<bool(const BestStep&)>& visit) {
    BestCurve curve{find(), {}, false, Stop::finished};
    if (point_.empty()) {
      curve.complete = best_.status == Status::infeasible;
      curve.stop = best_.stop;
      return curve;
    }
    const auto add = [&](BestStep step) {
      curve.steps.push_back(std::move(step));
      return !visit || visit(curve.steps.back());
    };
    const std::vector<std::vector<double>> start{best_.answer.best().point};
    double level = falls_ ? infinity : is_probability_ ? 0 : -infinity;
    BestStep step;
    for (bool begun = false;; begun = true) {
      if (begun && level == best_.value) break;
      Answer next = ask(begun ? beyond(level) : level, unlimited, std::nullopt, start);
      if (next.status != Status::optimal) {
        curve.stop = next.stop;
        return curve;
      }
      // Of points with the same cost, the one with the best value is the step.
      if (begun && next.cost > step.answer.cost && !add(std::move(step))) {
        curve.stop = Stop::visitor;
        return curve;
      }
      level = value_at(next.best().point);
      step = {level, std::move(next)};
    }
    add(std::move(step));
    curve.complete = best_.status == Status::optimal;
    curve.stop = best_.stop;
    return curve;
  }

 private:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  double value_at(std::span<const double> point) const {
    const Ensemble& ensemble = prepared_.ensembles()[first_.ensemble];
    return level_of(first_, ensemble, ensemble.predict(point));
  }

  /// The next level that asks for more.
  double beyond(double level) const { return std::nextafter(level, falls_ ? -infinity : infinity); }

  Answer ask(double level, std::uint64_t nodes, std::optional<double> any_within,
             std::span<const std::vector<double>> start = {}) {
    Query at = query_;
    at.requirements.front() = at_level(first_, level, place);
    Options rest = budget_.rest();
    rest.limits.nodes = std::min(rest.limits.nodes, nodes);
    rest.any_within = any_within;
    if (!start.empty()) rest.examples = start;
    if (any_within) rest.examples = highest_;
    Answer answer = explain(prepared_, at, rest);
    if (any_within && !answer.solutions.empty() && !answer.already_met) {
      highest_ = {answer.best().point};
    }
    const bool ours = answer.stop == Stop::visitor ||
                      (answer.stop == Stop::nodes && nodes < options_.limits.nodes);
    Answer noted = answer;
    if (ours) noted.stop = Stop::finished;
    budget_.note(noted);
    return answer;
  }

  /// Keeps the point of an answer; false if it is no improvement.
  bool raise(const Answer& found) {
    if (found.solutions.empty()) {
      if (point_.empty()) first_status_ = found.status;
      return false;
    }
    point_ = found.best().point;
    best_.value = value_at(point_);
    return true;
  }

  /// Asks for more until it is proven that there is no more.
  void rise() {
    std::uint64_t nodes = first_nodes;
    double step = 0;
    int questions = 0;
    bool hard = false;
    while (best_.value != best_.bound && budget_.exhausted() == Stop::finished &&
           !budget_.stopped()) {
      ++questions;
      const bool far = hard || (questions > patient_questions && questions % 2 == 0);
      const double level = far ? far_level(step) : beyond(best_.value);
      const double before = best_.value;
      const Answer found = ask(level, nodes, most_);
      if (raise(found)) {
        step = std::max(2 * step, std::abs(best_.value - before));
        hard = false;
      } else if (found.status == Status::infeasible) {
        // No point reaches `level`, so the value before it is a bound.
        best_.bound = level == beyond(best_.value) ? best_.value : level;
        hard = false;
      } else if (found.stop == Stop::precision) {
        best_.stop = Stop::precision;
        return;
      } else {
        if (hard) nodes = nodes > unlimited / more_nodes ? unlimited : nodes * more_nodes;
        hard = !hard;
      }
    }
  }

  /// A level well beyond the value: halfway to the bound, or by growing steps.
  double far_level(double step) const {
    const double value = best_.value, bound = best_.bound;
    double level = value + (bound - value) / 2;
    if (std::isinf(bound)) {
      const double least = std::max(std::abs(value - best_.before), std::abs(value) / 64);
      level = value + (falls_ ? -1 : 1) * std::max({2 * step, least, 1e-9});
    }
    const bool between = falls_ ? level < value && level > bound : level > value && level < bound;
    return between ? level : beyond(value);
  }

  /// The cheapest of the points that reach the value.
  void finish() {
    if (best_.stop == Stop::finished && best_.value != best_.bound) {
      best_.stop = budget_.stopped() ? budget_.stop() : budget_.exhausted();
    }
    if (point_.empty()) {
      best_.status = first_status_;
      best_.answer.status = first_status_;
      best_.answer.stop = best_.stop;
      best_.answer.output_before = outputs_at(query_.point);
      if (first_status_ == Status::infeasible) best_.stop = best_.answer.stop = Stop::finished;
      best_.answer.statistics = budget_.used();
      return;
    }
    best_.status = best_.value == best_.bound ? Status::optimal : Status::feasible;
    const std::vector<std::vector<double>> start{point_};
    best_.answer = ask(best_.value, unlimited, std::nullopt, start);
    // A limit may leave no time for this search. The point itself is then the answer.
    if (best_.answer.solutions.empty() || best_.answer.cost > most_) {
      best_.answer.status = Status::feasible;
      best_.answer.solutions = {solution_at(prepared_.ensembles(), point_)};
      best_.answer.cost = total_cost(query_, point_);
      best_.answer.distance = distance(query_.norm, best_.answer.cost);
      best_.answer.lower_bound = std::min(best_.answer.lower_bound, best_.answer.cost);
      best_.answer.output_after = outputs_at(point_);
    }
    // The search of the point may have been cut short and found a better one than before.
    point_ = best_.answer.best().point;
    best_.value = value_at(point_);
    best_.answer.statistics = budget_.used();
  }

  std::vector<std::vector<double>> outputs_at(std::span<const double> point) const {
    std::vector<std::vector<double>> outputs;
    for (const Ensemble& ensemble : prepared_.ensembles()) {
      outputs.push_back(ensemble.transform(ensemble.predict(point)));
    }
    return outputs;
  }

  const Prepared& prepared_;
  const Query& query_;
  double most_;
  const Options& options_;
  Budget budget_;
  Requirement first_;
  bool is_probability_ = false, falls_ = false;
  /// What the last question found, if it was not the row itself: the engine looks for a high point
  /// within the budget once, not again where it has an example.
  std::vector<std::vector<double>> highest_;
  Status first_status_ = Status::unknown;
  std::vector<double> point_;  ///< reaches best_.value within the budget
  Best best_;
};

}  // namespace

Best find_best(const Prepared& prepared, const Query& query, double budget,
               const Options& options) {
  return BestSearch(prepared, query, budget, options).find();
}

BestCurve find_best_curve(const Prepared& prepared, const Query& query, double budget,
                          const std::function<bool(const BestStep&)>& visit,
                          const Options& options) {
  return BestSearch(prepared, query, budget, options).curve(visit);
}

Requirement best_requirement(const Prepared& prepared, const Query& query, double value) {
  return at_level(without_level(query.requirements.front(), prepared.ensembles()), value, place);
}

}  // namespace boxwood
