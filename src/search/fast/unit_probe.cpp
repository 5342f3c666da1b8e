// The depth-first search of a probe with one condition: its boxes, bound and branching. The lists
// of leaves that it works on are in unit_leaves.cpp.
#include "search/fast/unit_probe.hpp"
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"
#include "search/fast/simd.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

bool UnitProbe::start(const Selection* keep) {
  UnitBox& box = boxes_by_depth_[0];
  for (std::size_t leaf = 0; keep && leaf < keep->leaf.size(); ++leaf) {
    if (!keep->leaf[leaf]) clear_bit(box.alive.data(), place_of_[leaf]);
  }
  depth_ = 0;
  context_.watch.count_node();
  if (!within_radius(box)) return false;
  filter(box);
  const Leaves& leaves = problem_->leaves;
  const auto trees = static_cast<std::uint32_t>(leaves.tree_count());
  box.best.assign(words_, 0);
  box.here.assign(words_, 0);
  box.best_of.assign(trees, nothing);
  box.here_of.assign(trees, nothing);
  box.share.assign(trees, 0);
  box.gain.assign(cut_count(), 0);
  box.best_units = box.here_units = 0;
  box.not_here = trees;
  dirty_.assign(words_for(trees), 0);
  for (std::uint32_t t = 0; t < trees; ++t) {
    const std::uint32_t begin = leaves.tree_begin[t], end = leaves.tree_begin[t + 1];
    const std::uint32_t best = first_bit_in(box.alive.data(), begin, end);
    if (best == nothing) {
      guard(box, "score");
      return false;
    }
    set_bit(box.best.data(), best);
    box.best_of[t] = best;
    box.best_units += units_[best];
    // The leaf that holds the nearest point has no extra cost, so no radius drops it; if it is
    // missing, it was excluded before.
    for (std::uint32_t leaf = best; leaf < end; ++leaf) {
      if (box.outside[leaf] != 0 || !has_bit(box.alive.data(), leaf)) continue;
      set_bit(box.here.data(), leaf);
      box.here_of[t] = leaf;
      box.here_units += units_[leaf];
      --box.not_here;
    }
    enlist(t);
  }
  if (box.best_units < threshold_units_) {
    guard(box, "score");
    return false;
  }
  if (!finish(box, nullptr)) return false;
  first_branch_ = box.branch;
  return true;
}

bool UnitProbe::search(std::uint64_t budget) {
  return search_boxes(
      boxes_by_depth_, depth_, budget,
      [this](const UnitBox& parent, UnitBox& child, bool left) {
        return enter_half(parent, child, left);
      },
      [](const UnitBox&) {}, [] {});
}

void UnitProbe::select(Selection& keep) const {
  const std::uint64_t* const alive = boxes_by_depth_[0].alive.data();
  for (std::size_t leaf = 0; leaf < keep.leaf.size(); ++leaf) {
    if (!has_bit(alive, place_of_[leaf])) keep.leaf[leaf] = 0;
  }
}

/// Makes one half of a box, bounds it and chooses where to cut it. False when it is finished.
bool UnitProbe::enter_half(const UnitBox& parent, UnitBox& child, bool left) {
  context_.watch.count_node();
  if (depth_ + 2 > used_boxes_) {
    used_boxes_ = depth_ + 2;
    count_memory();
  }
  const auto [v, cell] = parent.branch;
  child.halve(parent, *problem_, left);
  if (!within_radius(child)) return false;
  if (context_.reach() * much_less < scaled_radius_) scale_again();
  const std::uint64_t* const beyond =
      left ? beginning_from(v, cell, scratch_a_) : ending_by(v, cell, scratch_a_);
  child.alive.resize(words_);
  for (std::size_t w = 0; w < words_; ++w) child.alive[w] = parent.alive[w] & ~beyond[w];
  child.extra = parent.extra;
  child.outside = parent.outside;
  if (child.moved) {
    come_nearer(parent, child);
  } else {
    filter(child);
  }
  child.best = parent.best;
  child.best_of = parent.best_of;
  child.best_units = parent.best_units;
  if (!replace_dead(child)) {
    guard(child, "score");
    std::fill(dirty_.begin(), dirty_.end(), 0);
    return false;
  }
  child.here = parent.here;
  child.here_of = parent.here_of;
  child.here_units = parent.here_units;
  child.not_here = parent.not_here;
  child.share = parent.share;
  child.gain = parent.gain;
  if (child.moved) follow_nearest(parent, child);
  return finish(child, &parent);
}

/// What is left to do where no bound finishes a box: asks about its nearest point and chooses a
/// cut. False when the box is finished.
bool UnitProbe::finish(UnitBox& box, const UnitBox* parent) {
  share_again(box, parent);
  if (ask(box)) {
    // Other points of the box cost more, unless rounding or equal costs hide the difference.
    return find_tie(box, box.branch);
  }
  return choose(box) || find_tie(box, box.branch);
}

