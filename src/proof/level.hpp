// One box of the prover's search: its cells, its live leaves and, once it is cut, its cut.
#pragma once

#include "proof/problem.hpp"

#include <cstdint>
#include <vector>

namespace boxwood::proofs {

struct Live {
  std::uint32_t leaf = 0;
  std::int32_t outside = 0;  ///< variables in which the box's nearest point is not in the leaf
  Measure extra;             ///< beyond the box's own
};

struct Level {
  Mask box;
  Measure measure;
  std::vector<std::uint32_t> nearest;  ///< of a variable: its cheapest bit
  std::vector<Live> live;              ///< tree by tree
  std::vector<std::uint32_t> tree_begin;
  std::vector<std::uint32_t> fewer;  ///< trees with fewer live leaves than in the box around
  // The cut of this box, and how many of its children were made.
  std::uint32_t variable = 0;
  Mask first;
  int made = 0;
};

}  // namespace boxwood::proofs
