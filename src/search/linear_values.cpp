// The points of one box of cells that satisfy the linear rules, where all features that the rules
// leave open have discrete values: a search over ranges of values. It is exact, ties included. The
// models are constant in the box, so costs and rules alone decide.
#include "search/linear_box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace boxwood {

class LinearBox::Values : BoxRules {
 public:
  Values(const LinearBox& box, std::span<const double> at, const std::vector<Range>& ranges)
      : BoxRules(box.query_, box.precision_, at, ranges) {}

  /// False if the watch stopped it.
  bool search(const Incumbent& incumbent, Watch& watch, const TakePoint& take) {
    if (impossible_) return true;
    Part whole;
    for (const Range& range : free_) {
      whole.lower.push_back(range.lower);
      whole.upper.push_back(range.upper);
    }
    std::vector<Part> open{std::move(whole)};
    while (!open.empty()) {
      if (!watch.count_node()) return false;
      Part part = std::move(open.back());
      open.pop_back();
      if (!narrow(part)) continue;
      for (std::size_t j = 0; j < free_.size(); ++j) at_[free_[j].feature] = near(part, j) + 0.0;
      // No point of the part costs less: costs never fall on the way from the query's value.
      if (total_cost(query_, at_) > incumbent.cost()) continue;
      const auto broken = std::find_if(sides_.begin(), sides_.end(),
                                       [&](const Side& side) { return !holds_at(side, at_); });
      if (broken != sides_.end()) {
        branch_towards(*broken, std::move(part), open);
        continue;
      }
      // The outcome is the same in the whole box, and few boxes have a point that needs it.
      if (!part.taken && !take(at_)) return true;
      part.taken = true;
      branch_at_tie(incumbent.cost(), std::move(part), open);
    }
    return true;
  }

 private:
  struct Part {
    std::vector<double> lower, upper;  // of a free variable; admissible values
    bool taken = false;                // its nearest point
  };

  double near(const Part& part, std::size_t j) const {
    return free_[j].up ? part.lower[j] : part.upper[j];
  }
  double far(const Part& part, std::size_t j) const {
    return free_[j].up ? part.upper[j] : part.lower[j];
  }
  /// How much the room of a side grows with a variable.
  static double growth(const Side& side, std::size_t j) {
    return is_upper(side) ? -side.factors[j] : side.factors[j];
  }

  /// Drops values with which a rule cannot hold, whatever the other variables are. False if no
  /// point is left. Each side leaves room at most as at its best corner, where every variable is at
  /// the end that leaves most; a value that takes more of it than there is, with an allowance for
  /// rounding, is dropped. Ends only move inwards, so the room of an earlier corner is not less.
  bool narrow(Part& part) {
    constexpr int most_rounds = 8;
    bool narrowed = true;
    for (int round = 0; narrowed && round < most_rounds; ++round) {
      narrowed = false;
      for (const Side& side : sides_) {
        if (!narrow_by(side, 1, part, narrowed)) return false;
        if (side.equal && !narrow_by(side, -1, part, narrowed)) return false;
      }
    }
    return true;
  }

  /// `sign`: 1 for room that must not be negative, -1 for room that must not be positive.
  bool narrow_by(const Side& side, double sign, Part& part, bool& narrowed) {
    for (std::size_t j = 0; j < free_.size(); ++j) {
      at_[free_[j].feature] = sign * growth(side, j) > 0 ? part.upper[j] : part.lower[j];
    }
    const LongSum most = room(side, at_);
    const double spare = sign * most.value() + most.error();
    if (spare < 0) return false;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const double slope = std::abs(side.factors[j]) - side.factor_error;
      if (!(slope > 0)) continue;
      const bool high = sign * growth(side, j) > 0;
      const double best = high ? part.upper[j] : part.lower[j];
      // Far more than the rounding of the quotient and of the difference below.
      constexpr double share = 0x1p-40;
      const double away = spare / slope;
      const double most_away = away + share * (away + std::abs(best)) + 0x1p-1000;
      const double limit = high ? best - most_away : best + most_away;
      double& end = high ? part.lower[j] : part.upper[j];
      if (!(high ? limit > end : limit < end)) continue;
      const double value = admissible(free_[j], limit, high) + 0.0;
      if (value == end) continue;
      end = value;
      narrowed = true;
    }
    return true;
  }

  /// Cuts a part whose nearest point breaks a side. Some variable has to leave the nearest point by
  /// its share of what is missing, or others by more: both halves come nearer to the rule.
  void branch_towards(const Side& side, Part part, std::vector<Part>& open) const {
    const double missing = room(side, at_).value();  // not negative: too large for an equation
    std::size_t chosen = free_.size();
    double most = 0;
    int helpers = 0;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const double gain = growth(side, j) * (far(part, j) - near(part, j));
      const double helped = missing > 0 ? -gain : gain;
      if (!(helped > 0)) continue;
      ++helpers;
      if (helped <= most) continue;
      most = helped;
      chosen = j;
    }
    if (chosen == free_.size()) {  // by rounding alone
      for (std::size_t j = 0; j < free_.size(); ++j) {
        if (near(part, j) != far(part, j)) chosen = j;
      }
      if (chosen == free_.size()) return;
      helpers = 1;
    }
    const double factor = std::abs(side.factors[chosen]);
    const double step = factor > 0 ? std::abs(missing) / helpers / factor : 0;
    const double from = near(part, chosen);
    cut(std::move(part), chosen, free_[chosen].up ? from + step : from - step, open);
  }

  /// Other points of the part cost at least as much as its nearest one, and all of them have some
  /// variable at its next value or beyond. So if every such move costs too much, nothing is left.
  void branch_at_tie(double reach, Part part, std::vector<Part>& open) {
    for (std::size_t j = 0; j < free_.size(); ++j) {
      if (near(part, j) == far(part, j)) continue;
      double& x = at_[free_[j].feature];
      const double before = x;
      x = next(j, before);
      const bool worth = total_cost(query_, at_) <= reach;
      x = before;
      if (!worth) continue;
      cut(std::move(part), j, before, open);
      return;
    }
  }

  /// The next admissible value on the way from the query's value.
  double next(std::size_t j, double value) const {
    const bool up = free_[j].up;
    return admissible(free_[j], std::nextafter(value, up ? infinity : -infinity), up) + 0.0;
  }

  /// Cuts a variable beyond a value. The half that is nearer is searched first.
  void cut(Part part, std::size_t j, double at, std::vector<Part>& open) const {
    const bool up = free_[j].up;
    const double last = far(part, j);
    double end = admissible(free_[j], at, !up) + 0.0;
    if (up ? !(end < last) : !(end > last)) {
      end = admissible(free_[j], std::nextafter(last, up ? -infinity : infinity), !up) + 0.0;
    }
    Part farther = part;
    farther.taken = false;
    (up ? farther.lower[j] : farther.upper[j]) = next(j, end);
    (up ? part.upper[j] : part.lower[j]) = end;
    open.push_back(std::move(farther));
    open.push_back(std::move(part));
  }
};

void LinearBox::visit(std::span<const double> at, Incumbent& incumbent, Watch& watch,
                      const TakePoint& take) const {
  if (Values(*this, at, ranges_around(at)).search(incumbent, watch, take)) return;
  incumbent.close_box(total_cost(query_, at), false);  // what is left may be cheaper
}

}  // namespace boxwood
