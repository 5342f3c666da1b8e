// The depth-first search of a probe. Its boxes, bounds and branching are in the files beside it.
#include "search/fast/probe.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>

namespace boxwood::fast {

bool Probe::start(const Problem& problem, const Selection* keep) {
  bind(problem);
  list_rule_trees();
  find_home();
  if (!rule_trees_.empty()) sort_testers();
  for (std::size_t leaf = 0; keep && leaf < keep->leaf.size(); ++leaf) {
    if (!keep->leaf[leaf]) boxes_by_depth_[0].alive.erase(leaf);
  }
  locate(boxes_by_depth_[0]);
  depth_ = 0;
  if (!enter(boxes_by_depth_[0])) return false;
  first_branch_ = boxes_by_depth_[0].branch;
  return true;
}

bool Probe::search(std::uint64_t budget) {
  if (!is_sorted_) sort_testers();
  for (std::uint64_t used = 0;;) {
    if (boxes_by_depth_[depth_].next == sides_of_a_cut) {
      if (depth_ == 0) return true;
      leave(boxes_by_depth_[depth_]);
      --depth_;
      continue;
    }
    if (used >= budget || context_.watch.stopped()) return false;
    ++used;
    if (boxes_by_depth_.size() < depth_ + 2) {
      boxes_by_depth_.emplace_back();
      count_memory();
    }
    ProbeBox& box = boxes_by_depth_[depth_];
    // First the half that keeps the nearest point: it is often finished at once.
    const bool left = (box.nearest[box.branch.variable] < box.branch.cell) == (box.next == 0);
    ++box.next;
    ProbeBox& child = boxes_by_depth_[depth_ + 1];
    make_child(box, child, left);
    if (enter(child)) {
      ++depth_;
    } else {
      leave(child);
    }
  }
}

double Probe::progress() const {
  double done = 0;
  double part = 1;
  for (std::size_t d = 0; d <= depth_; ++d) {
    part /= sides_of_a_cut;
    // In the deepest box all halves that were begun are finished; in the others all but the last.
    const int halves = boxes_by_depth_[d].next - (d < depth_ ? 1 : 0);
    done += part * halves;
  }
  return done;
}

void Probe::select(Selection& keep) const {
  const ProbeBox& box = boxes_by_depth_[0];
  for (std::size_t leaf = 0; leaf < keep.leaf.size(); ++leaf) {
    if (!box.alive.contains(leaf)) keep.leaf[leaf] = 0;
  }
}

/// Bounds a box and chooses where to cut it. False when the box is finished.
bool Probe::enter(ProbeBox& box) {
  context_.watch.count_node();
  for (int round = 0;; ++round) {
    if (!within_radius(box)) return false;
    filter(box);
    if (!home_.empty()) drop_changes(box);
    if (!measure(box) || breaks_rule(box)) {
      guard(box, "score");
      return false;
    }
    if (rule_trees_.empty() || round == rounds_of_narrowing || !narrow(box)) break;
  }
  if (ask(box)) {
    // Other points of the box cost more, unless rounding or equal costs hide the difference.
    if (!find_tie(box, box.branch)) return false;
    return true;
  }
  if (choose(box)) return true;
  return find_tie(box, box.branch);
}

/// False when no point of the box is worth finding because of its cost.
bool Probe::within_radius(ProbeBox& box) {
  const Problem& problem = *problem_;
  box.cost = problem.fixed_cost;
  for (std::size_t v = 0; v < box.nearest.size(); ++v) {
    box.cost += problem.cost_at(v, box.nearest[v]);
  }
  // Costs never fall with the distance from the nearest cell, and a sum in a fixed order never
  // falls when one of its terms grows. So no point of the box has a smaller total cost than the
  // nearest point, exactly.
  const double radius = context_.reach();
  if (box.cost > radius * (1 + cost_closeness)) {
    guard(box, "cost");
    return false;
  }
  if (box.cost < radius * (1 - cost_closeness)) return true;
  const double cost = exact_cost(box, nothing, 0);
  if (cost > radius) {
    guard(box, "cost");
    return false;
  }
  // Every other point of the box changes all that the nearest point changes, and more.
  return !(cost == radius && context_.incumbent.settled(context_.changes(cells_)));
}

/// Whether the nearest point meets the requirements; if so, it is offered to the incumbent.
bool Probe::ask(ProbeBox& box) {
  reached_.assign(context_.conditions.size(), 0.0);
  bool enough = has_all_here(box);
  for (std::size_t m = 0; !one_condition_ && m < reached_.size(); ++m) {
    reached_[m] = context_.conditions[m].sum(box.here_sum);
  }
  if (!one_condition_) {
    mark_missed(box);
    enough = enough && std::find(missed_.begin(), missed_.end(), 1) == missed_.end();
  }
  if (enough && box.asked == ProbeBox::Asked::no) {
    exact_cost(box, nothing, 0);
    box.asked = context_.offer(cells_) ? ProbeBox::Asked::met : ProbeBox::Asked::not_met;
  }
  return box.asked == ProbeBox::Asked::met;
}

void Probe::guard(const ProbeBox& box, const char* prune) const {
  context_.known.check_discarded(box.holds_known, context_.reach(), prune);
}

}  // namespace boxwood::fast
