#include "search/convex.hpp"

#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

// Parameters of the interior-point method. They decide how close the method comes to the optimum,
// never what is claimed: `least_cost` computes bounds from its prices.
constexpr double singular = 1e-13;     // a pivot below this share of the matrix counts as 0
constexpr int most_rounds = 80;        // steps of the method
constexpr double enough = 1e-15;       // the gap at which it ends,
constexpr double close = 1e-13;        // if the equations are satisfied up to this
constexpr double least_curve = 1e-18;  // keeps the equations regular where a cost is linear
constexpr double step_share = 0.9995;  // of the longest step that keeps all pairs positive
constexpr double least_step = 1e-13;   // a shorter step means that rounding stops the method

/// A dense matrix by rows.
struct Matrix {
  Matrix(std::size_t row_count, std::size_t columns)
      : width(columns), values(row_count * columns, 0.0) {}
  double& at(std::size_t row, std::size_t column) { return values[row * width + column]; }
  std::size_t width;
  std::vector<double> values;
};

/// Solves a square system by Gaussian elimination with pivots. False if it has no single solution,
/// up to rounding.
bool solve_system(Matrix& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  double size = 0;
  for (const double value : matrix.values) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix.at(i, k)) > std::abs(matrix.at(pivot, k))) pivot = i;
    }
    if (!(std::abs(matrix.at(pivot, k)) > singular * size)) return false;
    for (std::size_t j = 0; pivot != k && j < n; ++j) {
      std::swap(matrix.at(k, j), matrix.at(pivot, j));
    }
    std::swap(right[k], right[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix.at(i, k) / matrix.at(k, k);
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) matrix.at(i, j) -= factor * matrix.at(k, j);
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix.at(k, j) * right[j];
    right[k] /= matrix.at(k, k);
  }
  return std::all_of(right.begin(), right.end(), [](double x) { return std::isfinite(x); });
}

/// The same problem in units in which variables, costs and rows are of similar size, and with
/// variables that count from their nearest bound: in a small box far from 0 the differences of two
/// variables' values would have few digits.
struct Scaled {
  ConvexProblem problem;
  std::vector<double> shift;     // of a variable: the value that becomes 0
  std::vector<double> unit;      // of a variable
  std::vector<double> row_unit;  // of a row
  double cost_unit = 1;

  explicit Scaled(const ConvexProblem& given) : problem(given) {
    const std::size_t n = given.variables();
    for (std::size_t j = 0; j < n; ++j) {
      double size = given.upper[j] - given.lower[j];
      const double near = std::min(std::abs(given.lower[j]), std::abs(given.upper[j]));
      if (!std::isfinite(size)) size = std::max(near, needed(given, j));
      unit.push_back(size > 0 && std::isfinite(size) ? size : 1);
      const bool from_lower = std::abs(given.lower[j]) <= std::abs(given.upper[j]);
      const double nearest = from_lower ? given.lower[j] : given.upper[j];
      shift.push_back(std::isfinite(nearest) ? nearest : 0);
      problem.lower[j] = (given.lower[j] - shift[j]) / unit[j];
      problem.upper[j] = (given.upper[j] - shift[j]) / unit[j];
      problem.slope[j] = (given.slope[j] + 2 * given.square[j] * shift[j]) * unit[j];
      problem.square[j] *= unit[j] * unit[j];
    }
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      largest = std::max({largest, std::abs(problem.slope[j]), problem.square[j]});
    }
    if (largest > 0) cost_unit = largest;
    for (std::size_t j = 0; j < n; ++j) {
      problem.slope[j] /= cost_unit;
      problem.square[j] /= cost_unit;
    }
    for (ConvexProblem::Row& row : problem.rows) {
      double size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        row.limit -= row.factors[j] * shift[j];
        row.factors[j] *= unit[j];
        size = std::max(size, std::abs(row.factors[j]));
      }
      row_unit.push_back(size > 0 ? size : 1);
      for (double& factor : row.factors) factor /= row_unit.back();
      row.limit /= row_unit.back();
    }
  }

  /// How far an unbounded variable may have to move, roughly.
  static double needed(const ConvexProblem& given, std::size_t j) {
    double most = 0;
    for (const ConvexProblem::Row& row : given.rows) {
      if (row.factors[j] != 0) most = std::max(most, std::abs(row.limit / row.factors[j]));
    }
    return most;
  }

  double scaled(const ConvexPoint& point, std::size_t j) const {
    return (point.at[j] - shift[j]) / unit[j];
  }
  ConvexPoint unscaled(ConvexPoint point) const {
    for (std::size_t j = 0; j < unit.size(); ++j) point.at[j] = shift[j] + unit[j] * point.at[j];
    for (std::size_t r = 0; r < row_unit.size(); ++r) point.prices[r] *= cost_unit / row_unit[r];
    return point;
  }
};

