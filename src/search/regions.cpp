// Visits the regions around a point.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "grid/grid.hpp"
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
  Reporter reporter(options.progress, watch, none);
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

}  // namespace

Stop visit_regions(const Prepared& prepared, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options) {
  const std::span<const Ensemble> ensembles = prepared.ensembles();
  refuse_robust(query, "the list of regions");
  validate(query, ensembles);
  if (std::isnan(radius) || radius < 0) {
    throw Error("radius", "must be a number ≥ 0");
  }
  if (std::any_of(query.clauses.begin(), query.clauses.end(),
                  [](const Clause& clause) { return !clause.linear.empty(); })) {
    throw Error("regions", "they do not support linear rules, which hold in single points of a box",
                "Leave out the linear rules, or ask for a menu");
  }
  if (!query.derived.empty()) {
    throw Error("regions",
                "they do not support derived columns, which differ from point to point of a box",
                "Leave out the derived columns, or ask for a menu");
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
