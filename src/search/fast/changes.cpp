#include "search/fast/changes.hpp"
#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {
namespace {

constexpr std::uint32_t no_cell = ~std::uint32_t{0};
constexpr std::uint32_t no_tree = ~std::uint32_t{0};
/// Limits of the importances that share gains, so that their sums stay finite.
constexpr double least_part_of_largest = 1e-3, most_importance = 1e100;

class ChangeLimit {
 public:
  ChangeLimit(const Context& context, const Problem& problem, Selection& keep, std::size_t most)
      : context_(context),
        problem_(problem),
        keep_(keep),
        most_(most),
        own_(problem.variable_count(), no_cell),
        stays_(problem.variable_count(), 0),
        required_(problem.leaf_count(), 0),
        importance_(context.conditions.size(), std::vector<double>(problem.variable_count(), 1.0)) {
  }

  bool settle() {
    if (!count_changed()) return false;
    // Each round leaves fewer leaves for the next one and shares their gains better.
    for (std::uint32_t round = 0; round < context_.tuning.change_rounds; ++round) {
      drop_leaves();
      bool dropped = false;
      for (std::size_t m = 0; m < context_.conditions.size(); ++m) {
        if (!weigh(m)) return false;
        dropped |= keep_affordable();
        share_anew(importance_[m]);
      }
      if (!dropped && round + 1 >= context_.tuning.change_sure_rounds) break;
    }
    return true;
  }

 private:
  /// Finds each variable's own cell, in which it stays unchanged. A variable without one changes.
  /// False when too many do.
  bool count_changed() {
    std::vector<std::uint8_t> open(problem_.fixed_at.size(), 0);
    std::size_t changed = 0;
    for (std::size_t v = 0; v < own_.size(); ++v) {
      const std::uint32_t variable = problem_.variable_of[v];
      open[variable] = 1;
      const std::uint32_t begin = problem_.cell_begin[v];
      for (std::uint32_t c = begin; c < problem_.cell_begin[v + 1]; ++c) {
        // A merged cell that covers the own cell has it as its choice: no cell is cheaper.
        if (keep_.cell[c] && problem_.choice[c] == context_.variables[variable].own) {
          own_[v] = c - begin;
        }
      }
      changed += own_[v] == no_cell ? 1U : 0U;
    }
    for (std::size_t g = 0; g < open.size(); ++g) {
      if (!open[g] && problem_.fixed_at[g] != context_.variables[g].own) ++changed;
    }
    if (changed > most_) return false;
    left_ = most_ - changed;
    return true;
  }

  bool requires_change(const LeafRange& range) const {
    const std::uint32_t own = own_[range.variable];
    return own != no_cell && (own < range.first || own >= range.last);
  }

  /// A leaf requires a change of every variable whose own cell it does not hold.
  void drop_leaves() {
    for (std::size_t leaf = 0; leaf < required_.size(); ++leaf) {
      if (!keep_.leaf[leaf]) continue;
      required_[leaf] = 0;
      bool possible = true;
      for (const LeafRange& range : problem_.leaves.ranges_of(leaf)) {
        if (!requires_change(range)) continue;
        ++required_[leaf];
        possible = possible && !stays_[range.variable];
      }
      keep_.leaf[leaf] = possible && required_[leaf] <= left_ ? 1 : 0;
    }
  }