/// Mehrotra's predictor and corrector. Slacks s of rows, prices of rows, low and high prices of the
/// bounds; the product of each pair goes to 0.
class InteriorPoint {
 public:
  explicit InteriorPoint(const ConvexProblem& problem)
      : p_(problem), n_(problem.variables()), m_(problem.rows.size()) {
    for (std::size_t j = 0; j < n_; ++j) {
      const double lower = p_.lower[j], upper = p_.upper[j];
      const bool has_lower = std::isfinite(lower), has_upper = std::isfinite(upper);
      x_.push_back(has_lower && has_upper ? lower + (upper - lower) / 2
                   : has_lower            ? lower + 1
                   : has_upper            ? upper - 1
                                          : 0);
      low_.push_back(has_lower ? 1 : 0);
      high_.push_back(has_upper ? 1 : 0);
    }
    for (const ConvexProblem::Row& row : p_.rows) {
      slack_.push_back(row.equal ? 0 : std::max(1.0, row.limit - sum(row)));
      price_.push_back(row.equal ? 0 : 1);
    }
  }

  ConvexPoint run() {
    for (int round = 0; round < most_rounds; ++round) {
      if (!step()) break;
      if (gap() < enough && residual_ < close) break;
    }
    return {x_, price_};
  }

 private:
  double sum(const ConvexProblem::Row& row) const {
    double total = 0;
    for (std::size_t j = 0; j < n_; ++j) total += row.factors[j] * x_[j];
    return total;
  }

  std::size_t pairs() const {
    std::size_t count = 0;
    for (std::size_t j = 0; j < n_; ++j)
      count += (low_[j] > 0 ? 1U : 0U) + (high_[j] > 0 ? 1U : 0U);
    for (const ConvexProblem::Row& row : p_.rows) count += row.equal ? 0U : 1U;
    return std::max<std::size_t>(count, 1);
  }

