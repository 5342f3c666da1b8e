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

/// By so many steps of its precision each continuous feature of a rule may be farther away than
/// the cheapest real number.
constexpr std::int64_t steps_allowed = 64;

/// Costs are added with rounding; this share is far more than that.
constexpr double cost_rounding_share = 1e-12;

/// The factor of a term of a continuous feature on one side of its present value.
double factor_of(const LinearTerm& term, bool up) {
  return term.of == LinearTerm::Of::size && !up ? -term.coefficient : term.coefficient;
}

/// A sum of products in twice the precision of a double.
struct LongSum {
  double high = 0, low = 0, size = 0;

  void add(double a, double b) {
    const double product = a * b;
    add(product);
    low += std::fma(a, b, -product);
  }
  void add(double value) {
    const double sum = high + value;
    const double part = sum - high;
    low += (high - (sum - part)) + (value - part);
    high = sum;
    size += std::abs(value);
  }
  double value() const { return high + low; }
  double error() const { return 0x1p-52 * std::abs(value()) + 0x1p-90 * size; }
};

}  // namespace

/// One end of a linear rule that the points of the box must satisfy, or both ends of an equation.
struct LinearBox::Side {
  LinearCondition condition;
  std::vector<double> factors;  ///< of a free variable
  bool equal = false;
};

