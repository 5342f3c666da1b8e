// The linear rules of one box of cells, and the numbers in it that satisfy them: the limits that
// the rules set to one variable, and the rounding of a point to admissible numbers within the
// rules. Every decision about a rule is exact (holds). The two ways to solve a box are built on it:
// linear_box.cpp, by a convex problem, and linear_values.cpp, value by value.
#pragma once

#include "base/infinity.hpp"
#include "grid/axis.hpp"
#include "model/arithmetic.hpp"
#include "model/places.hpp"

#include <boxwood/query.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace boxwood {

/// By so many steps of its precision each continuous feature of a rule may be farther away than
/// the cheapest real number.
inline constexpr std::int64_t steps_allowed = 64;

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
  /// The last part is what products may lose that are too small for a double.
  double error() const { return 0x1p-52 * std::abs(value()) + 0x1p-90 * size + 0x1p-1060; }
};

/// The values of one feature in a box, all on one side of the query's value.
struct BoxRange {
  std::size_t feature = 0;
  double lower = 0, upper = 0;  ///< numbers that the models read, or infinite
  bool up = true;               ///< above the query's value
  bool discrete = false;        ///< only some of the numbers between are admissible
};

/// One end of a linear rule that the points of the box must satisfy, or both ends of an equation.
struct RuleSide {
  LinearCondition condition;
  std::vector<double> factors{};  ///< of a free variable
  double factor_error = 0;        ///< of each of them: several terms of a feature are added up
  bool equal = false;
};

class BoxRules {
 public:
  /// `at` is a point of the box, `ranges` are those of the features that are not as there.
  BoxRules(const Query& query, Precision precision, std::span<const double> at,
           std::span<const BoxRange> ranges)
      : query_(query), precision_(precision), at_(at.begin(), at.end()) {
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
    for (Side& side : sides_) add_factors(side);
  }

