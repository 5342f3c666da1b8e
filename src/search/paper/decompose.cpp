#include "search/paper/node_stack.hpp"
#include "search/paper/paper.hpp"

namespace boxwood::paper {

void decompose(const Space& space, double bound, Watch& watch,
               const std::function<bool(const SearchNode&)>& visit) {
  NodeStack stack(watch, space.root());
  std::vector<SearchNode> children;
  while (!stack.empty()) {
    if (!watch.count_node()) return;
    const SearchNode node = stack.pop();
    if (!space.complete(node)) {
      space.expand(node, bound, children);
      stack.push_all(children);
    } else if (!visit(node)) {
      watch.request(Stop::visitor);
      return;
    }
  }
}

}  // namespace boxwood::paper
