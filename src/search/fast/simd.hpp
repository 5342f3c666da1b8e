// Loops over all leaves of a box, for the widest vectors of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood::fast {

/// Clears the bit of every number above the limit. `alive` has a bit for each of the `count`
/// numbers.
void keep_within(const double* numbers, std::size_t count, double limit, std::uint64_t* alive);

/// The same for whole words of numbers below 2^31.
void keep_near(const std::uint32_t* numbers, std::uint32_t limit, std::uint64_t* alive,
               std::size_t words);

/// How the extra costs of leaves change when the nearest point moves.
struct NearMove {
  const std::uint32_t* far;  ///< of a leaf
  std::uint32_t from, to;    ///< the larger one last
  std::uint32_t limit;
};
/// after[i] = before[i] minus what far[i] is above `from` plus what it is above `to`; clears the
/// bit of every number above the limit. Writes only words of numbers that have a bit.
void move_near(const NearMove& move, const std::uint32_t* before, std::uint32_t* after,
               std::uint64_t* alive, std::size_t words);

/// The largest of the numbers, of which there is at least one.
std::int64_t largest(const std::int64_t* numbers, std::size_t count);

/// out[i] = the smaller of a[i] and b[i].
void take_minima(const double* a, const double* b, std::size_t count, double* out);

/// Detects the vector instructions of the machine, so that the first of these calls need not.
void find_vectors();

/// These loops for one kind of vectors.
struct VectorLoops {
  decltype(&keep_within) keep;
  decltype(&move_near) move;
  decltype(&boxwood::fast::largest) largest;
  decltype(&take_minima) minima;
};

/// Those that the machine can run, the widest last. All do the same.
std::vector<VectorLoops> all_vector_loops();

}  // namespace boxwood::fast
