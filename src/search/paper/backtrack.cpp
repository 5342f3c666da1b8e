#include "search/paper/paper.hpp"

#include <limits>

namespace boxwood::paper {

bool backtrack(const Space& space, Incumbent& incumbent, Watch& watch, Reporter& reporter,
               std::uint64_t node_budget) {
  std::vector<SearchNode> stack;
  stack.push_back(space.root());
  for (std::uint64_t nodes = 0; !stack.empty(); ++nodes) {
    if (nodes >= node_budget || !watch.count_node()) return false;
    reporter.tick([] { return 0.0; });
    const SearchNode node = std::move(stack.back());
    stack.pop_back();
    if (!space.complete(node)) {
      if (!space.expand(node, std::numeric_limits<double>::infinity(), watch, stack)) return false;
      continue;
    }
    if (space.offer(node, incumbent, watch)) return false;
  }
  return true;
}

}  // namespace boxwood::paper
