// The boxes of a probe: the box of a whole problem, its children, and the leaves alive in them.
#include "base/infinity.hpp"
#include "search/fast/row_probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {

/// Builds the box of the whole problem.
void RowProbe::bind(const Problem& problem) {
  problem_ = &problem;
  is_sorted_ = false;
  const std::size_t leaves = problem.leaf_count();
  context_.watch.count_leaves(leaves);
  tree_of_ = problem.leaves.trees();
  if (boxes_by_depth_.empty()) boxes_by_depth_.emplace_back();
  RowBox& box = boxes_by_depth_[0];
  box.begin(problem);
  box.changed = 0;
  state_.extra.resize(leaves);
  state_.outside.resize(leaves);
  around_.clear(leaves);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    double extra = 0;
    std::uint32_t outside = 0;
    for (const LeafRange& range : problem.leaves.ranges_of(leaf)) {
      const std::uint32_t v = range.variable;
      const std::uint32_t own = problem.nearest[v];
      if (own >= range.first && own < range.last) continue;
      extra += problem.cost_at(v, problem.nearest_in(v, range.first, range.last)) -
               problem.cost_at(v, own);
      ++outside;
    }
    state_.extra[leaf] = extra;
    state_.outside[leaf] = outside;
    if (outside == 0) around_.insert(leaf);
  }
  box.alive.fill(leaves);
  box.measured.clear(0);
  list_scores();
  count_memory();
  box.best.assign(problem.leaves.tree_count(), nothing);
  box.worst.assign(problem.leaves.tree_count(), nothing);
  box.most.resize(most_at_.back());
  if (box.holds_known) {
    holds_known_.clear(leaves);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      if (KnownSolution::holds(problem, leaf)) holds_known_.insert(leaf);
    }
  }
  box.here.resize(problem.leaves.tree_count());
  box.changes.clear();
  gain_.assign(cut_count(), 0.0);
}

/// What leaves with several rows score in each condition.
void RowProbe::list_scores() {
  const Leaves& leaves = problem_->leaves;
  const std::size_t conditions = context_.conditions.size();
  most_at_.assign(1, 0);
  scores_at_.assign(1, 0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const bool one = leaves.rows[t].count == 1;
    const std::size_t count = leaves.tree_begin[t + 1] - leaves.tree_begin[t];
    most_at_.push_back(most_at_.back() + (one ? 2 : static_cast<std::uint32_t>(conditions)));
    scores_at_.push_back(scores_at_.back() + (one ? 0 : count * conditions));
  }
  scores_.resize(scores_at_.back());
  auto to = scores_.begin();
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    if (leaves.rows[t].count == 1) continue;
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      const double* const values = leaves.values_of(t, leaf);
      for (const RowCondition& condition : context_.conditions) {
        *to++ = score(condition, leaves.rows[t], values);
      }
    }
  }
}

/// Boxes keep their lists from problem to problem, so the largest problem decides.
void RowProbe::count_memory() {
  const std::size_t leaves = problem_->leaf_count();
  const std::size_t numbers = 2 + context_.conditions.size();  // at most, in RowBox::most
  const std::size_t box =
      leaves * (sizeof(double) + sizeof(std::uint32_t)) + leaves / 4 +
      problem_->leaves.tree_count() * (3 * sizeof(std::uint32_t) + numbers * sizeof(double)) +
      problem_->variable_count() * (sizeof(CellRange) + sizeof(std::uint32_t));
  const std::uint64_t all = boxes_by_depth_.size() * box + scores_.capacity() * sizeof(double);
  if (all <= held_.bytes()) return;
  held_ = {};  // release the old amount before the new one is counted
  held_ = MemoryHold(context_.watch, all);
}

/// Counting sort by cut.
void RowProbe::sort_testers() {
  const Problem& problem = *problem_;
  const std::size_t cuts = problem.cost.size() + problem.variable_count();
  const std::vector<LeafRange>& ranges = problem.leaves.ranges;
  sorted_.begin_at.assign(cuts + 1, 0);
  sorted_.end_at.assign(cuts + 1, 0);
  const auto cut_at = [&](std::uint32_t v, std::uint32_t cell) {
    return problem.cell_begin[v] + v + cell;
  };
  for (const LeafRange& range : ranges) {
    ++sorted_.begin_at[cut_at(range.variable, range.first) + 1];
    ++sorted_.end_at[cut_at(range.variable, range.last) + 1];
  }
  std::partial_sum(sorted_.begin_at.begin(), sorted_.begin_at.end(), sorted_.begin_at.begin());
  std::partial_sum(sorted_.end_at.begin(), sorted_.end_at.end(), sorted_.end_at.begin());
  sorted_.begins.resize(ranges.size());
  sorted_.ends.resize(ranges.size());
  cursor_.assign(sorted_.begin_at.begin(), sorted_.begin_at.end());
  cursor_.insert(cursor_.end(), sorted_.end_at.begin(), sorted_.end_at.end());
  for (std::uint32_t leaf = 0; leaf < problem.leaf_count(); ++leaf) {
    for (const LeafRange& range : problem.leaves.ranges_of(leaf)) {
      sorted_.begins[cursor_[cut_at(range.variable, range.first)]++] = {range.first, leaf};
      sorted_.ends[cursor_[cuts + 1 + cut_at(range.variable, range.last)]++] = {range.last, leaf};
    }
  }
  is_sorted_ = true;
}

