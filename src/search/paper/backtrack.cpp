#include "search/paper/node_stack.hpp"
#include "search/paper/paper.hpp"

#include <limits>

namespace boxwood::paper {

bool backtrack(const Space& space, Incumbent& incumbent, Watch& watch, Reporter& reporter,
               std::uint64_t node_budget) {
  NodeStack stack(watch, space.root());
  std::vector<SearchNode> children;
  for (std::uint64_t nodes = 0; !stack.empty(); ++nodes) {
    if (nodes >= node_budget || !watch.count_node()) return false;
    reporter.tick([] { return 0.0; });
    const SearchNode node = stack.pop();
    if (space.complete(node)) {
      std::vector<double> point = space.nearest_point(node);
      if (!space.meets_requirements(point)) continue;
      incumbent.offer(std::move(point));
      return false;
    }
    space.expand(node, std::numeric_limits<double>::infinity(), children);
    stack.push_all(children);
  }
  return true;
}

}  // namespace boxwood::paper
