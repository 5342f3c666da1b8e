// The public entry: checks the question, builds the problem, runs the engine, writes the answer.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "base/infinity.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "grid/rule_trees.hpp"
#include "search/agreement.hpp"
#include "search/bottleneck.hpp"
#include "search/cases.hpp"
#include "search/derived.hpp"
#include "search/engine_settings.hpp"
#include "search/fast/fast.hpp"
#include "search/fewest.hpp"
#include "search/guarded.hpp"
#include "search/incumbent.hpp"
#include "search/linear_box.hpp"
#include "search/live.hpp"
#include "search/paper/paper.hpp"
#include "search/prepared.hpp"
#include "search/reporter.hpp"
#include "search/robust.hpp"
#include "search/rules.hpp"
#include "search/threads.hpp"
#include "search/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Nodes that Algorithm 4 may spend before Algorithm 5 starts without a bound. Its depth-first
/// order can spend long in a far corner; branch and bound needs no bound to begin with.
constexpr std::uint64_t backtrack_budget = 1'000;

/// A requirement that no scores can meet needs no search.
bool impossible(const std::vector<Condition>& conditions) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [](const Condition& c) { return c.threshold == infinity; });
}

/// Runs the fast engine; returns what was left open.
Unfinished search_fast(const Prepared& prepared, const Query& query, const Options& options,
                       std::span<const double> known_solution, int threads, Incumbent& incumbent,
                       Watch& watch) {
  const std::vector<ComposedNeed> needs = make_needs(prepared.ensembles(), query);
  const std::vector<Condition> conditions = make_conditions(prepared.ensembles(), query, needs);
  if (impossible(conditions)) return {infinity, 0};
  const Tables& tables = tables_of(prepared, &watch);
  const MemoryHold held(watch, tables.bytes());
  Reporter reporter(options, watch, incumbent);
  fast::Context context(prepared.ensembles(), query, tables.leaves, tables.table, conditions, needs,
                        known_solution, incumbent, watch, settings_of(options).tuning);
  context.any_will_do = options.any_within.has_value();
  context.judge = settings_of(options).judge;
  return fast::search(context, reporter, options, threads);
}

/// Runs the paper's engine; returns what was left open.
Unfinished search_paper(const Prepared& prepared, const Query& query, const Options& options,
                        std::span<const double> known_solution, int threads, Incumbent& incumbent,
                        Watch& watch) {
  const Tables& tables = tables_of(prepared, &watch);
  const MemoryHold held(watch, tables.bytes());
  const Cuts& cuts = tables.leaves.cuts;
  Pace pace = watch.pace();
  watch.require_bytes(grid_bytes(tables.leaves));
  const Grid grid = make_grid(prepared.ensembles(), tables.leaves, query, CellOrder::by_cost,
                              watch.most_ranges(), pace);
  if (!grid.complete) {
    watch.request(Stop::memory);
    return {0, 1};
  }
  if (impossible(grid.conditions)) return {infinity, 0};
  Reporter reporter(options, watch, incumbent);
  const MemoryHold whole(watch, grid.bytes());
  const bool with_rest = settings_of(options).additions.leaf_pruning;
  watch.require_bytes(paper::dimension_bytes(grid, with_rest));
  {
    const paper::Space space(prepared.ensembles(), query, cuts, grid,
                             settings_of(options).additions, known_solution);
    const MemoryHold of_space(watch, space.bytes());
    if (paper::backtrack(space, incumbent, watch, reporter, backtrack_budget)) {
      return {infinity, 0};
    }
  }
  // Leaves farther than the first point found can hold nothing better.
  const Grid near = restrict_to_radius(grid, incumbent.cost(), pace);
  watch.require_bytes(near.bytes() + paper::dimension_bytes(near, with_rest));
  const paper::Space space(prepared.ensembles(), query, cuts, near, settings_of(options).additions,
                           known_solution);
  const MemoryHold of_space(watch, near.bytes() + space.bytes());
  return paper::branch_and_bound(space, incumbent, watch, reporter, threads);
}

