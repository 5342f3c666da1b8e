// Linear rules and a limit on the number of changes narrow the boxes of a probe: a variable keeps
// only the cells with which the rule can still hold, whatever the other variables of the rule do
// within the box. So a box is as large as the rules let it be, and its nearest point is as far away
// as they make it.
#include "base/infinity.hpp"
#include "search/fast/row_probe.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

/// Finds the trees of linear rules (grid/linear_trees.hpp) and of a limit on the number of changes
/// (grid/rule_trees.hpp) in the problem: their conditions are sums of one row of the last ensemble,
/// and each of them tests one variable.
void RowProbe::list_rule_trees() {
  rule_trees_.clear();
  hulls_.clear();
  check_of_.clear();
  rule_tree_of_.clear();
  const bool any_rule = !context_.query.exact_clauses.empty() || context_.table.max_changes;
  if (!any_rule) return;
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
  rule_tree_of_.assign(leaves.tree_count(), nothing);
  for (std::uint32_t r = 0; r < rule_trees_.size(); ++r) rule_tree_of_[rule_trees_[r].tree] = r;
  list_rule_checks();
  for (std::size_t m = 0; m < rule_margin_.size(); ++m) {
    constexpr double share = 0x1p-40;
    rule_margin_[m] = share * (rule_margin_[m] + std::abs(problem_->thresholds[m]));
  }
}

/// For each end of a rule that is decided exactly: which tree tells about each of its terms. A term
/// whose tree was settled has the same contribution in all cells that are left.
void RowProbe::list_rule_checks() {
  rule_checks_.clear();
  best_values_.assign(hulls_.size(), not_known_yet);
  check_of_.assign(context_.conditions.size(), nothing);
  for (std::uint32_t m = 0; m < context_.conditions.size(); ++m) {
    const RuleEnd* end = context_.rule_ends.of(m);
    if (!end) continue;
    RuleCheck check{end, std::vector<std::uint32_t>(end->variables.size(), nothing),
                    std::vector<double>(end->variables.size(), 0.0)};
    bool clear = true;
    for (std::size_t term = 0; term < end->variables.size(); ++term) {
      const std::uint32_t grid = end->variables[term];
      for (std::uint32_t r = 0; r < rule_trees_.size(); ++r) {
        const RuleTree& rule = rule_trees_[r];
        if (rule.condition != m || problem_->variable_of[rule.variable] != grid) continue;
        clear = clear && check.tree[term] == nothing;
        check.tree[term] = r;
      }
      if (check.tree[term] != nothing) continue;
      std::uint32_t cell = problem_->fixed_at[grid];
      for (std::uint32_t v = 0; v < problem_->variable_count(); ++v) {
        if (problem_->variable_of[v] != grid) continue;
        cell = problem_->choice[problem_->cell_begin[v] + problem_->nearest[v]];
      }
      check.value[term] = best_value(*end, term, cell, context_.variables, context_.linear);
    }
    if (!clear) continue;
    check_of_[m] = static_cast<std::uint32_t>(rule_checks_.size());
    rule_checks_.push_back(std::move(check));
  }
}

/// The value with which a term adds most in a leaf of its tree; not a number if the leaf is not one
/// cell of the grid.
double RowProbe::best_value_in(const RuleCheck& check, std::size_t term, std::uint32_t leaf) {
  const RuleTree& rule = rule_trees_[check.tree[term]];
  double& known = best_values_[rule.hulls + (leaf - problem_->leaves.tree_begin[rule.tree])];
  if (known != not_known_yet) return known;
  const LeafRange range = problem_->leaves.ranges_of(leaf)[0];
  known = std::numeric_limits<double>::quiet_NaN();
  if (range.last - range.first != 1) return known;
  const std::uint32_t cell = problem_->choice[problem_->cell_begin[rule.variable] + range.first];
  const double value = best_value(*check.end, term, cell, context_.variables, context_.linear);
  if (std::isfinite(value)) known = value;
  return known;
}

