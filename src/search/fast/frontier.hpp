// The open nodes of all workers, ordered by bound, and the bounds of the nodes in work: together
// they bound everything that is still to be found.
#pragma once

#include "search/fast/node.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace boxwood::fast {

class Frontier {
 public:
  void push(std::unique_ptr<Node> node) {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), later);
  }

  /// Takes the node with the least bound or, to save memory, the deepest one: depth first keeps few
  /// nodes open. The node counts as in work until done() is called with its bound.
  std::unique_ptr<Node> pop(bool deepest) {
    const std::lock_guard lock(mutex_);
    if (open_.empty()) return nullptr;
    if (deepest) {
      const auto found =
          std::max_element(open_.begin(), open_.end(),
                           [](const auto& a, const auto& b) { return a->depth < b->depth; });
      std::swap(*found, open_.back());
    } else {
      std::pop_heap(open_.begin(), open_.end(), later);
    }
    std::unique_ptr<Node> node = std::move(open_.back());
    open_.pop_back();
    if (deepest) std::make_heap(open_.begin(), open_.end(), later);
    active_.insert(node->bound);
    return node;
  }
  void done(double bound) {
    const std::lock_guard lock(mutex_);
    active_.erase(active_.find(bound));
  }

  double least_bound() const {
    const std::lock_guard lock(mutex_);
    double least = std::numeric_limits<double>::infinity();
    if (!open_.empty()) least = open_.front()->bound;
    if (!active_.empty()) least = std::min(least, *active_.begin());
    return least;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }

 private:
  static bool later(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) {
    return a->bound > b->bound;
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Node>> open_;
  std::multiset<double> active_;
};

}  // namespace boxwood::fast