 protected:
  using Range = BoxRange;
  using Side = RuleSide;

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
      sides_.push_back({.condition = rule, .equal = true});
      return true;
    }
    Side side{.condition = rule};
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

  void add_factors(Side& side) {
    for (const Range& range : free_) {
      LongSum factor;
      LinearCondition sum;  // the same, as terms of a feature that is 1
      for (const LinearTerm& term : side.condition.terms) {
        if (term.feature != range.feature) continue;
        // The factor of a term on one side of the feature's present value.
        const bool turned = term.of == LinearTerm::Of::size && !range.up;
        sum.terms.push_back({.coefficient = turned ? -term.coefficient : term.coefficient});
        factor.add(sum.terms.back().coefficient);
      }
      double value = factor.value();
      if (sum.terms.size() > 1) {
        side.factor_error = std::max(side.factor_error, factor.error());
        if (std::abs(value) <= factor.error()) value = with_exact_sign(value, sum);
      }
      side.factors.push_back(value);
    }
  }

  /// Where terms nearly cancel out, what is left of them may be lost. Every use of a factor relies
  /// on its sign, and on 0 meaning that the feature does not matter.
  static double with_exact_sign(double value, LinearCondition& sum) {
    constexpr std::array<double, 1> one{1};
    sum.range = {0, 0};
    if (holds(sum, one, one)) return 0;
    sum.range = {.lower = 0};
    const double size = std::max(std::abs(value), std::numeric_limits<double>::denorm_min());
    return holds(sum, one, one) ? size : -size;
  }

  /// The admissible value of a discrete feature that is at least, or at most, a number.
  double admissible(const Range& range, double value, bool up) const {
    const Axis axis(query_.features[range.feature], query_.point[range.feature], precision_);
    return axis.rounded(value, up);
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

  /// The admissible value of a variable nearest to the limit of a side at which the side holds
  /// while the other variables stay. Not a number if there is none in the box.
  double limit_of(const Side& side, std::size_t j, std::vector<double>& point) const {
    const double limit = number_at_limit(side, j, point);
    if (!free_[j].discrete || std::isnan(limit)) return limit;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    // The ends of the range are admissible, so this one is within them.
    const double value = admissible(free_[j], limit, !side.equal && !wants_small(side, j));
    return !side.equal || value == limit ? value : none;
  }

  /// The same among all numbers. The sum is monotone in the variable and decided exactly, so the
  /// search for the last number that is good ends at it. An equation is searched as the side of it
  /// that the smallest numbers satisfy: the last number of that side is the only one that may
  /// satisfy both. (A number computed from the others may be off by any number of steps, if it is
  /// much smaller than they are.)
  double number_at_limit(const Side& side, std::size_t j, std::vector<double>& point) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
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
                                 std::max(range.lower, -widest), std::min(range.upper, widest)),
                      precision_);
    };
    const bool small = side.equal || wants_small(side, j);
    LinearCondition one_side = side.condition;
    if (side.equal) {
      (side.factors[j] > 0 ? one_side.range.lower : one_side.range.upper) =
          side.factors[j] > 0 ? -infinity : infinity;
    }
    const auto good = [&](std::int64_t place) {
      x = at_place(place, precision_);
      return holds(one_side, query_.point, point);
    };
    const std::int64_t outward = small ? 1 : -1;
    const std::int64_t end = place_within(small ? infinity : -infinity);
    const std::int64_t start = place_within(small ? -infinity : infinity);
    // A place that is so many steps farther out, or in if there are less than none. Differences of
    // places may be larger than the largest number of their type.
    const auto moved = [&](std::int64_t from, std::int64_t steps) {
      const std::int64_t to = outward * steps > 0 ? std::max(start, end) : std::min(start, end);
      const std::uint64_t left = to > from ? std::uint64_t(to) - std::uint64_t(from)
                                           : std::uint64_t(from) - std::uint64_t(to);
      return left <= std::uint64_t(std::abs(steps)) ? to : from + outward * steps;
    };
    constexpr std::int64_t longest = std::int64_t{1} << 61;
    std::int64_t in = std::isnan(guess) ? start : place_within(guess);
    for (std::int64_t step = 1; !good(in); step = std::min(2 * step, longest)) {
      if (in == start) {
        x = before;
        return none;
      }
      in = moved(in, -step);
    }
    std::int64_t out = in;
    for (std::int64_t step = 1; out != end; step = std::min(2 * step, longest)) {
      out = moved(in, step);
      if (!good(out)) break;
      in = out;
    }
    while (in != end) {
      const std::int64_t middle = std::midpoint(in, out);  // rounds towards `in`
      if (middle == in) break;
      (good(middle) ? in : out) = middle;
    }
    x = at_place(in, precision_);
    const bool found = !side.equal || holds_at(side, point);
    x = before;
    return found ? at_place(in, precision_) : none;
  }

  double cost_of_steps(const std::vector<double>& point) const {
    double cost = 0;
    for (const Range& range : free_) {
      if (range.discrete) continue;
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
      if (range.discrete) x = nearest_admissible(range, x);
    }
    if (!all_hold(point) && !repair(point) && !snap(point)) return false;
    pull(point);
    return true;
  }

  /// The ends of a range are admissible, so there is always such a value.
  double nearest_admissible(const Range& range, double x) const {
    const double above = admissible(range, x, true), below = admissible(range, x, false);
    if (!(above <= range.upper)) return range.upper < below ? range.upper : below;
    if (!(below >= range.lower)) return above;
    return above - x < x - below ? above : below;
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
      if (range.discrete) x = nearest_admissible(range, x);
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

  /// Moves one variable after the other as near to the query's point as the rules let it. To a
  /// missing value no number is nearer than another.
  void pull(std::vector<double>& point) const {
    for (int round = 0; round < 2; ++round) {
      bool moved = false;
      for (std::size_t j = 0; j < free_.size(); ++j) {
        const Range& range = free_[j];
        if (std::isnan(query_.point[range.feature])) continue;
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
  std::vector<double> at_;   // a point of the box
  std::vector<Side> sides_;  // the rules that have to hold there
  std::vector<Range> free_;  // the features that they leave open
  bool impossible_ = false;  // a value is missing that a rule needs
};

}  // namespace boxwood