/// What a leaf may cost beyond the cost of the box, as the extra costs are counted. They are
/// rounded down, so no leaf seems dearer than it is: a leaf of a point that costs at most the
/// radius stays. The addition covers the rounding of the box's cost (see rounding.hpp).
std::uint32_t UnitProbe::room(const UnitBox& box) const {
  const double radius = context_.reach();
  const double room = (radius - box.cost + extra_drift * radius) * scale_;
  constexpr double most = 0x7fffffff;
  return room < most ? static_cast<std::uint32_t>(std::max(room, 0.0)) : 0x7fffffffU;
}

/// The radius bound. A point of the box in a leaf costs, in each variable, at least as much as the
/// cheapest cell that box and leaf share: together the box's cost and the leaf's extra cost. A leaf
/// for which that exceeds the best known cost holds no point worth finding, so its value must not
/// count.
void UnitProbe::filter(UnitBox& box) {
  const double radius = context_.reach();
  if (radius >= box.filtered || std::isinf(radius)) return;
  box.filtered = radius;
  context_.watch.count_leaves(units_.size());
  if (developer_build) before_ = box.alive;
  keep_near(box.extra, room(box), box.alive.data(), words_);
  if (developer_build) check_radius(box);
}

/// The same where the nearest point moves to the new end of the box. A leaf beyond the old cell now
/// has a smaller extra cost: the difference has become part of the box's cost. Of a leaf that is
/// `far` away that is what it has more than the old cell, minus what it has more than the new one.
void UnitProbe::come_nearer(const UnitBox& parent, UnitBox& child) {
  const std::uint32_t v = parent.branch.variable;
  const std::uint32_t from = parent.nearest[v], to = child.nearest[v];
  const std::uint32_t begin = problem_->cell_begin[v];
  child.filtered = context_.reach();
  context_.watch.count_leaves(units_.size());
  child.own_extra.resize(words_ * bits_per_word);
  if (developer_build) before_ = child.alive;
  move_near({far(v, to > from), costs_[begin + from], costs_[begin + to], room(child)},
            parent.extra, child.own_extra.data(), child.alive.data(), words_);
  child.extra = child.own_extra.data();
  if (developer_build) check_radius(child);
}

void UnitProbe::check_radius(const UnitBox& box) const {
  if (!box.holds_known || !context_.known.within(context_.reach())) return;
  for (std::size_t w = 0; w < words_; ++w) {
    const std::uint64_t lost = before_[w] & ~box.alive[w] & known_[w];
    context_.known.check_discarded(lost != 0, context_.reach(), "radius");
  }
}

/// Finds the leaves that hold the new nearest point. Leaves that do not hold it any more are dead.
void UnitProbe::follow_nearest(const UnitBox& parent, UnitBox& child) {
  const std::uint32_t v = parent.branch.variable;
  const std::uint32_t from = parent.nearest[v], to = child.nearest[v];
  for (std::size_t w = 0; w < words_; ++w) {
    const std::uint64_t lost = child.here[w] & ~child.alive[w];
    child.here[w] ^= lost;
    for_each_bit(lost, w, [&](std::size_t leaf) {
      const std::uint32_t t = tree_of_[leaf];
      child.here_of[t] = nothing;
      child.here_units -= units_[leaf];
      ++child.not_here;
      enlist(t);
    });
  }
  // Ranges that begin above the old cell and hold the new one, or end below it and hold it.
  const bool up = to > from;
  const std::uint64_t* const in =
      up ? beginning_from(v, from + 1, scratch_a_) : ending_by(v, from, scratch_a_);
  const std::uint64_t* const out =
      up ? beginning_from(v, to + 1, scratch_b_) : ending_by(v, to, scratch_b_);
  child.own_outside.assign(parent.outside, parent.outside + words_ * bits_per_word);
  child.outside = child.own_outside.data();
  for (std::size_t w = 0; w < words_; ++w) {
    for_each_bit(child.alive[w] & in[w] & ~out[w], w, [&](std::size_t leaf) {
      const std::uint32_t t = tree_of_[leaf];
      if (--child.own_outside[leaf] == 0) {
        set_bit(child.here.data(), leaf);
        child.here_of[t] = static_cast<std::uint32_t>(leaf);
        child.here_units += units_[leaf];
        --child.not_here;
        enlist(t);
      } else if (has_bit(child.best.data(), leaf)) {
        enlist(t);
      }
    });
  }
}

