// The public entry: checks the question, builds the problem, runs the engine, writes the answer.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "grid/grid.hpp"
#include "search/incumbent.hpp"
#include "search/paper/paper.hpp"
#include "search/reporter.hpp"
#include "search/watch.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<double>> outputs_at(std::span<const Ensemble> ensembles,
                                            std::span<const double> point) {
  std::vector<std::vector<double>> outputs;
  for (const Ensemble& ensemble : ensembles) {
    outputs.push_back(ensemble.transform(ensemble.predict(point)));
  }
  return outputs;
}

bool met_at(std::span<const Ensemble> ensembles, const Query& query,
            std::span<const double> point) {
  return std::all_of(query.requirements.begin(), query.requirements.end(),
                     [&](const Requirement& requirement) {
                       const Ensemble& ensemble = ensembles[requirement.ensemble];
                       return meets(requirement, ensemble, ensemble.predict(point));
                     });
}

bool impossible(const Grid& grid) {
  return std::any_of(grid.conditions.begin(), grid.conditions.end(),
                     [](const Condition& c) { return c.threshold == infinity; });
}

/// Nodes that Algorithm 4 may spend before Algorithm 5 starts without a bound. Its depth-first
/// order can be lost in a far corner; branch and bound finds its own way there.
constexpr std::uint64_t backtrack_budget = 1'000;

/// Runs the paper's engine; returns what was left open.
paper::Outcome run_paper(std::span<const Ensemble> ensembles, const Query& query, const Grid& grid,
                         const Options& options, int threads, Incumbent& incumbent, Watch& watch) {
  Reporter reporter(options.progress, watch, incumbent);
  {
    const paper::Space space(ensembles, query, grid, options.additions, options.known_solution);
    if (paper::backtrack(space, incumbent, watch, reporter, backtrack_budget)) {
      return {infinity, 0};
    }
  }
  // Leaves farther than the first point found can hold nothing better.
  const double radius = incumbent.cost() * (1 + 1e-9);
  const Grid near = std::isfinite(radius) ? restrict_to_radius(grid, radius) : grid;
  const paper::Space space(ensembles, query, near, options.additions, options.known_solution);
  paper::Outcome outcome = paper::branch_and_bound(space, incumbent, watch, reporter, threads);
  outcome.open_bound = space.weaken(outcome.open_bound);
  return outcome;
}

}  // namespace

Answer explain(std::span<const Ensemble> ensembles, const Query& query, const Options& options) {
  validate(query, ensembles);
  if (query.requirements.empty()) {
    throw Error("query", "nothing is required", "Give at least one requirement");
  }
  Watch watch(options.limits);
  Answer answer;
  answer.output_before = outputs_at(ensembles, query.point);
  answer.already_met = met_at(ensembles, query, query.point);

  Incumbent incumbent(query, options.ties);
  paper::Outcome outcome{infinity, 0};
  const int threads = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
  if (answer.already_met) {
    incumbent.offer(query.point);
  } else {
    const Grid grid = make_grid(ensembles, box_leaves(ensembles), query);
    if (!impossible(grid)) {
      const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
      outcome = run_paper(ensembles, query, grid, options, threads, incumbent, watch);
    }
  }

  const Incumbent::Result found = incumbent.result();
  const bool proven = outcome.open_bound > incumbent.cost() || outcome.open_bound == infinity;
  answer.cost = incumbent.cost();
  answer.distance = distance(query.norm, answer.cost);
  answer.lower_bound = std::min(answer.cost, outcome.open_bound);
  answer.more_ties = found.more;
  if (found.points.empty()) {
    answer.status = proven ? Status::infeasible : Status::unknown;
  } else {
    answer.status = proven ? Status::optimal : Status::feasible;
    answer.output_after = outputs_at(ensembles, found.points.front());
  }
  answer.stop = proven ? Stop::finished : watch.stop();
  for (const std::vector<double>& point : found.points) {
    answer.solutions.push_back({point, pure_box(ensembles, point)});
  }
  answer.statistics = {watch.nodes(), outcome.open_nodes, watch.peak_bytes(), threads,
                       watch.seconds()};
  return answer;
}

Answer explain(const Ensemble& ensemble, const Query& query, const Options& options) {
  return explain(std::span(&ensemble, 1), query, options);
}

}  // namespace boxwood
