#include "search/rules.hpp"

#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "grid/rule_trees.hpp"
#include "search/bottleneck.hpp"
#include "search/bottleneck_rules.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"

#include <boxwood/budget.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace boxwood {

namespace {

/// More than a leaf of a linear condition takes while the trees are built and in all tables
/// (tests/large_model_test.cpp, MemoryHolds).
constexpr std::size_t bytes_per_linear_leaf = 400;

Ensemble rules_within(const Prepared& prepared, const Query& query, Watch& watch) {
  const Cuts& cuts = tables_of(prepared, &watch).leaves.cuts;
  watch.require_bytes(most_linear_leaves(query) * bytes_per_linear_leaf);
  Pace pace = watch.pace();
  return rule_trees(prepared.ensembles(), query, cuts, pace);
}

/// In how many features the cells of a point may differ from the row's. A derived column moves
/// without being a change.
std::optional<std::size_t> most_changed_cells(const Query& query) {
  const bool any = std::any_of(query.features.begin(), query.features.end(),
                               [](const FeatureRule& rule) { return rule.derived; });
  return any ? std::nullopt : query.max_changes;
}

}  // namespace

WithRules::WithRules(const Prepared& given, const Query& given_query, Watch& watch)
    : prepared(prepare_with(given, rules_within(given, given_query, watch),
                            most_changed_cells(given_query), watch, held)),
      query(without_rules(given_query, given.ensembles().size())),
      base_(tables_of(given, nullptr).bytes()) {}

Limits WithRules::rest(const Limits& limits, const Watch& watch) const {
  Limits rest = limits;
  rest.seconds = std::max(0.0, limits.seconds - watch.seconds());
  // The search counts the copied tables itself; the models and their first tables come on top.
  const std::uint64_t outside =
      base_ + held.bytes() -
      std::min<std::uint64_t>(held.bytes(), tables_of(prepared, nullptr).bytes());
  rest.bytes = limits.bytes - std::min<std::uint64_t>(limits.bytes, outside);
  return rest;
}

namespace {

/// As explain_with_rules, with all rules from the start.
Answer search_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                         std::span<const double> known_solution) {
  Watch watch(options.limits);
  std::optional<WithRules> with;
  try {
    with.emplace(prepared, query, watch);
  } catch (const Pace::Stopped&) {
    return stopped_answer(prepared, query, watch);
  }
  Options rest = options;
  rest.limits = with->rest(options.limits, watch);
  const double before = watch.seconds();
  Answer answer = explain_guarded(with->prepared, with->query, rest, known_solution);
  answer.statistics.seconds += before;
  answer.output_before.pop_back();
  if (!answer.output_after.empty()) answer.output_after.pop_back();
  for (Solution& solution : answer.solutions) {
    solution = solution_at(prepared.ensembles(), solution.point);
  }
  return answer;
}

/// Linear rules are left out until a cheapest point breaks one. A search without them is a
/// relaxation: no point that satisfies all rules costs less than its answer, and if it has none,
/// there is none. So if all of its cheapest points satisfy the linear rules, they are the cheapest
/// points with all rules. Otherwise all rules come in: those that are not broken yet often are by
/// the next answer.
class LinearRounds {
 public:
  LinearRounds(const Prepared& prepared, const Query& query, const Options& options,
               std::span<const double> known_solution)
      : prepared_(prepared),
        query_(query),
        known_(known_solution),
        ties_(options.ties),
        budget_(options, Budget::Share::nodes) {}

  Answer find() {
    if (!has_linear_rules(query_)) return finish(search(query_, true));
    Query relaxed = query_;
    std::erase_if(relaxed.clauses, [](const Clause& clause) { return !clause.linear.empty(); });
    Answer answer = search(relaxed, false);
    proven_ = std::max(proven_, answer.lower_bound);
    if (std::all_of(answer.solutions.begin(), answer.solutions.end(),
                    [&](const Solution& solution) { return satisfies(solution); })) {
      return finish(std::move(answer));
    }
    if (answer.status != Status::optimal) return without_broken(std::move(answer));
    const std::vector<Query> choices = choices_of(query_);
    if (choices.size() == 1) return finish(search(query_, true));
    std::vector<Answer> answers;
    for (const Query& choice : choices) answers.push_back(search(choice, true, false));
    return finish(cheapest_of(std::move(answers)));
  }

 private:
  /// `whole`: the query has all rules, so its points are answers. `alone`: every answer is a point
  /// of it, so its bound is that of the answer.
  Answer search(const Query& query, bool whole, bool alone = true) {
    // Points of a relaxation may break rules: their cost is not that of an answer.
    const Options rest = budget_.rest([this, whole, alone](const Progress& inner) {
      const double best = whole ? inner.best_cost : infinity;
      return std::pair{best, alone ? std::max(proven_, inner.lower_bound) : proven_};
    });
    const auto ask = !has_rules(query) ? explain_guarded
                     : query.norm == Norm::linf && has_spread(query)
                         ? explain_bottleneck_under_rules
                         : search_with_rules;
    const bool knows = known_.empty() || allows_known(query);
    Answer answer = ask(prepared_, query, rest, knows ? known_ : std::span<const double>{});
    budget_.note(answer);
    return answer;
  }

