#include "search/fast/split.hpp"

#include "base/infinity.hpp"
#include "search/fast/simd.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace boxwood::fast {
namespace {}  // namespace

Split::Split(const Context& context, const Problem& problem)
    : context_(context), problem_(problem), price_(context.demands.size(), 0.0) {
  build_slots();
  share_.assign(cut_.size(), 0.0);
  least_.assign(slots_.size(), 0.0);
  extra_.assign(problem.testers.list.size(), 0.0);
  leaf_value_.assign(problem.leaf_count(), 0.0);
  reward_.assign(problem.leaf_count(), 0.0);
  favourite_ = problem.nearest;
}

void Split::build_slots() {
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
void Split::inherit(const Split& from, const Origin& origin) {
  price_ = from.price_;
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

void Split::set_rewards() {
  std::vector<double> weights(context_.model.row_count, 0.0);
  for (std::size_t m = 0; m < price_.size(); ++m) {
    const Demand& demand = context_.demands[m];
    weights[demand.plus] += price_[m] * demand.sign;
    if (demand.minus != Demand::none) weights[demand.minus] -= price_[m];
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
  }
}

/// Everything that follows from shares and prices, afresh.
void Split::refresh() {
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

/// Of each coarse cell: the tree's cheapest leaf if the variable is there, its own share left out.
/// Finite, because every cell of a problem lies in some leaf of every tree.
void Split::forced_values(const Slot& slot, double* out) const {
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

void Split::make_minima(std::span<const double> totals) {
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

double Split::minimum(std::uint32_t first, std::uint32_t last) const {
  const auto level = static_cast<std::size_t>(std::bit_width(last - first) - 1);
  const double* row = &minima_[level * minima_stride_];
  return std::min(row[first], row[last - (std::uint32_t{1} << level)]);
}

/// Block ascent: given all other shares, the best split of this variable's costs. If a cell is
/// taken, all trees together pay at least its total; sharing every total equally makes the trees'
/// minima add up to the least total, which no split can exceed.
void Split::ascend_variable(std::uint32_t variable) {
  const std::uint32_t cells = problem_.cell_count(variable);
  const std::uint32_t begin = slots_begin_[variable];
  const std::uint32_t end = slots_begin_[variable + 1];
  const std::uint32_t base = slots_[begin].coarse_begin;
  forced_.resize(slots_[end - 1].coarse_end - base);
  change_.assign(cells + 1, 0.0);
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
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
  make_minima(totals_);
  const double part = 1.0 / static_cast<double>(end - begin);
  for (std::uint32_t s = begin; s < end; ++s) {
    const Slot& slot = slots_[s];
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

double Split::value() const {
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

/// The bound is concave and piecewise linear in a price; where two of its tangents meet is the next
/// guess, until the slope changes sign within little.
void Split::search_price(std::size_t demand) {
  const Leaves& leaves = problem_.leaves;
  const Demand& wanted = context_.demands[demand];
  const double now = price_[demand];
  residual_.resize(leaf_value_.size());
  scores_.resize(leaf_value_.size());
  std::vector<std::uint32_t> trees;
  for (std::uint32_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count == 1 && rows.first != wanted.plus && rows.first != wanted.minus) continue;
    trees.push_back(t);
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      scores_[leaf] = score(wanted, rows, leaves.values_of(t, leaf));
      residual_[leaf] = leaf_value_[leaf] + now * scores_[leaf];
    }
  }
  struct Tangent {
    double at, value, slope;
  };
  const auto tangent = [&](double price) {
    Tangent result{price, price * problem_.thresholds[demand], problem_.thresholds[demand]};
    for (const std::uint32_t t : trees) {
      double least = infinity;
      double chosen = 0;
      for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
        const double value = residual_[leaf] - price * scores_[leaf];
        if (value < least) {
          least = value;
          chosen = scores_[leaf];
        }
      }
      result.value += least;
      result.slope -= chosen;
    }
    return result;
  };
  const Tangent here = tangent(now);
  Tangent best = here;
  Tangent low = here, high = here;  // slopes: low's is positive, high's negative
  if (here.slope > 0) {
    double step = now > 0 ? 0.05 * now : 1.0;
    for (int i = 0; i < 60; ++i, step *= 4) {
      high = tangent(now + step);
      if (high.value > best.value) best = high;
      if (high.slope <= 0) break;
      low = high;
    }
  } else if (here.slope < 0 && now > 0) {
    double step = 0.05 * now;
    for (int i = 0; i < 60; ++i, step *= 4) {
      low = tangent(std::max(0.0, now - step));
      if (low.value > best.value) best = low;
      if (low.slope >= 0 || low.at == 0) break;
      high = low;
    }
  } else {
    return;
  }
  if (low.slope > 0 && high.slope < 0) {
    for (int i = 0; i < 4; ++i) {
      const double at = (high.value - low.value + low.slope * low.at - high.slope * high.at) /
                        (low.slope - high.slope);
      if (!(at > low.at && at < high.at)) break;
      const double expected = low.value + low.slope * (at - low.at);
      const Tangent middle = tangent(at);
      if (middle.value > best.value) best = middle;
      if (expected - middle.value <= 0.1 * (best.value - here.value) || middle.slope == 0) break;
      (middle.slope > 0 ? low : high) = middle;
    }
  }
  if (best.at == now || !(best.value > here.value)) return;
  price_[demand] = best.at;
  for (const std::uint32_t t : trees) {
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      const double more = (best.at - now) * scores_[leaf];
      reward_[leaf] += more;
      leaf_value_[leaf] -= more;
    }
  }
}

double Split::ascend() {
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    if (slots_begin_[v] < slots_begin_[v + 1]) ascend_variable(v);
    if (context_.watch.expired()) return value();  // any split gives a bound
  }
  for (std::size_t m = 0; m < price_.size(); ++m) search_price(m);
  return value();
}

double Split::differences_of(std::size_t variable) const {
  const std::uint32_t begin = slots_begin_[variable], end = slots_begin_[variable + 1];
  return begin < end ? slots_[end - 1].coarse_end - slots_[begin].coarse_begin : 0.0;
}

/// The sum over trees of the largest size of a leaf's reward, its terms taken one by one.
double Split::largest_rewards() const {
  std::vector<double> weights(context_.model.row_count, 0.0);
  for (std::size_t m = 0; m < price_.size(); ++m) {
    const Demand& demand = context_.demands[m];
    weights[demand.plus] += price_[m];
    if (demand.minus != Demand::none) weights[demand.minus] += price_[m];
  }
  const Leaves& leaves = problem_.leaves;
  double sum = 0;
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* values = &leaves.values[leaves.values_begin[t]];
    double most = 0;
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      double reward = 0;
      for (std::uint32_t r = 0; r < rows.count; ++r) {
        reward += weights[rows.first + r] * std::abs(*values++);
      }
      most = std::max(most, reward);
    }
    sum += most;
  }
  return sum;
}

/// Shares are sums of many rounded terms, so they may exceed a cell's cost by a little: what they
/// exceed it by is taken off. So is a bound on the rounding of the sums here: each adds fewer than
/// `terms` numbers whose sizes add up to `size`.
double Split::certify() {
  set_rewards();
  refresh();
  double exceeded = 0;
  double size = problem_.fixed_cost;
  for (std::size_t m = 0; m < price_.size(); ++m) {
    size += price_[m] * std::abs(problem_.thresholds[m]);
  }
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    const std::uint32_t cells = problem_.cell_count(v);
    change_.assign(cells + 1, 0.0);
    double largest = 0;
    for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
      double before = 0;
      double most = 0;
      for (std::uint32_t k = slots_[s].coarse_begin; k < slots_[s].coarse_end; ++k) {
        change_[cut_[k]] += share_[k] - before;
        before = share_[k];
        most = std::max(most, std::abs(share_[k]));
      }
      largest += 2 * most;
    }
    double run = 0;
    double worst = 0;
    const double* cost = &problem_.cost[problem_.cell_begin[v]];
    for (std::uint32_t c = 0; c < cells; ++c) {
      run += change_[c];
      worst = std::max(worst, run - cost[c]);
    }
    // The running sum of differences passes through every coarse cell of the variable's slots.
    exceeded += worst + largest * (static_cast<double>(cells) + differences_of(v)) * 0x1p-52;
    size += 4 * largest;
  }
  double most_differences = 0;
  for (std::size_t v = 0; v < problem_.variable_count(); ++v) {
    most_differences =
        std::max(most_differences, static_cast<double>(problem_.cell_count(v)) + differences_of(v));
  }
  size += largest_rewards();
  const double terms = static_cast<double>(slots_.size() + problem_.leaves.tree_count() +
                                           problem_.variable_count() + price_.size() + 16);
  // The sums that select() makes of a variable's cells have as many terms as those of shares here.
  rounding_ = size * (terms + most_differences) * 0x1p-52;
  const double bound = value() - exceeded - rounding_;
  return std::isfinite(bound) ? bound : 0.0;
}

