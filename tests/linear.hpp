// Whether something takes time in proportion to its input.
#pragma once

#include "processor_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace boxwood_test {

/// `prepare(size)` makes an input with `size` parts and returns what reads it. A reader that is
/// linear takes 16 times as long for sixteen times as much, one that is quadratic 256 times; the
/// limit lies halfway between, by factors. A busy machine makes single measurements too long, so
/// both sizes are measured again, a few times, before the reader counts as slow.
inline void expect_linear(const std::function<std::function<void()>(std::size_t size)>& prepare,
                          std::size_t size) {
  constexpr std::size_t more = 16;
  constexpr double clock_step = 1e-4, room = 4;
  constexpr int attempts = 8, repeats = 5;
  const std::function<void()> small = prepare(size), large = prepare(more * size);
  small();  // what is loaded or allocated only once
  double least = 0, taken = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    least = processor_seconds(small);
    for (int i = 1; i < repeats; ++i) least = std::min(least, processor_seconds(small));
    taken = processor_seconds(large);
    if (taken <= room * more * std::max(least, clock_step)) return;
  }
  ADD_FAILURE() << taken << " s for " << more << " times what takes " << least << " s";
}

}  // namespace boxwood_test
