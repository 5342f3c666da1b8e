// An open node of the search: a problem, its split once it has one, and the bound so far.
#pragma once

#include "search/fast/problem.hpp"
#include "search/fast/split.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace boxwood::fast {

/// Does not move, because the split refers to the problem. A node starts from the split of the node
/// that it was cut from, which is kept until then: most nodes are done before they need one.
struct Node {
  explicit Node(Problem given) : problem(std::move(given)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Problem problem;
  std::optional<Split> split;
  std::shared_ptr<const Node> parent;  ///< has the split that this one starts from
  Origin origin;                       ///< in the parent's problem
  double bound = 0;                    ///< no point of the problem costs less
  std::uint32_t depth = 0;
  MemoryHold held;
};

}  // namespace boxwood::fast
