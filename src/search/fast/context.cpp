#include "search/fast/context.hpp"

#include "model/arithmetic.hpp"
#include "search/speaker.hpp"

#include <algorithm>
#include <limits>

namespace boxwood::fast {
namespace {

/// A side of a listed variable that does not hold the own cell costs at least the cheapest other.
/// Groups do not count: several sides of one leaf may ask for one of them.
void add_listed(const Model& model, const LeafBoxes& boxes, std::span<const Variable> variables,
                std::vector<double>& costs) {
  std::vector<double> least(variables.size(), std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    if (!variable.listed || variable.group) {
      least[v] = 0;
      continue;
    }
    for (std::uint32_t cell = 0; cell < variable.cells.size(); ++cell) {
      if (cell != variable.own) least[v] = std::min(least[v], variable.cells[cell].cost);
    }
  }
  const Leaves& leaves = model.leaves;
  std::uint32_t side = 0;
  for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
    for (; side < leaves.sides_begin[leaf + 1]; ++side) {
      const std::uint32_t v = leaves.sides[side].variable;
      if (least[v] == 0) continue;
      const LeafSide& origin = boxes.sides[model.extra[side].origin];
      const std::uint32_t rank = variables[v].ranks[variables[v].own];
      const std::span<const CellRange> ranges = boxes.ranges_of(origin);
      const bool holds = rank == Variable::missing_rank
                             ? origin.missing != 0
                             : std::any_of(ranges.begin(), ranges.end(),
                                           [&](const CellRange& r) { return r.contains(rank); });
      if (!holds) costs[leaf] += least[v];
    }
  }
}

/// What each leaf's own box costs at least. A side costs something only if the point's own cell
/// lies below its first cut (then it is entered from below, at the first admitted cell from there
/// on) or above its last one. Cells without an admitted value make it a bound, not the cost, and so
/// do lists of ranges, of which the span counts, and listed variables, which add_listed() adds.
std::vector<double> cost_leaves(const Model& model, const LeafBoxes& boxes,
                                std::span<const Variable> variables) {
  std::vector<double> from_below(model.cut_begin.back(), 0.0);
  std::vector<double> from_above(model.cut_begin.back(), 0.0);
  constexpr double never = std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    if (variable.missing) continue;
    double* below = &from_below[model.cut_begin[v]];
    double* above = &from_above[model.cut_begin[v]];
    for (std::size_t cut = 0; cut < variable.kept_below.size(); ++cut) {
      const std::uint32_t kept = variable.kept_below[cut];
      if (kept > variable.own) {
        below[cut] = kept < variable.cells.size() ? variable.cells[kept].cost : never;
      } else {
        above[cut] = kept > 0 ? variable.cells[kept - 1].cost : never;
      }
    }
  }
  const Leaves& leaves = model.leaves;
  std::vector<double> costs(leaves.count());
  std::uint32_t side = 0;
  for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
    double cost = 0;
    for (; side < leaves.sides_begin[leaf + 1]; ++side) {
      cost += std::max(from_below[model.first_at[side]], from_above[model.last_at[side]]);
    }
    costs[leaf] = cost;
  }
  const bool any_listed = std::any_of(variables.begin(), variables.end(),
                                      [](const Variable& variable) { return variable.listed; });
  if (any_listed) add_listed(model, boxes, variables, costs);
  return costs;
}

}  // namespace

Context::Context(std::span<const Ensemble> given_ensembles, const Query& given_query,
                 const LeafBoxes& given_boxes, const Model& given_model,
                 std::span<const Condition> conditions, std::span<const double> known_solution,
                 Incumbent& given_incumbent, Watch& given_watch)
    : ensembles(given_ensembles),
      query(given_query),
      boxes(given_boxes),
      model(given_model),
      variables(make_variables(given_ensembles, given_query, given_boxes)),
      leaf_cost(cost_leaves(given_model, given_boxes, variables)),
      known(given_ensembles, given_query, given_boxes.cuts, variables, known_solution),
      incumbent(given_incumbent),
      watch(given_watch) {
  for (const Variable& variable : variables) {
    most += std::max(variable.cells.front().cost, variable.cells.back().cost);
  }
  most *= 1 + 1e-9;  // added up in any order
  in_pieces = given_boxes.list_begin.size() > 1 ||
              std::any_of(variables.begin(), variables.end(),
                          [](const Variable& variable) { return variable.listed; });
  for (const Condition& condition : conditions) {
    const std::uint32_t first = model.first_row[condition.ensemble];
    Demand demand{first + static_cast<std::uint32_t>(condition.plus), Demand::none, condition.sign,
                  condition.group, condition.unit};
    if (condition.minus >= 0) demand.minus = first + static_cast<std::uint32_t>(condition.minus);
    demands.push_back(demand);
    thresholds.push_back(condition.threshold);
    // A little more than what rounding asks for: where equal sums are not enough to win, as in a
    // forest whose votes are even, a point that is just short of it would be refused.
    slack.push_back(2 * condition.slack + 1e-7 * model.largest_value);
  }
}

bool Context::offer(std::span<const std::uint32_t> cells) const {
  std::vector<double> point = query.point;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (variables[d].owner == d) variables[d].place(cells[d], d, point);
  }
  if (!meets(query, ensembles, point)) return false;
  // Two boxes may meet one region, and then each has a nearest point of it. One speaks for the
  // region: the one nearest of all, which is no farther in any feature.
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
