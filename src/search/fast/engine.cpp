// Branch and bound: finds a first point, then several workers process open nodes until none is
// left. A node is probed as long as that seems cheap, then tightened by the dual bound, then cut in
// two.
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
#include "search/threads.hpp"

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
        tuning_(context.tuning),
        price_(context.tuning, context.conditions.size() == 1),
        examples_(options.examples),
        threads_(threads),
        workers_([&context] { return Probe(context); }),
        spending_(context.tuning) {}

  Unfinished run() {
    if (parts_.start) start_from_examples(context_, examples_);
    std::unique_ptr<Node> root = parts_.start ? reach_out() : compile();
    if (!root || !first_look(root)) return {infinity, 0};
    frontier_.push(std::move(root));
    while_polling(context_.watch.poll(), [this] { work_off(); });
    const double bound = frontier_.least_bound();
    return {std::isinf(bound) ? bound : bound / context_.rounding(), frontier_.size()};
  }

 private:
  /// Works on open nodes until none is left or a limit is reached.
  void work_off() {
    if (threads_ == 1) {
      while (!context_.watch.stopped() && step()) {
      }
      return;
    }
    with_threads(threads_, [&] {
      schedule();
      tasks_.wait();
    });
    take_over();
  }

  /// Looks for a first point within a small radius, then within larger ones, so that the problems
  /// stay small. Returns null when the search is over.
  std::unique_ptr<Node> reach_out() {
    const bool all = std::isfinite(context_.incumbent.cost()) || !context_.in_pieces;
    if (context_.any_will_do && all) {
      // All of the given radius has to be searched, unless there is a point in it. How high a point
      // is found does not depend on what is asked for: a caller who asks again gives it as example.
      std::unique_ptr<Node> node = compile();
      if (node && examples_.empty() && context_.incumbent.is_empty()) {
        reach_high(context_, node->problem);
      }
      return node;
    }
    const Outlook outlook(context_);
    // Where leaves are cut into pieces, the number of pieces grows with the radius: go no farther
    // than necessary.
    const auto wider = [&](double radius, double factor) {
      return context_.in_pieces && radius > 0
                 ? context_.wider_by(radius, tuning_.piece_radius_factor)
                 : outlook.wider(radius, factor);
    };
    const bool stay_near = context_.in_pieces && outlook.least() > 0;
    const bool rules = context_.rule_ends.any();
    const double growth = rules ? tuning_.rules_leaf_factor : tuning_.next_leaf_factor;
    const std::uint32_t boxes = rules ? tuning_.rules_probe_boxes : tuning_.first_probe_boxes;
    double radius =
        stay_near ? outlook.least() : outlook.wider(outlook.least(), tuning_.first_leaf_factor);
    for (;; radius = wider(radius, growth)) {
      if (radius >= std::min(context_.incumbent.cost(), context_.most)) radius = infinity;
      context_.cap = radius;
      std::unique_ptr<Node> node = compile();
      if (node) {
        start_from_home(context_, node->problem);
        Probe& probe = workers_.local();
        if (std::isinf(context_.incumbent.cost()) && parts_.probe && probe.start(node->problem)) {
          probe.search(boxes);
        }
      }
      context_.cap = infinity;
      reporter_.tick([] { return 0.0; });
      const double cost = context_.incumbent.cost();
      if (std::isinf(radius) && std::isinf(cost)) return node;
      // A problem for a radius that is a little too large is good enough.
      if (node && cost <= radius && cost > tuning_.good_radius_share * radius) return node;
      if (node && cost <= radius && std::isfinite(cost)) {
        wide_ = parts_.probe && node->problem.leaf_count() <= tuning_.wide_leaves;
        return wide_ ? std::move(node) : come_closer(std::move(node));
      }
      if (std::isfinite(cost) || context_.watch.stopped()) return compile();
    }
  }

  /// Throws Pace::Stopped at a limit.
  std::unique_ptr<Node> compile() {
    const double radius = context_.reach();
    Problem raw = gather(context_.table, context_.boxes, context_.variables, context_.near,
                         context_.thresholds, radius, context_.watch);
    if (context_.has_needs()) raw.settled.assign(context_.table.row_count, 0.0);
    const MemoryHold held(context_.watch, raw.bytes());
    context_.known.enter(raw, radius);
    context_.watch.count_leaves(context_.near.found_count() + raw.leaf_count());
    if (all_plain()) {
      const bool holds_known = raw.holds_known;
      auto problem = merge(std::move(raw), context_.conditions);
      if (!problem || problem->holds_known != holds_known) {
        context_.known.check_discarded(holds_known, radius, "first problem");
      }
      return problem ? hold(std::make_unique<Node>(std::move(*problem))) : nullptr;
    }
    Selection keep(raw);
    if (!limit_changes(context_, raw, keep)) {
      guard(raw, "number of changes");
      return nullptr;
    }
    guard_selection(raw, keep, "number of changes");
    auto problem = reduce(raw, keep, context_.conditions, context_.watch);
    if (!problem) {
      guard(raw, "radius of the first problem");
      return nullptr;
    }
    context_.known.check_reduction(raw, *problem, radius, "first problem");
    return hold(std::make_unique<Node>(std::move(*problem)));
  }

  /// Leaves are whole and dropped only for their cost: then gathering anew takes less than
  /// reducing.
  bool all_plain() const { return !context_.table.max_changes && !context_.in_pieces; }

  /// Reduces a problem to a smaller radius: it already has every point that costs at most that.
  /// Returns null when the search is over.
  std::unique_ptr<Node> come_closer(std::unique_ptr<Node> node) {
    if (all_plain()) return compile();
    const Problem& problem = node->problem;
    Probe& probe = workers_.local();
    if (!probe.start(problem)) return nullptr;
    Selection keep(problem);
    probe.select(keep);
    // A sum of costs is at least as large as each of them.
    const double radius = context_.reach();
    for (std::size_t c = 0; c < problem.cost.size(); ++c) keep.cell[c] = problem.cost[c] <= radius;
    guard_selection(problem, keep, "smaller radius");
    context_.watch.count_leaves(problem.leaf_count());
    auto smaller = reduce(problem, keep, context_.conditions);
    if (!smaller) {
      guard(problem, "smaller radius");
      return nullptr;
    }
    context_.known.check_reduction(problem, *smaller, radius, "smaller radius");
    return hold(std::make_unique<Node>(std::move(*smaller)));
  }

  std::unique_ptr<Node> hold(std::unique_ptr<Node> node) const {
    node->held = {};  // release the old amount before the new one is counted
    node->held = MemoryHold(context_.watch, node->problem.bytes() + node->origin.bytes() +
                                                (node->dual ? node->dual->bytes() : 0));
    return node;
  }

  void guard(const Problem& problem, const char* prune) const {
    context_.known.check_discarded(problem.holds_known, context_.reach(), prune);
  }
  void guard_selection(const Problem& problem, const Selection& keep, const char* prune) const {
    context_.known.check_selection(problem, keep, context_.reach(), prune);
  }

  /// What costs little comes first: a short probe, better points, and then the problem of their
  /// smaller radius. False when the search is over.
  bool first_look(std::unique_ptr<Node>& root) {
    Probe& probe = workers_.local();
    if (!probe.start(root->problem)) return false;
    if (wide_) {
      // Most small questions end within these boxes, without a problem for the smaller radius.
      spending_.probe_took(price_.boxes(tuning_.wide_boxes, root->problem.leaf_count()));
      if (probe.search(tuning_.wide_boxes)) return false;
      if (!context_.watch.stopped()) root = come_closer(std::move(root));
      if (!root || !probe.start(root->problem)) return false;
    }
    const std::size_t leaves = root->problem.leaf_count();
    const double price = price_.first_dual(leaves);
    if (parts_.probe && probe_while_promising(probe, leaves, price, [] { return 0.0; })) {
      return false;
    }
    const double before = context_.incumbent.cost();
    if (parts_.start) improve(context_, root->problem, tuning_.start_patience, 0);
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
      const bool open = tighten(node, probe, root, price);
      const double gap = context_.radius() - from;
      // Where nothing may cost anything, bounds are below 0 until they close the node.
      const double open_share = gap > 0 ? (node->bound - from) / gap : tuning_.gap_closed_guess;
      spending_.dual_took(price, open && std::isfinite(gap) ? open_share : 1.0);
      if (!open) return;
    }
    if (context_.watch.stopped()) {
      frontier_.push(std::move(node));
      return;
    }
    if (parts_.start) polish(*node);
    Selection keep(node->problem);
    // Certify again: reduced costs and bound must come from the same shares, which may have
    // changed.
    if (node->dual) node->dual->select(node->dual->certify(), context_.radius(), keep);
    guard_selection(node->problem, keep, "reduced cost");
    if (!probe.start(node->problem, &keep)) return;
    if (node->dual) {
      node->dual->drop_scratch();
      node = hold(std::move(node));
    }
    branch(std::move(node), probe.branch(), keep);
  }

  /// Raises the node's bound by the dual bound and drops what that excludes. False when the node is
  /// finished.
  bool tighten(std::unique_ptr<Node>& node, Probe& probe, bool root, double& price) {
    const std::uint32_t rounds = root ? tuning_.root_rounds : tuning_.node_rounds;
    const std::uint32_t stride = root ? tuning_.root_stride : tuning_.node_stride;
    const double enough = root ? tuning_.root_least_progress : tuning_.node_least_progress;
    {
      Selection keep(node->problem);
      probe.select(keep);
      if (!shrink(node, keep)) return false;
    }
    if (!node->dual) {
      node->dual.emplace(context_, node->problem);
      if (node->parent) node->dual->inherit(*node->parent->dual, node->origin);
      node->parent.reset();
      node = hold(std::move(node));
    }
    price += price_.dual_check(node->problem.leaf_count());
    double bound = 0, last = -infinity;
    const auto closes = [&] {
      bound = node->dual->certify();
      price += price_.dual_check(node->problem.leaf_count());
      node->bound = std::max(node->bound, bound);
      if (root) reporter_.tick([&] { return node->bound / context_.rounding(); });
      if (bound <= context_.radius()) return false;
      guard(node->problem, "dual bound");
      return true;
    };
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      const double value = node->dual->ascend();
      price += price_.dual_round(node->problem.leaf_count());
      if (context_.watch.expired()) break;
      const bool check = round % stride == 0 || round == rounds || value > context_.radius();
      if (!check) continue;
      if (closes()) return false;
      if (root && parts_.start) improve_from(context_, node->problem, node->dual->favourites());
      Selection keep(node->problem);
      node->dual->select(bound, context_.radius(), keep);
      guard_selection(node->problem, keep, "reduced cost");
      if (!shrink(node, keep)) return false;
      if (node->problem.variable_count() == 0) break;
      const double gap = context_.radius() - bound, gained = bound - last;
      last = bound;
      if (round < rounds && gained >= gap * enough) continue;
      if (!root && !spending_.may_push()) break;
      const double gap_closed = push(*node, gap, price);
      if (root && round < rounds && gap_closed > 0 && gap_closed >= enough) continue;
      if (gap_closed > 0 && closes()) return false;
      break;
    }
    return true;
  }

  /// Looks for higher prices. Returns the share of the gap that they close; 0 if there are none.
  double push(Node& node, double gap, double& price) {
    const double before = node.dual->value();
    const DualBound::Push push = node.dual->push_prices();
    price += push.rounds * price_.dual_round(node.problem.leaf_count());
    // Where nothing may cost anything, there is no gap, and prices stay.
    const double closed =
        push.higher && gap > 0 ? std::min(1.0, (node.dual->value() - before) / gap) : 0.0;
    if (push.rounds > 0) spending_.push_took(closed);
    return closed;
  }

  /// Replaces the node by one of the reduced problem if enough of it is dead. False when nothing is
  /// left.
  bool shrink(std::unique_ptr<Node>& node, Selection& keep) {
    const auto many_dead = [this](const std::vector<std::uint8_t>& kept) {
      const auto dead = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 0));
      return tuning_.shrink_one_in * dead > kept.size();
    };
    if (!many_dead(keep.leaf) && !many_dead(keep.cell)) return true;
    Origin origin;
    context_.watch.count_leaves(node->problem.leaf_count());
    auto problem = reduce(node->problem, keep, context_.conditions, &origin);
    if (!problem) {
      guard(node->problem, "reduction");
      return false;
    }
    auto smaller = std::make_unique<Node>(std::move(*problem));
    smaller->bound = node->bound;
    smaller->depth = node->depth;
    if (node->dual) {
      smaller->dual.emplace(context_, smaller->problem);
      smaller->dual->inherit(*node->dual, origin);
    } else if (node->parent) {
      smaller->parent = node->parent;
      smaller->origin = compose(node->problem, node->origin, origin);
    }
    node = hold(std::move(smaller));
    return true;
  }

  /// Divides a node in two.
  void branch(std::unique_ptr<Node> whole, Branch at, const Selection& kept) {
    const std::shared_ptr<const Node> node = std::move(whole);
    const Problem& problem = node->problem;
    const std::uint32_t begin = problem.cell_begin[at.variable];
    const std::uint32_t end = problem.cell_begin[at.variable + 1];
    for (const bool left : {true, false}) {
      Selection keep = kept;
      const std::uint32_t cut = begin + at.cell;
      std::fill(keep.cell.begin() + (left ? cut : begin), keep.cell.begin() + (left ? end : cut),
                std::uint8_t{0});
      const bool known = problem.holds_known && keep.cell[begin + problem.known[at.variable]];
      if (!limit_changes(context_, problem, keep)) {
        if (known) guard(problem, "number of changes");
        continue;
      }
      if (known) guard_selection(problem, keep, "number of changes");
      Origin origin;
      context_.watch.count_leaves(problem.leaf_count());
      auto part = reduce(problem, keep, context_.conditions, &origin);
      if (!part) continue;
      auto child = std::make_unique<Node>(std::move(*part));
      child->bound = node->bound;
      child->depth = node->depth + 1;
      if (node->dual && context_.watch.crowded()) {
        // Memory is short: do not keep the parent for as long as this child is open.
        child->dual.emplace(context_, child->problem);
        child->dual->inherit(*node->dual, origin);
      } else if (node->dual) {
        child->parent = node;
        child->origin = std::move(origin);
      }
      push(std::move(child));
    }
  }

  /// Looks for better points, for a share of the work: a smaller radius prunes everywhere.
  void polish(const Node& node) {
    if (!spending_.may_polish()) return;
    const std::uint32_t tries = tuning_.polish_patience;
    if (node.dual) improve_from(context_, node.problem, node.dual->favourites());
    improve(context_, node.problem, tries, ++polished_);
    spending_.polish_took(price_.tries(tries, node.problem.leaf_count()));
  }

  /// Probes as long as the rest seems to cost less than the dual bound would. True when the problem
  /// is finished.
  template <typename LowerBound>
  bool probe_while_promising(Probe& probe, std::size_t leaves, double dual_price,
                             LowerBound lower_bound) {
    const auto longer = [this](std::uint64_t boxes) {
      const auto more =
          static_cast<std::uint64_t>(tuning_.probe_growth * static_cast<double>(boxes));
      return std::min<std::uint64_t>(tuning_.probe_most_boxes, boxes + more);
    };
    double spent = 0;
    for (std::uint64_t boxes = tuning_.probe_boxes;; boxes = longer(boxes)) {
      const double price = price_.boxes(boxes, leaves);
      spent += price;
      spending_.probe_took(price);
      if (probe.search(boxes)) return true;
      if (context_.watch.stopped()) return false;
      reporter_.tick(lower_bound);
      const double done = probe.progress();
      const double rest = spent * (1 - done) / std::max(done, least_progress);
      if (spent > tuning_.probe_sure_share * dual_price && rest > dual_price) return false;
      // The estimate takes both halves of a cut for equal, which they need not be.
      if (spent > tuning_.probe_most_share * dual_price) return false;
    }
  }

  static constexpr double least_progress = 1e-9;  // avoids a division by zero

  Context& context_;
  Reporter& reporter_;
  FastParts parts_;
  const Tuning& tuning_;
  Price price_;
  std::span<const std::vector<double>> examples_;
  int threads_;
  Frontier frontier_;
  TaskGroup tasks_;
  PerThread<Probe> workers_;
  std::atomic<bool> at_root_{false};
  bool wide_ = false;  // the first problem is for a much larger radius than is needed
  Spending spending_;
  std::atomic<std::uint32_t> polished_{0};
};

}  // namespace

Unfinished search(Context& context, Reporter& reporter, const Options& options, int threads) {
  return Engine(context, reporter, options, threads).run();
}

}  // namespace boxwood::fast