/// Searches one case after the other with one shared incumbent, so that each only looks for
/// what is cheaper than what the others found.
Unfinished search_all(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution, int threads, Incumbent& incumbent,
                      Watch& watch) {
  const auto run = options.engine == Engine::fast ? search_fast : search_paper;
  const std::vector<Query> cases = split_into_cases(prepared.ensembles(), query);
  Unfinished unfinished{infinity, 0};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (watch.expired()) return {0, unfinished.open_nodes + cases.size() - i};
    Options inner = options;
    if (options.progress && cases.size() > 1) {
      // Of the cases to come nothing is known yet.
      const double most = i + 1 < cases.size() ? 0 : unfinished.open_bound;
      inner.progress = [&options, most](const Progress& progress) {
        Progress shown = progress;
        shown.lower_bound = std::min(progress.lower_bound, most);
        options.progress(shown);
      };
    }
    const bool known = !known_solution.empty() &&
                       (cases.size() == 1 || meets(cases[i], prepared.ensembles(), known_solution));
    const Unfinished one =
        run(prepared, cases[i], inner, known ? known_solution : std::span<const double>{}, threads,
            incumbent, watch);
    unfinished.open_bound = std::min(unfinished.open_bound, one.open_bound);
    unfinished.open_nodes += one.open_nodes;
  }
  return unfinished;
}

}  // namespace

std::vector<std::size_t> cell_counts(const Ensemble& ensemble) {
  std::vector<std::size_t> counts;
  for (const std::vector<Cut>& cuts : collect_cuts(std::span(&ensemble, 1))) {
    counts.push_back(cuts.size() + 1);
  }
  return counts;
}

const char* to_string(Engine engine) { return engine == Engine::fast ? "fast" : "paper"; }

std::vector<std::vector<double>> outputs_at(std::span<const Ensemble> ensembles,
                                            std::span<const double> point) {
  std::vector<std::vector<double>> outputs;
  for (const Ensemble& ensemble : ensembles) {
    outputs.push_back(ensemble.transform(ensemble.predict(point)));
  }
  return outputs;
}

Answer stopped_answer(const Prepared& prepared, const Query& query, const Watch& watch) {
  Answer answer;
  answer.output_before = outputs_at(prepared.ensembles(), query.point);
  answer.status = Status::unknown;
  answer.cost = answer.distance = infinity;
  answer.stop = watch.stop();
  answer.statistics = {0, 1, watch.peak_bytes(), 1, watch.seconds()};
  return answer;
}

