// An independent check of an answer from the Ensemble and the Query alone. It shares no code with
// prediction or search: it walks the trees, adds scores and costs and applies the link itself.
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace boxwood {

struct Verification {
  std::vector<std::string> faults;  ///< in words; empty when everything holds
  std::size_t points_checked = 0;
  bool passed() const { return faults.empty(); }
};

/// Checks every solution: the outcome, the constraints, cost and distance, that status and bound
/// fit together, that the box holds the point, and that the corners of the box and `samples`
/// random points in it have the same scores. It does not re-prove optimality.
Verification verify(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
                    std::size_t samples = 256, std::uint64_t seed = 1);
Verification verify(const Ensemble& ensemble, const Query& query, const Answer& answer,
                    std::size_t samples = 256, std::uint64_t seed = 1);

}  // namespace boxwood
