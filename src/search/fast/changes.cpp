#include "search/fast/changes.hpp"
#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {
namespace {

constexpr std::uint32_t no_cell = ~std::uint32_t{0};

class ChangeLimit {
 public:
  ChangeLimit(const Context& context, const Problem& problem, Selection& keep, std::size_t most)
      : context_(context),
        problem_(problem),
        keep_(keep),
        most_(most),
        own_(problem.variable_count(), no_cell),
        stays_(problem.variable_count(), 0),
        required_(problem.leaf_count(), 0) {}

  bool settle() {
    if (!count_changed()) return false;
    // Each round leaves fewer leaves for the next one; the first drops most of what can be dropped.
    for (std::uint32_t round = 0; round < context_.tuning.change_rounds; ++round) {
      drop_leaves();
      bool dropped = false;
      for (std::size_t m = 0; m < context_.conditions.size(); ++m) {
        if (!weigh(m)) return false;
        dropped |= keep_affordable();
      }
      if (!dropped) break;
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

  /// Computes what a condition reaches without a change (base_) and how much the change of each
  /// variable can add (gain_): in every tree, the best leaf that requires this change. A point
  /// takes from each tree a leaf that requires only changes the point makes, and such a leaf gains
  /// no more than the best leaf for any one of its changes. So base_ plus the gains of a point's
  /// changes bounds what the point reaches. False when that is too little for every point.
  bool weigh(std::size_t m) {
    const RowCondition& condition = context_.conditions[m];
    const Leaves& leaves = problem_.leaves;
    base_ = 0;
    double size = 0;
    gain_.assign(own_.size(), 0.0);
    best_.assign(own_.size(), 0.0);
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
      add_gains(condition, t, unchanged);
    }
    order_.resize(gain_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return gain_[a] > gain_[b]; });
    most_gain_ = 0;
    for (std::size_t i = 0; i < std::min(left_, order_.size()); ++i) most_gain_ += gain_[order_[i]];
    // The thresholds allow for the rounding of sums of leaf values, not for that of differences.
    enough_ = problem_.thresholds[m] - generous * (size + most_gain_);
    return !(base_ + most_gain_ < enough_);
  }

  void add_gains(const RowCondition& condition, std::size_t tree, double unchanged) {
    const Leaves& leaves = problem_.leaves;
    touched_.clear();
    for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
      if (!keep_.leaf[leaf] || required_[leaf] == 0) continue;
      const double more =
          score(condition, leaves.rows[tree], leaves.values_of(tree, leaf)) - unchanged;
      if (!(more > 0)) continue;
      for (const LeafRange& range : leaves.ranges_of(leaf)) {
        if (!requires_change(range)) continue;
        if (best_[range.variable] == 0) touched_.push_back(range.variable);
        best_[range.variable] = std::max(best_[range.variable], more);
      }
    }
    for (const std::uint32_t v : touched_) {
      gain_[v] += best_[v];
      best_[v] = 0;
    }
  }

  /// A point that changes a variable reaches at most base_, that variable's gain and the largest
  /// gains of the other changes. Where that is too little, the variable stays unchanged.
  bool keep_affordable() {
    const std::size_t others = left_ > 0 ? std::min(left_ - 1, order_.size()) : 0;
    double most_of_others = 0;
    for (std::size_t i = 0; i < others; ++i) most_of_others += gain_[order_[i]];
    bool dropped = false;
    for (std::size_t i = others; i < order_.size(); ++i) {
      const std::uint32_t v = order_[i];
      if (own_[v] == no_cell || stays_[v]) continue;
      if (left_ > 0 && !(base_ + most_of_others + gain_[v] < enough_)) continue;
      stays_[v] = 1;
      dropped = true;
      for (std::uint32_t c = 0; c < problem_.cell_count(v); ++c) {
        if (c != own_[v]) keep_.cell[problem_.cell_begin[v] + c] = 0;
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
  double base_ = 0, most_gain_ = 0, enough_ = 0;  // of the latest condition, as are the next
  std::vector<double> gain_, best_;
  std::vector<std::uint32_t> order_, touched_;
};

}  // namespace

bool limit_changes(const Context& context, const Problem& problem, Selection& keep) {
  if (!context.table.max_changes) return true;
  return ChangeLimit(context, problem, keep, *context.table.max_changes).settle();
}

}  // namespace boxwood::fast
