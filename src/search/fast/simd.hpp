// Loops over all leaves of a box, for the widest vectors of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood::fast {

/// Clears the bit of every number above the limit. `alive` has a bit for each of the `count`
/// numbers.
void keep_within(const double* numbers, std::size_t count, double limit, std::uint64_t* alive);

/// out[i] = the smaller of a[i] and b[i].
void take_minima(const double* a, const double* b, std::size_t count, double* out);

/// Detects the vector instructions of the machine, so that the first of these calls need not.
void find_vectors();

/// These two loops for one kind of vectors.
struct VectorLoops {
  decltype(&keep_within) keep;
  decltype(&take_minima) minima;
};

/// Those that the machine can run, the widest last. All do the same.
std::vector<VectorLoops> all_vector_loops();

}  // namespace boxwood::fast
