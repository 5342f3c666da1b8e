// The boxes of a probe: the box of a whole problem, its children, and the leaves alive in them.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {

/// Builds the box of the whole problem.
void Probe::bind(const Problem& problem) {
  problem_ = &problem;
  is_sorted_ = false;
  const std::size_t leaves = problem.leaf_count();
  context_.watch.count_leaves(leaves);
  tree_of_ = problem.leaves.trees();
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
  box.changed = 0;
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
  one_condition_ = one_condition_ && count_in_units();
  if (!one_condition_) return;
  box.share.assign(problem.leaves.tree_count(), 0);
  box.cut_changes.clear();
  cut_units_.assign(problem.cost.size() + problem.variable_count(), 0);
  looked_at_.assign(problem.leaves.tree_count(), 0);
  box_number_ = 1;
  dirty_.clear();
  for (std::uint32_t t = 0; t < problem.leaves.tree_count(); ++t) look_again(t);
}

/// Rounds the scores of all leaves up to whole units and the threshold down: leaves that reach the
/// threshold do so in units as well. Sums of units are exact in any order: all trees together have
/// less than 2^61 of them. False where the scores are too large to be added up.
bool Probe::count_in_units() {
  constexpr int total_bits = 60, most_exponent = 1000;
  constexpr double most = 0x1p62;
  const Leaves& leaves = problem_->leaves;
  const RowCondition& condition = context_.conditions[0];
  const bool plain = condition.minus == RowCondition::none;
  scores_.resize(leaves.count());
  double total = 0;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = &leaves.values[leaves.values_begin[t]];
    const std::uint32_t end = leaves.tree_begin[t + 1];
    const bool simple = plain && rows.count == 1 && rows.first == condition.plus;
    double largest = 0;
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < end; ++leaf) {
      scores_[leaf] = simple ? condition.sign * *values : score(condition, rows, values);
      largest = std::max(largest, std::abs(scores_[leaf]));
      values += rows.count;
    }
    total += largest;
  }
  if (!std::isfinite(total)) return false;
  int exponent = 0;  // total < 2^exponent
  std::frexp(total, &exponent);
  const double scale = std::ldexp(1.0, std::min(total_bits - exponent, most_exponent));
  units_.resize(leaves.count());
  for (std::size_t leaf = 0; leaf < units_.size(); ++leaf) {
    const double exact = scores_[leaf] * scale;
    const auto whole = static_cast<std::int64_t>(exact);  // towards zero
    // The product is exact unless it underflows; a positive score is then 1 unit.
    units_[leaf] =
        whole + (exact > static_cast<double>(whole) || (exact == 0 && scores_[leaf] > 0));
  }
  const double threshold = std::floor(problem_->thresholds[0] * scale);
  threshold_units_ = static_cast<std::int64_t>(std::clamp(threshold, -most, most));
  return true;
}

/// Boxes keep their lists from problem to problem, so the largest problem decides.
void Probe::count_memory() {
  const std::size_t leaves = problem_->leaf_count();
  const std::size_t box =
      leaves * (sizeof(double) + sizeof(std::uint32_t)) + leaves / 4 +
      problem_->leaves.tree_count() * (2 * sizeof(std::uint32_t) + sizeof(std::int64_t)) +
      problem_->variable_count() * (sizeof(CellRange) + sizeof(std::uint32_t));
  const std::uint64_t all =
      boxes_by_depth_.size() * box + masks_.words.capacity() * sizeof(std::uint64_t);
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
  masks_.uses.assign(problem.variable_count(), 0);
  masks_.begin.assign(problem.variable_count(), CutMasks::not_made);
  masks_.words.clear();
  is_sorted_ = true;
}

/// The leaves that are not in one half of a cut, as bits; nothing where a list takes less time.
const std::uint64_t* Probe::beyond(std::uint32_t v, std::uint32_t cell, bool left) {
  const std::size_t words = boxes_by_depth_[0].alive.word_count();
  if (masks_.begin[v] == CutMasks::not_made) {
    if (++masks_.uses[v] != uses_before_masks) return nullptr;
    const std::uint32_t cuts = problem_->cell_begin[v] + v;
    const std::size_t testers =
        sorted_.begin_at[cuts + problem_->cell_count(v) + 1] - sorted_.begin_at[cuts];
    const std::size_t more = 2 * words * (problem_->cell_count(v) - 1);
    if (words > testers || masks_.words.size() + more > most_mask_words) return nullptr;
    make_masks(v);
  }
  return &masks_.words[masks_.begin[v] + words * (2 * (cell - 1) + (left ? 0 : 1))];
}