  double gap() const {
    double total = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (low_[j] > 0) total += low_[j] * (x_[j] - p_.lower[j]);
      if (high_[j] > 0) total += high_[j] * (p_.upper[j] - x_[j]);
    }
    for (std::size_t r = 0; r < m_; ++r) total += slack_[r] * price_[r];
    return total / static_cast<double>(pairs());
  }

  /// What the pairs' products are to become, minus the second-order part of the last direction.
  struct Aim {
    std::vector<double> low, high, rows;
  };
  struct Direction {
    std::vector<double> x, low, high, slack, price;
  };

  /// False where the equations cannot be solved any more.
  bool direction(const Aim& aim, Direction& d) {
    Matrix normal(m_, m_);
    std::vector<double> right(m_), inverse(n_), gradient(n_);
    residual_ = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      double curve = 2 * p_.square[j] + least_curve, g = 2 * p_.square[j] * x_[j] + p_.slope[j];
      for (std::size_t r = 0; r < m_; ++r) g += p_.rows[r].factors[j] * price_[r];
      residual_ = std::max(residual_, std::abs(g - low_[j] + high_[j]));
      if (low_[j] > 0) {
        const double room = x_[j] - p_.lower[j];
        curve += low_[j] / room;
        g -= aim.low[j] / room;
      }
      if (high_[j] > 0) {
        const double room = p_.upper[j] - x_[j];
        curve += high_[j] / room;
        g += aim.high[j] / room;
      }
      inverse[j] = 1 / curve;
      gradient[j] = -g;
    }
    for (std::size_t r = 0; r < m_; ++r) {
      const ConvexProblem::Row& row = p_.rows[r];
      const double missing = row.limit - sum(row) - slack_[r];
      residual_ = std::max(residual_, std::abs(missing));
      right[r] = row.equal ? -missing : -missing - slack_[r] + aim.rows[r] / price_[r];
      for (std::size_t j = 0; j < n_; ++j) right[r] += row.factors[j] * inverse[j] * gradient[j];
      for (std::size_t s = 0; s < m_; ++s) {
        for (std::size_t j = 0; j < n_; ++j) {
          normal.at(r, s) += row.factors[j] * inverse[j] * p_.rows[s].factors[j];
        }
      }
      normal.at(r, r) += row.equal ? least_curve : slack_[r] / price_[r];
    }
    // Rounding of tiny pivots is harmless: a wrong direction only ends the method.
    if (m_ > 0 && !solve_system(normal, right)) return false;
    d.price = right;
    d.x.assign(n_, 0);
    d.low.assign(n_, 0);
    d.high.assign(n_, 0);
    d.slack.assign(m_, 0);
    for (std::size_t j = 0; j < n_; ++j) {
      double g = gradient[j];
      for (std::size_t r = 0; r < m_; ++r) g -= p_.rows[r].factors[j] * d.price[r];
      d.x[j] = inverse[j] * g;
      if (low_[j] > 0) {
        d.low[j] = (aim.low[j] - low_[j] * d.x[j]) / (x_[j] - p_.lower[j]) - low_[j];
      }
      if (high_[j] > 0) {
        d.high[j] = (aim.high[j] + high_[j] * d.x[j]) / (p_.upper[j] - x_[j]) - high_[j];
      }
    }
    for (std::size_t r = 0; r < m_; ++r) {
      if (p_.rows[r].equal) continue;
      d.slack[r] = (aim.rows[r] - slack_[r] * d.price[r]) / price_[r] - slack_[r];
    }
    return true;
  }

  /// The longest step in a direction that keeps everything positive, at most 1.
  double longest(const Direction& d) const {
    double most = 1;
    const auto limit = [&](double value, double change) {
      if (change < 0) most = std::min(most, -value / change);
    };
    for (std::size_t j = 0; j < n_; ++j) {
      if (low_[j] > 0) {
        limit(low_[j], d.low[j]);
        limit(x_[j] - p_.lower[j], d.x[j]);
      }
      if (high_[j] > 0) {
        limit(high_[j], d.high[j]);
        limit(p_.upper[j] - x_[j], -d.x[j]);
      }
    }
    for (std::size_t r = 0; r < m_; ++r) {
      if (p_.rows[r].equal) continue;
      limit(slack_[r], d.slack[r]);
      limit(price_[r], d.price[r]);
    }
    return most;
  }

  double gap_after(const Direction& d, double step) const {
    double total = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double x = x_[j] + step * d.x[j];
      if (low_[j] > 0) total += (low_[j] + step * d.low[j]) * (x - p_.lower[j]);
      if (high_[j] > 0) total += (high_[j] + step * d.high[j]) * (p_.upper[j] - x);
    }
    for (std::size_t r = 0; r < m_; ++r) {
      if (p_.rows[r].equal) continue;
      total += (slack_[r] + step * d.slack[r]) * (price_[r] + step * d.price[r]);
    }
    return total / static_cast<double>(pairs());
  }

  bool step() {
    Aim aim{std::vector<double>(n_, 0), std::vector<double>(n_, 0), std::vector<double>(m_, 0)};
    Direction d;
    if (!direction(aim, d)) return false;
    const double now = gap();
    const double share = gap_after(d, longest(d)) / now;
    const double target = now * share * share * share;
    for (std::size_t j = 0; j < n_; ++j) {
      aim.low[j] = target - d.low[j] * d.x[j];
      aim.high[j] = target + d.high[j] * d.x[j];
    }
    for (std::size_t r = 0; r < m_; ++r) aim.rows[r] = target - d.slack[r] * d.price[r];
    if (!direction(aim, d)) return false;
    const double step = std::min(1.0, step_share * longest(d));
    if (!(step > least_step)) return false;
    for (std::size_t j = 0; j < n_; ++j) {
      const double x = x_[j] + step * d.x[j];
      const bool inside = x > p_.lower[j] && x < p_.upper[j];
      if (!inside) return false;  // no number is left between the point and a bound
      x_[j] = x;
      low_[j] += step * d.low[j];
      high_[j] += step * d.high[j];
    }
    for (std::size_t r = 0; r < m_; ++r) {
      slack_[r] += step * d.slack[r];
      price_[r] += step * d.price[r];
    }
    return true;
  }

  const ConvexProblem& p_;
  std::size_t n_, m_;
  std::vector<double> x_, low_, high_;  // prices of bounds: 0 where there is no bound
  std::vector<double> slack_, price_;
  double residual_ = infinity;
};

