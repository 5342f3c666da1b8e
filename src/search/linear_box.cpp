#include "search/linear_box.hpp"

#include "grid/axis.hpp"
#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Costs are added with rounding; this share is far more than that.
constexpr double cost_rounding_share = 1e-12;

}  // namespace

/// One box: its free variables, the rules there, and what is found.
class LinearBox::Work : BoxRules {
 public:
  Work(const LinearBox& box, std::span<const double> at, const std::vector<Range>& ranges)
      : BoxRules(box.query_, box.precision_, at, ranges) {}

  BoxAnswer solve(double reach) {
    if (impossible_) return {};
    if (all_hold(at_)) return {total_cost(query_, at_), at_, true};
    // Nothing here can change what breaks a rule: that is decided exactly.
    if (free_.empty()) return {};
    if (free_.size() == 1) return solve_one();
    return solve_several(reach);
  }

  /// Where to cut the box in two if a discrete variable is in the way: between the values beside
  /// the one that the convex problem would like. No such variable: the number of ranges.
  std::size_t branch_at() const { return branch_; }
  double branch_below() const { return branch_below_; }
  const std::vector<Range>& free_ranges() const { return free_; }

 private:
  /// One free variable: each side leaves an interval of numbers, found exactly.
  BoxAnswer solve_one() {
    double lower = free_[0].lower, upper = free_[0].upper;
    std::vector<double> point = at_;
    for (const Side& side : sides_) {
      if (side.factors[0] == 0) {
        if (!holds_at(side, point)) return {};
        continue;
      }
      const double limit = limit_of(side, 0, point);
      if (std::isnan(limit)) return {};
      if (side.equal || wants_small(side, 0)) upper = std::min(upper, limit);
      if (side.equal || !wants_small(side, 0)) lower = std::max(lower, limit);
    }
    if (lower > upper) return {};
    // From a missing value every number costs the same, and an end may be infinite.
    const bool up = free_[0].up ? std::isfinite(lower) || !std::isfinite(upper) : false;
    point[free_[0].feature] = up ? lower : upper;
    return {total_cost(query_, point), point, true};
  }

  /// The box in changes from the query's point, where costs are smallest at 0.
  ConvexProblem problem() {
    ConvexProblem problem;
    std::vector<double> rest = at_;
    for (const Range& range : free_) {
      const FeatureRule& rule = query_.features[range.feature];
      const double now = query_.point[range.feature];
      rest[range.feature] = now;
      double square = 0, slope = 0;
      if (std::isnan(now)) {
        fixed_cost_ += term_cost(query_, range.feature, range.up ? range.lower : range.upper);
      } else {
        const double weight = rule.weight * (range.up ? rule.up : rule.down);
        const bool mixed = query_.norm == Norm::mixture;
        const double l2 = mixed ? query_.mixture.squared_l2 : query_.norm == Norm::squared_l2;
        const double l1 = mixed ? query_.mixture.l1 : query_.norm == Norm::l1;
        const double l0 = mixed ? query_.mixture.l0 : query_.norm == Norm::l0;
        square = weight * l2 / rule.scale / rule.scale;
        slope = (range.up ? 1 : -1) * weight * l1 / rule.scale;
        fixed_cost_ += weight * l0;
      }
      const double from = std::isnan(now) ? 0 : now;
      problem.square.push_back(square);
      problem.slope.push_back(slope);
      // The rounding of differences is a small part of what `least_cost` takes off for rounding.
      problem.lower.push_back(range.lower - from);
      problem.upper.push_back(range.upper - from);
    }
    for (double& value : rest) value += 0.0;
    fixed_cost_ += total_cost(query_, rest);
    std::vector<double> origin = at_;
    for (const Range& range : free_) {
      const double now = query_.point[range.feature];
      origin[range.feature] = std::isnan(now) ? 0 : now;
    }
    for (const Side& side : sides_) {
      const double sign = is_upper(side) ? 1 : -1;
      const LongSum limit = room(side, origin);
      ConvexProblem::Row row{{}, limit.value(), limit.error(), side.factor_error, side.equal};
      for (const double factor : side.factors) row.factors.push_back(sign * factor);
      if (is_whole(side) && limit.size < 0x1p50) tighten(side, row);
      problem.rows.push_back(std::move(row));
    }
    return problem;
  }

