// Branch and bound: the first point, then the open nodes by several workers until none is left. A
// node is probed while that seems cheap, tightened by the dual where it is not, and cut in two.
#include "base/handover.hpp"
#include "base/infinity.hpp"
#include "search/engine_settings.hpp"
#include "search/fast/changes.hpp"
#include "search/fast/fast.hpp"
#include "search/fast/frontier.hpp"
#include "search/fast/node.hpp"
#include "search/fast/probe.hpp"
#include "search/fast/spending.hpp"
#include "search/fast/start.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace boxwood::fast {
namespace {

class Engine {
 public:
  Engine(Context& context, Reporter& reporter, const Options& options, int threads)
      : context_(context),
        reporter_(reporter),
        parts_(settings_of(options).parts),
        examples_(options.examples),
        threads_(threads),
        workers_(Probe(context)) {}

  Outcome run() {
    if (parts_.start) start_from_examples(context_, examples_);
    std::unique_ptr<Node> root = parts_.start ? reach_out() : compile();
    if (too_large_) return {0, 1};
    if (!root || !first_look(root)) return too_large_ ? Outcome{0, 1} : Outcome{infinity, 0};
    frontier_.push(std::move(root));
    if (threads_ == 1) {
      while (!context_.watch.stopped() && step()) {
      }
    } else {
      tbb::task_arena arena(threads_);
      arena.execute([&] {
        schedule();
        tasks_.wait();
      });
      take_over();
    }
    const double bound = frontier_.least_bound();
    return {std::isinf(bound) ? bound : bound / context_.rounding(), frontier_.size()};
  }

 private:
  /// Looks for a first point nearby, then farther and farther away, so that the problems stay
  /// small. Nothing when the search is over.
  std::unique_ptr<Node> reach_out() {
    const Outlook outlook(context_);
    // Where leaves are cut into pieces, no farther than needed: their number grows with the radius.
    const auto wider = [&](double radius, double factor) {
      return context_.in_pieces && radius > 0 ? 2 * radius : outlook.wider(radius, factor);
    };
    const bool stay_near = context_.in_pieces && outlook.least() > 0;
    double radius = stay_near ? outlook.least() : outlook.wider(outlook.least(), 2);
    for (;; radius = wider(radius, 1.5)) {
      if (radius >= std::min(context_.incumbent.cost(), context_.most)) radius = infinity;
      context_.cap = radius;
      std::unique_ptr<Node> node = compile();
      if (too_large_) return nullptr;
      if (node) {
        start_from_home(context_, node->problem);
        Probe& probe = workers_.local();
        if (std::isinf(context_.incumbent.cost()) && parts_.probe && probe.start(node->problem)) {
          probe.search(24);
        }
      }
      context_.cap = infinity;
      reporter_.tick([] { return 0.0; });
      const double cost = context_.incumbent.cost();
      if (std::isinf(radius) && std::isinf(cost)) return node;
      // A problem for a radius a little too large will do.
      if (node && cost <= radius && cost > 0.5 * radius) return node;
      if (node && cost <= radius && std::isfinite(cost)) return come_closer(std::move(node));
      if (std::isfinite(cost) || context_.watch.stopped()) return compile();
    }
  }

  std::unique_ptr<Node> compile() {
    const double radius = context_.reach();
    std::optional<Problem> gathered =
        gather(context_.model, context_.boxes, context_.variables, context_.leaf_cost,
               context_.thresholds, radius, context_.watch.most_sides());
    if (!gathered) {
      too_large_ = true;
      context_.watch.request(Stop::memory);
      return nullptr;
    }
    Problem& raw = *gathered;
    if (developer_build && context_.known.active() && context_.known.cost() <= radius) {
      raw.holds_known = true;
      for (std::size_t v = 0; v < raw.variable_count(); ++v) {
        const auto begin = raw.choice.begin() + raw.cell_begin[v];
        const auto end = raw.choice.begin() + raw.cell_begin[v + 1];
        const auto found = std::find(begin, end, context_.known.cell(v));
        if (found == end) KnownSolution::lost("near cells");
        raw.known.push_back(static_cast<std::uint32_t>(found - begin));
      }
    }
    Selection keep(raw);
    if (!limit_changes(context_, raw, keep)) {
      guard(raw, "number of changes");
      return nullptr;
    }
    guard_selection(raw, keep, "number of changes");
    auto problem = reduce(raw, keep, context_.demands);
    if (!problem) {
      if (raw.holds_known) KnownSolution::lost("radius of the first problem");
      return nullptr;
    }
    guard_reduction(raw, *problem, "first problem");
    return hold(std::make_unique<Node>(std::move(*problem)));
  }

