// The vectors of the machine are chosen at run time, here and not by Highway: its shared library
// measures the clock for milliseconds whenever a process loads it, which is longer than most
// commands take.
#include "search/fast/simd.hpp"

#include "base/bit_set.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BOXWOOD_X86_VECTORS 1
#include <immintrin.h>
#else
#define BOXWOOD_X86_VECTORS 0
#endif

namespace boxwood::fast {
namespace {

/// Bit i says whether numbers[i] is at most the limit; for at most 64 numbers. No branches, so that
/// a compiler can make vectors of it.
std::uint64_t within_plain(const double* numbers, std::size_t count, double limit) {
  std::uint64_t within = 0;
  for (std::size_t i = 0; i < count; ++i) {
    within |= static_cast<std::uint64_t>(numbers[i] <= limit) << i;
  }
  return within;
}

void keep_plain(const double* numbers, std::size_t count, double limit, std::uint64_t* alive) {
  constexpr std::size_t bits = bits_per_word;
  for (; count >= bits; count -= bits, numbers += bits, ++alive) {
    if (*alive != 0) *alive &= within_plain(numbers, bits, limit);
  }
  if (count != 0 && *alive != 0) *alive &= within_plain(numbers, count, limit);
}

#if BOXWOOD_X86_VECTORS
__attribute__((target("avx2"))) void keep_avx2(const double* numbers, std::size_t count,
                                               double limit, std::uint64_t* alive) {
  constexpr std::size_t bits = bits_per_word, lanes = 4;
  const __m256d most = _mm256_set1_pd(limit);
  for (; count >= bits; count -= bits, numbers += bits, ++alive) {
    if (*alive == 0) continue;
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < bits; i += lanes) {
      const __m256d good = _mm256_cmp_pd(_mm256_loadu_pd(numbers + i), most, _CMP_LE_OQ);
      within |= static_cast<std::uint64_t>(_mm256_movemask_pd(good)) << i;
    }
    *alive &= within;
  }
  if (count != 0 && *alive != 0) *alive &= within_plain(numbers, count, limit);
}

__attribute__((target("avx512f"))) void keep_avx512(const double* numbers, std::size_t count,
                                                    double limit, std::uint64_t* alive) {
  constexpr std::size_t bits = bits_per_word, lanes = 8;
  const __m512d most = _mm512_set1_pd(limit);
  for (; count >= bits; count -= bits, numbers += bits, ++alive) {
    if (*alive == 0) continue;
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < bits; i += lanes) {
      const __m512d some = _mm512_loadu_pd(numbers + i);
      within |= static_cast<std::uint64_t>(_mm512_cmp_pd_mask(some, most, _CMP_LE_OQ)) << i;
    }
    *alive &= within;
  }
  if (count != 0 && *alive != 0) *alive &= within_plain(numbers, count, limit);
}
#endif

void minima_plain(const double* a, const double* b, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] < b[i] ? a[i] : b[i];
}

#if BOXWOOD_X86_VECTORS
__attribute__((target("avx2"))) void minima_avx2(const double* a, const double* b,
                                                 std::size_t count, double* out) {
  constexpr std::size_t lanes = 4;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    _mm256_storeu_pd(out + i, _mm256_min_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i)));
  }
  for (; i < count; ++i) out[i] = a[i] < b[i] ? a[i] : b[i];
}
#endif

const VectorLoops& loops() {
  static const VectorLoops widest = all_vector_loops().back();
  return widest;
}

}  // namespace

void keep_within(const double* numbers, std::size_t count, double limit, std::uint64_t* alive) {
  loops().keep(numbers, count, limit, alive);
}

void take_minima(const double* a, const double* b, std::size_t count, double* out) {
  loops().minima(a, b, count, out);
}

std::vector<VectorLoops> all_vector_loops() {
  std::vector<VectorLoops> all{{keep_plain, minima_plain}};
#if BOXWOOD_X86_VECTORS
  if (__builtin_cpu_supports("avx2")) {
    all.push_back({keep_avx2, minima_avx2});
    if (__builtin_cpu_supports("avx512f")) all.push_back({keep_avx512, minima_avx2});
  }
#endif
  return all;
}

void find_vectors() { static_cast<void>(loops()); }

}  // namespace boxwood::fast