/// One box: its free variables, the rules there, and what is found.
class LinearBox::Work {
 public:
  Work(const LinearBox& box, std::span<const double> at, const std::vector<Range>& ranges)
      : query_(box.query_), precision_(box.precision_), at_(at.begin(), at.end()) {
    for (const Clause& clause : query_.exact_clauses) {
      if (!add_sides(clause)) impossible_ = true;
    }
    for (const Range& range : ranges) {
      const bool tested = std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
        const auto& terms = side.condition.terms;
        return std::any_of(terms.begin(), terms.end(),
                           [&](const LinearTerm& term) { return term.feature == range.feature; });
      });
      if (tested && range.lower < range.upper) free_.push_back(range);
    }
    for (Side& side : sides_) {
      for (const Range& range : free_) {
        double factor = 0;
        for (const LinearTerm& term : side.condition.terms) {
          if (term.feature == range.feature) factor += factor_of(term, range.up);
        }
        side.factors.push_back(factor);
      }
    }
  }

  BoxAnswer solve(double reach) {
    if (impossible_) return {};
    if (all_hold(at_)) return {total_cost(query_, at_), at_, true};
    // Nothing here can change what breaks a rule: that is decided exactly.
    if (free_.empty()) return {};
    if (free_.size() == 1) return solve_one();
    return solve_several(reach);
  }

 private:
  /// False if a value is missing, so that no point satisfies the rule.
  bool add_sides(const Clause& clause) {
    const bool other =
        std::any_of(clause.any_of.begin(), clause.any_of.end(),
                    [&](const Literal& literal) { return holds(literal, at_, precision_); });
    if (other) return true;
    const LinearCondition& rule = clause.linear.front();
    for (const LinearTerm& term : rule.terms) {
      const bool from_now = term.of == LinearTerm::Of::change || term.of == LinearTerm::Of::size;
      if (std::isnan(at_[term.feature])) return false;
      if (from_now && std::isnan(query_.point[term.feature])) return false;
    }
    const Interval& range = rule.range;
    if (range.lower == range.upper) {
      sides_.push_back({rule, {}, true});
      return true;
    }
    Side side{rule, {}, false};
    if (std::isfinite(range.lower)) {
      side.condition.range = {.lower = range.lower, .lower_closed = range.lower_closed};
      sides_.push_back(side);
    }
    if (std::isfinite(range.upper)) {
      side.condition.range = {.upper = range.upper, .upper_closed = range.upper_closed};
      sides_.push_back(side);
    }
    return true;
  }

  bool holds_at(const Side& side, std::span<const double> point) const {
    return holds(side.condition, query_.point, point);
  }
  bool all_hold(std::span<const double> point) const {
    return std::all_of(sides_.begin(), sides_.end(),
                       [&](const Side& side) { return holds_at(side, point); });
  }

  static bool is_upper(const Side& side) { return std::isfinite(side.condition.range.upper); }

  /// How far the sum may still rise in the direction of the limit.
  LongSum room(const Side& side, std::span<const double> point) const {
    const double sign = is_upper(side) ? -1 : 1;
    LongSum sum;
    for (const LinearTerm& term : side.condition.terms) {
      const double value = point[term.feature], now = query_.point[term.feature];
      const double factor = sign * term.coefficient;
      if (term.of == LinearTerm::Of::codes) {
        if (value > -1 && value < 0x1p31 &&
            std::binary_search(term.codes.begin(), term.codes.end(),
                               static_cast<std::int32_t>(value))) {
          sum.add(factor);
        }
      } else if (term.of == LinearTerm::Of::value) {
        sum.add(factor, value);
      } else {
        const double turn = term.of == LinearTerm::Of::size && value < now ? -factor : factor;
        sum.add(turn, value);
        sum.add(-turn, now);
      }
    }
    const Interval& range = side.condition.range;
    sum.add(-sign * (is_upper(side) ? range.upper : range.lower));
    return sum;
  }

  /// Whether a side is satisfied by ever smaller values of a variable, the others as they are.
  bool wants_small(const Side& side, std::size_t j) const {
    return (side.factors[j] > 0) == is_upper(side);
  }

  /// The value of a variable nearest to the limit of a side at which the side holds while the other
  /// variables stay. Not a number if there is none in the box. The sum is monotone in the variable
  /// and decided exactly, so the search for the last number that is good ends at it.
  double limit_of(const Side& side, std::size_t j, std::vector<double>& point) const {
    const Range& range = free_[j];
    double& x = point[range.feature];
    const double before = x;
    const double sign = is_upper(side) ? 1 : -1;
    const double guess = before + room(side, point).value() / (sign * side.factors[j]);
    const double most = std::numeric_limits<float>::max();
    const double widest =
        precision_ == Precision::float32 ? most : std::numeric_limits<double>::max();
    const auto place_within = [&](double value) {
      return place_of(std::clamp(as_read(std::clamp(value, -widest, widest), precision_),
                                 range.lower, range.upper),
                      precision_);
    };
    const auto good = [&](std::int64_t place) {
      x = at_place(place, precision_);
      return holds_at(side, point);
    };
    double found = std::numeric_limits<double>::quiet_NaN();
    if (side.equal) {
      const std::int64_t middle = place_within(guess);
      for (std::int64_t place = middle - 2; place <= middle + 2 && std::isnan(found); ++place) {
        if (place_within(at_place(place, precision_)) == place && good(place)) found = x;
      }
      x = before;
      return found;
    }
    const std::int64_t outward = wants_small(side, j) ? 1 : -1;
    const std::int64_t end = place_within(wants_small(side, j) ? infinity : -infinity);
    const std::int64_t start = place_within(wants_small(side, j) ? -infinity : infinity);
    const auto between = [&](std::int64_t place) {
      return outward > 0 ? std::clamp(place, start, end) : std::clamp(place, end, start);
    };
    std::int64_t in = between(place_within(guess));
    for (std::int64_t step = 1; !good(in); step *= 2) {
      if (in == start) {
        x = before;
        return found;
      }
      in = between(in - outward * step);
    }
    std::int64_t out = in;
    for (std::int64_t step = 1; out != end; step *= 2) {
      out = between(in + outward * step);
      if (!good(out)) break;
      in = out;
    }
    while (in != end && std::abs(out - in) > 1) {
      const std::int64_t middle = in + (out - in) / 2;
      (good(middle) ? in : out) = middle;
    }
    found = at_place(in, precision_);
    x = before;
    return found;
  }

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
    point[free_[0].feature] = free_[0].up ? lower : upper;
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
      double lower = std::nextafter(range.lower - from, -infinity);
      double upper = std::nextafter(range.upper - from, infinity);
      if (!std::isnan(now))
        (range.up ? lower : upper) = range.up ? std::max(lower, 0.0) : std::min(upper, 0.0);
      problem.square.push_back(square);
      problem.slope.push_back(slope);
      problem.lower.push_back(lower);
      problem.upper.push_back(upper);
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
      ConvexProblem::Row row{{}, limit.value(), limit.error(), 0, side.equal};
      double size = 0;
      for (const double factor : side.factors) {
        row.factors.push_back(sign * factor);
        size = std::max(size, std::abs(factor));
      }
      // Several terms of one feature were added with rounding.
      if (side.condition.terms.size() > free_.size()) row.factor_error = 0x1p-50 * size;
      problem.rows.push_back(std::move(row));
    }
    return problem;
  }

  BoxAnswer solve_several(double reach) {
    const ConvexProblem whole = problem();
    const ConvexPoint first = boxwood::solve(whole);
    const ConvexPoint sharp = sharpen(whole, first);
    const auto bound_of = [&](const ConvexProblem& problem) {
      double least = boxwood::least_cost(problem, std::vector<double>(whole.rows.size(), 0.0));
      least = std::max(least, boxwood::least_cost(problem, first.prices));
      if (!sharp.prices.empty())
        least = std::max(least, boxwood::least_cost(problem, sharp.prices));
      return (fixed_cost_ + least) * (1 - cost_rounding_share);
    };
    BoxAnswer answer{bound_of(whole), {}, true};
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
    if (best.empty()) {
      const ConvexPoint inside = find_inside(whole);
      ConvexProblem free_of_cost = whole;
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
    if (best.empty()) {
      answer.settled = false;
      return answer;
    }
    const double cost = total_cost(query_, best);
    // A point of the box that is not within this cost does not matter; without it no variable is
    // unbounded, and prices that are off by rounding give a bound all the same.
    ConvexProblem near = whole;
    const double most = 2 * cost;
    for (std::size_t j = 0; j < free_.size(); ++j) cap(near, j, most);
    answer.bound = std::max(answer.bound, std::min(bound_of(near), most));
    answer.point = std::move(best);
    answer.bound = std::min(answer.bound, cost);
    answer.settled = cost <= answer.bound * (1 + cost_tolerance) + cost_of_steps(answer.point);
    return answer;
  }

  /// Leaves out changes of one variable that alone cost more than this.
  static void cap(ConvexProblem& problem, std::size_t j, double most) {
    const double slope = std::abs(problem.slope[j]), square = problem.square[j];
    double far = infinity;
    if (square > 0) far = std::sqrt(most / square);
    if (slope > 0) far = std::min(far, most / slope);
    far *= 1 + 1e-9;
    if (problem.lower[j] >= 0)
      problem.upper[j] = std::clamp(far, problem.lower[j], problem.upper[j]);
    else if (problem.upper[j] <= 0)
      problem.lower[j] = std::clamp(-far, problem.lower[j], problem.upper[j]);
  }

  double cost_of_steps(const std::vector<double>& point) const {
    double cost = 0;
    for (const Range& range : free_) {
      const double x = point[range.feature];
      const std::int64_t away = range.up ? steps_allowed : -steps_allowed;
      const double farther = at_place(place_of(x, precision_) + away, precision_);
      const double more =
          term_cost(query_, range.feature, farther) - term_cost(query_, range.feature, x);
      if (more > 0 && std::isfinite(more)) cost += more;
    }
    return cost;
  }

  /// Rounds a point to numbers of the box that satisfy the rules, and then to cheaper ones.
  bool settle(std::vector<double>& point) const {
    for (const Range& range : free_) {
      double& x = point[range.feature];
      if (std::isnan(x)) return false;
      x = std::clamp(as_read(x, precision_), range.lower, range.upper);
      if (!std::isfinite(x)) return false;
    }
    if (!all_hold(point) && !repair(point) && !snap(point)) return false;
    pull(point);
    return true;
  }

  /// Moves single variables to the limits of the rules that rounding has broken.
  bool repair(std::vector<double>& point) const {
    for (int round = 0; round < 3; ++round) {
      for (const Side& side : sides_) {
        if (holds_at(side, point)) continue;
        double kept = 0;
        std::size_t kept_at = free_.size();
        for (std::size_t j = 0; j < free_.size(); ++j) {
          if (side.factors[j] == 0) continue;
          const double limit = limit_of(side, j, point);
          if (std::isnan(limit)) continue;
          std::vector<double> trial = point;
          trial[free_[j].feature] = limit;
          if (all_hold(trial)) {
            point = std::move(trial);
            return true;
          }
          kept = limit;
          kept_at = j;
        }
        if (kept_at < free_.size()) point[free_[kept_at].feature] = kept;
      }
    }
    return all_hold(point);
  }

  /// Equations: rounds all variables to a coarser grid, so that sums need few digits, and solves
  /// each equation for one variable.
  bool snap(std::vector<double>& point) const {
    std::vector<const Side*> equations;
    for (const Side& side : sides_) {
      if (side.equal) equations.push_back(&side);
    }
    if (equations.empty()) return false;
    double largest = 0;
    for (const Range& range : free_) largest = std::max(largest, std::abs(point[range.feature]));
    if (!(largest > 0)) return false;
    const std::vector<double> start = point;
    for (const int bits :
         precision_ == Precision::float32 ? std::array{21, 16, 11} : std::array{49, 40, 30}) {
      for (std::size_t first = 0; first < free_.size(); ++first) {
        point = start;
        if (snap_to(std::ldexp(1.0, std::ilogb(largest) + 1 - bits), first, equations, point)) {
          return true;
        }
      }
    }
    return false;
  }

  /// Each equation is solved for the first variable from `first` on that fewest others have.
  bool snap_to(double unit, std::size_t first, const std::vector<const Side*>& equations,
               std::vector<double>& point) const {
    const auto uses = [&](std::size_t j) {
      return std::count_if(equations.begin(), equations.end(),
                           [&](const Side* side) { return side->factors[j] != 0; });
    };
    std::vector<std::size_t> pivots;
    double multiple = 1;
    for (const Side* side : equations) {
      std::size_t pivot = free_.size();
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const std::size_t j = (first + i) % free_.size();
        if (side->factors[j] == 0 || std::count(pivots.begin(), pivots.end(), j) > 0) continue;
        if (pivot == free_.size() || uses(j) < uses(pivot)) pivot = j;
      }
      if (pivot == free_.size()) return false;
      pivots.push_back(pivot);
      const double factor = std::abs(side->factors[pivot]);
      if (factor == std::floor(factor) && factor < 0x1p20) multiple *= factor;
    }
    for (const Range& range : free_) {
      double& x = point[range.feature];
      const double grid = unit * multiple;
      x = std::clamp(as_read(std::round(x / grid) * grid, precision_), range.lower, range.upper);
    }
    for (int round = 0; round < 3; ++round) {
      for (std::size_t e = 0; e < equations.size(); ++e) {
        const double solved = limit_of(*equations[e], pivots[e], point);
        if (std::isnan(solved)) return false;
        point[free_[pivots[e]].feature] = solved;
      }
      if (all_hold(point)) return true;
      if (equations.size() == 1) break;
    }
    return repair(point);
  }

  /// Moves one variable after the other as near to the query's point as the rules let it.
  void pull(std::vector<double>& point) const {
    for (int round = 0; round < 2; ++round) {
      bool moved = false;
      for (std::size_t j = 0; j < free_.size(); ++j) {
        const Range& range = free_[j];
        double nearest = range.up ? range.lower : range.upper;
        bool stuck = false;
        for (const Side& side : sides_) {
          if (side.factors[j] == 0) continue;
          stuck = stuck || side.equal;
          if (side.equal || wants_small(side, j) == range.up) continue;
          const double limit = limit_of(side, j, point);
          if (std::isnan(limit)) stuck = true;
          nearest = range.up ? std::max(nearest, limit) : std::min(nearest, limit);
        }
        double& x = point[range.feature];
        if (stuck || !(range.up ? nearest < x : nearest > x)) continue;
        x = nearest;
        moved = true;
      }
      if (!moved) return;
    }
  }

  const Query& query_;
  Precision precision_;
  std::vector<double> at_;
  std::vector<Side> sides_;
  std::vector<Range> free_;
  double fixed_cost_ = 0;  // of what does not depend on the free variables
  bool impossible_ = false;
};