  bool allows_known(const Query& query) const {
    return obeys(query, known_, common_precision(prepared_.ensembles()));
  }

  /// Every choice of one sum for each clause with several. An answer satisfies the clauses if and
  /// only if it satisfies those of some choice, so the cheapest answer of all is the cheapest one.
  static std::vector<Query> choices_of(const Query& query) {
    std::vector<Query> choices{query};
    for (std::size_t c = 0; c < query.clauses.size(); ++c) {
      const std::vector<LinearCondition>& sums = query.clauses[c].linear;
      if (sums.size() < 2) continue;
      std::vector<Query> more;
      for (const Query& choice : choices) {
        for (const LinearCondition& sum : sums) {
          more.push_back(choice);
          more.back().clauses[c].linear = {sum};
        }
      }
      choices = std::move(more);
    }
    return choices;
  }

  Answer cheapest_of(std::vector<Answer> answers) const {
    const auto best =
        std::min_element(answers.begin(), answers.end(),
                         [](const Answer& a, const Answer& b) { return a.cost < b.cost; });
    Answer answer = *best;
    bool proven = true, found = !answer.solutions.empty();
    for (const Answer& other : answers) {
      answer.lower_bound = std::min(answer.lower_bound, other.lower_bound);
      const bool known = other.status == Status::optimal || other.status == Status::infeasible ||
                         other.lower_bound >= answer.cost;
      proven = proven && known;
      if (!known && answer.stop == Stop::finished) answer.stop = other.stop;
      if (&other == &*best || other.solutions.empty() || other.cost != answer.cost) continue;
      answer.more_ties = answer.more_ties || other.more_ties;
      for (const Solution& solution : other.solutions) {
        const bool listed =
            std::any_of(answer.solutions.begin(), answer.solutions.end(), [&](const Solution& one) {
              return !is_before(one, solution) && !is_before(solution, one);
            });
        if (!listed) answer.solutions.push_back(solution);
      }
    }
    if (query_.norm == Norm::linf) keep_least_sum(answer.solutions);
    std::stable_sort(answer.solutions.begin(), answer.solutions.end(),
                     [&](const Solution& a, const Solution& b) { return is_before(a, b); });
    const std::size_t most = std::max<std::size_t>(ties_, 1);
    if (answer.solutions.size() > most) {
      answer.solutions.resize(most);
      answer.more_ties = true;
    }
    if (found) answer.output_after = outputs_at(prepared_.ensembles(), answer.best().point);
    answer.status = found    ? proven ? Status::optimal : Status::feasible
                    : proven ? Status::infeasible
                             : Status::unknown;
    if (proven) answer.stop = Stop::finished;
    return answer;
  }

  /// Of points with the same largest change, those with the least sum of changes are listed
  /// (explain_bottleneck).
  void keep_least_sum(std::vector<Solution>& solutions) const {
    const Query sums = capped(query_, infinity);
    double least = infinity;
    for (const Solution& one : solutions) least = std::min(least, total_cost(sums, one.point));
    std::erase_if(solutions,
                  [&](const Solution& one) { return total_cost(sums, one.point) > least; });
  }

  /// The order of ties (Incumbent): fewer changes, then smaller values, missing ones last.
  bool is_before(const Solution& a, const Solution& b) const {
    const std::size_t changes = change_count(query_, a.point), more = change_count(query_, b.point);
    if (changes != more) return changes < more;
    for (std::size_t d = 0; d < a.point.size(); ++d) {
      const bool missing = std::isnan(a.point[d]), other = std::isnan(b.point[d]);
      if (missing != other) return other;
      if (a.point[d] < b.point[d]) return true;
      if (b.point[d] < a.point[d]) return false;
    }
    return false;
  }

  bool satisfies(const Solution& solution) const {
    return std::all_of(query_.clauses.begin(), query_.clauses.end(), [&](const Clause& clause) {
      return holds(clause, query_.point, solution.point, common_precision(prepared_.ensembles()));
    });
  }

  /// A search that a limit has ended: its points that satisfy all rules are known, and its bound.
  Answer without_broken(Answer answer) {
    std::erase_if(answer.solutions, [&](const Solution& solution) { return !satisfies(solution); });
    answer.more_ties = true;
    answer.output_after.clear();
    if (!answer.solutions.empty()) {  // perhaps not the first one that was found
      answer.output_after = outputs_at(prepared_.ensembles(), answer.best().point);
    } else {
      answer.status = Status::unknown;
      answer.cost = answer.distance = infinity;
      answer.already_met = false;
      answer.more_ties = false;
    }
    return finish(std::move(answer));
  }

  Answer finish(Answer answer) const {
    if (answer.status != Status::infeasible) {
      answer.lower_bound = std::max(answer.lower_bound, proven_);
    }
    answer.statistics = budget_.used();
    return answer;
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const double> known_;
  std::size_t ties_;
  Budget budget_;
  double proven_ = 0;  // no point costs less
};

}  // namespace

Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution) {
  check_spread_costs(query, prepared.ensembles());
  return LinearRounds(prepared, query, options, known_solution).find();
}

}  // namespace boxwood