/// Whether the rule can hold where its trees take leaves that add no more than the given ones, by
/// the exact sum; true if that is not known. `leaf_of(rule tree)` is such a leaf or `nothing`.
template <typename LeafOf>
bool RowProbe::may_hold(const RuleCheck& check, LeafOf leaf_of) {
  corner_.assign(context_.query.point.begin(), context_.query.point.end());
  for (std::size_t term = 0; term < check.tree.size(); ++term) {
    double value = check.value[term];
    if (check.tree[term] != nothing) {
      const std::uint32_t leaf = leaf_of(check.tree[term]);
      if (leaf == nothing) return true;
      value = best_value_in(check, term, leaf);
    }
    if (!std::isfinite(value)) return true;
    corner_[check.end->condition.terms[term].feature] = value;
  }
  return holds(check.end->condition, context_.query.point, corner_);
}

/// The alive leaf of a rule's tree that adds most, exactly. `nothing` if another one that adds
/// about as much stands for another value: doubles then do not tell which adds more.
std::uint32_t RowProbe::most_of(const RowBox& box, const RuleCheck& check, std::uint32_t tree) {
  const RuleTree& rule = rule_trees_[tree];
  const std::uint32_t best = first_alive(box.alive, rule.tree);
  if (best == nothing) return nothing;
  const auto term = static_cast<std::size_t>(std::find(check.tree.begin(), check.tree.end(), tree) -
                                             check.tree.begin());
  const Leaves& leaves = problem_->leaves;
  const std::uint32_t end = leaves.tree_begin[rule.tree + 1];
  const double close = *leaves.values_of(rule.tree, best) - check.end->close;
  for (std::uint32_t next = best;;) {
    // The last leaf of the last tree may be the last bit of the set.
    if (next + 1 == end) return best;
    next = box.alive.first_in(next + 1, end);
    if (next == nothing || *leaves.values_of(rule.tree, next) < close) return best;
    if (best_value_in(check, term, next) != best_value_in(check, term, best)) return nothing;
  }
}

/// Whether every point of the box breaks a rule that its sum seems to satisfy. A point takes one
/// alive leaf of each tree, and each of its terms adds at most what the best value of the best leaf
/// adds. So if the rule does not hold with these values, it holds nowhere in the box. Statements
/// that may take the place of the rule do not hold either: each would add more than `close`.
/// Guarded by brute force: LinearRounding.RowsThatBreakARuleByRoundingAreDecidedAtOnce and the
/// random tests.
bool RowProbe::breaks_rule(const RowBox& box) {
  for (std::size_t m = 0; m < check_of_.size(); ++m) {
    if (check_of_[m] == nothing) continue;
    const RuleCheck& check = rule_checks_[check_of_[m]];
    if (bounds_[m] > problem_->thresholds[m] + check.end->close) continue;
    if (!may_hold(check, [&](std::uint32_t tree) { return most_of(box, check, tree); })) {
      return true;
    }
  }
  return false;
}

/// Marks the conditions that the nearest point misses.
void RowProbe::mark_missed(const RowBox& box) {
  missed_.assign(reached_.size(), 0);
  for (std::size_t m = 0; m < reached_.size(); ++m) {
    missed_[m] = reached_[m] < problem_->thresholds[m];
    if (missed_[m] || check_of_.empty() || check_of_[m] == nothing) continue;
    const RuleCheck& check = rule_checks_[check_of_[m]];
    if (reached_[m] > problem_->thresholds[m] + check.end->close) continue;
    missed_[m] =
        !may_hold(check, [&](std::uint32_t tree) { return box.here[rule_trees_[tree].tree]; });
  }
}

/// Leaves that are good enough only by less than `close` are decided exactly, one after the other.
std::uint32_t RowProbe::drop_close(const RowBox& box, const RuleTree& rule, std::uint32_t best,
                                   std::uint32_t good) {
  if (check_of_[rule.condition] == nothing) return good;
  const RuleCheck& check = rule_checks_[check_of_[rule.condition]];
  const Leaves& leaves = problem_->leaves;
  const double least = *leaves.values_of(rule.tree, best) -
                       (bounds_[rule.condition] - problem_->thresholds[rule.condition]) +
                       check.end->close;
  for (; good > best && *leaves.values_of(rule.tree, good) < least; --good) {
    if (box.alive.contains(good) && may_hold(check, [&](std::uint32_t tree) {
          return rule_trees_[tree].tree == rule.tree ? good : most_of(box, check, tree);
        })) {
      break;
    }
  }
  return good;
}