/// Adds up the best alive leaves of all trees; false when the condition is out of reach. A point
/// takes one alive leaf of each tree, so no point of the box scores more. Within a box leaves only
/// die, so the next best leaf of a tree comes after the one that died, and the sum only falls.
bool UnitProbe::replace_dead(UnitBox& box) {
  for (std::size_t w = 0; w < words_; ++w) {
    if (box.best_units < threshold_units_) return false;
    for (std::uint64_t dead = box.best[w] & ~box.alive[w]; dead != 0; dead &= dead - 1) {
      const auto leaf = static_cast<std::uint32_t>(
          w * bits_per_word + static_cast<std::size_t>(std::countr_zero(dead)));
      const std::uint32_t t = tree_of_[leaf];
      const std::uint32_t next =
          first_bit_in(box.alive.data(), leaf, problem_->leaves.tree_begin[t + 1]);
      if (next == nothing) return false;
      clear_bit(box.best.data(), leaf);
      set_bit(box.best.data(), next);
      box.best_of[t] = next;
      box.best_units += units_[next] - units_[leaf];
      enlist(t);
    }
  }
  return box.best_units >= threshold_units_;
}

/// For the trees whose best leaf, or leaf of the nearest point, has changed, or whose best leaf has
/// come nearer: takes back what they added to the gains of cuts and adds what they gain now, shared
/// among the ranges that keep the nearest point out of the best leaf. In whole units, so that
/// nothing is left of what is taken back. Other trees need no update: as long as a leaf is not
/// reached, a move towards it leaves the cut where it is.
void UnitProbe::share_again(UnitBox& box, const UnitBox* parent) {
  std::int64_t* const gain_of = box.gain.data();
  // Whether a range holds the nearest point cannot be predicted: 0 is added to its cut if it does.
  const auto add = [&](std::uint32_t leaf, const std::vector<std::uint32_t>& nearest,
                       std::int64_t units) {
    for (const LeafRange& range : problem_->leaves.ranges_of(leaf_at_[leaf])) {
      const std::uint32_t own = nearest[range.variable];
      const bool below = own < range.first, inside = !below && own < range.last;
      gain_of[first_cut(range.variable) + (below ? range.first : range.last)] += inside ? 0 : units;
    }
  };
  for (std::size_t w = 0; w < dirty_.size(); ++w) {
    for_each_bit(dirty_[w], w, [&](std::size_t t) {
      std::int64_t& share = box.share[t];
      if (share != 0) add(parent->best_of[t], parent->nearest, -share);
      share = 0;
      const std::uint32_t best = box.best_of[t], here = box.here_of[t];
      const std::uint32_t outside = box.outside[best];
      if (best == here || outside == 0) return;
      // Where no leaf holds the nearest point, the worst one that is alive, which is the last.
      const std::uint32_t other =
          here != nothing ? here
                          : last_bit_in(box.alive.data(), problem_->leaves.tree_begin[t],
                                        problem_->leaves.tree_begin[t + 1]);
      const std::int64_t gain = units_[best] - units_[other];
      if (gain <= 0) return;
      share = std::max<std::int64_t>(1, gain / outside);
      add(best, box.nearest, share);
    });
    dirty_[w] = 0;
  }
}

/// Whether the nearest point meets the requirements; if so, it is offered to the incumbent.
bool UnitProbe::ask(UnitBox& box) {
  const bool enough = box.not_here == 0 && box.here_units >= threshold_units_;
  if (enough && box.asked == ProbeCorner::Asked::no) {
    exact_cost(box, nothing, 0);
    box.asked = context_.offer(cells_) ? ProbeCorner::Asked::met : ProbeCorner::Asked::not_met;
  }
  return box.asked == ProbeCorner::Asked::met;
}

/// Cuts at the largest gain, the first of equal ones.
bool UnitProbe::choose(UnitBox& box) const {
  std::int64_t most = 0;
  std::uint32_t chosen = nothing;
  // All cuts, or those of the best leaves, whichever is less work.
  if (box.gain.size() <= cuts_for_a_tree * box.best_of.size()) {
    most = largest(box.gain.data(), box.gain.size());
    if (most <= 0) return false;
    chosen = static_cast<std::uint32_t>(std::find(box.gain.begin(), box.gain.end(), most) -
                                        box.gain.begin());
  } else {
    for (std::size_t t = 0; t < box.best_of.size(); ++t) {
      if (box.share[t] == 0) continue;
      each_cut(leaf_at_[box.best_of[t]], box.nearest, [&](std::uint32_t cut) {
        const std::int64_t gain = box.gain[cut];
        if (gain < most || (gain == most && cut >= chosen)) return;
        most = gain;
        chosen = cut;
      });
    }
    if (most == 0) return false;
  }
  box.branch = branch_at(chosen);
  return true;
}

}  // namespace boxwood::fast
