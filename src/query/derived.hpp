// One step of the formula of a derived column, and the checks of a query with such columns.
#pragma once

#include <boxwood/query.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace boxwood {

/// As numpy calculates in this type: rounded to the nearest number; missing if an operand is
/// missing. A quotient by 0 is not a number, so the sign of a zero never matters.
template <typename Number>
Number calculate(Derived::Op op, Number a, Number b) {
  switch (op) {
    case Derived::Op::plus:
      return a + b;
    case Derived::Op::minus:
      return a - b;
    case Derived::Op::times:
      return a * b;
    case Derived::Op::over:
      return b == 0 ? std::numeric_limits<Number>::quiet_NaN() : a / b;
    case Derived::Op::least:
      return std::isnan(a) || a < b ? a : b;
    default:
      return std::isnan(a) || a > b ? a : b;
  }
}

/// Whether a column occurs in the formula.
inline bool reads(const Derived& derived, std::size_t feature) {
  return std::any_of(derived.steps.begin(), derived.steps.end(), [&](const Derived::Step& step) {
    return step.op == Derived::Op::column && step.feature == feature;
  });
}

/// Throws Error if a derived column does not fit the query, or if its value in the row is not what
/// the formula gives.
void check_derived(const Query& query, const Ensemble& ensemble);

}  // namespace boxwood
