// The last step of a search with linear rules between features of many values: the cheapest points
// of one box of cells that satisfy them. The search itself treats a rule as trees over the cells,
// which is necessary for the rule and not sufficient (grid/linear_trees.hpp).
#pragma once

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "search/box_rules.hpp"
#include "search/convex.hpp"
#include "search/incumbent.hpp"
#include "search/watch.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace boxwood {

/// An answer is proven to cost at most this share more than the cheapest one. The cost of a few
/// steps of floating-point numbers comes on top: see steps_allowed.
inline constexpr double cost_tolerance = 1e-9;

/// What is known about the points of one box that have the outcome and satisfy the linear rules.
struct BoxAnswer {
  double bound = infinity;    ///< none of them costs less; infinite: there is none
  std::vector<double> point;  ///< one of them; empty: none was found
  /// Nothing more is to be found here: there is no such point, or the point found costs at most as
  /// much more than the bound as is allowed.
  bool settled = true;
};

class LinearBox {
 public:
  using Range = BoxRange;

  /// The last ensemble is that of the rules. `cuts` are those of all ensembles.
  LinearBox(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts);

  /// Whether some linear rule has a feature by cell. Otherwise there is nothing to solve.
  bool needed() const { return !features_.empty(); }
  /// Whether these features have discrete values, few enough for an exact answer: visit() finds it.
  /// Otherwise solve() finds a point within the tolerance.
  bool is_exact() const { return is_exact_; }

  /// The ends of the cell of a feature by cell that holds a value, on its side of the query's
  /// value; for other features the value itself.
  Range range_around(std::size_t feature, double value) const;

  /// False if the point does not have the outcome.
  using TakePoint = std::function<bool(const std::vector<double>&)>;
  /// If is_exact(): finds the points of the box of cells around `at`, its nearest point, that
  /// satisfy the rules and cost no more than the incumbent, which `take` may change.
  void visit(std::span<const double> at, Incumbent& incumbent, Watch& watch,
             const TakePoint& take) const;

  /// About the box of cells that holds a point: features whose values are listed, or that are in no
  /// linear rule, keep their values.
  /// A bound above `reach` is enough.
  BoxAnswer solve(std::span<const double> at, double reach) const;
  /// About the larger box in which the models' scores stay the same, on the same sides of the
  /// query's point. Other rules may not hold in all of it.
  BoxAnswer solve_around(std::span<const double> at, double reach) const;

 private:
  class Work;
  class Values;

  bool has_outcome(std::span<const double> at) const;
  /// The admissible value of a discrete feature that is at least, or at most, a number.
  double admissible(const Range& range, double value, bool up) const;
  BoxAnswer solve_in(std::span<const double> at, const std::vector<Range>& ranges,
                     double reach) const;
  std::vector<Range> ranges_around(std::span<const double> at) const;
  Range range_between(std::size_t feature, double value, const Cut* lower, const Cut* upper) const;

  std::span<const Ensemble> ensembles_;
  const Query& query_;
  const Cuts& cuts_;
  Precision precision_;
  std::vector<std::size_t> features_;  ///< by cell, in a linear rule, ascending
  bool is_exact_ = true;
};

}  // namespace boxwood