/// The leaves that begin at a cell or beyond it.
std::span<const SortedTesters::End> RowProbe::beginning_from(std::uint32_t v,
                                                             std::uint32_t cell) const {
  const std::uint32_t cuts = problem_->cell_begin[v] + v;
  const std::uint32_t first = sorted_.begin_at[cuts + cell];
  return std::span(sorted_.begins)
      .subspan(first, sorted_.begin_at[cuts + problem_->cell_count(v)] - first);
}

/// The leaves that end before a cell.
std::span<const SortedTesters::End> RowProbe::ending_by(std::uint32_t v, std::uint32_t cell) const {
  const std::uint32_t cuts = problem_->cell_begin[v] + v;
  const std::uint32_t first = sorted_.end_at[cuts];
  return std::span(sorted_.ends).subspan(first, sorted_.end_at[cuts + cell + 1] - first);
}

void RowProbe::make_child(const RowBox& parent, RowBox& child, bool left) {
  const auto [v, cell] = parent.branch;
  child.halve(parent, *problem_, left);
  child.alive = parent.alive;
  child.here = parent.here;
  child.all_here = parent.all_here;
  child.here_sum = parent.here_sum;
  child.measured = parent.measured;
  child.best = parent.best;
  child.worst = parent.worst;
  child.most = parent.most;
  child.changed = parent.changed;
  child.changes.clear();
  for (const auto& end : left ? beginning_from(v, cell) : ending_by(v, cell)) {
    child.alive.erase(end.leaf);
  }
  if (child.moved) move_nearest(child, v, parent.nearest[v], child.nearest[v]);
}

/// Moves the nearest point's cell up or down to the new end of the box. A leaf beyond the old cell
/// now has a smaller extra cost: the difference has become part of the box's cost. A leaf that
/// holds the new cell has no extra cost in this variable any more. Leaves between the two are dead
/// already. A leaf that now holds the whole point takes the place of its tree's leaf before, which
/// does not hold it any more and is dead.
void RowProbe::move_nearest(RowBox& child, std::uint32_t variable, std::uint32_t from,
                            std::uint32_t to) {
  const Problem& problem = *problem_;
  const double* cost = &problem.cost[problem.cell_begin[variable]];
  const std::uint32_t cuts = problem.cell_begin[variable] + variable;
  child.nearest[variable] = to;
  const auto come_nearer = [&](std::span<const SortedTesters::End> list, auto place) {
    child.changes.reserve(child.changes.size() + list.size());
    for (const auto& [end, leaf] : list) {
      if (!child.alive.contains(leaf)) continue;
      const auto [cell, reached] = place(end);
      child.changes.push_back({state_.extra[leaf], leaf, reached ? 1U : 0U});
      state_.extra[leaf] -= cost[cell] - cost[from];
      if (!reached) continue;
      if (--state_.outside[leaf] == 0) child.here[tree_of_[leaf]] = leaf;
    }
  };
  struct Place {
    std::uint32_t cell;
    bool reached;
  };
  if (to > from) {
    const std::uint32_t begin = sorted_.begin_at[cuts + from + 1];
    const std::uint32_t end = sorted_.begin_at[cuts + problem.cell_count(variable)];
    come_nearer(std::span(sorted_.begins).subspan(begin, end - begin), [to](std::uint32_t first) {
      return Place{std::min(first, to), first <= to};
    });
  } else {
    const std::uint32_t begin = sorted_.end_at[cuts], end = sorted_.end_at[cuts + from + 1];
    come_nearer(std::span(sorted_.ends).subspan(begin, end - begin), [to](std::uint32_t last) {
      return Place{std::max(last - 1, to), last - 1 >= to};
    });
  }
}

/// Undoes what a box changed in the state of leaves.
void RowProbe::leave(RowBox& box) {
  // A leaf may have come nearer several times: its first state is the one to go back to.
  for (auto change = box.changes.rbegin(); change != box.changes.rend(); ++change) {
    state_.extra[change->leaf] = change->extra;
    state_.outside[change->leaf] += change->entered;
  }
  box.changes.clear();
}

/// Finds the leaves that hold the nearest point of the whole problem. They have no extra cost, so
/// no radius drops them; a leaf that is missing was excluded before.
void RowProbe::locate(RowBox& box) {
  here_alive_.intersect(box.alive, around_);
  for (std::size_t t = 0; t < box.here.size(); ++t) box.here[t] = first_alive(here_alive_, t);
}

/// Adds up the leaves that hold the nearest point.
void RowProbe::sum_here(RowBox& box) const {
  const Leaves& leaves = problem_->leaves;
  box.all_here = true;
  box.here_sum.assign(context_.table.row_count, 0.0);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    std::uint32_t& here = box.here[t];
    if (here != nothing && !box.alive.contains(here)) here = nothing;
    if (here == nothing) {
      box.all_here = false;
      continue;
    }
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = leaves.values_of(t, here);
    for (std::uint32_t r = 0; r < rows.count; ++r) box.here_sum[rows.first + r] += values[r];
  }
}

}  // namespace boxwood::fast
