// The loops of simd.cpp for builds without Highway. They have no branches, so that a compiler can
// make vectors of them.
#include "search/fast/simd.hpp"

#include "base/bit_set.hpp"

namespace boxwood::fast {

void keep_within(const double* numbers, std::size_t count, double limit, std::uint64_t* alive) {
  constexpr std::size_t word_bits = BitSet::word_bits;
  for (std::size_t from = 0; from < count; from += word_bits, ++alive) {
    if (*alive == 0) continue;
    const std::size_t here = count - from < word_bits ? count - from : word_bits;
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < here; ++i) {
      within |= static_cast<std::uint64_t>(numbers[from + i] <= limit) << i;
    }
    *alive &= within;
  }
}

void take_minima(const double* a, const double* b, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] < b[i] ? a[i] : b[i];
}

void find_vectors() {}

}  // namespace boxwood::fast
