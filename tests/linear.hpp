// Whether something takes time in proportion to its input.
#pragma once

#include "processor_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace boxwood_test {

/// `prepare(size)` makes an input with `size` parts and returns what reads it. A reader that is
/// quadratic takes 256 times as long for sixteen times as much.
inline void expect_linear(const std::function<std::function<void()>(std::size_t size)>& prepare,
                          std::size_t size) {
  constexpr std::size_t more = 16;
  const std::function<void()> small = prepare(size), large = prepare(more * size);
  small();  // what is loaded or allocated only once
  double least = processor_seconds(small);
  for (int i = 0; i < 4; ++i) least = std::min(least, processor_seconds(small));
  constexpr double clock_step = 1e-4, room = 3;
  const double most = room * more * std::max(least, clock_step);
  double taken = processor_seconds(large);
  if (taken > most) taken = std::min(taken, processor_seconds(large));  // a busy machine
  EXPECT_LE(taken, most) << "for " << more << " times what takes " << least << " s";
}

}  // namespace boxwood_test
