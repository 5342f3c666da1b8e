#include "search/paper/paper.hpp"

namespace boxwood::paper {

void decompose(const Space& space, double bound, Watch& watch,
               const std::function<bool(const SearchNode&)>& visit) {
  std::vector<SearchNode> stack;
  stack.push_back(space.root());
  watch.hold_bytes(stack.back().bytes());
  std::vector<SearchNode> children;
  while (!stack.empty()) {
    if (!watch.count_node()) return;
    const SearchNode node = std::move(stack.back());
    stack.pop_back();
    watch.release_bytes(node.bytes());
    if (space.complete(node)) {
      if (!visit(node)) {
        watch.request(Stop::visitor);
        return;
      }
      continue;
    }
    children.clear();
    space.expand(node, bound, children);
    while (!children.empty()) {
      watch.hold_bytes(children.back().bytes());
      stack.push_back(std::move(children.back()));
      children.pop_back();
    }
  }
}

}  // namespace boxwood::paper
