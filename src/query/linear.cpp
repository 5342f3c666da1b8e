// Linear conditions, decided exactly: a sum of products of doubles is added up without rounding.
#include "query/linear_choices.hpp"

#include <boxwood/query.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace boxwood {
namespace {

/// A sum of products of two doubles, as an integer multiple of the smallest such product. Every
/// digit has 32 bits and is kept in 64, so that carries wait until the sign is asked for.
class ExactSum {
 public:
  void add(double a, double b) {
    if (a == 0 || b == 0) return;
    int a_exponent = 0, b_exponent = 0;
    const std::int64_t x = mantissa(a, a_exponent), y = mantissa(b, b_exponent);
    const int sign = (x < 0) != (y < 0) ? -1 : 1;
    const auto u = static_cast<std::uint64_t>(std::abs(x));
    const auto v = static_cast<std::uint64_t>(std::abs(y));
    const auto place = static_cast<std::size_t>(a_exponent + b_exponent + offset);
    // Halves of 27 bits, so that each product has at most 54.
    constexpr std::uint64_t half = (std::uint64_t{1} << 27) - 1;
    add_at((u & half) * (v & half), place, sign);
    add_at((u >> 27) * (v & half), place + 27, sign);
    add_at((u & half) * (v >> 27), place + 27, sign);
    add_at((u >> 27) * (v >> 27), place + 54, sign);
  }

  /// Negative, 0 or positive, as the sum is.
  int sign() const {
    std::int64_t carry = 0;
    bool zero = true;
    for (std::size_t digit = first_; digit < end_; ++digit) {
      const std::int64_t sum = digits_[digit] + carry;
      carry = sum >> 32;  // rounds down
      zero = zero && (sum & low_bits) == 0;
    }
    return carry < 0 ? -1 : zero && carry == 0 ? 0 : 1;
  }

 private:
  static constexpr std::int64_t low_bits = 0xffffffff;
  static constexpr int offset = 2 * 1074;  // the smallest product is 2^-2148
  static constexpr std::size_t digit_count = (2 * (1074 + 1024) + 32 * 4) / 32;

  static std::int64_t mantissa(double value, int& exponent) {
    const double fraction = std::frexp(value, &exponent);
    exponent -= 53;
    std::int64_t whole = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    for (; exponent < -1074; ++exponent) whole /= 2;  // a subnormal number ends in zeros
    return whole;
  }

  /// Adds sign * value * 2^place, for values below 2^54.
  void add_at(std::uint64_t value, std::size_t place, int sign) {
    const std::size_t digit = place / 32, shift = place % 32;
    first_ = std::min(first_, digit);
    end_ = std::max(end_, digit + 3);
    const std::uint64_t low = (value & low_bits) << shift, high = (value >> 32) << shift;
    digits_[digit] += sign * static_cast<std::int64_t>(low & low_bits);
    digits_[digit + 1] += sign * static_cast<std::int64_t>((low >> 32) + (high & low_bits));
    digits_[digit + 2] += sign * static_cast<std::int64_t>(high >> 32);
  }

  std::array<std::int64_t, digit_count> digits_{};
  std::size_t first_ = digit_count, end_ = 0;  // all other digits are 0
};

/// Adds a term; false if a value of it is missing or infinite, so that the sum is no number.
bool add_term(const LinearTerm& term, double now, double value, ExactSum& sum) {
  if (std::isnan(value)) return false;
  const double coefficient = term.coefficient;
  if (term.of == LinearTerm::Of::codes) {
    const bool named =
        value > -1 && value < 0x1p31 &&
        std::binary_search(term.codes.begin(), term.codes.end(), static_cast<std::int32_t>(value));
    if (named) sum.add(coefficient, 1);
    return true;
  }
  if (std::isinf(value)) return false;
  if (term.of == LinearTerm::Of::value) {
    sum.add(coefficient, value);
    return true;
  }
  if (!std::isfinite(now)) return false;
  const double sign = term.of == LinearTerm::Of::size && value < now ? -1 : 1;
  sum.add(sign * coefficient, value);
  sum.add(-sign * coefficient, now);
  return true;
}

/// Whether the sum is within the limits, in double arithmetic; no value if that is not certain.
std::optional<bool> holds_by_far(const LinearCondition& condition, std::span<const double> from,
                                 std::span<const double> point) {
  double sum = 0, size = 0;
  bool exact = true;  // nothing but 0 was added
  for (const LinearTerm& term : condition.terms) {
    if (term.of == LinearTerm::Of::codes) return std::nullopt;
    const double now = from[term.feature];
    double number = point[term.feature];
    if (term.of != LinearTerm::Of::value) {
      if (number == now && std::isfinite(now)) continue;
      number -= now;
      if (term.of == LinearTerm::Of::size) number = std::abs(number);
    }
    if (number == 0) continue;
    exact = false;
    sum += term.coefficient * number;
    size += std::abs(term.coefficient * number);
  }
  // Far more than the rounding errors of so many products and sums, including underflow. It is not
  // finite where a sum is not, and then nothing is certain.
  constexpr double share = 0x1p-45, least = 0x1p-1000;
  const double error =
      exact ? 0 : share * static_cast<double>(condition.terms.size()) * size + least;
  const auto within = [&](double room, double end, bool closed) -> std::optional<bool> {
    const double unsure = exact ? 0 : error + share * std::abs(end);
    if (room > unsure) return true;
    if (room < -unsure) return false;
    if (exact) return closed;  // both are 0
    return std::nullopt;
  };
  const Interval& range = condition.range;
  std::optional<bool> low = true, high = true;
  if (std::isfinite(range.lower)) low = within(sum - range.lower, range.lower, range.lower_closed);
  if (std::isfinite(range.upper)) high = within(range.upper - sum, range.upper, range.upper_closed);
  if (low == false || high == false) return false;
  return low && high ? low : std::nullopt;
}

}  // namespace

bool holds(const LinearCondition& condition, std::span<const double> from,
           std::span<const double> point) {
  if (const std::optional<bool> clear = holds_by_far(condition, from, point)) return *clear;
  ExactSum sum;
  for (const LinearTerm& term : condition.terms) {
    if (!add_term(term, from[term.feature], point[term.feature], sum)) return false;
  }
  const auto beyond = [&](double end) {
    ExactSum difference = sum;
    difference.add(-1, end);
    return difference.sign();
  };
  const Interval& range = condition.range;
  if (std::isfinite(range.lower) && beyond(range.lower) < (range.lower_closed ? 0 : 1)) {
    return false;
  }
  return !std::isfinite(range.upper) || beyond(range.upper) <= (range.upper_closed ? 0 : -1);
}

std::size_t linear_choices(const std::vector<Clause>& clauses) {
  std::size_t choices = 1;
  for (const Clause& clause : clauses) {
    choices *= std::max<std::size_t>(clause.linear.size(), 1);
    if (choices > most_linear_choices) break;  // a larger product might overflow
  }
  return choices;
}

}  // namespace boxwood
