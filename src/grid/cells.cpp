#include "grid/cells.hpp"

#include <boxwood/error.hpp>

#include "grid/axis.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace boxwood {
namespace {

/// Makes the cells of one query, with everything that is needed to put them in order.
struct Draft {
  Cell cell;
  std::uint32_t rank = 0;
};

bool is_even(const std::vector<Draft>& drafts, std::size_t own) {
  for (std::size_t i = 0; i + 1 < drafts.size(); ++i) {
    const double here = drafts[i].cell.cost, next = drafts[i + 1].cell.cost;
    if (i < own ? here < next : next < here) return false;
  }
  return true;
}

class VariableMaker {
 public:
  VariableMaker(const Query& query, const LeafBoxes& boxes, Precision precision, CellOrder order,
                Pace& pace)
      : query_(query), boxes_(boxes), precision_(precision), order_(order), pace_(pace) {}

  Variable one_feature(std::size_t feature) {
    const double x = query_.point[feature];
    const FeatureRule& rule = query_.features[feature];
    Variable variable;
    variable.owner = static_cast<std::uint32_t>(feature);
    if (std::isnan(x) && (rule.fixed || !rule.missing_allowed)) {
      variable.missing = true;
      variable.cells.push_back({x, 0});
      return variable;
    }
    const bool from_missing = std::isnan(x);
    draft_axis(feature, from_missing ? Variable::missing_rank : own_rank(feature));
    if (query_.norm == Norm::custom && !from_missing) check_own_cost(feature);
    const bool to_missing = !rule.fixed && rule.missing_allowed;
    if (to_missing || from_missing) draft_missing(feature);
    variable.listed = to_missing || from_missing;
    if (order_ == CellOrder::by_axis) {
      variable.uneven = !is_even(drafts_, own_);
    } else {
      variable.listed |= put_in_order(boxes_.cell_order[feature], to_missing && !from_missing);
    }
    finish(variable, feature);
    return variable;
  }

  /// The variable of a one-hot group: one cell for each column that may be 1, and one for no column
  /// if that is allowed.
  Variable group(const OneHot& group) {
    Variable variable;
    variable.listed = true;
    variable.group = true;
    variable.owner = static_cast<std::uint32_t>(group.columns.front());
    for (const std::size_t column : group.columns) {
      variable.columns.push_back(static_cast<std::uint32_t>(column));
    }
    const std::size_t own = hot_column(group, query_.point).value();
    drafts_.clear();
    for (std::size_t hot = 0; hot <= group.columns.size(); ++hot) {
      const bool none = hot == group.columns.size();
      if (hot != own && none && !group.none_allowed) continue;
      if (!may_be_hot(query_, group.columns, hot)) continue;
      const double cost = group_cost(query_, group, hot);
      if (hot == own) own_ = drafts_.size();
      if (std::isfinite(cost)) drafts_.push_back({{static_cast<double>(hot), cost}, 0});
    }
    if (!is_even(drafts_, own_)) {
      if (order_ == CellOrder::by_cost) sort_by_cost();
      variable.uneven = order_ == CellOrder::by_axis;
    }
    variable.own = static_cast<std::uint32_t>(own_);
    for (const Draft& draft : drafts_) {
      variable.cells.push_back(draft.cell);
      for (std::size_t k = 0; k < group.columns.size(); ++k) {
        const double value = draft.cell.value == static_cast<double>(k) ? 1.0 : 0.0;
        variable.ranks.push_back(
            static_cast<std::uint32_t>(cell_rank(boxes_.cuts[group.columns[k]], value)));
      }
    }
    return variable;
  }

 private:
  std::uint32_t own_rank(std::size_t feature) const {
    // A float32 model compares values rounded to float32 with its cuts.
    const double read = as_read(query_.point[feature], precision_);
    return static_cast<std::uint32_t>(cell_rank(boxes_.cuts[feature], read));
  }

  void draft_axis(std::size_t feature, std::uint32_t own_rank) {
    own_ = 0;
    const FeatureRule& rule = query_.features[feature];
    const std::vector<Cut>& cuts = boxes_.cuts[feature];
    drafts_.clear();
    drafts_.reserve(cuts.size() + 2);
    const Axis axis(rule, query_.point[feature], precision_);
    const bool from_missing = own_rank == Variable::missing_rank;
    for (std::uint32_t rank = 0; rank <= cuts.size(); ++rank) {
      pace_.work(1);
      if (rank == own_rank) {
        own_ = drafts_.size();
        drafts_.push_back({{query_.point[feature], 0}, rank});
        continue;
      }
      if (rule.fixed) continue;
      const Cut* lower = rank > 0 ? &cuts[rank - 1] : nullptr;
      const Cut* upper = rank < cuts.size() ? &cuts[rank] : nullptr;
      const auto value = from_missing                 ? axis.any(lower, upper)
                         : is_counted_singly(feature) ? cheapest_code(feature, lower, upper)
                         : rank > own_rank            ? axis.lowest(lower, upper)
                                                      : axis.highest(lower, upper);
      if (!value) continue;
      const double cost = term_cost(query_, feature, *value);
      if (std::isfinite(cost)) drafts_.push_back({{*value, cost}, rank});
    }
  }

