// One feature as a search variable: the admissible cells of a query, each with its cheapest value.
#pragma once

#include "grid/leaves.hpp"

#include <boxwood/query.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace boxwood {

/// A cell of one feature's axis with its cheapest admissible value.
struct Cell {
  double value = 0;  ///< NaN is missing; in a group: the position of the column that is 1
  double cost = 0;
};

/// Cells without an admissible value are left out. Usually the cells are in the order of the axis,
/// and `kept_below` finds them. A listed variable has its cells in another order, has a cell for
/// missing, or is a whole one-hot group; it stores for each cell where it lies on the axes.
///
/// Costs never fall on the way from `own` to either end: the term of a norm never falls with the
/// distance from the point, and cells with other costs are sorted by cost. So the cheapest cell of
/// a range is the one nearest to `own` in rank. `uneven` marks the exception.
struct Variable {
  static constexpr std::uint32_t missing_rank = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_cell = std::numeric_limits<std::uint32_t>::max();

  std::vector<Cell> cells;
  std::uint32_t own = 0;                  ///< the cell of the point itself: value as it is, cost 0
  std::vector<std::uint32_t> kept_below;  ///< of an axis rank: admitted cells of smaller rank
  bool missing = false;                   ///< the value is missing and stays missing: one cell
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

/// The order of cells: `by_cost` is one in which costs never fall with the distance from the
/// point's own cell and in which most sets of categories are one range; `by_axis` is that of the
/// axis for all variables.
enum class CellOrder : std::uint8_t { by_cost, by_axis };

/// The variables of all features, in the order of features. A fixed feature has one cell. The first
/// column of a one-hot group has the variable of the group; the other columns have one cell.
std::vector<Variable> make_variables(std::span<const Ensemble> ensembles, const Query& query,
                                     const LeafBoxes& boxes, CellOrder order, Pace& pace);

/// The cell of a variable that holds a point; `no_cell` if the point's value is not admissible.
std::uint32_t cell_of(const Variable& variable, std::size_t feature, const Cuts& cuts,
                      Precision precision, std::span<const double> point);

}  // namespace boxwood
