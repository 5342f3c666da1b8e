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
#include <cstdint>
#include <utility>

namespace boxwood {
namespace {

/// Nodes of the first look for a point. Most questions have one within a few dozen.
constexpr std::uint64_t first_nodes = 100;

/// The query for any point whose terms are all at most `cap`: such a point costs nothing. Bounds
/// then only have to show that there is none, not how much it would cost.
Query free_within(const Query& query, double cap) {
  Query inner = capped(query, cap);
  inner.term = [term = inner.term](std::size_t feature, double from, double to) {
    return term(feature, from, to) < infinity ? 0.0 : infinity;
  };
  return inner;
}

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
    if (caps_.empty()) caps_.push_back(0);
    std::sort(caps_.begin(), caps_.end());
    caps_.erase(std::unique(caps_.begin(), caps_.end()), caps_.end());
  }

  Answer run() {
    // The least sum is not needed until the cap is known: until then any point will do.
    Answer best = solve(infinity, Ask::first);
    if (best.status == Status::infeasible) return finish(best, infinity);
    std::size_t low = 0, high = caps_.size() - 1;
    if (!best.solutions.empty()) high = rank_of(best);
    while (!stopped() && (low < high || best.solutions.empty())) {
      const std::size_t middle = low + (high - low) / 2;
      Answer answer = solve(caps_[middle], Ask::any);
      if (!answer.solutions.empty()) {
        high = rank_of(answer);
        best = std::move(answer);
      } else if (answer.status != Status::infeasible) {
        break;
      } else if (middle + 1 == caps_.size()) {
        return finish(answer, infinity);  // no cell costs more
      } else {
        low = middle + 1;
      }
    }
    if (best.solutions.empty()) {
      best.status = Status::unknown;
      return finish(best, 0);
    }
    const bool known = low == high;
    best.status = Status::feasible;
    if (known && !stopped()) {
      const std::vector<std::vector<double>> start = {best.best().point};
      Answer answer = solve(caps_[high], Ask::least, start);
      // A limit may end the search for the least sum after the cost was proven. The answer is then
      // not finished.
      if (!answer.solutions.empty()) best = std::move(answer);
    }
    return finish(best, caps_[low]);
  }

 private:
  /// What is asked within a cap: the least sum; any point; or whether a few nodes find a point, one
  /// that is near by its sum, so that its largest term is a good cap to begin with.
  enum class Ask : std::uint8_t { least, any, first };

  bool stopped() const { return budget_.stopped() || budget_.exhausted() != Stop::finished; }

  Answer solve(double cap, Ask ask, std::span<const std::vector<double>> start = {}) {
    Options options = budget_.rest([&](const Progress&) { return std::pair{best_, lower_}; });
    const std::uint64_t nodes = options.limits.nodes;
    // Under linear rules the values within a cell count too, and they are found by their cost.
    const bool any = ask == Ask::any && query_.exact_clauses.empty();
    if (any) options.any_within = infinity;
    if (ask == Ask::first) options.limits.nodes = std::min(nodes, first_nodes);
    if (!start.empty()) options.examples = start;
    const bool within = !known_.empty() && total_cost(query_, known_) <= cap;
    Answer answer = explain_guarded(prepared_, any ? free_within(query_, cap) : capped(query_, cap),
                                    options, within ? known_ : std::span<const double>{});
    keep_least_change(answer);
    // Ends that were asked for are no limits of the whole search.
    const bool meant = (any && !answer.solutions.empty() && answer.stop == Stop::visitor) ||
                       (ask == Ask::first && answer.stop == Stop::nodes && first_nodes < nodes);
    if (meant) answer.stop = Stop::finished;
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
        explain_guarded(prepared, free_within(query, *options.any_within), any, known_solution);
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
