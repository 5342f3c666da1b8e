// The boxes of a probe: the box of a whole problem, its children, and the leaves alive in them.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"

#include <algorithm>
#include <numeric>

namespace boxwood::fast {

/// Builds the box of the whole problem.
void Probe::bind(const Problem& problem) {
  problem_ = &problem;
  is_sorted_ = false;
  const std::size_t leaves = problem.leaf_count();
  context_.watch.count_leaves(leaves);
  if (boxes_by_depth_.empty()) boxes_by_depth_.emplace_back();
  count_memory();
  ProbeBox& box = boxes_by_depth_[0];
  box.range.resize(problem.variable_count());
  box.nearest = problem.nearest;
  for (std::size_t v = 0; v < problem.variable_count(); ++v) {
    box.range[v] = {0, problem.cell_count(v)};
  }
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
  box.filtered = infinity;
  box.asked = ProbeBox::Asked::no;
  box.next = 0;
  box.holds_known = developer_build && problem.holds_known;
  if (box.holds_known) {
    holds_known_.clear(leaves);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      if (KnownSolution::holds(problem, leaf)) holds_known_.insert(leaf);
    }
  }
  box.best.assign(problem.leaves.tree_count(), nothing);
  box.here.resize(problem.leaves.tree_count());
  box.moved = true;
  box.changes.clear();
  gain_.assign(problem.cost.size() + problem.variable_count(), 0.0);
  // Not where some trees add to one row of the condition and others to the other row: the allowance
  // for rounding is for the sum of each row.
  one_condition_ = context_.conditions.size() == 1 && context_.conditions[0].weights.empty() &&
                   !context_.has_needs() &&
                   (context_.conditions[0].minus == RowCondition::none ||
                    std::all_of(problem.leaves.rows.begin(), problem.leaves.rows.end(),
                                [](Leaves::Rows rows) { return rows.count > 1; }));
  if (!one_condition_) return;
  scores_.resize(leaves);
  for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
    const Leaves::Rows rows = problem.leaves.rows[t];
    const double* values = &problem.leaves.values[problem.leaves.values_begin[t]];
    const std::uint32_t end = problem.leaves.tree_begin[t + 1];
    for (std::uint32_t leaf = problem.leaves.tree_begin[t]; leaf < end; ++leaf) {
      scores_[leaf] = score(context_.conditions[0], rows, values);
      values += rows.count;
    }
  }
}

/// Boxes keep their lists from problem to problem, so the largest problem decides.
void Probe::count_memory() {
  const std::size_t leaves = problem_->leaf_count();
  const std::size_t box = leaves * (sizeof(double) + sizeof(std::uint32_t)) + leaves / 4 +
                          2 * problem_->leaves.tree_count() * sizeof(std::uint32_t) +
                          problem_->variable_count() * (sizeof(CellRange) + sizeof(std::uint32_t));
  const std::uint64_t all = boxes_by_depth_.size() * box;
  if (all <= held_.bytes()) return;
  held_ = {};  // release the old amount before the new one is counted
  held_ = MemoryHold(context_.watch, all);
}

/// Counting sort by cut. Cuts are numbered through all variables; n cells have n + 1 cuts.
void Probe::sort_testers() {
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
  tree_of_ = problem.leaves.trees();
  is_sorted_ = true;
}

