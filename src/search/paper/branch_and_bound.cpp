// Algorithm 5 in parallel. Boxes are built breadth first while there are few; then each is the root
// of a subtree that is searched depth first. oneTBB's task stacks hold the open nodes: a thread
// takes its own newest node (depth first) and steals the oldest node of another thread (breadth
// first).
#include "base/handover.hpp"
#include "search/paper/paper.hpp"
#include "search/threads.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <memory>

namespace boxwood::paper {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A box of the breadth-first phase and the number of open nodes below it. The count starts at 1
/// for the box itself, because other subtrees may be searched before it is pushed. The least bound
/// of the unfinished subtrees bounds everything that is still to be found.
struct Subtree {
  explicit Subtree(double least) : bound(least) {}
  double bound;
  std::atomic<std::int64_t> open{1};
};

class Search {
 public:
  Search(const Space& space, Incumbent& incumbent, Watch& watch, Reporter& reporter)
      : space_(space), incumbent_(incumbent), watch_(watch), reporter_(reporter) {}

  Unfinished run(int threads) {
    std::vector<SearchNode> frontier = widen(threads);
    while_polling(watch_.poll(), [&] { work_off(threads, frontier); });
    return {space_.weaken(open_bound_.load()), open_nodes_.load()};
  }

 private:
  void work_off(int threads, std::vector<SearchNode>& frontier) {
    with_threads(threads, [&] {
      for (const SearchNode& node : frontier) subtrees_.emplace_back(node.cost);
      // The node pushed last is taken first, so the nearest one is pushed last.
      for (std::size_t i = frontier.size(); i-- > 0;) {
        push(std::move(frontier[i]), subtrees_[i]);
        subtrees_[i].open.fetch_sub(1, std::memory_order_relaxed);
      }
      tasks_.wait();
    });
    take_over();
  }

  /// Subtrees differ much in size: with several for each thread, none stays idle for long.
  static constexpr std::size_t subtrees_per_thread = 16;

  /// Expands level by level until there is work for all threads.
  std::vector<SearchNode> widen(int threads) {
    const std::size_t enough =
        threads > 1 ? static_cast<std::size_t>(threads) * subtrees_per_thread : 1;
    std::vector<SearchNode> level;
    level.push_back(space_.root());
    while (level.size() < enough && !level.empty() && !space_.complete(level.front())) {
      std::vector<SearchNode> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        if (!watch_.count_node()) {
          next.push_back(std::move(level[i]));  // stays open, at the depth it has
          continue;
        }
        if (!space_.expand(level[i], incumbent_.cost(), watch_, next)) leave_open(level[i].cost);
      }
      level = std::move(next);
      if (watch_.stopped()) break;
    }
    std::stable_sort(level.begin(), level.end(),
                     [](const SearchNode& a, const SearchNode& b) { return a.cost < b.cost; });
    return level;
  }

  void push(SearchNode node, Subtree& subtree) {
    auto held = std::make_shared<SearchNode>(std::move(node));
    subtree.open.fetch_add(1, std::memory_order_relaxed);
    tasks_.run(handed_over([this, held, &subtree] {
      process(*held, subtree);
      subtree.open.fetch_sub(1, std::memory_order_release);
    }));
  }

  void process(const SearchNode& node, Subtree& subtree) {
    if (space_.beyond(node.cost, incumbent_.cost())) return;
    if (watch_.stopped() || !watch_.count_node()) {
      leave_open(node.cost);
      return;
    }
    reporter_.tick([this] { return least_open(); });
    if (space_.complete(node)) {
      space_.offer(node, incumbent_, watch_);
      return;
    }
    std::vector<SearchNode> children;
    if (!space_.expand(node, incumbent_.cost(), watch_, children)) leave_open(node.cost);
    for (SearchNode& child : children) push(std::move(child), subtree);
  }

  void leave_open(double cost) {
    open_nodes_.fetch_add(1, std::memory_order_relaxed);
    double least = open_bound_.load();
    while (cost < least && !open_bound_.compare_exchange_weak(least, cost)) {
    }
  }

  /// A lower bound on everything that is still to be found: the nearest unfinished subtree, or what
  /// another worker has left open because of a limit.
  double least_open() const {
    double least = infinity;
    for (const Subtree& subtree : subtrees_) {
      if (subtree.open.load(std::memory_order_acquire) > 0) least = std::min(least, subtree.bound);
    }
    // Read after the subtrees: a subtree that was finished by then has recorded what it left open.
    return space_.weaken(std::min(least, open_bound_.load()));
  }

  const Space& space_;
  Incumbent& incumbent_;
  Watch& watch_;
  Reporter& reporter_;
  TaskGroup tasks_;
  std::deque<Subtree> subtrees_;
  std::atomic<double> open_bound_{infinity};
  std::atomic<std::uint64_t> open_nodes_{0};
};

}  // namespace

Unfinished branch_and_bound(const Space& space, Incumbent& incumbent, Watch& watch,
                            Reporter& reporter, int threads) {
  return Search(space, incumbent, watch, reporter).run(threads);
}

}  // namespace boxwood::paper