void Probe::make_masks(std::uint32_t v) {
  const std::size_t words = boxes_by_depth_[0].alive.word_count();
  const std::uint32_t cells = problem_->cell_count(v), cuts = problem_->cell_begin[v] + v;
  masks_.begin[v] = masks_.words.size();
  masks_.words.resize(masks_.words.size() + 2 * words * (cells - 1), 0);
  const auto mask = [&](std::uint32_t cut, bool left) {
    return &masks_.words[masks_.begin[v] + words * (2 * (cut - 1) + (left ? 0 : 1))];
  };
  const auto add = [](std::uint64_t* to, std::span<const SortedTesters::End> ends) {
    for (const auto& [cell, leaf] : ends) set_bit(to, leaf);
  };
  for (std::uint32_t cut = 1; cut < cells; ++cut) {
    std::uint64_t* const to = mask(cut, false);
    if (cut > 1) std::copy_n(mask(cut - 1, false), words, to);
    add(to, std::span(sorted_.ends)
                .subspan(sorted_.end_at[cuts + cut],
                         sorted_.end_at[cuts + cut + 1] - sorted_.end_at[cuts + cut]));
  }
  for (std::uint32_t cut = cells - 1; cut > 0; --cut) {
    std::uint64_t* const to = mask(cut, true);
    if (cut + 1 < cells) std::copy_n(mask(cut + 1, true), words, to);
    add(to, std::span(sorted_.begins)
                .subspan(sorted_.begin_at[cuts + cut],
                         sorted_.begin_at[cuts + cut + 1] - sorted_.begin_at[cuts + cut]));
  }
  count_memory();
}

/// The leaves that begin at a cell or beyond it.
std::span<const SortedTesters::End> Probe::beginning_from(std::uint32_t v,
                                                          std::uint32_t cell) const {
  const std::uint32_t cuts = problem_->cell_begin[v] + v;
  const std::uint32_t first = sorted_.begin_at[cuts + cell];
  return std::span(sorted_.begins)
      .subspan(first, sorted_.begin_at[cuts + problem_->cell_count(v)] - first);
}

/// The leaves that end before a cell.
std::span<const SortedTesters::End> Probe::ending_by(std::uint32_t v, std::uint32_t cell) const {
  const std::uint32_t cuts = problem_->cell_begin[v] + v;
  const std::uint32_t first = sorted_.end_at[cuts];
  return std::span(sorted_.ends).subspan(first, sorted_.end_at[cuts + cell + 1] - first);
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
  child.changed = parent.changed;
  if (one_condition_) {
    child.share = parent.share;
    child.best_units = parent.best_units;
    child.here_units = parent.here_units;
    child.not_here = parent.not_here;
    child.cut_changes.clear();
    dirty_.clear();
    ++box_number_;
  }
  child.changes.clear();
  child.filtered = parent.filtered;
  child.asked = parent.asked;
  child.next = 0;
  (left ? child.range[v].last : child.range[v].first) = cell;
  child.holds_known = parent.holds_known && child.range[v].contains(problem.known[v]);

  const std::uint32_t own = parent.nearest[v];
  child.moved = !child.range[v].contains(own);
  const auto end_leaf = [&](std::uint32_t leaf) {
    const std::uint32_t t = tree_of_[leaf];
    if (child.moved && child.here[t] == leaf) {
      child.here[t] = nothing;
      child.here_units -= units_[leaf];
      ++child.not_here;
      look_again(t);
    } else if (child.best[t] == leaf) {
      look_again(t);
    }
  };
  if (const std::uint64_t* const mask = beyond(v, cell, left)) {
    child.alive.take_out(mask, [&](std::uint32_t leaf) {
      if (one_condition_) end_leaf(leaf);
    });
  } else {
    for (const auto& end : left ? beginning_from(v, cell) : ending_by(v, cell)) {
      if (!child.alive.contains(end.leaf)) continue;
      child.alive.erase(end.leaf);
      if (one_condition_) end_leaf(end.leaf);
    }
  }
  if (child.moved) {
    child.asked = ProbeBox::Asked::no;
    child.filtered = infinity;
    child.came = {v, own};
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
  const auto come_nearer = [&](std::span<const SortedTesters::End> list, auto place) {
    child.changes.reserve(child.changes.size() + list.size());
    for (const auto& [end, leaf] : list) {
      if (!child.alive.contains(leaf)) continue;
      const auto [cell, reached] = place(end);
      child.changes.push_back({state_.extra[leaf], leaf, reached ? 1U : 0U});
      state_.extra[leaf] -= cost[cell] - cost[from];
      if (!reached) continue;
      const std::uint32_t t = tree_of_[leaf];
      const bool holds_it = --state_.outside[leaf] == 0;
      if (holds_it) child.here[t] = leaf;
      if (!one_condition_) continue;
      if (holds_it) {
        child.here_units += units_[leaf];
        --child.not_here;
      }
      if (holds_it || child.best[t] == leaf) look_again(t);
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

/// Undoes what a box changed in the state of leaves and in the gains of cuts.
void Probe::leave(ProbeBox& box) {
  for (const CutChange& change : box.cut_changes) cut_units_[change.cut] -= change.units;
  box.cut_changes.clear();
  // A leaf may have come nearer several times: its first state is the one to go back to.
  for (auto change = box.changes.rbegin(); change != box.changes.rend(); ++change) {
    state_.extra[change->leaf] = change->extra;
    state_.outside[change->leaf] += change->entered;
  }
  box.changes.clear();
}

/// Finds the leaves that hold the nearest point of the whole problem. They have no extra cost, so
/// no radius drops them; a leaf that is missing was excluded before.
void Probe::locate(ProbeBox& box) {
  here_alive_.intersect(box.alive, around_);
  for (std::size_t t = 0; t < box.here.size(); ++t) box.here[t] = first_alive(here_alive_, t);
  if (one_condition_) sum_units(box);
}

void Probe::sum_units(ProbeBox& box) {
  box.best_units = box.here_units = 0;
  box.not_here = 0;
  for (const std::uint32_t here : box.here) {
    if (here == nothing) {
      ++box.not_here;
    } else {
      box.here_units += units_[here];
    }
  }
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
