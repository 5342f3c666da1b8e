// An open node of the search: a problem, its dual bound once it has one, and the best bound so far.
#pragma once

#include "search/fast/dual_bound.hpp"
#include "search/fast/problem.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace boxwood::fast {

/// A node does not move, because its dual bound refers to its problem. Its dual bound starts from
/// that of the node it was cut from, which is kept until then: most nodes are finished before they
/// need one.
struct Node {
  explicit Node(Problem given) : problem(std::move(given)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Problem problem;
  std::optional<DualBound> dual;
  std::shared_ptr<const Node> parent;  ///< has the dual bound that this one starts from
  Origin origin;                       ///< in the parent's problem
  double bound = 0;                    ///< no point of the problem costs less
  std::uint32_t depth = 0;
  MemoryHold held;
};

}  // namespace boxwood::fast
