// Whether something takes time in proportion to its input.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>

namespace boxwood_test {

/// The processor time of this process, which other processes do not change.
inline double seconds_for(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// `prepare(size)` makes an input with `size` parts and returns what reads it. A reader that is
/// quadratic takes 256 times as long for sixteen times as much.
inline void expect_linear(const std::function<std::function<void()>(std::size_t size)>& prepare,
                          std::size_t size) {
  constexpr std::size_t more = 16;
  const std::function<void()> small = prepare(size), large = prepare(more * size);
  small();  // what is loaded or allocated only once
  double least = seconds_for(small);
  for (int i = 0; i < 4; ++i) least = std::min(least, seconds_for(small));
  constexpr double clock_step = 1e-4, room = 3;
  const double most = room * more * std::max(least, clock_step);
  double taken = seconds_for(large);
  if (taken > most) taken = std::min(taken, seconds_for(large));  // a busy machine
  EXPECT_LE(taken, most) << "for " << more << " times what takes " << least << " s";
}

}  // namespace boxwood_test
