// Linear rules narrow the boxes of a probe: a variable keeps only the cells with which the rule can
// still hold, whatever the other variables of the rule do within the box. So a box is as large as
// the rules let it be, and its nearest point is as far away as they make it.
#include "base/infinity.hpp"
#include "search/fast/probe.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

/// Finds the trees of linear rules (grid/linear_trees.hpp) in the problem: their conditions are
/// sums of one row of the last ensemble, and each of them tests one variable.
void Probe::list_rule_trees() {
  rule_trees_.clear();
  hulls_.clear();
  if (context_.query.exact_clauses.empty() || one_condition_) return;
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t first_row = context_.table.first_row.back();
  rule_margin_.assign(context_.conditions.size(), 0.0);
  for (std::uint32_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count != 1 || rows.first < first_row) continue;
    const auto condition =
        std::find_if(context_.conditions.begin(), context_.conditions.end(),
                     [&](const RowCondition& one) { return one.plus == rows.first; });
    if (condition == context_.conditions.end() || condition->minus != RowCondition::none ||
        condition->sign != 1 || !condition->weights.empty()) {
      continue;
    }
    const auto m = static_cast<std::uint32_t>(condition - context_.conditions.begin());
    const std::uint32_t begin = leaves.tree_begin[t], end = leaves.tree_begin[t + 1];
    rule_margin_[m] +=
        std::max(std::abs(*leaves.values_of(t, begin)), std::abs(*leaves.values_of(t, end - 1)));
    const std::size_t hulls = hulls_.size();
    std::uint32_t variable = nothing;
    // Leaves are in the order of their values, the largest first.
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
      const std::span<const LeafRange> ranges = leaves.ranges_of(leaf);
      if (ranges.size() != 1 || (leaf > begin && ranges[0].variable != variable)) {
        variable = nothing;
        break;
      }
      variable = ranges[0].variable;
      CellRange hull{ranges[0].first, ranges[0].last};
      if (leaf > begin) {
        hull.first = std::min(hull.first, hulls_.back().first);
        hull.last = std::max(hull.last, hulls_.back().last);
      }
      hulls_.push_back(hull);
    }
    if (variable == nothing) {
      hulls_.resize(hulls);
    } else {
      rule_trees_.push_back({t, variable, m, hulls});
    }
  }
  for (std::size_t m = 0; m < rule_margin_.size(); ++m) {
    constexpr double share = 0x1p-40;
    rule_margin_[m] = share * (rule_margin_[m] + std::abs(problem_->thresholds[m]));
  }
}

/// Narrows the box, after measure(). The sum of a rule is at most that of the best alive leaves of
/// its trees (bounds_), so a leaf that is worse than the best one of its tree by more than the sum
/// exceeds its threshold cannot be part of a point that satisfies the rule. Leaves are in the order
/// of their values: the others are the first ones of the tree, and the variable needs no cell
/// outside of the hull of theirs. Later trees use the sums from before the earlier ones narrowed
/// the box, which are larger. True if the box is smaller now.
/// Guarded by brute force and known solutions: Linear.RandomRulesAgreeWithBruteForce.
bool Probe::narrow(ProbeBox& box) {
  const Leaves& leaves = problem_->leaves;
  bool narrowed = false;
  for (const RuleTree& rule : rule_trees_) {
    const std::uint32_t best = first_alive(box.alive, rule.tree);
    if (best == nothing) return true;  // measure() closes the box
    const double spare = bounds_[rule.condition] - problem_->thresholds[rule.condition];
    const double least = *leaves.values_of(rule.tree, best) - spare - rule_margin_[rule.condition];
    const std::uint32_t begin = leaves.tree_begin[rule.tree];
    const std::uint32_t end = leaves.tree_begin[rule.tree + 1];
    std::uint32_t good = best, bad = end;  // the last leaf that is good enough, and the next
    while (bad - good > 1) {
      const std::uint32_t middle = good + (bad - good) / 2;
      (*leaves.values_of(rule.tree, middle) >= least ? good : bad) = middle;
    }
    if (bad == end) continue;
    const CellRange hull = hulls_[rule.hulls + (good - begin)];
    const CellRange range = box.range[rule.variable];
    const CellRange to{std::max(range.first, hull.first), std::min(range.last, hull.last)};
    if (to.first == range.first && to.last == range.last) continue;
    shrink(box, rule.variable, to);
    narrowed = true;
  }
  return narrowed;
}

void Probe::shrink(ProbeBox& box, std::uint32_t variable, CellRange to) {
  if (box.holds_known && !to.contains(problem_->known[variable])) {
    guard(box, "rule");
    box.holds_known = false;
  }
  box.range[variable] = to;
  for (const SortedTesters::End& end : beginning_from(variable, to.last)) box.alive.erase(end.leaf);
  for (const SortedTesters::End& end : ending_by(variable, to.first)) box.alive.erase(end.leaf);
  const std::uint32_t own = box.nearest[variable];
  if (to.contains(own)) return;
  box.moved = true;
  box.asked = ProbeBox::Asked::no;
  box.filtered = infinity;
  move_nearest(box, variable, own, own < to.first ? to.first : to.last - 1);
}

}  // namespace boxwood::fast
