#include "search/fast/context.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "search/speaker.hpp"

#include <algorithm>

namespace boxwood::fast {
namespace {

std::vector<Variable> variables_within(std::span<const Ensemble> ensembles, const Query& query,
                                       const LeafBoxes& boxes, Watch& watch) {
  std::size_t cells = 0;
  for (const std::vector<Cut>& cuts : boxes.cuts) cells += cuts.size() + 2;
  watch.require_bytes(cells * (sizeof(Cell) + sizeof(std::uint32_t)));
  Pace pace = watch.pace();
  return make_variables(ensembles, query, boxes, CellOrder::by_cost, pace);
}

std::size_t bytes_of(std::span<const Variable> variables) {
  std::size_t bytes = 0;
  for (const Variable& variable : variables) {
    bytes += sizeof(Variable) + variable.cells.capacity() * sizeof(Cell) +
             (variable.kept_below.capacity() + variable.ranks.capacity()) * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace

Context::Context(std::span<const Ensemble> given_ensembles, const Query& given_query,
                 const LeafBoxes& given_boxes, const LeafTable& given_table,
                 std::span<const Condition> given_conditions,
                 std::span<const ComposedNeed> given_needs, std::span<const double> known_solution,
                 Incumbent& given_incumbent, Watch& given_watch, const Tuning& given_tuning)
    : ensembles(given_ensembles),
      query(given_query),
      boxes(given_boxes),
      table(given_table),
      variables(variables_within(given_ensembles, given_query, given_boxes, given_watch)),
      needs(given_needs),
      near(given_table, given_boxes, variables, given_watch, given_tuning),
      held(given_watch, bytes_of(variables)),
      known(given_ensembles, given_query, given_boxes.cuts, variables, known_solution),
      incumbent(given_incumbent),
      watch(given_watch),
      tuning(given_tuning),
      linear(given_ensembles, given_query, given_boxes.cuts) {
  if (linear.needed() && !linear.is_exact()) worth_finding = 1 - cost_tolerance;
  for (const Variable& variable : variables) {
    most += std::max(variable.cells.front().cost, variable.cells.back().cost);
  }
  most *= 1 + generous;  // in any order of summation
  in_pieces = given_boxes.list_begin.size() > 1 ||
              std::any_of(variables.begin(), variables.end(),
                          [](const Variable& variable) { return variable.listed; });
  for (const Condition& condition : given_conditions) {
    const std::uint32_t first = table.first_row[condition.ensemble];
    RowCondition in_rows{first + static_cast<std::uint32_t>(condition.plus),
                         RowCondition::none,
                         condition.sign,
                         condition.group,
                         condition.unit,
                         condition.weights};
    if (condition.minus >= 0) in_rows.minus = first + static_cast<std::uint32_t>(condition.minus);
    conditions.push_back(in_rows);
    thresholds.push_back(condition.threshold);
    // A little more than what was subtracted for rounding: where equal sums are not enough, as in a
    // forest with a tie of votes, a point just at the threshold would be rejected.
    // Twice the slack: thresholds are lowered by it, and the point's own sum may be off by as much.
    // The scores of linear rules have this allowance already, and many rows lie on a rule exactly:
    // aiming beyond would make such a row seem to break it. A row that breaks it by less than the
    // allowance is the exception.
    const bool of_rules =
        !given_query.exact_clauses.empty() && condition.ensemble + 1 == given_ensembles.size();
    slack.push_back(of_rules ? 0 : 2 * condition.slack + tuning.point_slack * table.largest_value);
  }
  rule_ends = RuleEnds(given_query, variables, linear, conditions, table.row_count);
  for (std::size_t m = 0; m < conditions.size(); ++m) {
    const RuleEnd* end = rule_ends.of(m);
    if (end && !holds(end->condition, query.point, query.point)) slack[m] = 2 * end->close;
  }
}

double Context::wider_by(double radius, double factor) const {
  double next = infinity;
  for (const Variable& variable : variables) {
    for (const Cell& cell : variable.cells) {
      if (cell.cost > radius) next = std::min(next, cell.cost);
    }
  }
  const double grown = radius * factor;
  if (std::isfinite(next)) return std::max(grown, next);
  return grown > radius ? grown : infinity;
}

bool Context::offer(std::span<const std::uint32_t> cells) const {
  std::vector<double> point = query.point;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (variables[d].owner == d) variables[d].place(cells[d], d, point);
  }
  if (!linear.needed()) return offer_point(cells, std::move(point));
  if (!linear.is_exact()) return offer_within_rules(point) && offer_point(cells, std::move(point));
  bool met = false;
  linear.visit(point, incumbent, watch, [&](const std::vector<double>& found) {
    const bool good = offer_point(cells, found);
    if (found == point) met = good;
    return good;
  });
  return met;
}

/// Whether the judge refuses a point. It is not asked about one that is not taken anyway.
bool Context::refused(std::span<const double> point) const {
  if (!judge || total_cost(query, point) > incumbent.cost()) return false;
  const Judgement judgement = judge(point);
  if (judgement == Judgement::refuse_and_stop) watch.request(Stop::visitor);
  return judgement != Judgement::take;
}

bool Context::offer_point(std::span<const std::uint32_t> cells, std::vector<double> point) const {
  auto walked = std::make_shared<const Walk>(walk(ensembles, point, table.flat));
  if (!meets(query, ensembles, point, walked->scores)) return false;
  // Several boxes may meet one region, and each has a nearest point of it. The nearest of these
  // represents the region; it is no farther in any feature.
  const std::vector<Interval>& box = walked->box;
  bool moved = in_pieces;  // settle_listed() may move it
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
    if (cell == cells[d]) continue;
    point[d] = variable.cells[cell].value;
    moved = true;
  }
  settle_listed(ensembles, variables, cells, point);
  if (refused(point)) return false;
  incumbent.offer(std::move(point), moved ? nullptr : std::move(walked));
  if (any_will_do && !incumbent.is_empty()) watch.request(Stop::visitor);
  return true;
}

/// Whether the cheapest point of its cells satisfies the linear rules itself. Otherwise the
/// cheapest one that does is offered. Every cell of a continuous feature of a rule is a leaf of the
/// rule's trees, so the cells of a point are one box of them, and the box is closed by this.
bool Context::offer_within_rules(const std::vector<double>& point) const {
  // Not reach(): its other limits are about the cheapest points of cells.
  const double most_worth = incumbent.cost() * worth_finding;
  const BoxAnswer found = linear.solve(point, most_worth);
  if (found.point == point) return true;
  const bool good =
      !found.point.empty() && meets(query, ensembles, found.point) && !refused(found.point);
  if (!(found.bound > most_worth)) {
    incumbent.close_box(found.bound, found.settled && (good || found.point.empty()));
  }
  if (good) {
    incumbent.offer(found.point);
  } else if (found.point.empty()) {
    // Not needed for the proof: a point near by is worth having.
    const BoxAnswer near = linear.solve_around(point, most_worth);
    const bool near_meets = !near.point.empty() && meets(query, ensembles, near.point);
    if (near_meets && !refused(near.point)) incumbent.offer(near.point);
  }
  return false;
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
