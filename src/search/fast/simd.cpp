// The vectors of the machine are chosen at run time, here and not by Highway: its shared library
// measures the clock for milliseconds whenever a process loads it, which is longer than most
// commands take.
#include "search/fast/simd.hpp"

#include "base/bit_set.hpp"

#include <algorithm>
#include <cstring>

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

/// The word of `after` that begins at i: bit k says whether number i + k is within the limit.
std::uint64_t move_word(const NearMove& move, const std::uint32_t* before, std::uint32_t* after,
                        std::size_t i) {
  const std::uint32_t less = move.from - move.to;  // wraps around
  std::uint64_t within = 0;
  for (std::size_t k = 0; k < bits_per_word; ++k) {
    const std::uint32_t far = move.far[i + k];
    after[i + k] = before[i + k] + less + std::max(far, move.to) - std::max(far, move.from);
  }
  for (std::size_t k = 0; k < bits_per_word; ++k) {
    within |= static_cast<std::uint64_t>(after[i + k] <= move.limit) << k;
  }
  return within;
}

void move_plain(const NearMove& move, const std::uint32_t* before, std::uint32_t* after,
                std::uint64_t* alive, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) {
    if (alive[w] != 0) alive[w] &= move_word(move, before, after, w * bits_per_word);
  }
}

#if BOXWOOD_X86_VECTORS
__attribute__((target("avx2"))) inline __m256i load(const void* from) {
  __m256i lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

__attribute__((target("avx2"))) void move_avx2(const NearMove& move, const std::uint32_t* before,
                                               std::uint32_t* after, std::uint64_t* alive,
                                               std::size_t words) {
  constexpr std::size_t lanes = 8;
  const __m256i from = _mm256_set1_epi32(static_cast<int>(move.from));
  const __m256i to = _mm256_set1_epi32(static_cast<int>(move.to));
  const __m256i less = _mm256_set1_epi32(static_cast<int>(move.from - move.to));
  const __m256i most = _mm256_set1_epi32(static_cast<int>(move.limit));
  for (std::size_t w = 0; w < words; ++w) {
    if (alive[w] == 0) continue;
    std::uint64_t beyond = 0;
    for (std::size_t k = 0; k < bits_per_word; k += lanes) {
      const std::size_t i = w * bits_per_word + k;
      const __m256i far = load(move.far + i);
      const __m256i old = load(before + i);
      const __m256i change =
          _mm256_sub_epi32(_mm256_max_epu32(far, to), _mm256_max_epu32(far, from));
      const __m256i now = _mm256_add_epi32(_mm256_add_epi32(old, less), change);
      std::memcpy(after + i, &now, sizeof(now));
      const __m256 above = _mm256_castsi256_ps(_mm256_cmpgt_epi32(now, most));
      beyond |= static_cast<std::uint64_t>(_mm256_movemask_ps(above)) << k;
    }
    alive[w] &= ~beyond;
  }
}

__attribute__((target("avx512f"))) void move_avx512(const NearMove& move,
                                                    const std::uint32_t* before,
                                                    std::uint32_t* after, std::uint64_t* alive,
                                                    std::size_t words) {
  constexpr std::size_t lanes = 16;
  const __m512i from = _mm512_set1_epi32(static_cast<int>(move.from));
  const __m512i to = _mm512_set1_epi32(static_cast<int>(move.to));
  const __m512i less = _mm512_set1_epi32(static_cast<int>(move.from - move.to));
  const __m512i most = _mm512_set1_epi32(static_cast<int>(move.limit));
  // GCC 12 warns of the forms without a mask.
  constexpr __mmask16 all = 0xffff;
  for (std::size_t w = 0; w < words; ++w) {
    if (alive[w] == 0) continue;
    std::uint64_t within = 0;
    for (std::size_t k = 0; k < bits_per_word; k += lanes) {
      const std::size_t i = w * bits_per_word + k;
      const __m512i far = _mm512_loadu_si512(move.far + i);
      const __m512i old = _mm512_loadu_si512(before + i);
      const __m512i change = _mm512_sub_epi32(_mm512_maskz_max_epu32(all, far, to),
                                              _mm512_maskz_max_epu32(all, far, from));
      const __m512i now = _mm512_add_epi32(_mm512_add_epi32(old, less), change);
      _mm512_storeu_si512(after + i, now);
      within |= static_cast<std::uint64_t>(_mm512_cmple_epi32_mask(now, most)) << k;
    }
    alive[w] &= within;
  }
}
#endif

std::int64_t largest_plain(const std::int64_t* numbers, std::size_t count) {
  std::int64_t most = numbers[0];
  for (std::size_t i = 1; i < count; ++i) most = numbers[i] > most ? numbers[i] : most;
  return most;
}

#if BOXWOOD_X86_VECTORS
__attribute__((target("avx2"))) std::int64_t largest_avx2(const std::int64_t* numbers,
                                                          std::size_t count) {
  constexpr std::size_t lanes = 4;
  if (count < lanes) return largest_plain(numbers, count);
  __m256i most = load(numbers);
  std::size_t i = lanes;
  for (; i + lanes <= count; i += lanes) {
    const __m256i some = load(numbers + i);
    most = _mm256_blendv_epi8(most, some, _mm256_cmpgt_epi64(some, most));
  }
  std::int64_t parts[lanes];
  std::memcpy(parts, &most, sizeof(parts));
  const std::int64_t rest = largest_plain(numbers + count - lanes, lanes);
  return std::max(largest_plain(parts, lanes), rest);
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

void keep_near(const std::uint32_t* numbers, std::uint32_t limit, std::uint64_t* alive,
               std::size_t words) {
  for (std::size_t w = 0; w < words; ++w, numbers += bits_per_word) {
    std::uint64_t within = 0;
    for (std::size_t k = 0; k < bits_per_word; ++k) {
      within |= static_cast<std::uint64_t>(numbers[k] <= limit) << k;
    }
    alive[w] &= within;
  }
}

void move_near(const NearMove& move, const std::uint32_t* before, std::uint32_t* after,
               std::uint64_t* alive, std::size_t words) {
  loops().move(move, before, after, alive, words);
}

std::int64_t largest(const std::int64_t* numbers, std::size_t count) {
  return loops().largest(numbers, count);
}

void take_minima(const double* a, const double* b, std::size_t count, double* out) {
  loops().minima(a, b, count, out);
}

std::vector<VectorLoops> all_vector_loops() {
  std::vector<VectorLoops> all{{keep_plain, move_plain, largest_plain, minima_plain}};
#if BOXWOOD_X86_VECTORS
  if (__builtin_cpu_supports("avx2")) {
    all.push_back({keep_avx2, move_avx2, largest_avx2, minima_avx2});
    if (__builtin_cpu_supports("avx512f"))
      all.push_back({keep_avx512, move_avx512, largest_avx2, minima_avx2});
  }
#endif
  return all;
}

void find_vectors() { static_cast<void>(loops()); }

}  // namespace boxwood::fast