  /// Computes what a condition reaches without a change (base_) and how much each change can add. A
  /// point takes from each tree a leaf that requires only changes the point makes. What this leaf
  /// scores more than the best one that requires none is shared among the changes that it requires,
  /// so each change to a cell adds, in every tree, at most the largest share of the leaves that
  /// require it and hold the cell (gain_at_). base_ plus the gains of a point's changes bounds what
  /// the point reaches, however the shares are chosen. False when that is too little for every
  /// point.
  bool weigh(std::size_t m) {
    const RowCondition& condition = context_.conditions[m];
    const Leaves& leaves = problem_.leaves;
    base_ = 0;
    double size = 0;
    gain_at_.assign(problem_.cost.size(), 0.0);
    best_at_.assign(problem_.cost.size(), 0.0);
    touched_in_.assign(own_.size(), no_tree);
    for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
      double unchanged = -infinity, least = infinity;
      for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
        if (!keep_.leaf[leaf]) continue;
        const double value = score(condition, leaves.rows[t], leaves.values_of(t, leaf));
        least = std::min(least, value);
        if (required_[leaf] == 0) unchanged = std::max(unchanged, value);
      }
      if (least == infinity) return false;
      if (unchanged == -infinity) unchanged = least;
      base_ += unchanged;
      size += std::abs(unchanged);
      add_gains(condition, t, unchanged, importance_[m]);
    }
    sum_up();
    // The thresholds allow for the rounding of sums of leaf values, not for that of differences.
    enough_ = problem_.thresholds[m] - generous * (size + most_gain_);
    return !(base_ + most_gain_ < enough_);
  }

  void add_gains(const RowCondition& condition, std::size_t tree, double unchanged,
                 const std::vector<double>& importance) {
    const Leaves& leaves = problem_.leaves;
    touched_.clear();
    for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
      if (!keep_.leaf[leaf] || required_[leaf] == 0) continue;
      const double more =
          score(condition, leaves.rows[tree], leaves.values_of(tree, leaf)) - unchanged;
      if (!(more > 0)) continue;
      double together = 0;
      for (const LeafRange& range : leaves.ranges_of(leaf)) {
        if (requires_change(range)) together += importance[range.variable];
      }
      for (const LeafRange& range : leaves.ranges_of(leaf)) {
        if (!requires_change(range)) continue;
        const double share = more * (importance[range.variable] / together);
        double* const best = &best_at_[problem_.cell_begin[range.variable]];
        if (touched_in_[range.variable] != tree) touched_.push_back(range.variable);
        touched_in_[range.variable] = static_cast<std::uint32_t>(tree);
        for (std::uint32_t c = range.first; c < range.last; ++c) best[c] = std::max(best[c], share);
      }
    }
    for (const std::uint32_t v : touched_) {
      for (std::uint32_t c = problem_.cell_begin[v]; c < problem_.cell_begin[v + 1]; ++c) {
        gain_at_[c] += best_at_[c];
        best_at_[c] = 0;
      }
    }
  }

  /// Of each variable the most that its change can add, and the most that all changes can.
  void sum_up() {
    gain_.assign(own_.size(), 0.0);
    for (std::size_t v = 0; v < own_.size(); ++v) {
      if (own_[v] == no_cell || stays_[v]) continue;
      for (std::uint32_t c = problem_.cell_begin[v]; c < problem_.cell_begin[v + 1]; ++c) {
        if (keep_.cell[c]) gain_[v] = std::max(gain_[v], gain_at_[c]);
      }
    }
    order_.resize(gain_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return gain_[a] > gain_[b]; });
    most_gain_ = 0;
    for (std::size_t i = 0; i < std::min(left_, order_.size()); ++i) most_gain_ += gain_[order_[i]];
  }

  /// The next shares: less for changes that gain much, because only the largest gains count.
  void share_anew(std::vector<double>& importance) const {
    const double largest = gain_.empty() ? 0 : gain_[order_[0]];
    if (!(largest > 0)) return;
    for (std::size_t v = 0; v < gain_.size(); ++v) {
      const double times = largest / std::max(gain_[v], least_part_of_largest * largest);
      importance[v] = std::min(importance[v] * times * times, most_importance);
    }
  }

  /// A point that changes a variable to a cell reaches at most base_, the gain of that and the
  /// largest gains of the other changes; one that does not change the variable, base_ and the
  /// largest gains of others. Cells for which that is too little are dropped.
  bool keep_affordable() {
    if (left_ == 0) return false;
    bool dropped = false;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t v = order_[i];
      if (own_[v] == no_cell || stays_[v]) continue;
      // The others with the largest gains: the first in the order, without the variable itself.
      const std::size_t last = std::min(left_ - 1, order_.size() - 1);
      const double others = most_gain_ - (i < left_ ? gain_[v] : gain_[order_[last]]);
      bool changes = false;
      for (std::uint32_t c = 0; c < problem_.cell_count(v); ++c) {
        const std::uint32_t at = problem_.cell_begin[v] + c;
        if (c == own_[v] || !keep_.cell[at]) continue;
        if (base_ + others + gain_at_[at] < enough_) {
          keep_.cell[at] = 0;
          dropped = true;
        } else {
          changes = true;
        }
      }
      stays_[v] = changes ? 0 : 1;
      if (i >= left_) continue;
      const double without = others + (left_ < order_.size() ? gain_[order_[left_]] : 0.0);
      if (base_ + without < enough_) {
        keep_.cell[problem_.cell_begin[v] + own_[v]] = 0;
        dropped = true;
      }
    }
    return dropped;
  }

  const Context& context_;
  const Problem& problem_;
  Selection& keep_;
  std::size_t most_;
  std::size_t left_ = 0;                 // changes that are possible besides those that are certain
  std::vector<std::uint32_t> own_;       // of a variable: the cell in which it stays unchanged
  std::vector<std::uint8_t> stays_;      // of a variable: proven that no point changes it
  std::vector<std::uint32_t> required_;  // of a leaf: the number of changes that it requires
  /// Of a condition and variable: what part of a leaf's gain its change gets.
  std::vector<std::vector<double>> importance_;
  double base_ = 0, most_gain_ = 0, enough_ = 0;  // of the latest condition, as are the next
  std::vector<double> gain_;                      // of a variable: of its best change
  std::vector<double> gain_at_;                   // of a cell: of the change to it
  std::vector<double> best_at_;                   // of a cell: the same in one tree
  std::vector<std::uint32_t> touched_in_;  // of a variable: the tree that was last seen to test it
  std::vector<std::uint32_t> order_, touched_;
};

}  // namespace

bool limit_changes(const Context& context, const Problem& problem, Selection& keep) {
  if (!context.table.max_changes) return true;
  return ChangeLimit(context, problem, keep, *context.table.max_changes).settle();
}

}  // namespace boxwood::fast