  /// Whether the sum is a whole number of factors times changes, all of them whole, so that doubles
  /// add it up exactly, and its limit is whole, too.
  bool is_whole(const Side& side) const {
    const auto whole = [](double value) { return value == std::floor(value); };
    if (!whole(is_upper(side) ? side.condition.range.upper : side.condition.range.lower)) {
      return false;
    }
    for (std::size_t j = 0; j < free_.size(); ++j) {
      if (side.factors[j] == 0) continue;
      const FeatureRule& rule = query_.features[free_[j].feature];
      const bool of_whole = rule.kind != FeatureKind::continuous || rule.step > 0;
      if (!of_whole || !whole(rule.step)) return false;
    }
    return std::all_of(side.condition.terms.begin(), side.condition.terms.end(),
                       [&](const LinearTerm& term) {
                         return whole(term.coefficient) && whole(at_[term.feature]) &&
                                whole(query_.point[term.feature]);
                       });
  }

  /// A sum of whole numbers is at most its limit, which is whole, or the whole number below it.
  static void tighten(const Side& side, ConvexProblem::Row& row) {
    const Interval& range = side.condition.range;
    row.limit_error = row.factor_error = 0;
    const bool closed = is_upper(side) ? range.upper_closed : range.lower_closed;
    if (!closed) row.limit -= 1;
  }

  BoxAnswer solve_several(double reach) {
    const ConvexProblem whole = problem();
    ConvexProblem bounded = whole;
    bound_by_rows(bounded);
    const ConvexPoint first = boxwood::solve(whole);
    const ConvexPoint sharp = sharpen(whole, first);
    const auto bound_of = [&](const ConvexProblem& problem) {
      double least = boxwood::least_cost(problem, std::vector<double>(whole.rows.size(), 0.0));
      least = std::max(least, boxwood::least_cost(problem, first.prices));
      if (!sharp.prices.empty())
        least = std::max(least, boxwood::least_cost(problem, sharp.prices));
      return (fixed_cost_ + least) * (1 - cost_rounding_share);
    };
    BoxAnswer answer{bound_of(bounded), {}, true};
    if (answer.bound > reach) return answer;
    std::vector<double> best;
    const auto consider = [&](const std::vector<double>& changes) {
      std::vector<double> point = at_;
      for (std::size_t j = 0; j < free_.size(); ++j) {
        const double now = query_.point[free_[j].feature];
        point[free_[j].feature] = (std::isnan(now) ? 0 : now) + changes[j];
      }
      if (!settle(point)) return;
      if (best.empty() || total_cost(query_, point) < total_cost(query_, best)) best = point;
    };
    if (!sharp.at.empty()) consider(sharp.at);
    consider(first.at);
    for (const ConvexProblem::Row& row : bounded.rows) {
      if (best.empty()) consider(corner_of(bounded, row, 1, first.at));
      if (best.empty() && row.equal) consider(corner_of(bounded, row, -1, first.at));
    }
    if (best.empty()) {
      const ConvexPoint inside = find_inside(bounded);
      ConvexProblem free_of_cost = bounded;
      for (double& slope : free_of_cost.slope) slope = 0;
      for (double& square : free_of_cost.square) square = 0;
      if (boxwood::least_cost(free_of_cost, inside.prices) > 0) return {};
      for (const double share : {1e-9, 1e-6, 1e-3, 1.0}) {
        std::vector<double> mixed = first.at;
        for (std::size_t j = 0; j < mixed.size(); ++j) {
          mixed[j] += share * (inside.at[j] - mixed[j]);
        }
        if (best.empty()) consider(mixed);
      }
    }
    choose_branch(sharp.at.empty() ? first.at : sharp.at);
    if (best.empty()) {
      answer.settled = false;
      return answer;
    }
    const double cost = total_cost(query_, best);
    // A point of the box that is not within this cost does not matter; without it no variable is
    // unbounded, and prices that are off by rounding give a bound all the same.
    ConvexProblem near = bounded;
    const double most = 2 * cost;
    for (std::size_t j = 0; j < free_.size(); ++j) cap(near, j, most);
    answer.bound = std::max(answer.bound, bound_of(near));
    answer.point = std::move(best);
    answer.bound = std::min(answer.bound, cost);
    answer.settled = cost <= answer.bound * (1 + cost_tolerance) + cost_of_steps(answer.point);
    return answer;
  }

