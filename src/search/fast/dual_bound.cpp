#include "search/fast/dual_bound.hpp"

#include "base/infinity.hpp"
#include "search/fast/simd.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace boxwood::fast {

DualBound::DualBound(const Context& context, const Problem& problem)
    : context_(context), problem_(problem), price_(context.conditions.size(), 0.0) {
  build_slots();
  share_.assign(cut_.size(), 0.0);
  least_.assign(slots_.size(), 0.0);
  extra_.assign(problem.testers.list.size(), 0.0);
  leaf_value_.assign(problem.leaf_count(), 0.0);
  reward_.assign(problem.leaf_count(), 0.0);
  rewarded_.assign(problem.leaves.tree_count(), 0);
  favourite_ = problem.nearest;
  push_factor_ = context.tuning.push_factor;
  keep_price_ = context.conditions.size() == 1 && context.reach() == 0;
  if (keep_price_) {
    price_.front() = 1;
    set_rewards();
    refresh();
  }
}

void DualBound::build_slots() {
  const Leaves& leaves = problem_.leaves;
  tree_of_ = leaves.trees();
  coarse_range_.resize(problem_.testers.list.size());
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    slots_begin_.push_back(static_cast<std::uint32_t>(slots_.size()));
    const std::uint32_t cells = problem_.cell_count(v);
    const std::uint32_t end = problem_.testers.begin[v + 1];
    for (std::uint32_t i = problem_.testers.begin[v]; i < end;) {
      Slot slot;
      slot.tree = tree_of_[problem_.testers.list[i].leaf];
      slot.tester_begin = i;
      slot.free_begin = static_cast<std::uint32_t>(free_.size());
      std::uint32_t leaf = leaves.tree_begin[slot.tree];
      cuts.assign(1, 0);
      for (; i < end && tree_of_[problem_.testers.list[i].leaf] == slot.tree; ++i) {
        const Testers::Tester& tester = problem_.testers.list[i];
        for (; leaf < tester.leaf; ++leaf) free_.push_back(leaf);
        leaf = tester.leaf + 1;
        cuts.push_back(tester.first);
        if (tester.last < cells) cuts.push_back(tester.last);
      }
      for (; leaf < leaves.tree_begin[slot.tree + 1]; ++leaf) free_.push_back(leaf);
      slot.tester_end = i;
      slot.free_end = static_cast<std::uint32_t>(free_.size());
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      slot.coarse_begin = static_cast<std::uint32_t>(cut_.size());
      cut_.insert(cut_.end(), cuts.begin(), cuts.end());
      slot.coarse_end = static_cast<std::uint32_t>(cut_.size());
      for (std::uint32_t j = slot.tester_begin; j < slot.tester_end; ++j) {
        const Testers::Tester& tester = problem_.testers.list[j];
        const auto at = [&](std::uint32_t cell) {
          return static_cast<std::uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), cell) -
                                            cuts.begin());
        };
        coarse_range_[j] = {at(tester.first), at(tester.last)};
      }
      slots_.push_back(slot);
    }
  }
  slots_begin_.push_back(static_cast<std::uint32_t>(slots_.size()));
}

/// Merged cells take the least share of those they cover, in every copy: no sum can exceed the cost
/// of any of them.
void DualBound::inherit(const DualBound& from, const Origin& origin) {
  price_ = from.price_;
  push_factor_ = from.push_factor_;
  shares_for_rewarded_ =
      std::any_of(price_.begin(), price_.end(), [](double price) { return price > 0; });
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    const std::uint32_t old_variable = origin.variable[v];
    const std::uint32_t cells = problem_.cell_count(v);
    const CellRange* covers = &origin.cells[problem_.cell_begin[v]];
    std::uint32_t old = from.slots_begin_[old_variable];
    for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
      while (from.slots_[old].tree != origin.tree[slots_[s].tree]) ++old;
      const Slot& source = from.slots_[old];
      std::uint32_t k = source.coarse_begin;
      for (std::uint32_t c = slots_[s].coarse_begin; c < slots_[s].coarse_end; ++c) {
        const std::uint32_t first = covers[cut_[c]].first;
        const std::uint32_t last = covers[coarse_last(slots_[s], c, cells) - 1].last;
        while (k + 1 < source.coarse_end && from.cut_[k + 1] <= first) ++k;
        double share = from.share_[k];
        for (std::uint32_t next = k + 1; next < source.coarse_end && from.cut_[next] < last;
             ++next) {
          share = std::min(share, from.share_[next]);
        }
        share_[c] = share;
      }
    }
  }
  set_rewards();
  refresh();
}

