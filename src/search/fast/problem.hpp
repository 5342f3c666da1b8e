// The finite problem of one box, reduced to what the box needs: the leaves that a point worth
// finding can reach and, for each variable, the cells that these leaves distinguish. Every open
// node of the fast engine has one; `gather` makes the first problem of a search, `reduce` all
// others.
#pragma once

#include "grid/grid.hpp"
#include "search/fast/leaf_table.hpp"
#include "search/fast/near_leaves.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::fast {

/// One linear condition on leaf values: sign * row `plus` minus row `minus`, summed over trees; or
/// a weighted sum of several rows.
struct RowCondition {
  std::uint32_t plus = 0;
  std::uint32_t minus = none;
  double sign = 1;
  std::int32_t group = -1;        ///< of a softmax probability: Condition::group
  double unit = 1;                ///< Condition::unit
  std::vector<double> weights{};  ///< Condition::weights, of the rows from `plus` on

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Calls visit(row, weight) for every row of the condition.
  template <typename Visit>
  void each_row(Visit visit) const {
    if (weights.empty()) {
      visit(plus, sign);
      if (minus != none) visit(minus, -1.0);
    }
    for (std::uint32_t k = 0; k < weights.size(); ++k) {
      if (weights[k] != 0) visit(plus + k, weights[k]);
    }
  }
  /// What the condition says of the sums of rows.
  double sum(std::span<const double> rows) const {
    double total = 0;
    each_row([&](std::uint32_t row, double weight) { total += weight * rows[row]; });
    return total;
  }
  /// The most that it can be where rows have these largest and least sums.
  double most(std::span<const double> high, std::span<const double> low) const {
    double total = 0;
    each_row([&](std::uint32_t row, double weight) {
      total += weight * (weight > 0 ? high[row] : low[row]);
    });
    return total;
  }
  bool has_row(std::uint32_t row) const {
    return weights.empty() ? row == plus || row == minus
                           : row - plus < weights.size() && weights[row - plus] != 0;
  }
};

inline double score(const RowCondition& condition, Leaves::Rows rows, const double* values) {
  const auto number = [&](std::uint32_t row) {
    const std::uint32_t at = row - rows.first;  // wraps around below the first
    return at < rows.count ? values[at] : 0.0;
  };
  if (!condition.weights.empty()) {
    double sum = 0;
    condition.each_row([&](std::uint32_t row, double weight) { sum += weight * number(row); });
    return sum;
  }
  return condition.sign * number(condition.plus) -
         (condition.minus == RowCondition::none ? 0.0 : number(condition.minus));
}

struct Problem {
  Leaves leaves;
  Testers testers;
  std::vector<std::uint32_t> variable_of;  ///< of a variable: the grid's
  std::vector<std::uint32_t>
      cell_begin;            ///< of a variable: start in the two lists below; one more entry
  std::vector<double> cost;  ///< of a cell; never falls with the distance from `nearest`
  std::vector<std::uint32_t> choice;    ///< of a cell: the cheapest of the grid's cells it covers
  std::vector<std::uint32_t> nearest;   ///< of a variable: its cheapest cell
  std::vector<double> thresholds;       ///< of a condition, minus the leaves that every point takes
  std::vector<double> settled;          ///< of a row: the sum of these leaves; empty if unneeded
  std::vector<std::uint32_t> fixed_at;  ///< of a grid variable with one cell left: that cell
  double fixed_cost = 0;                ///< sum of the costs of those cells, up to rounding
  bool holds_known = false;             ///< developer builds: the known solution is inside
  std::vector<std::uint32_t> known;     ///< of a variable: its cell

  /// Room for the lists of variables and cells.
  void reserve(std::size_t variables, std::size_t cells) {
    variable_of.reserve(variables);
    nearest.reserve(variables);
    cell_begin.reserve(variables + 1);
    cost.reserve(cells);
    choice.reserve(cells);
  }
  std::size_t variable_count() const { return variable_of.size(); }
  std::size_t leaf_count() const { return leaves.count(); }
  std::uint32_t cell_count(std::size_t variable) const {
    return cell_begin[variable + 1] - cell_begin[variable];
  }
  /// The cheapest cell of a range that is not empty.
  std::uint32_t nearest_in(std::size_t variable, std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t own = nearest[variable];
    return own < first ? first : own >= last ? last - 1 : own;
  }
  double cost_at(std::size_t variable, std::uint32_t cell) const {
    return cost[cell_begin[variable] + cell];
  }
  /// The grid's cells of a point given by this problem's cells. Writes into `cells`, so that a
  /// caller can reuse the list.
  void grid_cells(std::span<const std::uint32_t> at, std::vector<std::uint32_t>& cells) const {
    cells = fixed_at;
    for (std::size_t v = 0; v < at.size(); ++v) {
      cells[variable_of[v]] = choice[cell_begin[v] + at[v]];
    }
  }
  std::vector<std::uint32_t> grid_cells(std::span<const std::uint32_t> at) const {
    std::vector<std::uint32_t> cells;
    grid_cells(at, cells);
    return cells;
  }
  std::size_t bytes() const;
};

/// The parts of a problem to keep: 1 for yes.
struct Selection {
  std::vector<std::uint8_t> leaf;
  std::vector<std::uint8_t> cell;

  explicit Selection(const Problem& problem)
      : leaf(problem.leaf_count(), 1), cell(problem.cost.size(), 1) {}
};

/// Where the parts of a reduced problem come from: indices into the original problem.
struct Origin {
  std::vector<std::uint32_t> tree;
  std::vector<std::uint32_t> variable;
  std::vector<std::uint32_t> cell_end;  ///< of a variable, in the list below
  std::vector<CellRange> cells;         ///< of a cell: those it covers, counted within the variable

  std::size_t bytes() const;
};

/// Combines two reductions: where the parts of `second` come from in the problem before `first`.
Origin compose(const Problem& middle, const Origin& first, const Origin& second);

/// The problem of all leaves whose own box costs at most `radius`, not yet reduced. Throws
/// Pace::Stopped at a limit; pieces of leaves with too many ranges reach the limit on memory.
Problem gather(const LeafTable& table, const LeafBoxes& boxes, std::span<const Variable> variables,
               NearLeaves& near, std::span<const double> thresholds, double radius, Watch& watch);

/// The problem without everything that is not selected and everything that this makes pointless:
/// cells in which some tree has no leaf, leaves without a cell, borders of cells that no leaf has,
/// trees with one leaf, variables with one cell. Nothing if some tree has no leaf left.
std::optional<Problem> reduce(const Problem& from, Selection& keep,
                              std::span<const RowCondition> conditions, Origin* origin = nullptr);
/// The same for a large problem: throws Pace::Stopped at a limit.
std::optional<Problem> reduce(const Problem& from, Selection& keep,
                              std::span<const RowCondition> conditions, Watch& watch);

/// reduce() with everything kept, for what gather() makes of plain leaves, in a fraction of the
/// time: it does not look for cells in which some tree has no leaf, because there are none. A cell
/// within the radius and the own cells of all other variables are a point, whose leaf in each tree
/// costs at most as much as this one cell, in any rounding.
std::optional<Problem> merge(Problem raw, std::span<const RowCondition> conditions);

}  // namespace boxwood::fast