  /// The corner of the box where the sum of a row is smallest, or largest if the sign is -1. It may
  /// be the only point that satisfies the rule; the interior-point method does not get there.
  static std::vector<double> corner_of(const ConvexProblem& problem, const ConvexProblem::Row& row,
                                       double sign, std::vector<double> at) {
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double end = sign * row.factors[j] > 0 ? problem.lower[j] : problem.upper[j];
      if (row.factors[j] != 0 && std::isfinite(end)) at[j] = end;
    }
    return at;
  }

  /// The discrete variable whose value is farthest from an admissible one, or else the one with the
  /// most values.
  void choose_branch(const std::vector<double>& changes) {
    double farthest = 0, widest = 0;
    branch_ = free_.size();
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const Range& range = free_[j];
      if (!range.discrete) continue;
      const double now = query_.point[range.feature];
      const double x =
          std::clamp((std::isnan(now) ? 0 : now) + changes[j], range.lower, range.upper);
      const double below = std::max(admissible(range, x, false), range.lower);
      const double above =
          std::min(admissible(range, std::nextafter(x, infinity), true), range.upper);
      const double off = above > below ? std::min(x - below, above - x) / (above - below) : 0;
      const double width = (range.upper - range.lower) / std::max(above - below, 1e-300);
      constexpr double close = 1e-9;
      const bool farther = off > close && off > farthest;
      if (!farther && !(farthest <= close && width > widest)) continue;
      farthest = std::max(farthest, farther ? off : 0.0);
      widest = std::max(widest, width);
      branch_ = j;
      const double middle = range.lower / 2 + range.upper / 2;
      const double cut = farther || !std::isfinite(middle) ? below : middle;
      branch_below_ = std::max(admissible(range, cut, false), range.lower);
      if (!(branch_below_ < range.upper)) branch_below_ = range.lower;
    }
  }

  /// Leaves out changes of one variable that alone cost more than this.
  static void cap(ConvexProblem& problem, std::size_t j, double most) {
    const double slope = std::abs(problem.slope[j]), square = problem.square[j];
    double far = infinity;
    if (square > 0) far = std::sqrt(most / square);
    if (slope > 0) far = std::min(far, most / slope);
    if (problem.lower[j] >= 0)
      problem.upper[j] = std::clamp(far, problem.lower[j], problem.upper[j]);
    else if (problem.upper[j] <= 0)
      problem.lower[j] = std::clamp(-far, problem.lower[j], problem.upper[j]);
  }

  double fixed_cost_ = 0;  // of what does not depend on the free variables
  std::size_t branch_ = 0;
  double branch_below_ = 0;
};

/// Branch and bound over the discrete variables: a box whose point is not good enough is cut in
/// two at a discrete variable.
BoxAnswer LinearBox::solve_in(std::span<const double> at, const std::vector<Range>& ranges,
                              double reach) const {
  constexpr std::size_t most_boxes = 500;
  BoxAnswer best;
  std::vector<std::vector<Range>> open{ranges};
  double left_open = infinity;
  for (std::size_t boxes = 0; !open.empty(); ++boxes) {
    const std::vector<Range> box = std::move(open.back());
    open.pop_back();
    std::vector<double> from(at.begin(), at.end());
    for (const Range& range : box) {
      // The cheapest value of the box.
      if (range.discrete) from[range.feature] = range.up ? range.lower : range.upper;
    }
    Work work(*this, from, box);
    const BoxAnswer found = work.solve(reach);
    if (!found.point.empty()) {
      const double cost = total_cost(query_, found.point);
      const double known = best.point.empty() ? infinity : total_cost(query_, best.point);
      if (cost < known) best.point = found.point;
      reach = std::min(reach, std::min(cost, known) * (1 - cost_tolerance));
    }
    if (found.bound > reach || found.settled) {
      best.bound = std::min(best.bound, found.bound);
      continue;
    }
    const bool can_branch = !work.free_ranges().empty() &&
                            work.branch_at() < work.free_ranges().size() && boxes < most_boxes;
    if (!can_branch) {
      left_open = std::min(left_open, found.bound);
      continue;
    }
    const Range& cut = work.free_ranges()[work.branch_at()];
    const double below = work.branch_below();
    const double above = admissible(cut, std::nextafter(below, infinity), true);
    for (const bool upper : {cut.up, !cut.up}) {  // the cheaper half is taken first
      std::vector<Range> half = box;
      for (Range& range : half) {
        if (range.feature != cut.feature) continue;
        (upper ? range.lower : range.upper) = upper ? above : below;
        if (range.lower <= range.upper) open.push_back(half);
      }
    }
  }
  best.settled = left_open > reach;
  best.bound = std::min(best.bound, left_open);
  return best;
}

