// Visits the regions around a point.
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "grid/axis.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "grid/rule_trees.hpp"
#include "query/neighbours.hpp"
#include "search/bottleneck.hpp"
#include "search/engine_settings.hpp"
#include "search/incumbent.hpp"
#include "search/paper/paper.hpp"
#include "search/prepared.hpp"
#include "search/reporter.hpp"
#include "search/rules.hpp"
#include "search/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace boxwood {

namespace {

/// Visits the regions of a query without rules whose costs add up. Throws Pace::Stopped.
Stop visit_plain_regions(const Prepared& prepared, const Query& query, double radius,
                         const RegionVisitor& visit, const Options& options, Watch& watch) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  const Incumbent none(query, 1);
  Reporter reporter(options, watch, none);
  // The square of the radius may round below the cost of a point exactly on it. The bound is
  // therefore a little larger, and the distance decides.
  const double bound = query.norm == Norm::squared_l2 ? radius * radius * (1 + 0x1p-50) : radius;
  const Tables& tables = tables_of(prepared, &watch);
  const MemoryHold held(watch, tables.bytes());
  Pace pace = watch.pace();
  watch.require_bytes(grid_bytes(tables.leaves));
  const Grid whole =
      make_grid(ensembles, tables.leaves, query, CellOrder::by_axis, watch.most_ranges(), pace);
  if (!whole.complete) {
    watch.request(Stop::memory);
    return watch.stop();
  }
  const Grid grid = restrict_to_radius(whole, bound, pace);
  watch.require_bytes(whole.bytes() +
                      paper::dimension_bytes(grid, settings_of(options).additions.leaf_pruning));
  const paper::Space space(ensembles, query, tables.leaves.cuts, grid,
                           settings_of(options).additions, {});
  const MemoryHold of_space(watch, grid.bytes() + space.bytes());
  const auto visit_node = [&](const paper::SearchNode& node) {
    // Boxes are built feature by feature and are finer than intersections of leaves, because leaves
    // that drop out later have cut them before. Only one piece of each intersection is reported, so
    // each region is visited once and in full.
    if (!space.holds_nearest_point(node)) return true;
    std::vector<double> point = space.nearest_point(node);
    if (!space.meets_requirements(point)) return true;
    Region region;
    region.cost = total_cost(query, point);
    if (distance(query.norm, region.cost) > radius) return true;
    for (const Ensemble& ensemble : ensembles) region.scores.push_back(ensemble.predict(point));
    region.nearest.region = pure_box(ensembles, point);
    if (!space.speaks_for(region.nearest.region, node)) return true;
    region.nearest.codes = pure_codes(ensembles, point);
    region.nearest.point = std::move(point);
    return visit(region);
  };
  paper::decompose(space, bound, watch, reporter, visit_node);
  return watch.stop();
}

bool is_linear(const Clause& clause) { return !clause.linear.empty(); }

/// The query about the rows of one region, whatever the models say about them.
Query about_region(const Query& query, const Solution& region, Precision precision) {
  Query inside = query;
  inside.fewest_first = false;
  inside.requirements = {{0, ScoreIn{{}, 0}}};
  for (FeatureRule& rule : inside.features) rule.missing_allowed = false;
  for (std::size_t d = 0; d < region.point.size(); ++d) {
    if (std::isnan(region.point[d])) continue;  // it stays missing
    const bool by_code = !region.codes.empty() && !region.codes[d].empty();
    Literal in{.feature = d};
    if (by_code) in.codes = region.codes[d];
    if (!by_code) in.range = readable(region.region[d], precision);
    if (in != Literal{.feature = d}) inside.clauses.push_back({{in}});
  }
  return inside;
}

/// Linear rules and formulas hold in single rows. So the regions are those of the other rules, and
/// each is kept if it has a row that also satisfies these; the cheapest such row stands for it.
Stop visit_allowed_regions(const Prepared& prepared, const Query& query, double radius,
                           const RegionVisitor& visit, const Options& options) {
  check_spread_costs(query, prepared.ensembles());
  Query relaxed = query;
  std::erase_if(relaxed.clauses, is_linear);
  relaxed.derived.clear();
  const Precision precision = common_precision(prepared.ensembles());
  Budget budget(options);
  Stop stopped = Stop::finished;
  const auto look_inside = [&](const Region& region) {
    Options rest = budget.rest();
    rest.progress = {};
    const Answer answer = explain(prepared, about_region(query, region.nearest, precision), rest);
    if (answer.status == Status::infeasible) return true;
    const bool cut_short = answer.stop != Stop::finished && answer.stop != Stop::precision;
    if (cut_short || answer.solutions.empty()) {
      stopped = answer.stop;
      return false;
    }
    Region allowed = region;
    allowed.nearest.point = answer.best().point;
    allowed.cost = answer.cost;
    return distance(query.norm, allowed.cost) > radius || visit(allowed);
  };
  const Stop stop = visit_regions(prepared, relaxed, radius, look_inside, budget.rest());
  return stopped == Stop::finished ? stop : stopped;
}

}  // namespace

Stop visit_regions(const Prepared& prepared, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  refuse_robust_or_live(query, "the list of regions");
  validate(query, ensembles);
  if (std::isnan(radius) || radius < 0) {
    throw Error("radius", "must be a number ≥ 0");
  }
  if (!query.derived.empty() || has_linear_rules(query)) {
    return visit_allowed_regions(prepared, query, radius, visit, options);
  }
  if (has_rules(query)) {
    Watch watch(options.limits);
    std::optional<WithRules> with;
    try {
      with.emplace(prepared, query, watch);
    } catch (const Pace::Stopped&) {
      return watch.stop();
    }
    const auto without_scores = [&](const Region& region) {
      Region shorter = region;
      shorter.scores.pop_back();
      return visit(shorter);
    };
    Options rest = options;
    rest.limits = with->rest(options.limits, watch);
    return visit_regions(with->prepared, with->query, radius, without_scores, rest);
  }
  if (query.norm == Norm::linf) {
    // Every change costs at most the radius; their sum does not matter.
    const auto cost_by_largest = [&](const Region& region) {
      Region renamed = region;
      renamed.cost = total_cost(query, region.nearest.point);
      return visit(renamed);
    };
    return visit_regions(prepared, capped(query, radius), std::numeric_limits<double>::infinity(),
                         cost_by_largest, options);
  }
  if (std::any_of(query.features.begin(), query.features.end(),
                  [](const FeatureRule& rule) { return rule.missing_allowed; })) {
    // A region is a box of numbers, so missing values stay missing.
    Query without = query;
    for (FeatureRule& rule : without.features) rule.missing_allowed = false;
    return visit_regions(prepared, without, radius, visit, options);
  }
  Watch watch(options.limits);
  try {
    return visit_plain_regions(prepared, query, radius, visit, options, watch);
  } catch (const Pace::Stopped&) {
    return watch.stop();
  }
}

Stop visit_regions(std::span<const Ensemble> ensembles, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options) {
  return visit_regions(prepare_in_place(ensembles), query, radius, visit, options);
}

Stop visit_regions(const Ensemble& ensemble, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options) {
  return visit_regions(std::span(&ensemble, 1), query, radius, visit, options);
}

}  // namespace boxwood
