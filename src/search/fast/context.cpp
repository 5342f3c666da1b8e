#include "search/fast/context.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "search/speaker.hpp"

#include <algorithm>

namespace boxwood::fast {
namespace {

/// Whether the point's own value lies in a leaf's range.
bool holds_own(const LeafTable& table, const LeafBoxes& boxes, const Variable& variable,
               std::uint32_t range) {
  const PathRange& origin = boxes.ranges[table.extra[range].origin];
  const std::uint32_t rank = variable.ranks[variable.own];
  if (rank == Variable::missing_rank) return origin.missing != 0;
  const std::span<const CellRange> cells = boxes.cells_of(origin);
  return std::any_of(cells.begin(), cells.end(),
                     [&](const CellRange& one) { return one.contains(rank); });
}

/// A lower bound on the cost of each leaf's own box. A range costs something only if the point's
/// own cell is below its first cut (then the first admissible cell from there on is the cheapest)
/// or above its last cut. It is a bound and not the exact cost where cells have no admissible
/// value, and where a list of ranges is replaced by its hull.
class LeafCosts {
 public:
  LeafCosts(const LeafTable& table, const LeafBoxes& boxes, std::span<const Variable> variables)
      : table_(table),
        boxes_(boxes),
        variables_(variables),
        from_below_(table.cut_begin.back(), 0.0),
        from_above_(table.cut_begin.back(), 0.0),
        listed_(variables.size(), 0.0) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].listed && !variables[v].group) price_listed(v);
      if (!variables[v].missing) price_cuts(v);
    }
  }

  std::vector<double> all() const {
    const Leaves& leaves = table_.leaves;
    std::vector<double> costs(leaves.count());
    std::uint32_t range = 0;
    for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
      double cost = 0;
      for (; range < leaves.ranges_begin[leaf + 1]; ++range) cost += in_order(range);
      costs[leaf] = cost;
    }
    if (any_listed_) add_listed(costs);
    if (table_.max_changes) forbid(*table_.max_changes, costs);
    return costs;
  }

 private:
  void price_cuts(std::size_t v) {
    const Variable& variable = variables_[v];
    double* below = &from_below_[table_.cut_begin[v]];
    double* above = &from_above_[table_.cut_begin[v]];
    for (std::size_t cut = 0; cut < variable.kept_below.size(); ++cut) {
      const std::uint32_t kept = variable.kept_below[cut];
      if (kept > variable.own) {
        below[cut] = kept < variable.cells.size() ? variable.cells[kept].cost : infinity;
      } else {
        above[cut] = kept > 0 ? variable.cells[kept - 1].cost : infinity;
      }
    }
  }

  /// A range of a listed variable that does not hold the own cell costs at least as much as the
  /// cheapest other cell. Groups are left out: several ranges of one leaf may belong to one group.
  void price_listed(std::size_t v) {
    const Variable& variable = variables_[v];
    listed_[v] = infinity;
    for (std::uint32_t cell = 0; cell < variable.cells.size(); ++cell) {
      if (cell != variable.own) listed_[v] = std::min(listed_[v], variable.cells[cell].cost);
    }
    any_listed_ = true;
  }

  double in_order(std::uint32_t range) const {
    return std::max(from_below_[table_.first_at[range]], from_above_[table_.last_at[range]]);
  }

  double of_listed(std::uint32_t range) const {
    const std::uint32_t v = table_.leaves.ranges[range].variable;
    return listed_[v] == 0 || holds_own(table_, boxes_, variables_[v], range) ? 0.0 : listed_[v];
  }

  void add_listed(std::vector<double>& costs) const {
    std::uint32_t range = 0;
    for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
      for (; range < table_.leaves.ranges_begin[leaf + 1]; ++range) costs[leaf] += of_listed(range);
    }
  }

  /// A range that costs something changes its variable, and a leaf has at most one such range for
  /// each variable. If there are more of them than features may change, no point in the leaf is
  /// admissible.
  void forbid(std::size_t max_changes, std::vector<double>& costs) const {
    std::uint32_t range = 0;
    for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
      std::size_t changes = 0;
      for (; range < table_.leaves.ranges_begin[leaf + 1]; ++range) {
        changes += in_order(range) > 0 || of_listed(range) > 0 ? 1U : 0U;
      }
      if (changes > max_changes) costs[leaf] = infinity;
    }
  }

  const LeafTable& table_;
  const LeafBoxes& boxes_;
  std::span<const Variable> variables_;
  std::vector<double> from_below_, from_above_;  // of a cut
  std::vector<double> listed_;                   // of a variable: 0 where it is not listed
  bool any_listed_ = false;
};

}  // namespace

