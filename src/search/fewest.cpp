#include "search/fewest.hpp"

#include "base/infinity.hpp"
#include "search/engine_settings.hpp"
#include "search/guarded.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Counts changes: every feature and group weighs the same.
Query counting(const Query& query) {
  Query count = query;
  count.fewest_first = false;
  count.norm = Norm::l0;
  if (query.norm == Norm::custom) {
    count.norm = Norm::custom;
    count.term = [term = query.term](std::size_t feature, double from, double to) {
      return term(feature, from, to) < infinity ? 1.0 : infinity;
    };
  }
  for (FeatureRule& rule : count.features) rule.weight = rule.up = rule.down = 1;
  for (OneHot& group : count.groups) group.weight = 1;
  return count;
}

/// The questions that are asked one after the other, within one set of limits.
class Fewest {
 public:
  Fewest(const Prepared& prepared, const Query& query, const Options& options,
         std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        options_(options),
        known_(known_solution),
        budget_(options, Budget::Share::nodes),
        tuning_(settings_of(options).tuning) {}

  Answer find() {
    if (options_.engine == Engine::paper) return finish(count(options_));
    // A short look for some point. Often it is proven at once that it has the fewest changes.
    Options quick = options_;
    FastParts without_dual = settings_of(options_).parts;
    without_dual.dual = false;
    set(quick, without_dual);
    quick.limits.nodes = tuning_.fewest_first_nodes;
    const Answer first = count(quick);
    const bool cut_short = first.stop == Stop::nodes && nodes_are_left();
    if (!cut_short) return finish(first);
    // A search among points with one, two or three changes is mostly short: the fast engine drops
    // all leaves that need more changes. If it finds a point, it has also found the cheapest one.
    const std::size_t few_changes = tuning_.fewest_few_changes;
    const std::size_t enough = first.solutions.empty() ? query_.point.size() : changes(first);
    const std::size_t most = std::min({enough, few_changes, query_.max_changes.value_or(enough)});
    for (std::size_t few = 1; few <= most; ++few) {
      // Fewer changes do not work: zero would have been counted at once, the others were refuted.
      least_ = std::max(least_, few);
      Answer answer = nearest(few, first, tuning_.fewest_few_nodes, few == enough);
      if (answer.status == Status::infeasible) continue;
      const bool too_long = answer.stop == Stop::nodes && nodes_are_left();
      if (too_long && answer.solutions.empty()) break;
      if (answer.solutions.empty()) return unfinished(first, 0, answer.stop);
      if (!too_long) return with_all_used(std::move(answer));
      const Answer longer = nearest(few, answer, options_.limits.nodes, true);
      return with_all_used(longer.solutions.empty() ? answer : longer);
    }
    Options from_first = options_;
    const std::vector<std::vector<double>> start = points(first);
    if (!start.empty()) from_first.examples = start;
    return finish(count(from_first));
  }

 private:
  Answer count(const Options& options) {
    Options one = options;
    one.ties = 1;
    Answer counted = ask(counting(query_), one, known_, false);
    if (counted.status != Status::infeasible) {
      least_ = std::max(least_, static_cast<std::size_t>(std::ceil(counted.lower_bound)));
    }
    return counted;
  }

  /// The cheapest point with no more changes than this.
  Answer nearest(std::size_t max_changes, const Answer& found, std::uint64_t nodes, bool last) {
    Query nearest = query_;
    nearest.fewest_first = false;
    nearest.max_changes = max_changes;
    const bool known = !known_.empty() && change_count(query_, known_) <= max_changes;
    const std::vector<std::vector<double>> start = points(found);
    Options options = options_;
    options.limits.nodes = nodes;
    if (!start.empty()) options.examples = start;
    return ask(nearest, options, known ? known_ : std::span<const double>{}, last);
  }

  bool nodes_are_left() const { return budget_.used().nodes < options_.limits.nodes; }

  /// Asks within what is left of the limits. Only the last question knows costs to report.
  Answer ask(const Query& query, const Options& options, std::span<const double> known, bool last) {
    Options rest = budget_.rest(last ? Budget::Costs(Budget::as_reported) : Budget::Costs());
    rest.limits.nodes = std::min(rest.limits.nodes, options.limits.nodes);
    rest.ties = options.ties;
    rest.examples = options.examples;
    rest.engine_settings = options.engine_settings;
    Answer answer = explain_guarded(prepared_, query, rest, known);
    budget_.note(answer);
    return answer;
  }

  /// The cheapest of the points with as many changes as were counted.
  Answer finish(const Answer& counted) {
    if (counted.solutions.empty()) return unfinished(counted, 0, counted.stop);
    const Answer answer = nearest(changes(counted), counted, options_.limits.nodes, true);
    const bool proven = counted.status == Status::optimal;
    if (proven && !answer.solutions.empty()) return with_all_used(answer);
    return unfinished(answer.solutions.empty() ? counted : answer, proven ? answer.lower_bound : 0,
                      proven ? answer.stop : counted.stop);
  }

  /// A point that is known, where the search for the best one did not end; or that there is none.
  Answer unfinished(Answer answer, double lower_bound, Stop stop) const {
    if (!answer.solutions.empty()) {
      answer.cost = total_cost(query_, answer.best().point);
      answer.distance = distance(query_.norm, answer.cost);
      answer.lower_bound = std::min(lower_bound, answer.cost);
      answer.status = Status::feasible;
      answer.stop = stop;
    } else if (answer.status != Status::infeasible) {
      answer.lower_bound = 0;  // it was one on changes
      answer.stop = stop;
    }
    return with_all_used(std::move(answer));
  }

  Answer with_all_used(Answer answer) const {
    answer.statistics = budget_.used();
    if (answer.status == Status::optimal) {
      answer.least_changes = changes(answer);
    } else if (answer.status != Status::infeasible) {
      answer.least_changes = least_;
    }
    return answer;
  }

  std::size_t changes(const Answer& answer) const {
    return change_count(query_, answer.best().point);
  }

  static std::vector<std::vector<double>> points(const Answer& answer) {
    if (answer.solutions.empty()) return {};
    return {answer.best().point};
  }

  const Prepared& prepared_;
  const Query& query_;
  const Options& options_;
  std::span<const double> known_;
  Budget budget_;
  fast::Tuning tuning_;
  std::size_t least_ = 0;  ///< proven: no point with the outcome has fewer changes
};

}  // namespace

Answer explain_fewest(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution) {
  return Fewest(prepared, query, options, known_solution).find();
}

}  // namespace boxwood
