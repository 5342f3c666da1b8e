// Exact fractions, and sums of features with such coefficients.
#include "query/text_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace boxwood::text {
namespace {

/// Whole numbers up to this one are exact as doubles.
constexpr std::int64_t longest = std::int64_t{1} << 53;

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (std::abs(a) > longest / std::abs(b)) return std::nullopt;
  return a * b;
}

Fraction reduced(std::int64_t top, std::int64_t bottom) {
  const std::int64_t common = std::gcd(top, bottom);
  return common > 1 ? Fraction{top / common, bottom / common} : Fraction{top, bottom};
}

bool is_before(const LinearTerm& a, const LinearTerm& b) {
  return std::tie(a.feature, a.of, a.codes) < std::tie(b.feature, b.of, b.codes);
}

}  // namespace

std::optional<Fraction> fraction_of(const std::string& digits) {
  std::int64_t top = 0;
  int places = 0;
  bool after_point = false;
  std::size_t at = 0;
  for (; at < digits.size() && digits[at] != 'e' && digits[at] != 'E'; ++at) {
    if (digits[at] == '.') {
      after_point = true;
      continue;
    }
    const auto next = product(top, 10);
    if (digits[at] < '0' || digits[at] > '9' || !next) return std::nullopt;
    top = *next + (digits[at] - '0');
    places += after_point ? 1 : 0;
  }
  if (at < digits.size()) {
    constexpr int largest = 300;
    const int power = std::atoi(digits.c_str() + at + 1);
    if (std::abs(power) > largest) return std::nullopt;
    places -= power;
  }
  std::int64_t bottom = 1;
  for (; places != 0; places += places > 0 ? -1 : 1) {
    std::int64_t& side = places > 0 ? bottom : top;
    if (places > 0 && top % 10 == 0) {
      top /= 10;
      continue;
    }
    const auto next = product(side, 10);
    if (!next) return std::nullopt;
    side = *next;
  }
  return reduced(top, bottom);
}

std::optional<Fraction> plus(Fraction a, Fraction b) {
  const std::int64_t common = std::gcd(a.bottom, b.bottom);
  const auto left = product(a.top, b.bottom / common), right = product(b.top, a.bottom / common);
  const auto bottom = product(a.bottom / common, b.bottom);
  if (!left || !right || !bottom) return std::nullopt;
  return reduced(*left + *right, *bottom);
}

std::optional<Fraction> times(Fraction a, Fraction b) {
  const Fraction left = reduced(a.top, b.bottom), right = reduced(b.top, a.bottom);
  const auto top = product(left.top, right.top), bottom = product(left.bottom, right.bottom);
  if (!top || !bottom) return std::nullopt;
  return Fraction{*top, *bottom};
}

std::optional<Sum> added(Sum a, const Sum& b, Fraction factor) {
  for (std::size_t i = 0; i < b.terms.size(); ++i) {
    const auto more = times(b.factors[i], factor);
    if (!more) return std::nullopt;
    const auto found = std::find(a.terms.begin(), a.terms.end(), b.terms[i]);
    if (found == a.terms.end()) {
      a.terms.push_back(b.terms[i]);
      a.factors.push_back(*more);
      continue;
    }
    Fraction& whole = a.factors[static_cast<std::size_t>(found - a.terms.begin())];
    const auto sum = plus(whole, *more);
    if (!sum) return std::nullopt;
    whole = *sum;
  }
  for (Fraction Sum::*part : {&Sum::constant, &Sum::now}) {
    const auto more = times(b.*part, factor);
    const auto sum = more ? plus(a.*part, *more) : std::nullopt;
    if (!sum) return std::nullopt;
    a.*part = *sum;
  }
  return a;
}

std::optional<LinearCondition> condition_of(Sum sum, const std::string& comparison) {
  std::int64_t unit = sum.constant.bottom, common = 0;
  for (const Fraction& factor : sum.factors) {
    const auto next = product(unit / std::gcd(unit, factor.bottom), factor.bottom);
    if (!next) return std::nullopt;
    unit = *next;
  }
  std::vector<std::pair<LinearTerm, std::int64_t>> whole;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto factor = product(sum.factors[i].top, unit / sum.factors[i].bottom);
    if (!factor) return std::nullopt;
    if (*factor == 0) continue;
    whole.emplace_back(sum.terms[i], *factor);
    common = std::gcd(common, *factor);
  }
  const auto constant = product(sum.constant.top, unit / sum.constant.bottom);
  if (!constant) return std::nullopt;
  common = std::gcd(common, *constant);
  std::sort(whole.begin(), whole.end(),
            [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
  LinearCondition condition;
  if (whole.empty()) return condition;
  if (whole.front().second < 0) common = -common;
  for (auto& [term, factor] : whole) {
    term.coefficient = static_cast<double>(factor / common);
    condition.terms.push_back(term);
  }
  const double limit = -static_cast<double>(*constant / common) + 0.0;
  const bool greater = comparison.starts_with('>') != (common < 0);
  const bool strict = comparison.size() == 1 && comparison != "=";
  if (comparison == "=") {
    condition.range = {limit, limit};
  } else if (greater) {
    condition.range = {.lower = limit, .lower_closed = !strict};
  } else {
    condition.range = {.upper = limit, .upper_closed = !strict};
  }
  return condition;
}

}  // namespace boxwood::text
