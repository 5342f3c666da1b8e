#include "search/paper/paper.hpp"

#include <limits>

namespace boxwood::paper {

bool backtrack(const Space& space, Incumbent& incumbent, Watch& watch, std::uint64_t node_budget) {
  std::vector<SearchNode> stack;
  stack.push_back(space.root());
  std::vector<SearchNode> children;
  for (std::uint64_t nodes = 0; !stack.empty(); ++nodes) {
    if (nodes >= node_budget || !watch.count_node()) return false;
    const SearchNode node = std::move(stack.back());
    stack.pop_back();
    if (space.complete(node)) {
      std::vector<double> point = space.nearest_point(node);
      if (!space.meets_requirements(point)) continue;
      incumbent.offer(std::move(point));
      return false;
    }
    children.clear();
    space.expand(node, std::numeric_limits<double>::infinity(), children);
    while (!children.empty()) {  // the nearest ends on top
      stack.push_back(std::move(children.back()));
      children.pop_back();
    }
  }
  return true;
}

}  // namespace boxwood::paper