void Split::select(double bound, double radius, Selection& keep) const {
  const Leaves& leaves = problem_.leaves;
  const double gap = radius - bound + rounding_;
  std::vector<double> least(leaves.tree_count(), infinity);
  for (std::size_t t = 0; t < leaves.tree_count(); ++t) {
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      least[t] = std::min(least[t], leaf_value_[leaf]);
    }
    // A point in this leaf makes the tree pay its value instead of the least one.
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      if (leaf_value_[leaf] - least[t] > gap) keep.leaf[leaf] = 0;
    }
  }
  std::vector<double> change, forced;
  for (std::uint32_t v = 0; v < problem_.variable_count(); ++v) {
    const std::uint32_t cells = problem_.cell_count(v);
    change.assign(cells + 1, 0.0);
    for (std::uint32_t s = slots_begin_[v]; s < slots_begin_[v + 1]; ++s) {
      const Slot& slot = slots_[s];
      forced.resize(slot.coarse_end - slot.coarse_begin);
      forced_values(slot, forced.data());
      double before = 0;
      for (std::uint32_t k = slot.coarse_begin; k < slot.coarse_end; ++k) {
        // What the tree pays beyond its least, its share of the cell left out: that is in the cost.
        const double value = forced[k - slot.coarse_begin] - least[slot.tree] - least_[s];
        change[cut_[k]] += value - before;
        before = value;
      }
    }
    double run = 0;
    const double* cost = &problem_.cost[problem_.cell_begin[v]];
    for (std::uint32_t c = 0; c < cells; ++c) {
      run += change[c];
      if (cost[c] + run > gap) keep.cell[problem_.cell_begin[v] + c] = 0;
    }
  }
}

std::size_t Split::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  return of(tree_of_) + of(slots_begin_) + of(slots_) + of(free_) + of(cut_) + of(coarse_range_) +
         of(share_) + of(least_) + of(extra_) + of(leaf_value_) + of(reward_) + of(favourite_) +
         of(forced_) + of(totals_) + of(change_) + of(residual_) + of(scores_) + of(minima_);
}

void Split::drop_scratch() {
  for (std::vector<double>* list : {&forced_, &totals_, &change_, &residual_, &scores_, &minima_}) {
    std::vector<double>().swap(*list);
  }
}

}  // namespace boxwood::fast