/// Narrows the box, after measure(). The sum of a rule is at most that of the best alive leaves of
/// its trees (bounds_), so a leaf that is worse than the best one of its tree by more than the sum
/// exceeds its threshold cannot be part of a point that satisfies the rule. Leaves are in the order
/// of their values: the others are the first ones of the tree, and the variable needs no cell
/// outside of the hull of theirs. Later trees use the sums from before the earlier ones narrowed
/// the box, which are larger. True if the box is smaller now.
/// Guarded by brute force and known solutions: Linear.RandomRulesAgreeWithBruteForce.
bool RowProbe::narrow(RowBox& box) {
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
    good = drop_close(box, rule, best, good);
    if (good + 1 == end) continue;
    const CellRange hull = hulls_[rule.hulls + (good - begin)];
    const CellRange range = box.range[rule.variable];
    const CellRange to{std::max(range.first, hull.first), std::min(range.last, hull.last)};
    if (to.first == range.first && to.last == range.last) continue;
    shrink(box, rule.variable, to);
    narrowed = true;
  }
  return narrowed;
}

/// Where the number of changes is limited, finds out what is a change.
void RowProbe::find_home() {
  home_.clear();
  fixed_changes_ = 0;
  if (!context_.table.max_changes) return;
  const Problem& problem = *problem_;
  std::vector<std::uint8_t> open(problem.fixed_at.size(), 0);
  for (std::size_t v = 0; v < problem.variable_count(); ++v) {
    const std::uint32_t grid = problem.variable_of[v];
    open[grid] = 1;
    const auto begin = problem.choice.begin() + problem.cell_begin[v];
    const auto end = problem.choice.begin() + problem.cell_begin[v + 1];
    const auto own = std::find(begin, end, context_.variables[grid].own);
    home_.push_back(own == end ? nothing : static_cast<std::uint32_t>(own - begin));
  }
  for (std::size_t grid = 0; grid < open.size(); ++grid) {
    if (open[grid]) continue;
    fixed_changes_ += problem.fixed_at[grid] != context_.variables[grid].own ? 1U : 0U;
  }
}

/// Every point of the box changes the variables whose nearest cell is not their own, because costs
/// never fall on the way from that. One in a leaf also changes all others whose own cell the leaf
/// does not hold. If those are too many together, the leaf holds no point of the box.
/// Guarded by known solutions: the random tests draw limits on the number of changes.
void RowProbe::drop_changes(RowBox& box) {
  std::size_t changed = fixed_changes_;
  for (std::size_t v = 0; v < home_.size(); ++v) {
    changed += box.nearest[v] != home_[v] ? 1U : 0U;
  }
  if (changed == box.changed && box.changed > 0) return;
  box.changed = changed;
  const std::size_t most = *context_.table.max_changes;
  const std::size_t left = most > changed ? most - changed : 0;
  box.alive.for_each([&](std::size_t leaf) {
    if (state_.outside[leaf] <= left) return;
    std::size_t more = 0;
    for (const LeafRange& range : problem_->leaves.ranges_of(static_cast<std::uint32_t>(leaf))) {
      const std::uint32_t own = home_[range.variable];
      const bool changes = own < range.first || own >= range.last;
      more += changes && box.nearest[range.variable] == own ? 1U : 0U;
    }
    if (more <= left) return;
    if (box.holds_known && context_.known.within(context_.reach())) {
      context_.known.check_discarded(holds_known_.contains(leaf), context_.reach(),
                                     "number of changes");
    }
    box.alive.erase(leaf);
  });
}

void RowProbe::shrink(RowBox& box, std::uint32_t variable, CellRange to) {
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
  box.asked = RowBox::Asked::no;
  box.filtered = infinity;
  move_nearest(box, variable, own, own < to.first ? to.first : to.last - 1);
}

}  // namespace boxwood::fast