void DualBound::set_rewards() {
  std::vector<double> weights(context_.table.row_count, 0.0);
  for (std::size_t m = 0; m < price_.size(); ++m) {
    context_.conditions[m].each_row(
        [&](std::uint32_t row, double weight) { weights[row] += price_[m] * weight; });
  }
  const Leaves& leaves = problem_.leaves;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = &leaves.values[leaves.values_begin[t]];
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      double reward = 0;
      for (std::uint32_t r = 0; r < rows.count; ++r) reward += weights[rows.first + r] * *values++;
      reward_[leaf] = reward;
    }
    note_rewarded(static_cast<std::uint32_t>(t));
  }
}

void DualBound::note_rewarded(std::uint32_t tree) {
  const Leaves& leaves = problem_.leaves;
  const auto rewarded = [](double reward) { return reward != 0; };
  rewarded_[tree] = std::any_of(reward_.begin() + leaves.tree_begin[tree],
                                reward_.begin() + leaves.tree_begin[tree + 1], rewarded)
                        ? 1
                        : 0;
}

void DualBound::take_back_shares(std::size_t slot) {
  const Slot& from = slots_[slot];
  least_[slot] = 0;
  std::fill(share_.begin() + from.coarse_begin, share_.begin() + from.coarse_end, 0.0);
  for (std::uint32_t i = from.tester_begin; i < from.tester_end; ++i) {
    leaf_value_[problem_.testers.list[i].leaf] -= extra_[i];
    extra_[i] = 0;
  }
}

/// Computes everything that follows from shares and prices.
void DualBound::refresh() {
  for (std::size_t leaf = 0; leaf < leaf_value_.size(); ++leaf) leaf_value_[leaf] = -reward_[leaf];
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    least_[s] =
        *std::min_element(share_.begin() + slot.coarse_begin, share_.begin() + slot.coarse_end);
    for (std::uint32_t i = slot.tester_begin; i < slot.tester_end; ++i) {
      extra_[i] = least_share(slot, i) - least_[s];
      leaf_value_[problem_.testers.list[i].leaf] += extra_[i];
    }
  }
}

/// For each coarse cell, the value of the tree's cheapest leaf if the variable takes that cell,
/// without the cell's own share. It is finite, because every cell of a problem lies in some leaf of
/// every tree.
void DualBound::forced_values(const Slot& slot, double* out) const {
  double least = infinity;
  for (std::uint32_t i = slot.free_begin; i < slot.free_end; ++i) {
    least = std::min(least, leaf_value_[free_[i]]);
  }
  const std::uint32_t count = slot.coarse_end - slot.coarse_begin;
  for (std::uint32_t k = 0; k < count; ++k) out[k] = least;
  for (std::uint32_t i = slot.tester_begin; i < slot.tester_end; ++i) {
    const double value = leaf_value_[problem_.testers.list[i].leaf] - extra_[i];
    for (std::uint32_t k = coarse_range_[i].first; k < coarse_range_[i].last; ++k) {
      out[k] = std::min(out[k], value);
    }
  }
}

void DualBound::make_minima(std::span<const double> totals) {
  const std::size_t count = totals.size();
  const auto levels = static_cast<std::size_t>(std::bit_width(count));
  minima_stride_ = count;
  if (minima_.size() < count * levels) minima_.resize(count * levels);
  std::copy(totals.begin(), totals.end(), minima_.begin());
  for (std::size_t level = 1, width = 1; level < levels; ++level, width *= 2) {
    const double* below = &minima_[(level - 1) * count];
    double* row = &minima_[level * count];
    take_minima(below, below + width, count - 2 * width + 1, row);
  }
}

double DualBound::minimum(std::uint32_t first, std::uint32_t last) const {
  const auto level = static_cast<std::size_t>(std::bit_width(last - first) - 1);
  const double* row = &minima_[level * minima_stride_];
  return std::min(row[first], row[last - (std::uint32_t{1} << level)]);
}

