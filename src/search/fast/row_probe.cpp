// The depth-first search of a probe with several conditions. Its boxes, bounds and branching are in
// the files beside it.
#include "search/fast/row_probe.hpp"
#include "search/fast/rounding.hpp"

#include <algorithm>

namespace boxwood::fast {

bool RowProbe::start(const Problem& problem, const Selection* keep) {
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

bool RowProbe::search(std::uint64_t budget) {
  if (!is_sorted_) sort_testers();
  return search_boxes(
      boxes_by_depth_, depth_, budget,
      [this](const RowBox& parent, RowBox& child, bool left) {
        make_child(parent, child, left);
        return enter(child);
      },
      [this](RowBox& box) { leave(box); }, [this] { count_memory(); });
}

void RowProbe::select(Selection& keep) const {
  const RowBox& box = boxes_by_depth_[0];
  for (std::size_t leaf = 0; leaf < keep.leaf.size(); ++leaf) {
    if (!box.alive.contains(leaf)) keep.leaf[leaf] = 0;
  }
}

/// Bounds a box and chooses where to cut it. False when the box is finished.
bool RowProbe::enter(RowBox& box) {
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

/// Whether the nearest point meets the requirements; if so, it is offered to the incumbent.
bool RowProbe::ask(RowBox& box) {
  reached_.assign(context_.conditions.size(), 0.0);
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    reached_[m] = context_.conditions[m].sum(box.here_sum);
  }
  mark_missed(box);
  const bool enough = box.all_here && std::find(missed_.begin(), missed_.end(), 1) == missed_.end();
  if (enough && box.asked == RowBox::Asked::no) {
    exact_cost(box, nothing, 0);
    box.asked = context_.offer(cells_) ? RowBox::Asked::met : RowBox::Asked::not_met;
  }
  return box.asked == RowBox::Asked::met;
}

}  // namespace boxwood::fast
