// Linear conditions by whole numbers of any length: every product is written out at the place of
// its last binary digit, positive and negative ones apart, and the two totals are compared.
#include "verify/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace boxwood::verifying {
namespace {

/// A whole number ≥ 0, 16 bits a digit, the last digit first.
class Total {
 public:
  void add(std::uint64_t factor, std::uint64_t other, std::size_t zeros) {
    std::vector<std::uint64_t> product(9, 0);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        product[i + j] += (factor >> (16 * i) & 0xffff) * (other >> (16 * j) & 0xffff);
      }
    }
    std::uint64_t carry = 0;
    const std::size_t skip = zeros / 16, shift = zeros % 16;
    if (digits_.size() < skip + product.size() + 4) digits_.resize(skip + product.size() + 4, 0);
    for (std::size_t i = 0; i < product.size() || carry > 0; ++i) {
      if (skip + i >= digits_.size()) digits_.push_back(0);
      const std::uint64_t digit = i < product.size() ? product[i] << shift : 0;
      const std::uint64_t sum = digits_[skip + i] + digit + carry;
      digits_[skip + i] = sum & 0xffff;
      carry = sum >> 16;
    }
  }

  /// -1, 0 or 1, as this is less than, equal to or more than the other.
  int compare(const Total& other) const {
    const std::size_t count = std::max(digits_.size(), other.digits_.size());
    for (std::size_t i = count; i-- > 0;) {
      const std::uint64_t a = i < digits_.size() ? digits_[i] : 0;
      const std::uint64_t b = i < other.digits_.size() ? other.digits_[i] : 0;
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }

 private:
  std::vector<std::uint64_t> digits_;
};

struct Product {
  double a = 0, b = 0;
};

/// The sign of the exact sum of products.
int sign_of(const std::vector<Product>& products) {
  Total positive, negative;
  for (const Product& product : products) {
    if (product.a == 0 || product.b == 0) continue;
    int a_power = 0, b_power = 0;
    const double a = std::abs(std::frexp(product.a, &a_power));
    const double b = std::abs(std::frexp(product.b, &b_power));
    // a and b are multiples of 2^-53; no power of a product is below -2 * 1073.
    Total& total = std::signbit(product.a) == std::signbit(product.b) ? positive : negative;
    total.add(static_cast<std::uint64_t>(std::ldexp(a, 53)),
              static_cast<std::uint64_t>(std::ldexp(b, 53)),
              static_cast<std::size_t>(a_power + b_power + 2 * 1074));
  }
  return positive.compare(negative);
}

}  // namespace

bool sum_is_within(const LinearCondition& sum, std::span<const double> from,
                   std::span<const double> point) {
  std::vector<Product> products;
  for (const LinearTerm& term : sum.terms) {
    const double value = point[term.feature], now = from[term.feature];
    if (std::isnan(value)) return false;
    if (std::isinf(value) && term.of != LinearTerm::Of::codes) return false;  // no number
    switch (term.of) {
      case LinearTerm::Of::value:
        products.push_back({term.coefficient, value});
        break;
      case LinearTerm::Of::codes: {
        bool named = false;
        for (const std::int32_t code : term.codes) {
          named = named || (value > -1 && std::trunc(value) == code);
        }
        products.push_back({term.coefficient, named ? 1.0 : 0.0});
        break;
      }
      case LinearTerm::Of::change:
      case LinearTerm::Of::size: {
        if (!std::isfinite(now)) return false;
        const bool turned = term.of == LinearTerm::Of::size && now > value;
        products.push_back({term.coefficient, turned ? now : value});
        products.push_back({-term.coefficient, turned ? value : now});
        break;
      }
    }
  }
  const auto against = [&](double limit) {
    products.push_back({-1, limit});
    const int sign = sign_of(products);
    products.pop_back();
    return sign;
  };
  const Interval& range = sum.range;
  if (std::isfinite(range.lower)) {
    const int sign = against(range.lower);
    if (sign < 0 || (sign == 0 && !range.lower_closed)) return false;
  }
  if (std::isfinite(range.upper)) {
    const int sign = against(range.upper);
    if (sign > 0 || (sign == 0 && !range.upper_closed)) return false;
  }
  return true;
}

}  // namespace boxwood::verifying
