// Sums of features in query text. Coefficients are exact fractions: 0.4 is four tenths, not the
// double nearest to it.
#pragma once

#include <boxwood/query.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace boxwood::text {

/// A fraction in lowest terms with a positive denominator. Operations give no value if a number
/// gets too long.
struct Fraction {
  std::int64_t top = 0;
  std::int64_t bottom = 1;
  double number() const { return static_cast<double>(top) / static_cast<double>(bottom); }
};
/// The number that decimal digits such as 0.4 or 1e3 stand for.
std::optional<Fraction> fraction_of(const std::string& digits);
std::optional<Fraction> plus(Fraction a, Fraction b);
std::optional<Fraction> times(Fraction a, Fraction b);

/// A sum of terms, a constant, and `now`, the present value of the other side of a comparison. The
/// coefficients of `terms` are in `factors`.
struct Sum {
  std::vector<LinearTerm> terms{};
  std::vector<Fraction> factors{};
  Fraction constant{};
  Fraction now{};

  bool is_constant() const { return terms.empty() && now.top == 0; }
};
/// a + factor * b; no value if a number gets too long.
std::optional<Sum> added(Sum a, const Sum& b, Fraction factor);

/// A sum, or the quotient of two.
struct Expression {
  Sum top{};
  std::optional<Sum> bottom{};
};

/// The condition that a sum lies in a range around 0, in whole numbers without a common factor and
/// with a positive coefficient of the first feature; no value if a number gets too long.
std::optional<LinearCondition> condition_of(Sum sum, const std::string& comparison);

}  // namespace boxwood::text
