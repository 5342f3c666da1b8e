// The bounds of the convex problems behind linear rules, compared with sums of more digits.
#include "search/convex.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace linear_convex_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  double number(double size) { return std::uniform_real_distribution(-size, size)(random_); }

  /// With numbers of about this size.
  ConvexProblem make(double size) {
    ConvexProblem problem;
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t kind = below(5);
      const bool up = kind != 1, through_0 = kind == 2;
      const double near = std::abs(number(2)), far = near + std::abs(number(2));
      problem.lower.push_back(up ? through_0 ? -far : near : -far);
      problem.upper.push_back(up ? far : -near);
      problem.square.push_back(kind > 2 ? std::abs(number(size)) : 0);
      const bool costs = !through_0 && below(4) > 0;
      problem.slope.push_back(costs ? (up ? 1 : -1) * std::abs(number(size)) : 0);
    }
    for (std::size_t m = 1 + below(3); m > 0; --m) {
      ConvexProblem::Row row;
      for (std::size_t j = 0; j < problem.variables(); ++j) row.factors.push_back(number(1));
      row.limit = number(2);
      row.equal = below(3) == 0;
      if (below(3) == 0) row.limit_error = std::abs(number(1e-3));
      if (below(3) == 0) row.factor_error = std::abs(number(1e-3));
      problem.rows.push_back(std::move(row));
    }
    return problem;
  }

 private:
  std::mt19937_64 random_;
};

/// The least value of cost + prices * (sums - limits), where the factors and limits are off by this
/// share of their errors. The share is -1, 0 or 1 for every factor.
long double least_of(const ConvexProblem& problem, const std::vector<double>& prices,
                     Maker& maker) {
  const auto off = [&](double error) {
    return static_cast<long double>(error) * (static_cast<double>(maker.below(3)) - 1);
  };
  long double total = 0;
  for (std::size_t j = 0; j < problem.variables(); ++j) {
    const long double square = problem.square[j], lower = problem.lower[j];
    const long double upper = problem.upper[j];
    long double slope = problem.slope[j];
    for (std::size_t r = 0; r < prices.size(); ++r) {
      const ConvexProblem::Row& row = problem.rows[r];
      slope += prices[r] * (row.factors[j] + off(row.factor_error));
    }
    long double y = slope > 0 ? lower : upper;
    if (square > 0) y = std::clamp(-slope / (2 * square), lower, upper);
    total += square * y * y + slope * y;
  }
  for (std::size_t r = 0; r < prices.size(); ++r) {
    total -= prices[r] * (problem.rows[r].limit + off(problem.rows[r].limit_error));
  }
  return total;
}

/// Prices and costs cancel out, as the best ones do, and variables may go far: then the sign of
/// what is left of a price, which rounding may turn, decides how far they go.
void balance(ConvexProblem& problem, const std::vector<double>& prices) {
  for (std::size_t j = 0; j < problem.variables(); ++j) {
    const bool through_0 = problem.lower[j] < 0 && problem.upper[j] > 0;
    if (through_0 || problem.square[j] > 0) continue;
    problem.slope[j] = 0;
    for (std::size_t r = 0; r < prices.size(); ++r) {
      problem.slope[j] -= prices[r] * problem.rows[r].factors[j];
    }
    (problem.lower[j] >= 0 ? problem.upper[j] : problem.lower[j]) *= 0x1p40;
    for (ConvexProblem::Row& row : problem.rows) row.factor_error = 0;
  }
}

