// CityHash64 as of its version 1.0, which later versions changed, and the key of a table entry.
#include "readers/catboost_hash.hpp"

#include "base/bits.hpp"

#include <bit>
#include <cstddef>
#include <utility>

namespace boxwood::readers {
namespace {

constexpr std::uint64_t prime_0 = 0xc3a5c85c97cb3127;
constexpr std::uint64_t prime_1 = 0xb492b66fbe98f273;
constexpr std::uint64_t prime_2 = 0x9ae16a3b2f90404f;
constexpr std::uint64_t prime_3 = 0xc949d7c7509e6557;

/// Reads `width` bytes at `at` as a little-endian number.
std::uint64_t load(std::string_view text, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(text[at + i]);
  }
  return number;
}
std::uint64_t word(std::string_view text, std::size_t at) { return load(text, at, 8); }

std::uint64_t turned(std::uint64_t value, int by) { return std::rotr(value, by); }
std::uint64_t folded(std::uint64_t value) { return value ^ value >> 47; }

std::uint64_t mixed(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t factor = 0x9ddfea08eb382d69;
  const std::uint64_t first = folded((low ^ high) * factor);
  return folded((high ^ first) * factor) * factor;
}

std::uint64_t hash_up_to_16(std::string_view text) {
  const std::size_t size = text.size();
  if (size > 8) {
    const std::uint64_t last = word(text, size - 8);
    return mixed(word(text, 0), turned(last + size, static_cast<int>(size))) ^ last;
  }
  if (size >= 4) return mixed(size + (load(text, 0, 4) << 3), load(text, size - 4, 4));
  if (size == 0) return prime_2;
  const std::uint64_t front = load(text, 0, 1) + (load(text, size / 2, 1) << 8);
  const std::uint64_t back = size + (load(text, size - 1, 1) << 2);
  return folded(front * prime_2 ^ back * prime_3) * prime_2;
}

std::uint64_t hash_up_to_32(std::string_view text) {
  const std::size_t size = text.size();
  const std::uint64_t a = word(text, 0) * prime_1;
  const std::uint64_t b = word(text, 8);
  const std::uint64_t c = word(text, size - 8) * prime_2;
  const std::uint64_t d = word(text, size - 16) * prime_0;
  return mixed(turned(a - b, 43) + turned(c, 30) + d, a + turned(b ^ prime_3, 20) - c + size);
}

struct Pair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// Hashes one of two overlapping blocks of 32 bytes; each has its own seeds.
Pair hash_half(std::uint64_t seed, std::uint64_t w1, std::uint64_t w2, std::uint64_t w3) {
  std::uint64_t sum = seed;
  const std::uint64_t b = turned(sum + w3, 52);
  std::uint64_t c = turned(sum, 37);
  sum += w1;
  c += turned(sum, 7);
  sum += w2;
  return {sum + w3, b + turned(sum, 31) + c};
}

std::uint64_t hash_up_to_64(std::string_view text) {
  const std::size_t size = text.size();
  const Pair v = hash_half(word(text, 0) + (size + word(text, size - 16)) * prime_0, word(text, 8),
                           word(text, 16), word(text, 24));
  const Pair w = hash_half(word(text, 16) + word(text, size - 32), word(text, size - 24),
                           word(text, size - 16), word(text, size - 8));
  const std::uint64_t r = folded((v.first + w.second) * prime_2 + (w.first + v.second) * prime_0);
  return folded(r * prime_0 + v.second) * prime_2;
}

/// Hashes 32 bytes.
Pair weak_hash(std::string_view text, std::size_t at, std::uint64_t a, std::uint64_t b) {
  a += word(text, at);
  const std::uint64_t last = word(text, at + 24);
  b = turned(b + a + last, 21);
  const std::uint64_t first = a;
  a += word(text, at + 8) + word(text, at + 16);
  b += turned(a, 44);
  return {a + last, b + first};
}

std::uint64_t hash_long(std::string_view text) {
  const std::size_t size = text.size();
  std::uint64_t x = word(text, 0);
  std::uint64_t y = word(text, size - 16) ^ prime_1;
  std::uint64_t z = word(text, size - 56) ^ prime_0;
  Pair v = weak_hash(text, size - 64, size, y);
  Pair w = weak_hash(text, size - 32, size * prime_1, prime_0);
  z += folded(v.second) * prime_1;
  x = turned(z + x, 39) * prime_1;
  y = turned(y, 33) * prime_1;
  const std::size_t blocks = (size - 1) / 64;  // the last block was hashed first
  for (std::size_t at = 0; at < blocks * 64; at += 64) {
    x = turned(x + y + v.first + word(text, at + 16), 37) * prime_1;
    y = turned(y + v.second + word(text, at + 48), 42) * prime_1;
    x ^= w.second;
    y ^= v.first;
    z = turned(z ^ w.first, 33);
    v = weak_hash(text, at, v.second * prime_1, x + w.first);
    w = weak_hash(text, at + 32, z + w.second, y);
    std::swap(z, x);
  }
  return mixed(mixed(v.first, w.first) + folded(y) * prime_1 + z, mixed(v.second, w.second) + x);
}

/// The multiplicative inverse of an odd number modulo 2^64. Each step doubles the number of correct
/// low bits; modulo 8 an odd number is its own inverse.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t result = odd;
  for (int bits = 3; bits < 64; bits *= 2) result *= 2 - odd * result;
  return result;
}

/// A table's key is the category's hash, as a signed number, times this.
constexpr std::uint64_t key_root = 0x4906ba494954cb65;
constexpr std::uint64_t key_factor = key_root * key_root;
static_assert(key_factor * inverse(key_factor) == 1);

}  // namespace

std::uint32_t catboost_category_hash(std::string_view text) {
  const std::uint64_t hash = text.size() <= 16   ? hash_up_to_16(text)
                             : text.size() <= 32 ? hash_up_to_32(text)
                             : text.size() <= 64 ? hash_up_to_64(text)
                                                 : hash_long(text);
  return static_cast<std::uint32_t>(hash);
}

std::optional<std::uint32_t> catboost_category_of_key(std::uint64_t key) {
  const std::uint64_t wide = key * inverse(key_factor);
  const auto narrow = static_cast<std::uint32_t>(wide);
  const auto is_signed = static_cast<std::int64_t>(bits_as<std::int32_t>(narrow));
  if (static_cast<std::uint64_t>(is_signed) != wide) return std::nullopt;
  return narrow;
}

std::uint64_t catboost_key_with(std::uint64_t key, std::int64_t part) {
  return key_root * (key + key_root * static_cast<std::uint64_t>(part));
}

std::uint64_t catboost_key_without(std::uint64_t key, std::int64_t part) {
  return key * inverse(key_root) - key_root * static_cast<std::uint64_t>(part);
}

}  // namespace boxwood::readers
