// Fresh seeds that are printed and can be replayed: BOXWOOD_SEED=… sets the seed of every random
// test, BOXWOOD_CASES=… how many cases it runs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
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