namespace {

/// Queries whose search consists of several ones, or ends within a tolerance of the least cost:
/// these find the cheapest point, and its cost and lower bound decide.
bool needs_least_cost(const Query& query) {
  // Linear rules come in round by round (LinearRounds), and each round needs its cheapest points.
  return has_linear_rules(query) || is_robust(query) || query.live > 0 || query.agree ||
         !query.derived.empty();
}

/// The answer to Options::any_within from the one for the least cost.
Answer decided_within(Answer answer, double most) {
  if (answer.cost <= most || answer.status == Status::infeasible) return answer;
  answer.status = answer.lower_bound > most ? Status::infeasible : Status::unknown;
  // A cost above the limit and a bound below it: the tolerance of the search is too coarse.
  if (answer.status == Status::unknown && answer.stop == Stop::finished) {
    answer.stop = Stop::precision;
  } else if (answer.status == Status::infeasible) {
    answer.stop = Stop::finished;
  }
  answer.cost = answer.distance = infinity;
  answer.solutions.clear();
  answer.output_after.clear();
  return answer;
}

/// The answer to a query that one search with one incumbent can answer.
Answer explain_plain(const Prepared& prepared, const Query& query, const Options& options,
                     std::span<const double> known_solution) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  Watch watch(options.limits);
  Answer answer;
  std::vector<std::vector<double>> scores;
  const Tables* const tables = finished_tables_of(prepared);
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    const Ensemble& ensemble = ensembles[e];
    scores.push_back(
        scores_at(ensemble, query.point, tables ? tables->table.flat[e].get() : nullptr));
    answer.output_before.push_back(ensemble.transform(scores.back()));
  }
  answer.already_met = std::all_of(
      query.requirements.begin(), query.requirements.end(), [&](const Requirement& requirement) {
        return meets(requirement, ensembles[requirement.ensemble], scores[requirement.ensemble]);
      });
  if (answer.already_met && !query.exact_clauses.empty()) {
    answer.already_met = meets(query, ensembles, query.point);
  }

  const bool within_tolerance = has_spread(query);
  Incumbent incumbent(query, options.ties, options.any_within.value_or(infinity));
  Unfinished unfinished{infinity, 0};
  const int threads = thread_count(options.threads);
  if (answer.already_met) {
    incumbent.offer(query.point);
  } else {
    const AllowThreads allow(threads);
    try {
      unfinished = search_all(prepared, query, options, known_solution, threads, incumbent, watch);
    } catch (const Pace::Stopped&) {
      unfinished = {0, 1};  // stopped while something was built: nothing is proven
    }
  }

  const Incumbent::Result found = incumbent.result();
  // A box that is not settled is one in which no number of the models' precision was found that
  // satisfies the linear rules, or only much dearer ones.
  const bool finished =
      unfinished.open_bound > incumbent.cost() || unfinished.open_bound == infinity;
  const bool settled = incumbent.unsettled_bound() == infinity ||
                       incumbent.unsettled_bound() >= incumbent.cost() * (1 - cost_tolerance);
  const bool proven = finished && settled;
  answer.cost = found.points.empty() ? infinity : incumbent.cost();
  answer.distance = distance(query.norm, answer.cost);
  answer.lower_bound = std::min({answer.cost, unfinished.open_bound, incumbent.unsettled_bound()});
  if (within_tolerance && answer.cost > 0) {
    answer.lower_bound = std::min(
        {answer.lower_bound, answer.cost * (1 - cost_tolerance), incumbent.closed_bound()});
  }
  answer.more_ties = found.more;
  answer.more_ties |= within_tolerance && answer.cost > 0;
  if (found.points.empty()) {
    answer.status = proven ? Status::infeasible : Status::unknown;
  } else {
    answer.status = proven ? Status::optimal : Status::feasible;
  }
  answer.stop = proven                         ? Stop::finished
                : finished && !watch.stopped() ? Stop::precision
                                               : watch.stop();
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const std::vector<double>& point = found.points[i];
    Walk walked = found.walks[i] ? *found.walks[i] : walk(ensembles, point);
    for (std::size_t e = 0; answer.solutions.empty() && e < ensembles.size(); ++e) {
      answer.output_after.push_back(ensembles[e].transform(walked.scores[e]));
    }
    answer.solutions.push_back(solution_at(ensembles, point, std::move(walked)));
  }
  if (auto* const visits = settings_of(options).leaf_visits) *visits += watch.leaf_visits();
  if (auto* const searches = settings_of(options).searches) ++*searches;
  answer.statistics = {watch.nodes(), unfinished.open_nodes, watch.peak_bytes(), threads,
                       watch.seconds()};
  return answer;
}

}  // namespace

Answer explain_guarded(const Prepared& prepared, const Query& query, const Options& options,
                       std::span<const double> known_solution) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  validate(query, ensembles);
  if (query.requirements.empty()) {
    throw Error("query", "nothing is required", "Give at least one requirement");
  }
  if (options.any_within && (query.fewest_first || needs_least_cost(query))) {
    Query cheapest = query;
    cheapest.fewest_first = false;
    Options all = options;
    if (needs_least_cost(query)) all.any_within.reset();
    return decided_within(explain_guarded(prepared, cheapest, all, known_solution),
                          *options.any_within);
  }
  if (is_robust(query)) return explain_robust(prepared, query, options, known_solution);
  if (query.live > 0) return explain_live(prepared, query, options);
  if (query.fewest_first) return explain_fewest(prepared, query, options, known_solution);
  if (query.agree) return explain_agreeing(prepared, query, options, known_solution);
  if (!query.derived.empty()) return explain_derived(prepared, query, options);
  if (has_rules(query)) return explain_with_rules(prepared, query, options, known_solution);
  if (query.norm == Norm::linf) {
    return explain_bottleneck(prepared, query, options, known_solution);
  }
  return explain_plain(prepared, query, options, known_solution);
}

Answer explain(const Prepared& prepared, const Query& query, const Options& options) {
  return explain_guarded(prepared, query, options, {});
}

Answer explain(std::span<const Ensemble> ensembles, const Query& query, const Options& options) {
  return explain(prepare_in_place(ensembles), query, options);
}

Answer explain(const Ensemble& ensemble, const Query& query, const Options& options) {
  return explain(std::span(&ensemble, 1), query, options);
}

}  // namespace boxwood
