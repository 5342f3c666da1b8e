// The processor time of this process. What else the machine does changes it little, so tests
// compare it with limits where a time by the clock would fail on a busy machine.
#pragma once

#include <ctime>
#include <functional>

namespace boxwood_test {

inline double processor_seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace boxwood_test
