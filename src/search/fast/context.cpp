#include "search/fast/context.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "search/speaker.hpp"

#include <algorithm>

namespace boxwood::fast {
namespace {

/// Whether the point's own value lies in a leaf's range.
bool holds_own(const LeafBoxes& boxes, const Variable& variable, const PathRange& range) {
  const std::uint32_t rank = variable.ranks[variable.own];
  if (rank == Variable::missing_rank) return range.missing != 0;
  const std::span<const CellRange> cells = boxes.cells_of(range);
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

  std::vector<double> all(Pace& pace) const {
    std::vector<double> costs(boxes_.leaves.size());
    const std::uint32_t* const first_at = table_.first_at.data();
    const std::uint32_t* const last_at = table_.last_at.data();
    const double* const below = from_below_.data();
    const double* const above = from_above_.data();
    pace.work(costs.size());
    for (const std::uint32_t leaf : table_.by_ranges) {
      const LeafBox& box = boxes_.leaves[leaf];
      double cost = 0;
      for (std::uint32_t range = box.ranges_begin; range < box.ranges_end; ++range) {
        cost += std::max(below[first_at[range]], above[last_at[range]]);
      }
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
    const PathRange& cells = boxes_.ranges[range];
    const double cost = listed_[cells.feature];
    return cost == 0 || holds_own(boxes_, variables_[cells.feature], cells) ? 0.0 : cost;
  }

  void add_listed(std::vector<double>& costs) const {
    std::uint32_t range = 0;
    for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
      for (; range < boxes_.leaves[leaf].ranges_end; ++range) costs[leaf] += of_listed(range);
    }
  }

  /// A range that costs something changes its variable, and a leaf has at most one such range for
  /// each variable. If there are more of them than features may change, no point in the leaf is
  /// admissible.
  void forbid(std::size_t max_changes, std::vector<double>& costs) const {
    std::uint32_t range = 0;
    for (std::size_t leaf = 0; leaf < costs.size(); ++leaf) {
      std::size_t changes = 0;
      for (; range < boxes_.leaves[leaf].ranges_end; ++range) {
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

std::vector<Variable> variables_within(std::span<const Ensemble> ensembles, const Query& query,
                                       const LeafBoxes& boxes, Watch& watch) {
  std::size_t cells = 0;
  for (const std::vector<Cut>& cuts : boxes.cuts) cells += cuts.size() + 2;
  watch.require_bytes(cells * (sizeof(Cell) + sizeof(std::uint32_t)));
  Pace pace = watch.pace();
  return make_variables(ensembles, query, boxes, CellOrder::by_cost, pace);
}

std::vector<double> costs_within(const LeafTable& table, const LeafBoxes& boxes,
                                 std::span<const Variable> variables, Watch& watch) {
  // Besides the costs of leaves, two costs of each cut.
  watch.require_bytes((boxes.leaves.size() + 2 * table.cut_begin.back()) * sizeof(double));
  Pace pace = watch.pace();
  return LeafCosts(table, boxes, variables).all(pace);
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
      leaf_cost(costs_within(given_table, given_boxes, variables, given_watch)),
      held(given_watch, bytes_of(variables) + leaf_cost.size() * sizeof(double)),
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
  const Walk walked = walk(ensembles, point);
  if (!meets(query, ensembles, point, walked.scores)) return false;
  // Several boxes may meet one region, and each has a nearest point of it. The nearest of these
  // represents the region; it is no farther in any feature.
  const std::vector<Interval>& box = walked.box;
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
    if (cell != cells[d]) point[d] = variable.cells[cell].value;
  }
  settle_listed(ensembles, variables, cells, point);
  if (refused(point)) return false;
  incumbent.offer(std::move(point));
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
