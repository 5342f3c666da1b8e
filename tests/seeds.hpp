// Fresh seeds that are printed and can be replayed: BOXWOOD_SEED=… sets the seed of every random
// test, BOXWOOD_CASES=… how many cases it runs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <source_location>
#include <string>

inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("BOXWOOD_SEED");
    const std::uint64_t value = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
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
/// for having drawn few; where that leaves nothing, as in short runs, nothing is asked for.
template <class Count, class Cases>
void expect_share(Count seen, Cases cases, double share,
                  std::source_location place = std::source_location::current()) {
  const double expected = static_cast<double>(cases) * share;
  if (static_cast<double>(seen) >= expected - 6 * std::sqrt(expected)) return;
  ADD_FAILURE_AT(place.file_name(), static_cast<int>(place.line()))
      << "only " << seen << " of " << cases << " cases, about " << expected << " were expected";
}
