// An independent check of an answer, from the models and the query alone.
//
//   const boxwood::Verification found = boxwood::verify(model, query, answer);
//   if (!found.passed()) std::cerr << found.faults.front() << '\n';
//
// It shares no code with prediction or search: it walks the trees, adds scores and costs and
// applies the link itself.
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

/// Checks every solution: that it has the outcome, satisfies the constraints and has the stated
/// cost and distance; that its box contains it, and that the corners of the box and `samples`
/// random points in it have the same scores. Also checks that status and lower bound are
/// consistent. It does not prove optimality again.
Verification verify(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
                    std::size_t samples = 256, std::uint64_t seed = 1);
Verification verify(const Ensemble& ensemble, const Query& query, const Answer& answer,
                    std::size_t samples = 256, std::uint64_t seed = 1);

}  // namespace boxwood