LinearBox::LinearBox(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts)
    : ensembles_(ensembles), query_(query), cuts_(cuts), precision_(common_precision(ensembles)) {
  for (const Clause& clause : query.exact_clauses) {
    for (const LinearTerm& term : clause.linear.front().terms) {
      if (is_spread(query, term.feature)) features_.push_back(term.feature);
    }
  }
  std::sort(features_.begin(), features_.end());
  features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
}

LinearBox::Range LinearBox::range_between(std::size_t feature, double value, const Cut* lower,
                                          const Cut* upper) const {
  const double now = query_.point[feature];
  const Range own{feature, value, value, true};
  if (std::isnan(value) || value == now) return own;
  const Axis axis(query_.features[feature], now, precision_);
  const Cut here{as_read(now, precision_), value > now};
  const bool up = std::isnan(now) || value > now;
  if (!std::isnan(now) && up && (!lower || *lower < here)) lower = &here;
  if (!std::isnan(now) && !up && (!upper || here < *upper)) upper = &here;
  const Interval values = axis.between(lower, upper, up);
  return {feature, values.lower, values.upper, up};
}

/// The scores are the same in the whole box.
bool LinearBox::has_outcome(std::span<const double> at) const {
  return std::all_of(query_.requirements.begin(), query_.requirements.end(),
                     [&](const Requirement& requirement) {
                       const Ensemble& ensemble = ensembles_[requirement.ensemble];
                       return meets(requirement, ensemble, ensemble.predict(at));
                     });
}

BoxAnswer LinearBox::solve(std::span<const double> at, double reach) const {
  if (!has_outcome(at)) return {};
  std::vector<Range> ranges;
  for (const std::size_t feature : features_) {
    const std::vector<Cut>& cuts = cuts_[feature];
    const double value = at[feature];
    if (std::isnan(value)) continue;
    const std::size_t rank = cell_rank(cuts, as_read(value, precision_));
    ranges.push_back(range_between(feature, value, rank > 0 ? &cuts[rank - 1] : nullptr,
                                   rank < cuts.size() ? &cuts[rank] : nullptr));
  }
  return Work(*this, at, ranges).solve(reach);
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
  return Work(*this, at, ranges).solve(reach);
}

}  // namespace boxwood