  /// The same for a smaller radius: what costs at most that lies in the problem already. Nothing
  /// when nothing in it is worth finding.
  std::unique_ptr<Node> come_closer(std::unique_ptr<Node> node) {
    const Problem& problem = node->problem;
    Probe& probe = workers_.local();
    if (!probe.start(problem)) return nullptr;
    Selection keep(problem);
    probe.select(keep);
    // No sum of costs is less than one of them.
    const double radius = context_.reach();
    for (std::size_t c = 0; c < problem.cost.size(); ++c) keep.cell[c] = problem.cost[c] <= radius;
    guard_selection(problem, keep, "smaller radius");
    auto smaller = reduce(problem, keep, context_.demands);
    if (!smaller) {
      guard(problem, "smaller radius");
      return nullptr;
    }
    guard_reduction(problem, *smaller, "smaller radius");
    return hold(std::make_unique<Node>(std::move(*smaller)));
  }

  std::unique_ptr<Node> hold(std::unique_ptr<Node> node) const {
    node->held = {};  // before it is counted again
    node->held = MemoryHold(context_.watch, node->problem.bytes() + node->origin.bytes() +
                                                (node->split ? node->split->bytes() : 0));
    return node;
  }

  void guard_reduction(const Problem& before, const Problem& after, const char* prune) const {
    if (developer_build && before.holds_known && !after.holds_known) KnownSolution::lost(prune);
  }
  /// What is not selected must not be part of the known solution.
  void guard_selection(const Problem& problem, const Selection& keep, const char* prune) const {
    if (!developer_build || !problem.holds_known || context_.known.cost() > context_.reach()) {
      return;
    }
    for (std::size_t v = 0; v < problem.variable_count(); ++v) {
      if (!keep.cell[problem.cell_begin[v] + problem.known[v]]) KnownSolution::lost(prune);
    }
    for (std::size_t leaf = 0; leaf < problem.leaf_count(); ++leaf) {
      const auto holds = [&](const Side& side) {
        return problem.known[side.variable] >= side.first &&
               problem.known[side.variable] < side.last;
      };
      const auto sides = problem.leaves.sides_of(leaf);
      if (!keep.leaf[leaf] && std::all_of(sides.begin(), sides.end(), holds)) {
        KnownSolution::lost(prune);
      }
    }
  }
  void guard(const Problem& problem, const char* prune) const {
    if (developer_build && problem.holds_known && context_.known.cost() <= context_.reach()) {
      KnownSolution::lost(prune);
    }
  }

  /// Cheap things first: a short probe, better points, and the problem again for their radius.
  bool first_look(std::unique_ptr<Node>& root) {
    Probe& probe = workers_.local();
    if (!probe.start(root->problem)) return false;
    const std::size_t leaves = root->problem.leaf_count();
    const double price = Price::first_dual(leaves);
    if (parts_.probe && probe_while_promising(probe, leaves, price, [] { return 0.0; })) {
      return false;
    }
    const double before = context_.incumbent.cost();
    if (parts_.start) improve(context_, root->problem, 30, 0);
    if (context_.incumbent.cost() < before) {
      root = come_closer(std::move(root));
      if (!root) return false;
    }
    at_root_ = true;
    return true;
  }

  /// Works on the most promising open node. False when there is none.
  bool step() {
    std::unique_ptr<Node> node = frontier_.pop(context_.watch.crowded());
    if (!node) return false;
    const double bound = node->bound;
    work(std::move(node));
    frontier_.done(bound);
    reporter_.tick([this] { return frontier_.least_bound() / context_.rounding(); });
    return true;
  }