Context::Context(std::span<const Ensemble> given_ensembles, const Query& given_query,
                 const LeafBoxes& given_boxes, const LeafTable& given_table,
                 std::span<const Condition> conditions, std::span<const double> known_solution,
                 Incumbent& given_incumbent, Watch& given_watch, const Tuning& given_tuning)
    : ensembles(given_ensembles),
      query(given_query),
      boxes(given_boxes),
      table(given_table),
      variables(make_variables(given_ensembles, given_query, given_boxes)),
      leaf_cost(LeafCosts(given_table, given_boxes, variables).all()),
      known(given_ensembles, given_query, given_boxes.cuts, variables, known_solution),
      incumbent(given_incumbent),
      watch(given_watch),
      tuning(given_tuning) {
  for (const Variable& variable : variables) {
    most += std::max(variable.cells.front().cost, variable.cells.back().cost);
  }
  most *= 1 + generous;  // in any order of summation
  in_pieces = given_boxes.list_begin.size() > 1 ||
              std::any_of(variables.begin(), variables.end(),
                          [](const Variable& variable) { return variable.listed; });
  for (const Condition& condition : conditions) {
    const std::uint32_t first = table.first_row[condition.ensemble];
    Demand demand{first + static_cast<std::uint32_t>(condition.plus), Demand::none, condition.sign,
                  condition.group, condition.unit};
    if (condition.minus >= 0) demand.minus = first + static_cast<std::uint32_t>(condition.minus);
    demands.push_back(demand);
    thresholds.push_back(condition.threshold);
    // A little more than what was subtracted for rounding: where equal sums are not enough, as in a
    // forest with a tie of votes, a point just at the threshold would be rejected.
    // Twice the slack: thresholds are lowered by it, and the point's own sum may be off by as much.
    slack.push_back(2 * condition.slack + tuning.point_slack * table.largest_value);
  }
}

bool Context::offer(std::span<const std::uint32_t> cells) const {
  std::vector<double> point = query.point;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (variables[d].owner == d) variables[d].place(cells[d], d, point);
  }
  if (!meets(query, ensembles, point)) return false;
  // Several boxes may meet one region, and each has a nearest point of it. The nearest of these
  // represents the region; it is no farther in any feature.
  const std::vector<Interval> box = pure_box(ensembles, point);
  const Precision precision = common_precision(ensembles);
  for (std::size_t d = 0; d < cells.size(); ++d) {
    const Variable& variable = variables[d];
    if (variable.missing || variable.listed || variable.owner != d) continue;
    std::uint32_t cell = cells[d];
    while (cell != variable.own) {
      const std::uint32_t next = cell < variable.own ? cell + 1 : cell - 1;
      if (!box[d].contains(as_read(variable.cells[next].value, precision))) break;
      cell = next;
    }
    point[d] = variable.cells[cell].value;
  }
  settle_listed(ensembles, variables, cells, point);
  incumbent.offer(std::move(point));
  return true;
}

std::vector<std::uint32_t> Context::cells_of(std::span<const double> point) const {
  const Precision precision = common_precision(ensembles);
  std::vector<std::uint32_t> cells(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    cells[d] = cell_of(variables[d], d, boxes.cuts, precision, point);
    if (cells[d] == Variable::no_cell) cells[d] = variables[d].own;
  }
  return cells;
}

}  // namespace boxwood::fast