  /// The search looks only at the value of a cell that is nearest to the present one. If a custom
  /// cost falls with the distance from the present value, that is wrong, so such a cost is rejected
  /// where it is noticed.
  void check_own_cost(std::size_t feature) const {
    if (query_.features[feature].kind == FeatureKind::categorical || is_even(drafts_, own_)) return;
    throw Error(
        "cost",
        fmt::format("it falls as feature {} moves away from {}", feature, query_.point[feature]),
        "Give 0 for no change and more the farther a value moves");
  }

  /// Whether categories of one cell may have different costs.
  bool is_counted_singly(std::size_t feature) const {
    const FeatureRule& rule = query_.features[feature];
    if (rule.kind != FeatureKind::categorical) return false;
    return !rule.changes.empty() || (query_.norm == Norm::custom && !rule.allowed.empty());
  }

  /// The cheapest admissible code between two cuts; of codes with equal costs the smallest. Only
  /// three sorts of code can be cheapest: those of the list, those of the table, and the first code
  /// beyond the table, which costs as much as all other codes there.
  std::optional<double> cheapest_code(std::size_t feature, const Cut* lower,
                                      const Cut* upper) const {
    const FeatureRule& rule = query_.features[feature];
    std::optional<double> best;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](double code) {
      if (!rule.range.contains(code) || (lower && lower->left_of(code)) ||
          (upper && !upper->left_of(code))) {
        return;
      }
      const double cost = term_cost(query_, feature, code);
      if (!(cost < least)) return;
      best = code;
      least = cost;
    };
    if (!rule.allowed.empty()) {
      for (const double code : rule.allowed) consider(as_read(code, precision_));
      return best;
    }
    std::size_t width = rule.changes.size();
    for (const std::vector<double>& row : rule.changes) width = std::max(width, row.size());
    const double step = std::max(rule.step, 1.0);
    for (double code = 0; code < static_cast<double>(width); code += step) consider(code);
    const Axis axis(rule, query_.point[feature], precision_);
    const Cut table_end{static_cast<double>(width), false};
    const Cut below_zero{0, false};
    const bool reaches_on = !upper || *upper > table_end;
    const bool begins_below = !lower || *lower < below_zero;
    if (reaches_on) {
      const Cut* from = lower && *lower > table_end ? lower : &table_end;
      if (const auto beyond = axis.lowest(from, upper)) consider(*beyond);
    }
    if (begins_below) {
      const Cut* to = upper && *upper < below_zero ? upper : &below_zero;
      if (const auto negative = axis.highest(lower, to)) consider(*negative);
    }
    return best;
  }

