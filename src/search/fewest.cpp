#include "search/fewest.hpp"

#include "search/guarded.hpp"

#include <algorithm>
#include <limits>

namespace boxwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

Options rest_of(const Options& options, const Statistics& used) {
  Options rest = options;
  rest.limits.seconds = std::max(0.0, options.limits.seconds - used.seconds);
  rest.limits.nodes = options.limits.nodes - std::min(options.limits.nodes, used.nodes);
  return rest;
}

/// A point that is known, where the search for the best one did not end.
Answer unfinished(Answer answer, const Query& query, double lower_bound, Stop stop,
                  const Statistics& statistics) {
  answer.cost = total_cost(query, answer.best().point);
  answer.distance = distance(query.norm, answer.cost);
  answer.lower_bound = std::min(lower_bound, answer.cost);
  answer.status = Status::feasible;
  answer.stop = stop;
  answer.statistics = statistics;
  return answer;
}

}  // namespace

Answer explain_fewest(const Prepared& prepared, const Query& query, const Options& options,
                      std::span<const double> known_solution) {
  Options counting_options = options;
  counting_options.ties = 1;
  if (options.progress) {
    counting_options.progress = [&options](const Progress& progress) {
      options.progress({infinity, 0, progress.nodes, progress.seconds});
    };
  }
  const Answer fewest =
      explain_guarded(prepared, counting(query), counting_options, known_solution);
  if (fewest.solutions.empty()) {
    Answer none = fewest;
    if (none.status != Status::infeasible) none.lower_bound = 0;  // it was one on changes
    return none;
  }
  const std::size_t changes = change_count(query, fewest.best().point);
  Query nearest = query;
  nearest.fewest_first = false;
  nearest.most_changes = changes;
  const std::vector<std::vector<double>> start{fewest.best().point};
  Options rest = rest_of(options, fewest.statistics);
  rest.examples = start;
  const bool known = !known_solution.empty() && change_count(query, known_solution) <= changes;
  Answer answer =
      explain_guarded(prepared, nearest, rest, known ? known_solution : std::span<const double>{});
  answer.statistics.nodes += fewest.statistics.nodes;
  answer.statistics.seconds += fewest.statistics.seconds;
  answer.statistics.peak_bytes =
      std::max(answer.statistics.peak_bytes, fewest.statistics.peak_bytes);
  const bool proven = fewest.status == Status::optimal;
  if (proven && !answer.solutions.empty()) return answer;
  return unfinished(answer.solutions.empty() ? fewest : answer, query,
                    proven ? answer.lower_bound : 0, proven ? answer.stop : fewest.stop,
                    answer.statistics);
}

}  // namespace boxwood
