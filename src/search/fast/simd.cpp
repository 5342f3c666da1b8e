#include "search/fast/simd.hpp"

#include "base/bit_set.hpp"

// Highway compiles the following code once for each vector instruction set and chooses one at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "search/fast/simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace boxwood::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void KeepWithin(const double* numbers, std::size_t count, double limit, std::uint64_t* alive) {
  const hn::ScalableTag<double> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto most = hn::Set(tag, limit);
  constexpr std::size_t word_bits = BitSet::word_bits;
  const std::size_t words = (count + word_bits - 1) / word_bits;
  for (std::size_t w = 0; w < words; ++w) {
    if (alive[w] == 0) continue;
    const double* from = numbers + word_bits * w;
    const std::size_t left = count - word_bits * w;
    const std::size_t here = left < word_bits ? left : word_bits;
    std::uint64_t within = 0;
    std::uint8_t bits[8];
    std::size_t i = 0;
    for (; i + lanes <= here; i += lanes) {
      hn::StoreMaskBits(tag, hn::Le(hn::LoadU(tag, from + i), most), bits);
      std::uint64_t mask = bits[0];
      for (std::size_t b = 1; b < (lanes + 7) / 8; ++b) mask |= std::uint64_t{bits[b]} << (8 * b);
      within |= mask << i;
    }
    for (; i < here; ++i) within |= static_cast<std::uint64_t>(from[i] <= limit) << i;
    alive[w] &= within;
  }
}

void TakeMinima(const double* a, const double* b, std::size_t count, double* out) {
  const hn::ScalableTag<double> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Min(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i)), tag, out + i);
  }
  for (; i < count; ++i) out[i] = a[i] < b[i] ? a[i] : b[i];
}

}  // namespace boxwood::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace boxwood::fast {

HWY_EXPORT(KeepWithin);
HWY_EXPORT(TakeMinima);

void keep_within(const double* numbers, std::size_t count, double limit, std::uint64_t* alive) {
  HWY_DYNAMIC_DISPATCH(KeepWithin)(numbers, count, limit, alive);
}

void take_minima(const double* a, const double* b, std::size_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(TakeMinima)(a, b, count, out);
}

void find_vectors() { take_minima(nullptr, nullptr, 0, nullptr); }

}  // namespace boxwood::fast
#endif