/// Whatever the prices are, and whatever the errors are within their limits.
TEST(LinearConvex, TheLeastCostIsNeverMoreThanWithMoreDigits) {
  if (std::numeric_limits<long double>::digits < 64) return;  // no more digits than double
  Maker maker(test_seed());
  int close = 0;
  const int cases = test_cases(5000);
  for (int i = 0; i < cases; ++i) {
    // The products of the smallest ones are too small for a double.
    const double sizes[] = {1, 1, 1e3, 1e-6, 1e-310};
    const double size = sizes[maker.below(std::size(sizes))];
    ConvexProblem problem = maker.make(size);
    std::vector<double> prices;
    for (const ConvexProblem::Row& row : problem.rows) {
      const double price = maker.below(4) > 0 ? maker.number(size) : 0;
      prices.push_back(row.equal ? price : std::abs(price));
    }
    if (i % 2 == 0) balance(problem, prices);
    const double bound = least_cost(problem, prices);
    const long double least = least_of(problem, prices, maker);
    EXPECT_LE(bound, least) << "case " << i;
    close += bound > least - 1e-11L * size ? 1 : 0;
    // A row that is no equation says nothing against larger sums.
    for (std::size_t r = 0; r < prices.size(); ++r) {
      if (problem.rows[r].equal || prices[r] == 0) continue;
      std::vector<double> wrong = prices;
      wrong[r] = -wrong[r];
      EXPECT_EQ(least_cost(problem, wrong), -infinity);
    }
  }
  expect_share(close, cases, 0.1);
}

TEST(LinearConvex, AVariableWithoutABoundBoundsNothing) {
  ConvexProblem problem;
  problem.square = problem.slope = {0, 0};
  problem.lower = {0, -infinity};
  problem.upper = {infinity, infinity};
  problem.rows = {{{-1, 1}, -3}};
  EXPECT_EQ(least_cost(problem, {1}), -infinity);
  problem.upper = {infinity, 1};
  problem.lower = {0, 0};
  EXPECT_EQ(least_cost(problem, {1}), -infinity);
  problem.upper = {2, 1};
  EXPECT_LE(least_cost(problem, {1}), 1);
  EXPECT_GT(least_cost(problem, {1}), 0.999);
}

/// The farthest value that a row leaves to a variable: the others are where they leave most.
TEST(LinearConvex, BoundsByRowsKeepWhatTheRowsLeave) {
  if (std::numeric_limits<long double>::digits < 64) return;
  Maker maker(test_seed());
  for (int i = 0; i < test_cases(2000); ++i) {
    ConvexProblem problem = maker.make(1);
    problem.rows.resize(1);
    const std::size_t open = maker.below(problem.variables());
    const ConvexProblem::Row& row = problem.rows[0];
    const bool up = row.factors[open] > 0;
    (up ? problem.upper[open] : problem.lower[open]) = up ? infinity : -infinity;
    long double rest = row.limit + static_cast<long double>(row.limit_error);
    for (std::size_t j = 0; j < problem.variables(); ++j) {
      const long double factor = row.factors[j];
      if (j != open) rest -= factor * (factor > 0 ? problem.lower[j] : problem.upper[j]);
    }
    const long double most = rest / row.factors[open];
    bound_by_rows(problem);
    if (up) {
      EXPECT_GE(problem.upper[open], most);
      EXPECT_LE(problem.upper[open], std::max<long double>(problem.lower[open], most + 1e-3));
    } else {
      EXPECT_LE(problem.lower[open], most);
      EXPECT_GE(problem.lower[open], std::min<long double>(problem.upper[open], most - 1e-3));
    }
  }
}

/// A row that is no equation leaves the other side open.
TEST(LinearConvex, BoundsByRowsAreOnTheSideOfTheRow) {
  Maker maker(test_seed());
  for (int i = 0; i < test_cases(500); ++i) {
    ConvexProblem problem = maker.make(1);
    problem.rows.resize(1);
    const std::size_t open = maker.below(problem.variables());
    const bool up = problem.rows[0].factors[open] < 0;
    (up ? problem.upper[open] : problem.lower[open]) = up ? infinity : -infinity;
    bound_by_rows(problem);
    const double end = up ? problem.upper[open] : problem.lower[open];
    EXPECT_EQ(std::isinf(end), !problem.rows[0].equal);
  }
}

}  // namespace linear_convex_test
