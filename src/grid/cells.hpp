// One feature as a search variable: the cells a query admits, each with the cheapest value in it.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// A piece of one feature's axis and its cheapest admissible value.
struct Cell {
  double value = 0;  ///< NaN in the one cell of a missing value
  double cost = 0;
};

/// Cells that hold no admissible value are left out. Costs never fall on the way from `own` to
/// either end, because no norm's term falls away from the point: the cheapest cell of a range is
/// the one nearest to `own` in rank.
struct Variable {
  std::vector<Cell> cells;
  std::uint32_t own = 0;                  ///< the cell of the point itself: value as it is, cost 0
  std::vector<std::uint32_t> kept_below;  ///< of an axis rank: admitted cells of smaller rank
  bool missing = false;

  std::uint32_t nearest(std::uint32_t first, std::uint32_t last) const {
    return own < first ? first : own >= last ? last - 1 : own;
  }
};

/// The variable of one feature. A fixed or missing feature has one cell.
Variable make_variable(const Query& query, std::size_t feature, std::span<const Cut> cuts,
                       Precision precision);

/// The variables of all features, in their order.
std::vector<Variable> make_variables(std::span<const Ensemble> ensembles, const Query& query,
                                     const Cuts& cuts);

}  // namespace boxwood