/// Block ascent: given all other shares, the best shares of this variable's costs. If a cell is
/// taken, all trees together pay at least its total. Equal shares of every total make the trees'
/// minima add up to the least total, which no other shares can exceed. A tree without rewards, such
/// as that of a rival whose price is 0, does not care which leaf it takes: others get its shares.
void DualBound::ascend_variable(std::uint32_t variable) {
  const std::uint32_t cells = problem_.cell_count(variable);
  const std::uint32_t begin = slots_begin_[variable];
  const std::uint32_t end = slots_begin_[variable + 1];
  const std::uint32_t base = slots_[begin].coarse_begin;
  forced_.resize(slots_[end - 1].coarse_end - base);
  change_.assign(cells + 1, 0.0);
  std::uint32_t takers = 0;
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
    if (shares_for_rewarded_ && !rewarded_[slot.tree]) {
      take_back_shares(s);
      continue;
    }
    ++takers;
    double* forced = &forced_[slot.coarse_begin - base];
    forced_values(slot, forced);
    double before = 0;
    for (std::uint32_t k = slot.coarse_begin; k < slot.coarse_end; ++k) {
      const double value = forced[k - slot.coarse_begin];
      change_[cut_[k]] += value - before;
      before = value;
    }
  }
  totals_.resize(cells);
  const double* cost = &problem_.cost[problem_.cell_begin[variable]];
  double run = 0;
  double least_total = infinity;
  for (std::uint32_t c = 0; c < cells; ++c) {
    run += change_[c];
    totals_[c] = cost[c] + run;
    if (totals_[c] < least_total) {
      least_total = totals_[c];
      favourite_[variable] = c;
    }
  }
  if (takers == 0) return;
  make_minima(totals_);
  const double part = 1.0 / static_cast<double>(takers);
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
    if (shares_for_rewarded_ && !rewarded_[slot.tree]) continue;
    const double* forced = &forced_[slot.coarse_begin - base];
    double* shares = &share_[slot.coarse_begin];
    double least = infinity;
    const std::uint32_t count = slot.coarse_end - slot.coarse_begin;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t first = cut_[slot.coarse_begin + k];
      const std::uint32_t last = coarse_last(slot, slot.coarse_begin + k, cells);
      shares[k] = part * minimum(first, last) - forced[k];
      least = std::min(least, shares[k]);
    }
    least_[s] = least;
    for (std::uint32_t i = slot.tester_begin; i < slot.tester_end; ++i) {
      const double share = least_share(slot, i);
      leaf_value_[problem_.testers.list[i].leaf] += share - least - extra_[i];
      extra_[i] = share - least;
    }
  }
}

double DualBound::value() const {
  const Leaves& leaves = problem_.leaves;
  double sum = problem_.fixed_cost;
  for (std::size_t m = 0; m < price_.size(); ++m) sum += price_[m] * problem_.thresholds[m];
  for (const double least : least_) sum += least;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    double least = infinity;
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      least = std::min(least, leaf_value_[leaf]);
    }
    sum += least;
  }
  return sum;
}

double DualBound::ascend() {
  // Any shares give a bound, also those of a round that a limit ended.
  if (ascend_shares() && !keep_price_) search_prices();
  return value();
}

/// False if a limit ended the round.
bool DualBound::ascend_shares() {
  context_.watch.count_leaves(problem_.leaf_count());
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    if (slots_begin_[v] < slots_begin_[v + 1]) ascend_variable(v);
    if (context_.watch.expired()) return false;
  }
  return true;
}

std::size_t DualBound::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return of(rewarded_) + of(tree_of_) + of(slots_begin_) + of(slots_) + of(free_) + of(cut_) +
         of(coarse_range_) + of(share_) + of(least_) + of(extra_) + of(leaf_value_) + of(reward_) +
         of(favourite_) + of(forced_) + of(totals_) + of(change_) + of(residual_) + of(scores_) +
         of(minima_);
}

void DualBound::drop_scratch() {
  for (std::vector<double>* list : {&forced_, &totals_, &change_, &residual_, &scores_, &minima_}) {
    std::vector<double>().swap(*list);
  }
}

}  // namespace boxwood::fast
