// What all boxes of one query share: cells, conditions, the best point so far.
#pragma once

#include "grid/composed.hpp"
#include "grid/grid.hpp"
#include "search/engine_settings.hpp"
#include "search/fast/near_leaves.hpp"
#include "search/fast/problem.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/rule_ends.hpp"
#include "search/fast/tuning.hpp"
#include "search/incumbent.hpp"
#include "search/known_solution.hpp"
#include "search/linear_box.hpp"
#include "search/watch.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace boxwood::fast {

struct Context {
  Context(std::span<const Ensemble> ensembles, const Query& query, const LeafBoxes& boxes,
          const LeafTable& table, std::span<const Condition> given_conditions,
          std::span<const ComposedNeed> needs, std::span<const double> known_solution,
          Incumbent& incumbent, Watch& watch, const Tuning& tuning = {});

  std::span<const Ensemble> ensembles;
  const Query& query;
  const LeafBoxes& boxes;
  const LeafTable& table;
  std::vector<Variable> variables;  ///< the grid's, one for each feature
  std::vector<RowCondition> conditions;
  std::span<const ComposedNeed> needs;  ///< of compositions; they have conditions as well
  std::vector<double> thresholds;  ///< of a condition: necessary for it, all rounding subtracted
  std::vector<double> slack;       ///< of a condition: what was subtracted; sufficient when added
  NearLeaves near;                 ///< of the models
  bool in_pieces = false;  ///< leaves may be cut into pieces; more of them for a larger radius
  MemoryHold held;         ///< of the variables
  KnownSolution known;
  Incumbent& incumbent;
  Watch& watch;
  const Tuning tuning;
  const LinearBox linear;
  RuleEnds rule_ends;  ///< of conditions that are linear rules

  /// The cost of a point given by its cells, as total_cost adds it up.
  double cost(std::span<const std::uint32_t> cells) const {
    double sum = 0;
    for (std::size_t d = 0; d < cells.size(); ++d) sum += variables[d].cells[cells[d]].cost;
    return sum;
  }

  /// How many variables these cells change, and so at least as many features.
  std::size_t changes(std::span<const std::uint32_t> cells) const {
    std::size_t count = 0;
    for (std::size_t d = 0; d < cells.size(); ++d) count += cells[d] != variables[d].own ? 1U : 0U;
    return count;
  }

  /// Evaluates the point of these cells as the source library does. If it meets the requirements,
  /// offers the nearest point of its region to the incumbent and returns true. If linear rules
  /// between features of many values ask for other points of the cells, those are offered, and the
  /// result is false: the cells are done with, and other cells of a box may still be better.
  bool offer(std::span<const std::uint32_t> cells) const;

  /// False where a composition cannot have its outcome with these sums of rows.
  bool needs_possible(std::span<const double> low, std::span<const double> high,
                      ComposedNeed::Scratch& scratch) const {
    return std::all_of(needs.begin(), needs.end(), [&](const ComposedNeed& need) {
      return need.simple() || need.possible(rows_of(need, low), rows_of(need, high), scratch);
    });
  }
  /// Whether some outcome of a composition needs more than the linear conditions.
  bool has_needs() const {
    return std::any_of(needs.begin(), needs.end(),
                       [](const ComposedNeed& need) { return !need.simple(); });
  }
  /// The rows of a need's ensemble.
  std::span<const double> rows_of(const ComposedNeed& need, std::span<const double> rows) const {
    return rows.subspan(table.first_row[need.ensemble()], ensembles[need.ensemble()].base.size());
  }

  /// The cells of a point. Where a value lies in no admissible cell, the query's own cell.
  std::vector<std::uint32_t> cells_of(std::span<const double> point) const;

  /// Points that cost more than this are not searched for: the best known cost; the cap, while the
  /// search is still limited to a small radius; and at most the cost of the most expensive cells
  /// together, so that a bound above that proves that there is no point at all.
  /// With linear rules between continuous features, points that are cheaper by the tolerance or
  /// less are not searched for either.
  double reach() const { return std::min({incumbent.cost() * worth_finding, cap, most}); }
  /// A radius larger by `factor`, and at least the cost of the next dearer cell: from a value of 0
  /// the smallest change may cost 5e-324, from where factors alone would take a thousand steps or,
  /// where they are lost in rounding, never arrive.
  double wider_by(double radius, double factor) const;
  double cap = std::numeric_limits<double>::infinity();
  double most = 0;
  double worth_finding = 1;
  bool any_will_do = false;  ///< Options::any_within: the first point ends the search
  Judge judge;               ///< EngineSettings::judge

  bool refused(std::span<const double> point) const;
  bool offer_point(std::span<const std::uint32_t> cells, std::vector<double> point) const;
  bool offer_within_rules(const std::vector<double>& point) const;

  /// Bounds are about the exact sum of a point's costs, and total_cost adds with rounding. A bound
  /// above this proves that every total_cost is above reach().
  double radius() const { return reach() * rounding(); }
  /// A bound divided by this bounds total_cost.
  double rounding() const { return cost_rounding(variables.size()); }
};

}  // namespace boxwood::fast
