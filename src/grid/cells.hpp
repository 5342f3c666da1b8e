// One feature as a search variable: the cells a query admits, each with the cheapest value in it.
#pragma once

#include "grid/leaves.hpp"

#include <boxwood/query.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace boxwood {

/// A piece of one feature's axis and its cheapest admissible value.
struct Cell {
  double value = 0;  ///< NaN is missing; of a group's variable: the place of the hot column
  double cost = 0;
};

/// Cells that hold no admissible value are left out. Mostly they stand in the order of the axis and
/// `kept_below` finds them; a listed variable has them in another order, or one for missing, or is
/// a whole one-hot group, and says of each cell where it lies on the axes.
///
/// Costs never fall on the way from `own` to either end, because no norm's term falls away from the
/// point and other costs are put in order: the cheapest cell of a range is the one nearest to `own`
/// in rank. `uneven` marks the exception.
struct Variable {
  static constexpr std::uint32_t missing_rank = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_cell = std::numeric_limits<std::uint32_t>::max();

  std::vector<Cell> cells;
  std::uint32_t own = 0;                  ///< the cell of the point itself: value as it is, cost 0
  std::vector<std::uint32_t> kept_below;  ///< of an axis rank: admitted cells of smaller rank
  bool missing = false;                   ///< it is missing and stays so: one cell
  bool listed = false;
  bool uneven = false;
  bool group = false;                  ///< a one-hot group's
  std::uint32_t owner = 0;             ///< the variable that decides about this feature: itself, or
                                       ///< that of the first column of its group
  std::vector<std::uint32_t> columns;  ///< listed: the features that it decides about
  std::vector<std::uint32_t> ranks;    ///< listed: of a cell and a column the axis rank

  std::uint32_t nearest(std::uint32_t first, std::uint32_t last) const {
    if (uneven) return cheapest(first, last);
    return own < first ? first : own >= last ? last - 1 : own;
  }
  /// Writes the values of a cell into a point.
  void place(std::uint32_t cell, std::size_t feature, std::span<double> point) const {
    if (!group) {
      point[feature] = cells[cell].value;
      return;
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      point[columns[k]] = cells[cell].value == static_cast<double>(k) ? 1.0 : 0.0;
    }
  }

 private:
  std::uint32_t cheapest(std::uint32_t first, std::uint32_t last) const;
};

/// In which order cells stand: one in which costs never fall away from the point's own cell and
/// sets are mostly in one piece, or that of the axis throughout.
enum class CellOrder : std::uint8_t { by_cost, by_axis };

/// The variables of all features, in their order. A fixed feature has one cell, and so have the
/// columns of a group but for the first, whose variable is the group's.
std::vector<Variable> make_variables(std::span<const Ensemble> ensembles, const Query& query,
                                     const LeafBoxes& boxes, CellOrder order = CellOrder::by_cost);

/// The cell of a variable that a point lies in; `no_cell` where that is not admitted.
std::uint32_t cell_of(const Variable& variable, std::size_t feature, const Cuts& cuts,
                      Precision precision, std::span<const double> point);

}  // namespace boxwood