  void draft_missing(std::size_t feature) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const double cost = term_cost(query_, feature, missing);
    if (!std::isfinite(cost)) return;
    if (std::isnan(query_.point[feature])) own_ = drafts_.size();
    drafts_.push_back({{missing, cost}, Variable::missing_rank});
  }

  /// Puts the cells in an order in which costs never fall with the distance from the own cell. The
  /// order of effects keeps most sets of categories in one range; the order of the axis keeps
  /// ranges of numbers. If costs fit neither order, cells are sorted by cost. Returns true if the
  /// order is not that of the axis.
  bool put_in_order(const std::vector<std::uint32_t>& by_effect, bool to_missing) {
    if (!by_effect.empty()) {
      const std::vector<Draft> in_axis_order = drafts_;
      const std::size_t own = own_;
      sort_by(by_effect);
      if (is_even(drafts_, own_)) return true;
      drafts_ = in_axis_order;
      own_ = own;
    }
    if (is_even(drafts_, own_)) return false;
    if (to_missing) move_missing();
    if (!is_even(drafts_, own_)) sort_by_cost();
    return true;
  }

  void permute(const std::vector<std::size_t>& order) {
    std::vector<Draft> sorted;
    std::size_t own = 0;
    for (const std::size_t i : order) {
      if (i == own_) own = sorted.size();
      sorted.push_back(drafts_[i]);
    }
    drafts_ = std::move(sorted);
    own_ = own;
  }

  void sort_by(const std::vector<std::uint32_t>& axis_order) {
    std::vector<std::size_t> place(axis_order.size());
    for (std::size_t i = 0; i < axis_order.size(); ++i) place[axis_order[i]] = i;
    const auto key = [&](std::size_t i) {
      const std::uint32_t rank = drafts_[i].rank;
      return rank == Variable::missing_rank ? place.size() : place[rank];
    };
    std::vector<std::size_t> order(drafts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    permute(order);
  }

  /// The cell for missing is the last one. Moves it above the own cell, to the place that fits its
  /// cost.
  void move_missing() {
    const auto last = drafts_.end() - 1;
    const auto place = std::upper_bound(
        drafts_.begin() + static_cast<std::ptrdiff_t>(own_) + 1, last, last->cell.cost,
        [](double cost, const Draft& draft) { return cost < draft.cell.cost; });
    std::rotate(place, last, drafts_.end());
  }

  void sort_by_cost() {
    std::vector<std::size_t> order(drafts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if ((a == own_) != (b == own_)) return a == own_;  // other changes may cost nothing too
      return drafts_[a].cell.cost < drafts_[b].cell.cost;
    });
    permute(order);
  }

  void finish(Variable& variable, std::size_t feature) const {
    variable.own = static_cast<std::uint32_t>(own_);
    variable.cells.reserve(drafts_.size());
    for (const Draft& draft : drafts_) variable.cells.push_back(draft.cell);
    if (variable.listed) {
      variable.columns = {static_cast<std::uint32_t>(feature)};
      for (const Draft& draft : drafts_) variable.ranks.push_back(draft.rank);
      return;
    }
    const std::size_t axis_cells = boxes_.cuts[feature].size() + 1;
    variable.kept_below.assign(axis_cells + 1, 0);
    std::uint32_t kept = 0;
    for (std::size_t rank = 0; rank <= axis_cells; ++rank) {
      variable.kept_below[rank] = kept;
      if (kept < drafts_.size() && drafts_[kept].rank == rank) ++kept;
    }
  }

  const Query& query_;
  const LeafBoxes& boxes_;
  Precision precision_;
  CellOrder order_;
  Pace& pace_;
  std::vector<Draft> drafts_;
  std::size_t own_ = 0;
};

}  // namespace

std::uint32_t Variable::cheapest(std::uint32_t first, std::uint32_t last) const {
  const auto away = [&](std::uint32_t cell) { return cell < own ? own - cell : cell - own; };
  std::uint32_t best = first;
  for (std::uint32_t cell = first + 1; cell < last; ++cell) {
    const double less = cells[best].cost - cells[cell].cost;
    if (less > 0 || (less == 0 && away(cell) < away(best))) best = cell;
  }
  return best;
}

std::vector<Variable> make_variables(std::span<const Ensemble> ensembles, const Query& query,
                                     const LeafBoxes& boxes, CellOrder order, Pace& pace) {
  VariableMaker maker(query, boxes, common_precision(ensembles), order, pace);
  std::vector<Variable> variables(query.point.size());
  std::vector<std::uint8_t> grouped(query.point.size(), 0);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) {
      grouped[column] = 1;
      variables[column].cells.push_back({query.point[column], 0});
      variables[column].owner = static_cast<std::uint32_t>(group.columns.front());
    }
    variables[group.columns.front()] = maker.group(group);
  }
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    if (!grouped[d]) variables[d] = maker.one_feature(d);
  }
  return variables;
}

std::uint32_t cell_of(const Variable& variable, std::size_t feature, const Cuts& cuts,
                      Precision precision, std::span<const double> point) {
  if (variable.missing || variable.owner != feature) return 0;
  const auto rank_at = [&](std::size_t column) {
    const double value = as_read(point[column], precision);
    return std::isnan(value) ? Variable::missing_rank
                             : static_cast<std::uint32_t>(cell_rank(cuts[column], value));
  };
  if (!variable.listed) {
    const std::uint32_t rank = rank_at(feature);
    if (rank == Variable::missing_rank) return Variable::no_cell;
    const std::uint32_t cell = variable.kept_below[rank];
    return cell < variable.kept_below[rank + 1] ? cell : Variable::no_cell;
  }
  const std::size_t width = variable.columns.size();
  for (std::uint32_t cell = 0; cell < variable.cells.size(); ++cell) {
    bool here = true;
    for (std::size_t k = 0; k < width && here; ++k) {
      const std::uint32_t column = variable.columns[k];
      here = variable.group ? point[column] ==
                                  (variable.cells[cell].value == static_cast<double>(k) ? 1.0 : 0.0)
                            : variable.ranks[cell] == rank_at(column);
    }
    if (here) return cell;
  }
  return Variable::no_cell;
}

}  // namespace boxwood
