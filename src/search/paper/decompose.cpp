#include "search/paper/paper.hpp"

namespace boxwood::paper {

void decompose(const Space& space, double bound, Watch& watch, Reporter& reporter,
               const std::function<bool(const SearchNode&)>& visit) {
  std::vector<SearchNode> stack;
  stack.push_back(space.root());
  while (!stack.empty() && watch.count_node()) {
    reporter.tick([] { return 0.0; });
    const SearchNode node = std::move(stack.back());
    stack.pop_back();
    if (!space.complete(node)) {
      space.expand(node, bound, watch, stack);
    } else if (!visit(node)) {
      watch.request(Stop::visitor);
    }
  }
}

}  // namespace boxwood::paper