double LinearBox::admissible(const Range& range, double value, bool up) const {
  const Axis axis(query_.features[range.feature], query_.point[range.feature], precision_);
  return axis.rounded(value, up);
}

LinearBox::LinearBox(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts)
    : ensembles_(ensembles), query_(query), cuts_(cuts), precision_(common_precision(ensembles)) {
  for (const Clause& clause : query.exact_clauses) {
    for (const LinearTerm& term : clause.linear.front().terms) {
      if (!is_by_cell(query, term.feature)) continue;
      features_.push_back(term.feature);
      is_exact_ = is_exact_ && !is_spread(query, term.feature);
    }
  }
  std::sort(features_.begin(), features_.end());
  features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
}

LinearBox::Range LinearBox::range_between(std::size_t feature, double value, const Cut* lower,
                                          const Cut* upper) const {
  const double now = query_.point[feature];
  const Range own{feature, value, value, true, false};
  if (std::isnan(value) || value == now) return own;
  const Axis axis(query_.features[feature], now, precision_);
  const Cut here{as_read(now, precision_), value > now};
  const bool up = std::isnan(now) || value > now;
  if (!std::isnan(now) && up && (!lower || *lower < here)) lower = &here;
  if (!std::isnan(now) && !up && (!upper || here < *upper)) upper = &here;
  const Interval values = axis.between(lower, upper, up);
  Range range{feature, values.lower, values.upper, up, is_discrete(query_.features[feature])};
  if (range.discrete) {
    range.lower = axis.rounded(range.lower, true);
    range.upper = axis.rounded(range.upper, false);
  }
  return range;
}

/// The scores are the same in the whole box.
bool LinearBox::has_outcome(std::span<const double> at) const {
  return std::all_of(query_.requirements.begin(), query_.requirements.end(),
                     [&](const Requirement& requirement) {
                       const Ensemble& ensemble = ensembles_[requirement.ensemble];
                       return meets(requirement, ensemble, ensemble.predict(at));
                     });
}

LinearBox::Range LinearBox::range_around(std::size_t feature, double value) const {
  if (std::isnan(value) || !std::binary_search(features_.begin(), features_.end(), feature)) {
    return {feature, value, value, true, false};
  }
  const std::vector<Cut>& cuts = cuts_[feature];
  const std::size_t rank = cell_rank(cuts, as_read(value, precision_));
  return range_between(feature, value, rank > 0 ? &cuts[rank - 1] : nullptr,
                       rank < cuts.size() ? &cuts[rank] : nullptr);
}

std::vector<LinearBox::Range> LinearBox::ranges_around(std::span<const double> at) const {
  std::vector<Range> ranges;
  for (const std::size_t feature : features_) {
    if (!std::isnan(at[feature])) ranges.push_back(range_around(feature, at[feature]));
  }
  return ranges;
}

BoxAnswer LinearBox::solve(std::span<const double> at, double reach) const {
  if (!has_outcome(at)) return {};
  return solve_in(at, ranges_around(at), reach);
}

BoxAnswer LinearBox::solve_around(std::span<const double> at, double reach) const {
  const std::vector<Interval> box = pure_box(ensembles_.first(ensembles_.size() - 1), at);
  std::vector<Range> ranges;
  for (const std::size_t feature : features_) {
    const Interval& values = box[feature];
    if (std::isnan(at[feature])) continue;
    const Cut lower{values.lower, !values.lower_closed}, upper{values.upper, values.upper_closed};
    ranges.push_back(range_between(feature, at[feature],
                                   std::isfinite(values.lower) ? &lower : nullptr,
                                   std::isfinite(values.upper) ? &upper : nullptr));
  }
  return solve_in(at, ranges, reach);
}

}  // namespace boxwood
