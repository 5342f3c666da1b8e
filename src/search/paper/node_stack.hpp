// Open nodes of a depth-first walk by one thread, their memory counted as long as they are open.
#pragma once

#include "search/paper/space.hpp"
#include "search/watch.hpp"

#include <utility>
#include <vector>

namespace boxwood::paper {

class NodeStack {
 public:
  NodeStack(Watch& watch, SearchNode root) : watch_(watch) { push(std::move(root)); }
  NodeStack(const NodeStack&) = delete;
  NodeStack& operator=(const NodeStack&) = delete;
  ~NodeStack() {
    while (!empty()) pop();
  }

  bool empty() const { return nodes_.empty(); }

  SearchNode pop() {
    SearchNode node = std::move(nodes_.back());
    nodes_.pop_back();
    watch_.release_bytes(node.bytes());
    return node;
  }

  /// The first of them ends on top.
  void push_all(std::vector<SearchNode>& nodes) {
    for (; !nodes.empty(); nodes.pop_back()) push(std::move(nodes.back()));
  }

 private:
  void push(SearchNode node) {
    watch_.hold_bytes(node.bytes());
    nodes_.push_back(std::move(node));
  }

  Watch& watch_;
  std::vector<SearchNode> nodes_;
};

}  // namespace boxwood::paper