  void schedule() {
    tasks_.run(handed_over([this] {
      if (!context_.watch.stopped()) step();
    }));
  }

  void push(std::unique_ptr<Node> node) {
    frontier_.push(hold(std::move(node)));
    if (threads_ > 1) schedule();
  }

  void work(std::unique_ptr<Node> node) {
    if (node->bound > context_.radius()) {
      guard(node->problem, "bound of a node");
      return;
    }
    Probe& probe = workers_.local();
    const bool root = at_root_.exchange(false);
    if (!probe.start(node->problem)) return;
    const auto least_open = [this] { return frontier_.least_bound() / context_.rounding(); };
    if (!root && parts_.probe &&
        probe_while_promising(probe, node->problem.leaf_count(), spending_.dual_price(),
                              least_open)) {
      return;
    }
    if (context_.watch.stopped()) {
      frontier_.push(std::move(node));
      return;
    }
    if (parts_.dual) {
      const double from = node->bound;
      double price = 0;
      const bool open = tighten(node, probe, root ? 400 : 8, root, price);
      const double gap = context_.radius() - from;
      spending_.dual_took(price,
                          open && gap > 0 && std::isfinite(gap) ? (node->bound - from) / gap : 1.0);
      if (!open) return;
    }
    if (context_.watch.stopped()) {
      frontier_.push(std::move(node));
      return;
    }
    if (parts_.start) polish(*node);
    Selection keep(node->problem);
    // Certified again: reduced costs and bound must be of one split, and the last one may be new.
    if (node->split) node->split->select(node->split->certify(), context_.radius(), keep);
    guard_selection(node->problem, keep, "reduced cost");
    if (!probe.start(node->problem, &keep)) return;
    if (node->split) {
      node->split->drop_scratch();
      node = hold(std::move(node));
    }
    split_up(std::move(node), probe.branch(), keep);
  }

  /// Raises the bound by the dual and drops what it excludes. False when the node is done.
  bool tighten(std::unique_ptr<Node>& node, Probe& probe, int rounds, bool root, double& price) {
    {
      Selection keep(node->problem);
      probe.select(keep);
      if (!shrink(node, keep)) return false;
    }
    if (!node->split) {
      node->split.emplace(context_, node->problem);
      if (node->parent) node->split->inherit(*node->parent->split, node->origin);
      node->parent.reset();
      node = hold(std::move(node));
    }
    price += Price::dual_check(node->problem.leaf_count());
    double last = -infinity;
    const int stride = root ? 10 : 4;
    for (int round = 1; round <= rounds; ++round) {
      const double value = node->split->ascend();
      price += Price::dual_round(node->problem.leaf_count());
      if (context_.watch.expired()) break;
      const bool check = round % stride == 0 || round == rounds || value > context_.radius();
      if (!check) continue;
      const double bound = node->split->certify();
      price += Price::dual_check(node->problem.leaf_count());
      node->bound = std::max(node->bound, bound);
      if (root) reporter_.tick([&] { return node->bound / context_.rounding(); });
      const double radius = context_.radius();
      if (bound > radius) {
        guard(node->problem, "dual bound");
        return false;
      }
      if (root && parts_.start) improve_from(context_, node->problem, node->split->favourites());
      Selection keep(node->problem);
      node->split->select(bound, context_.radius(), keep);
      guard_selection(node->problem, keep, "reduced cost");
      if (!shrink(node, keep)) return false;
      if (node->problem.variable_count() == 0) break;
      const double gained = bound - last;
      last = bound;
      if (gained < (radius - bound) * (root ? 0.02 : 0.05)) break;
    }
    return true;
  }

