#include "search/bottleneck.hpp"

#include "base/infinity.hpp"
#include "grid/cells.hpp"
#include "grid/leaves.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"
#include "search/watch.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace boxwood {
namespace {

/// Bisects the costs that a cell can have: the least one that, as a cap, leaves a point.
class Bisection {
 public:
  /// Throws Pace::Stopped at a limit of `watch`.
  Bisection(const Prepared& prepared, const Query& query, const Options& options,
            std::span<const double> known_solution, Watch& watch)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        budget_(options, Budget::Share::nodes) {
    Pace pace = watch.pace();
    for (const Variable& variable :
         make_variables(prepared.ensembles(), query, tables_of(prepared, &watch).leaves,
                        CellOrder::by_cost, pace)) {
      for (const Cell& cell : variable.cells) caps_.push_back(cell.cost);
    }
    std::sort(caps_.begin(), caps_.end());
    caps_.erase(std::unique(caps_.begin(), caps_.end()), caps_.end());
  }

  Answer run() {
    Answer best = solve(infinity);
    if (best.solutions.empty()) return finish(best, best.lower_bound);
    double solved_for = infinity;
    std::size_t low = 0, high = rank_of(best);
    while (low < high && !stopped()) {
      const std::size_t middle = low + (high - low) / 2;
      Answer answer = solve(caps_[middle]);
      if (!answer.solutions.empty()) {
        high = rank_of(answer);
        solved_for = caps_[middle];
        best = std::move(answer);
      } else if (answer.status == Status::infeasible) {
        low = middle + 1;
      } else {
        break;
      }
    }
    // Points of the same sum but a larger change may be among the ties of a looser cap.
    if (low == high && solved_for != caps_[high]) {
      Answer answer = solve(caps_[high]);
      if (!answer.solutions.empty()) {
        solved_for = caps_[high];
        best = std::move(answer);
      }
    }
    // A limit may end the search for the least sum after the cost was proven. The answer is then
    // not finished.
    const bool finished =
        low == high && solved_for == caps_[high] && best.status == Status::optimal;
    best.status = finished ? Status::optimal : Status::feasible;
    return finish(best, caps_[low]);
  }

 private:
  bool stopped() const { return budget_.stopped() || budget_.exhausted() != Stop::finished; }

  Answer solve(double cap) {
    const Options options = budget_.rest([&](const Progress&) { return std::pair{best_, lower_}; });
    const bool within = !known_.empty() && total_cost(query_, known_) <= cap;
    Answer answer = explain_guarded(prepared_, capped(query_, cap), options,
                                    within ? known_ : std::span<const double>{});
    keep_least_change(answer);
    budget_.note(answer);
    if (!answer.solutions.empty()) {
      best_ = std::min(best_, total_cost(query_, answer.best().point));
    } else if (answer.status == Status::infeasible && std::isfinite(cap)) {
      lower_ = std::max(lower_, cap);
    }
    return answer;
  }

  /// Points of one sum may differ in their largest change as long as the cap is not the least one.
  void keep_least_change(Answer& answer) const {
    if (answer.solutions.empty()) return;
    double least = infinity;
    for (const Solution& s : answer.solutions) {
      least = std::min(least, total_cost(query_, s.point));
    }
    std::erase_if(answer.solutions,
                  [&](const Solution& s) { return total_cost(query_, s.point) > least; });
    answer.output_after = outputs_at(prepared_.ensembles(), answer.best().point);
  }

  std::size_t rank_of(const Answer& answer) const {
    const double cost = total_cost(query_, answer.best().point);
    return static_cast<std::size_t>(std::lower_bound(caps_.begin(), caps_.end(), cost) -
                                    caps_.begin());
  }

  Answer finish(Answer answer, double lower_bound) {
    const bool found = !answer.solutions.empty();
    answer.cost = found ? total_cost(query_, answer.best().point) : infinity;
    answer.distance = answer.cost;
    // Without a point, the inner search's bound is about sums. It says nothing about the largest
    // term.
    answer.lower_bound = found                                 ? std::min(lower_bound, answer.cost)
                         : answer.status == Status::infeasible ? infinity
                                                               : 0.0;
    const bool proven = answer.status == Status::optimal || answer.status == Status::infeasible;
    answer.stop = proven              ? Stop::finished
                  : budget_.stopped() ? budget_.stop()
                                      : budget_.exhausted();
    // Only points of least sum are listed; others may have the same largest term.
    answer.more_ties = answer.more_ties || (found && answer.cost > 0);
    answer.statistics = budget_.used();
    if (proven) answer.statistics.open_nodes = 0;
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  Budget budget_;
  std::vector<double> caps_;
  double best_ = infinity;
  double lower_ = 0;
};

}  // namespace

Query capped(const Query& query, double cap) {
  Query inner = query;
  inner.norm = Norm::custom;
  inner.term = [outer = query, cap](std::size_t feature, double, double to) {
    const auto group = std::find_if(outer.groups.begin(), outer.groups.end(),
                                    [&](const OneHot& g) { return g.columns.front() == feature; });
    const double term = group == outer.groups.end()
                            ? term_cost(outer, feature, to)
                            : group_cost(outer, *group, static_cast<std::size_t>(to));
    return term <= cap ? term : infinity;
  };
  return inner;
}

Answer explain_bottleneck(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution) {
  if (options.any_within) {
    // Every term within the limit, whatever their sum.
    Options any = options;
    any.any_within = infinity;
    Answer answer =
        explain_guarded(prepared, capped(query, *options.any_within), any, known_solution);
    if (answer.solutions.empty()) return answer;
    answer.cost = answer.distance = total_cost(query, answer.best().point);
    answer.lower_bound = 0;  // it was one on the sum
    if (!answer.already_met) answer.status = Status::feasible;
    return answer;
  }
  Watch watch(options.limits);
  try {
    return Bisection(prepared, query, options, known_solution, watch).run();
  } catch (const Pace::Stopped&) {
    return stopped_answer(prepared, query, watch);
  }
}

}  // namespace boxwood