double cost_at(const ConvexProblem& problem, std::size_t j, double price, double y) {
  return problem.square[j] * y * y + (problem.slope[j] + price) * y;
}

}  // namespace

void bound_by_rows(ConvexProblem& problem) {
  constexpr int rounds = 3;
  constexpr double margin = 1e-9;  // far more than rounding
  const auto apply = [&](const ConvexProblem::Row& row, double sign) {
    for (std::size_t j = 0; j < problem.variables(); ++j) {
      const double factor = sign * row.factors[j];
      double& bound = factor > 0 ? problem.upper[j] : problem.lower[j];
      if (factor == 0 || std::isfinite(bound)) continue;
      double rest = sign * row.limit + row.limit_error, size = std::abs(row.limit);
      for (std::size_t i = 0; i < problem.variables(); ++i) {
        const double other = sign * row.factors[i];
        if (i == j || other == 0) continue;
        const double least = other * (other > 0 ? problem.lower[i] : problem.upper[i]);
        rest -= least;
        size += std::abs(least);
      }
      if (!std::isfinite(rest)) continue;
      const double value = (rest + margin * size) / factor;
      // A bound beyond the other one says that there is no point; the prices will show it.
      bound = factor > 0 ? std::max(value, problem.lower[j]) : std::min(value, problem.upper[j]);
    }
  };
  for (int round = 0; round < rounds; ++round) {
    for (const ConvexProblem::Row& row : problem.rows) {
      apply(row, 1);
      if (row.equal) apply(row, -1);
    }
  }
}

ConvexPoint solve(const ConvexProblem& problem) {
  const Scaled scaled(problem);
  return scaled.unscaled(InteriorPoint(scaled.problem).run());
}

ConvexPoint sharpen(const ConvexProblem& problem, const ConvexPoint& near) {
  const Scaled scaled(problem);
  const ConvexProblem& p = scaled.problem;
  std::vector<std::size_t> free, tight;
  ConvexPoint point = near;
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const double price = near.prices[r] * scaled.row_unit[r] / scaled.cost_unit;
    double slack = p.rows[r].limit;
    for (std::size_t j = 0; j < p.variables(); ++j) {
      slack -= p.rows[r].factors[j] * scaled.scaled(near, j);
    }
    if (p.rows[r].equal || price > slack) tight.push_back(r);
  }
  for (std::size_t j = 0; j < p.variables(); ++j) {
    const double x = scaled.scaled(near, j);
    double gradient = 2 * p.square[j] * x + p.slope[j];
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      gradient += p.rows[r].factors[j] * near.prices[r] * scaled.row_unit[r] / scaled.cost_unit;
    }
    if (gradient > x - p.lower[j]) {
      point.at[j] = p.lower[j];
    } else if (-gradient > p.upper[j] - x) {
      point.at[j] = p.upper[j];
    } else {
      free.push_back(j);
    }
  }
  const std::size_t f = free.size(), size = f + tight.size();
  Matrix matrix(size, size);
  std::vector<double> right(size, 0.0);
  for (std::size_t i = 0; i < f; ++i) {
    matrix.at(i, i) = 2 * p.square[free[i]];
    right[i] = -p.slope[free[i]];
    for (std::size_t k = 0; k < tight.size(); ++k) {
      const double factor = p.rows[tight[k]].factors[free[i]];
      matrix.at(i, f + k) = factor;
      matrix.at(f + k, i) = factor;
    }
  }
  for (std::size_t k = 0; k < tight.size(); ++k) {
    right[f + k] = p.rows[tight[k]].limit;
    for (std::size_t j = 0; j < p.variables(); ++j) {
      if (std::find(free.begin(), free.end(), j) != free.end()) continue;
      right[f + k] -= p.rows[tight[k]].factors[j] * point.at[j];
    }
  }
  if (!solve_system(matrix, right)) return {};
  for (std::size_t i = 0; i < f; ++i) {
    point.at[free[i]] = std::clamp(right[i], p.lower[free[i]], p.upper[free[i]]);
  }
  std::fill(point.prices.begin(), point.prices.end(), 0.0);
  for (std::size_t k = 0; k < tight.size(); ++k) {
    const double price = right[f + k];
    point.prices[tight[k]] = p.rows[tight[k]].equal ? price : std::max(0.0, price);
  }
  return scaled.unscaled(std::move(point));
}

