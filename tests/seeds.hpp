// The seed of random tests. It is always the same, so that the everyday run gives the same result
// twice; BOXWOOD_SEED=fresh draws a new one, as `make test-long` does, and prints it, and
// BOXWOOD_SEED=… replays it. BOXWOOD_CASES=… sets how many cases a test runs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("BOXWOOD_SEED");
    const std::string text = given ? given : "20210514";
    const std::uint64_t value =
        text == "fresh" ? std::random_device{}() : std::strtoull(text.c_str(), nullptr, 10);
    std::cout << "replay with BOXWOOD_SEED=" << value << std::endl;
    return value;
  }();
  return seed;
}

inline int test_cases(int usual) {
  const char* given = std::getenv("BOXWOOD_CASES");
  return given ? std::atoi(given) : usual;
}

/// A random test is worth something only if it meets what it is about: fails where less than
/// `share` of the cases do. Six standard deviations are left to chance, so that no fresh seed fails
/// for having drawn few; where that leaves nothing, as in short runs, nothing is asked for. The
/// place is the caller's; clang 14 has no std::source_location.
template <class Count, class Cases>
void expect_share(Count seen, Cases cases, double share, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const double expected = static_cast<double>(cases) * share;
  if (static_cast<double>(seen) >= expected - 6 * std::sqrt(expected)) return;
  ADD_FAILURE_AT(file, line) << "only " << seen << " of " << cases << " cases, about " << expected
                             << " were expected";
}
