// The cheapest point of a box under a few linear constraints, for separable convex costs that are
// quadratic or linear: an approximate point and approximate prices. Neither is proven; `least_cost`
// turns any prices into a bound that rounding cannot make wrong.
#pragma once

#include <cstddef>
#include <vector>

namespace boxwood {

/// Minimise the sum of square_j y_j^2 + slope_j y_j over lower ≤ y ≤ upper, where the sum of each
/// row is at most its limit, or equal to it. Bounds may be infinite. No variable changes its sign:
/// lower_j ≥ 0 or upper_j ≤ 0, unless its cost is 0.
struct ConvexProblem {
  struct Row {
    std::vector<double> factors;  ///< of a variable
    double limit = 0;
    double limit_error = 0;   ///< of the limit
    double factor_error = 0;  ///< of every factor
    bool equal = false;
  };
  std::vector<double> square, slope, lower, upper;
  std::vector<Row> rows;

  std::size_t variables() const { return slope.size(); }
};

struct ConvexPoint {
  std::vector<double> at;      ///< of a variable
  std::vector<double> prices;  ///< of a row; ≥ 0 unless the row is an equation
};

/// Gives variables without a bound the one that follows from a row and the bounds of the row's
/// other variables: without bounds, prices that are off by rounding prove nothing.
void bound_by_rows(ConvexProblem& problem);

/// An interior-point method. Returns where it ended; without a feasible point, that is somewhere.
ConvexPoint solve(const ConvexProblem& problem);
/// The point and prices at which the same bounds and rows are tight, solved as equations. Empty if
/// these equations do not have one solution.
ConvexPoint sharpen(const ConvexProblem& problem, const ConvexPoint& near);
/// A point of the box that violates the rows least, or that is far inside of them, with prices that
/// show why if some row must be violated. Rows should have factors of similar size.
ConvexPoint find_inside(const ConvexProblem& problem);

/// No point of the box that satisfies the rows costs less than this, whatever the prices are. By
/// duality: at a feasible point, price times (sum minus limit) is at most 0, so adding it never
/// raises the cost, and what results is smallest in each variable alone.
double least_cost(const ConvexProblem& problem, const std::vector<double>& prices);

}  // namespace boxwood
