// The numbers of a precision, counted: neighbours differ by 1, and 0 is at place 0.
#pragma once

#include "base/bits.hpp"

#include <boxwood/ensemble.hpp>

#include <cstdint>
#include <limits>

namespace boxwood {

inline std::int64_t place_of(double value, Precision precision = Precision::float64) {
  if (precision == Precision::float32) {
    const auto bits = bits_as<std::int32_t>(static_cast<float>(value) + 0.0F);
    return bits >= 0 ? bits : std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits;
  }
  const auto bits = bits_as<std::int64_t>(value + 0.0);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

inline double at_place(std::int64_t place, Precision precision = Precision::float64) {
  if (precision == Precision::float32) {
    const std::int64_t bits =
        place >= 0 ? place : std::int64_t{std::numeric_limits<std::int32_t>::min()} - place;
    return bits_as<float>(static_cast<std::int32_t>(bits));
  }
  return bits_as<double>(place >= 0 ? place : std::numeric_limits<std::int64_t>::min() - place);
}

/// The first place from `first` to `last` that is good; all after a good one are good. `last` is
/// known to be good.
template <typename Good>
std::int64_t first_good(std::int64_t first, std::int64_t last, Good good) {
  while (first < last) {
    const std::int64_t middle =
        first + static_cast<std::int64_t>(
                    (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / 2);
    if (good(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return last;
}

}  // namespace boxwood