ConvexPoint find_inside(const ConvexProblem& problem) {
  const Scaled scaled(problem);
  ConvexProblem wide = scaled.problem;
  const std::size_t n = wide.variables();
  // One more variable is what all rows are violated by; -1 is far enough inside.
  std::fill(wide.slope.begin(), wide.slope.end(), 0.0);
  std::fill(wide.square.begin(), wide.square.end(), 0.0);
  wide.slope.push_back(1);
  wide.square.push_back(0);
  wide.lower.push_back(-1);
  wide.upper.push_back(infinity);
  std::vector<ConvexProblem::Row> rows;
  for (const ConvexProblem::Row& row : wide.rows) {
    ConvexProblem::Row at_most = row;
    at_most.equal = false;
    at_most.factors.push_back(-1);
    rows.push_back(at_most);
    if (!row.equal) continue;
    for (double& factor : at_most.factors) factor = -factor;
    at_most.factors[n] = -1;
    at_most.limit = -at_most.limit;
    rows.push_back(at_most);
  }
  std::vector<ConvexProblem::Row> before = std::move(wide.rows);
  wide.rows = std::move(rows);
  ConvexPoint found = InteriorPoint(wide).run();
  found.at.pop_back();
  ConvexPoint point{found.at, std::vector<double>(before.size(), 0.0)};
  std::size_t next = 0;
  for (std::size_t r = 0; r < before.size(); ++r) {
    point.prices[r] = found.prices[next++];
    if (before[r].equal) point.prices[r] -= found.prices[next++];
  }
  return scaled.unscaled(std::move(point));
}

double least_cost(const ConvexProblem& problem, const std::vector<double>& prices) {
  const std::size_t n = problem.variables(), m = problem.rows.size();
  // Every operation is off by at most half a unit in the last place of a number of this size.
  const double unit = static_cast<double>(2 * (n + m) + 16) * 0x1p-52;
  constexpr double smallest = 0x1p-1060;
  double total = 0, size = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double price = 0, price_size = std::abs(problem.slope[j]), error = 0;
    for (std::size_t r = 0; r < m; ++r) {
      const double product = prices[r] * problem.rows[r].factors[j];
      price += product;
      price_size += std::abs(product);
      error += std::abs(prices[r]) * problem.rows[r].factor_error;
    }
    // The last part is what products may lose that are too small for a double.
    error += unit * price_size + (price_size > 0 ? static_cast<double>(m) * smallest : 0);
    // The error has the sign that lowers the cost on this side of 0.
    const double lower = problem.lower[j], upper = problem.upper[j];
    double worst = price;
    if (lower >= 0) {
      worst -= error;
    } else if (upper <= 0) {
      worst += error;
    } else if (price_size > 0) {
      // Such a variable costs nothing itself. The error allows for the rounding of the sum, too.
      total += std::min((price - error) * upper, (price + error) * lower);
      continue;
    } else {
      continue;
    }
    const double slope = problem.slope[j] + worst;
    double y = slope > 0 ? lower : upper;
    if (problem.square[j] > 0) {
      y = std::clamp(-slope / (2 * problem.square[j]), lower, upper);
    }
    if (slope == 0 && problem.square[j] == 0) continue;
    total += cost_at(problem, j, worst, y);
    size += problem.square[j] * y * y + std::abs(slope * y) + price_size * std::abs(y);
  }
  for (std::size_t r = 0; r < m; ++r) {
    if (prices[r] < 0 && !problem.rows[r].equal) return -infinity;
    total -= prices[r] * problem.rows[r].limit;
    total -= std::abs(prices[r]) * problem.rows[r].limit_error;
    size += std::abs(prices[r] * problem.rows[r].limit);
  }
  const double bound = total - unit * size - static_cast<double>(n + m) * smallest;
  // Not a number where a variable without a bound would go on for ever.
  return std::isnan(bound) ? -infinity : bound;
}

}  // namespace boxwood
