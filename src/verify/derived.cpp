// Derived columns, calculated from the last step back to the columns, in the type of the formula.
#include "verify/evaluate.hpp"

#include <cmath>
#include <limits>

namespace boxwood::verifying {
namespace {

template <typename Real>
Real step_value(const Derived& derived, std::size_t at, std::span<const double> point) {
  const Derived::Step& step = derived.steps[at];
  if (step.op == Derived::Op::column) return static_cast<Real>(point[step.feature]);
  if (step.op == Derived::Op::number) return static_cast<Real>(step.number);
  const Real first = step_value<Real>(derived, step.a, point);
  const Real second = step_value<Real>(derived, step.b, point);
  if (first != first || second != second) return std::numeric_limits<Real>::quiet_NaN();
  if (step.op == Derived::Op::plus) return first + second;
  if (step.op == Derived::Op::minus) return first - second;
  if (step.op == Derived::Op::times) return first * second;
  if (step.op == Derived::Op::over) {
    return second != 0 ? first / second : std::numeric_limits<Real>::quiet_NaN();
  }
  const bool first_is_less = first < second;
  return first_is_less == (step.op == Derived::Op::least) ? first : second;
}

}  // namespace

bool follows(const Derived& derived, std::span<const double> from, std::span<const double> point) {
  const std::size_t last = derived.steps.size() - 1;
  const double value = derived.precision == Precision::float32
                           ? static_cast<double>(step_value<float>(derived, last, point))
                           : step_value<double>(derived, last, point);
  const double given = point[derived.feature];
  if (std::isnan(from[derived.feature])) return std::isnan(value) && std::isnan(given);
  return value == given && std::isfinite(value);
}

}  // namespace boxwood::verifying
