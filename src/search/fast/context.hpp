// What one question has in common for all its boxes: cells, demands, the best point so far.
#pragma once

#include "grid/grid.hpp"
#include "search/fast/problem.hpp"
#include "search/incumbent.hpp"
#include "search/known_solution.hpp"
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
          const Model& model, std::span<const Condition> conditions,
          std::span<const double> known_solution, Incumbent& incumbent, Watch& watch);

  std::span<const Ensemble> ensembles;
  const Query& query;
  const LeafBoxes& boxes;
  const Model& model;
  std::vector<Variable> variables;  ///< the grid's, one for each feature
  std::vector<Demand> demands;
  std::vector<double> thresholds;  ///< of a demand: necessary, all rounding taken off
  std::vector<double> slack;       ///< of a demand: what was taken off; sufficient when added
  std::vector<double> leaf_cost;   ///< of a model's leaf: no point in it costs less, about
  bool in_pieces = false;          ///< leaves may be cut: the more, the farther one looks
  KnownSolution known;
  Incumbent& incumbent;
  Watch& watch;

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

  /// Asks the library's own arithmetic about the point of these cells and, if it meets the
  /// requirements, offers the nearest point of its region.
  bool offer(std::span<const std::uint32_t> cells) const;

  /// The cells of a point; where it lies in none that is admitted, the query's own.
  std::vector<std::uint32_t> cells_of(std::span<const double> point) const;

  /// Nothing dearer than this is worth finding: the best known cost, less than that while the
  /// search has not yet dared to go farther, and never more than the dearest cells of all cost
  /// together. The last makes a bound of the proof that there is no point at all.
  double reach() const { return std::min({incumbent.cost(), cap, most}); }
  double cap = std::numeric_limits<double>::infinity();
  double most = 0;

  /// Bounds are about the exact sum of a point's costs, total_cost adds with rounding: a bound must
  /// exceed this to be sure that every total_cost exceeds the best known one.
  double radius() const { return reach() * rounding(); }
  /// A bound divided by this bounds total_cost.
  double rounding() const { return 1 + (static_cast<double>(variables.size()) + 4) * 0x1p-52; }
};

}  // namespace boxwood::fast