  /// Goes over to the reduced problem if that is worth it. False when nothing is left.
  bool shrink(std::unique_ptr<Node>& node, Selection& keep) {
    const auto many_dead = [](const std::vector<std::uint8_t>& kept) {
      return 10 * static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 0)) > kept.size();
    };
    if (!many_dead(keep.leaf) && !many_dead(keep.cell)) return true;
    Origin origin;
    auto problem = reduce(node->problem, keep, context_.demands, &origin);
    if (!problem) {
      guard(node->problem, "reduction");
      return false;
    }
    auto smaller = std::make_unique<Node>(std::move(*problem));
    smaller->bound = node->bound;
    smaller->depth = node->depth;
    if (node->split) {
      smaller->split.emplace(context_, smaller->problem);
      smaller->split->inherit(*node->split, origin);
    } else if (node->parent) {
      smaller->parent = node->parent;
      smaller->origin = compose(node->problem, node->origin, origin);
    }
    node = hold(std::move(smaller));
    return true;
  }

  void split_up(std::unique_ptr<Node> whole, Branch branch, const Selection& kept) {
    const std::shared_ptr<const Node> node = std::move(whole);
    const Problem& problem = node->problem;
    const std::uint32_t begin = problem.cell_begin[branch.variable];
    const std::uint32_t end = problem.cell_begin[branch.variable + 1];
    for (const bool left : {true, false}) {
      Selection keep = kept;
      const std::uint32_t cut = begin + branch.cell;
      std::fill(keep.cell.begin() + (left ? cut : begin), keep.cell.begin() + (left ? end : cut),
                std::uint8_t{0});
      const bool known = problem.holds_known && keep.cell[begin + problem.known[branch.variable]];
      if (!limit_changes(context_, problem, keep)) {
        if (known) guard(problem, "number of changes");
        continue;
      }
      if (known) guard_selection(problem, keep, "number of changes");
      Origin origin;
      auto part = reduce(problem, keep, context_.demands, &origin);
      if (!part) continue;
      auto child = std::make_unique<Node>(std::move(*part));
      child->bound = node->bound;
      child->depth = node->depth + 1;
      if (node->split && context_.watch.crowded()) {
        // Without the parent, which would be kept for as long as a child is open.
        child->split.emplace(context_, child->problem);
        child->split->inherit(*node->split, origin);
      } else if (node->split) {
        child->parent = node;
        child->origin = std::move(origin);
      }
      push(std::move(child));
    }
  }

  /// Better points for a part of the work: a lower radius prunes everywhere.
  void polish(const Node& node) {
    if (!spending_.may_polish()) return;
    constexpr int tries = 20;
    if (node.split) improve_from(context_, node.problem, node.split->favourites());
    improve(context_, node.problem, tries, ++polished_);
    spending_.polish_took(Price::tries(tries, node.problem.leaf_count()));
  }

  /// Probes for as long as the rest seems to cost less than the dual would. True when it is done.
  template <typename LowerBound>
  bool probe_while_promising(Probe& probe, std::size_t leaves, double dual_price,
                             LowerBound lower_bound) {
    constexpr std::uint64_t most_boxes = 10'000;
    double spent = 0;
    for (std::uint64_t boxes = 32;; boxes = std::min(most_boxes, boxes + boxes / 2)) {
      const double price = Price::boxes(boxes, leaves);
      spent += price;
      spending_.probe_took(price);
      if (probe.search(boxes)) return true;
      if (context_.watch.stopped()) return false;
      reporter_.tick(lower_bound);
      const double done = probe.progress();
      const double rest = spent * (1 - done) / std::max(done, 1e-9);
      if (spent > 0.1 * dual_price && rest > dual_price) return false;
      // The estimate takes both sides of a cut for equal, which they need not be.
      if (spent > 4 * dual_price) return false;
    }
  }

  Context& context_;
  Reporter& reporter_;
  FastParts parts_;
  std::span<const std::vector<double>> examples_;
  int threads_;
  Frontier frontier_;
  tbb::task_group tasks_;
  tbb::enumerable_thread_specific<Probe> workers_;
  std::atomic<bool> at_root_{false};
  bool too_large_ = false;  // the first problem needs more memory than is allowed
  Spending spending_;
  std::atomic<std::uint32_t> polished_{0};
};

}  // namespace

Outcome search(Context& context, Reporter& reporter, const Options& options, int threads) {
  return Engine(context, reporter, options, threads).run();
}

}  // namespace boxwood::fast