void Probe::make_child(const ProbeBox& parent, ProbeBox& child, bool left) {
  const Problem& problem = *problem_;
  const auto [v, cell] = parent.branch;
  child.range = parent.range;
  child.nearest = parent.nearest;
  child.alive = parent.alive;
  child.best = parent.best;
  child.here = parent.here;
  child.all_here = parent.all_here;
  child.here_sum = parent.here_sum;
  child.open = parent.open;
  child.settled_score = parent.settled_score;
  child.here_score = parent.here_score;
  child.moved = false;
  child.changes.clear();
  child.filtered = parent.filtered;
  child.asked = parent.asked;
  child.next = 0;
  (left ? child.range[v].last : child.range[v].first) = cell;
  child.holds_known = parent.holds_known && child.range[v].contains(problem.known[v]);

  const auto kill = [&](const SortedTesters::End& end) { child.alive.erase(end.leaf); };
  const std::uint32_t cuts = problem.cell_begin[v] + v;
  const std::uint32_t count = problem.cell_count(v);
  if (left) {
    const std::uint32_t end = sorted_.begin_at[cuts + count];
    for (std::uint32_t i = sorted_.begin_at[cuts + cell]; i < end; ++i) kill(sorted_.begins[i]);
  } else {
    const std::uint32_t end = sorted_.end_at[cuts + cell + 1];
    for (std::uint32_t i = sorted_.end_at[cuts]; i < end; ++i) kill(sorted_.ends[i]);
  }
  const std::uint32_t own = parent.nearest[v];
  if (!child.range[v].contains(own)) {
    child.asked = ProbeBox::Asked::no;
    child.moved = true;
    child.filtered = infinity;
    move_nearest(child, v, own, left ? cell - 1 : cell);
  }
}

/// Moves the nearest point's cell up or down to the new end of the box. A leaf beyond the old cell
/// now has a smaller extra cost: the difference has become part of the box's cost. A leaf that
/// holds the new cell has no extra cost in this variable any more. Leaves between the two are dead
/// already. A leaf that now holds the whole point takes the place of its tree's leaf before, which
/// does not hold it any more and is dead.
void Probe::move_nearest(ProbeBox& child, std::uint32_t variable, std::uint32_t from,
                         std::uint32_t to) {
  const Problem& problem = *problem_;
  const double* cost = &problem.cost[problem.cell_begin[variable]];
  const std::uint32_t cuts = problem.cell_begin[variable] + variable;
  child.nearest[variable] = to;
  const auto come_nearer = [&](std::uint32_t leaf, std::uint32_t cell, bool reached) {
    if (!child.alive.contains(leaf)) return;
    child.changes.push_back({state_.extra[leaf], leaf, reached ? 1U : 0U});
    state_.extra[leaf] -= cost[cell] - cost[from];
    if (reached && --state_.outside[leaf] == 0) child.here[tree_of_[leaf]] = leaf;
  };
  if (to > from) {
    const std::uint32_t end = sorted_.begin_at[cuts + problem.cell_count(variable)];
    for (std::uint32_t i = sorted_.begin_at[cuts + from + 1]; i < end; ++i) {
      const auto [first, leaf] = sorted_.begins[i];
      come_nearer(leaf, std::min(first, to), first <= to);
    }
  } else {
    const std::uint32_t end = sorted_.end_at[cuts + from + 1];
    for (std::uint32_t i = sorted_.end_at[cuts]; i < end; ++i) {
      const auto [last, leaf] = sorted_.ends[i];
      come_nearer(leaf, std::max(last - 1, to), last - 1 >= to);
    }
  }
}

/// Undoes what a box changed in the state of leaves.
void Probe::leave(ProbeBox& box) {
  for (const LeafState::Change& change : box.changes) {
    state_.extra[change.leaf] = change.extra;
    state_.outside[change.leaf] += change.entered;
  }
  box.changes.clear();
}

/// Finds the leaves that hold the nearest point of the whole problem. They have no extra cost, so
/// no radius drops them; a leaf that is missing was excluded before.
void Probe::locate(ProbeBox& box) {
  here_alive_.intersect(box.alive, around_);
  for (std::size_t t = 0; t < box.here.size(); ++t) box.here[t] = first_alive(here_alive_, t);
}

/// Adds up the leaves that hold the nearest point.
void Probe::sum_here(ProbeBox& box) const {
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

double Probe::exact_cost(const ProbeBox& box, std::uint32_t variable, std::uint32_t cell) const {
  problem_->grid_cells(box.nearest, cells_);
  if (variable != nothing) {
    cells_[problem_->variable_of[variable]] =
        problem_->choice[problem_->cell_begin[variable] + cell];
  }
  return context_.cost(cells_);
}

}  // namespace boxwood::fast
