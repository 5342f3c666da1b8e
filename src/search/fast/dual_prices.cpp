// The prices of the dual bound: line searches for each condition and for each pair of rivals, and
// pushes of all prices.
#include "base/infinity.hpp"
#include "search/fast/dual_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {

/// Changes the prices along a direction. The bound is concave and piecewise linear in the step. The
/// search brackets the maximum between two tangents; where they meet is the next guess.
void DualBound::search_along(std::span<const double> direction, double first_step) {
  const Leaves& leaves = problem_.leaves;
  const Tuning& tuning = context_.tuning;
  std::vector<double> weights(context_.table.row_count, 0.0);
  double threshold = 0, least_step = -infinity, most_step = infinity;
  for (std::size_t m = 0; m < price_.size(); ++m) {
    if (direction[m] == 0) continue;
    threshold += direction[m] * problem_.thresholds[m];
    // No price falls below 0.
    if (direction[m] > 0) least_step = std::max(least_step, -price_[m] / direction[m]);
    if (direction[m] < 0) most_step = std::min(most_step, -price_[m] / direction[m]);
    context_.conditions[m].each_row(
        [&](std::uint32_t row, double weight) { weights[row] += direction[m] * weight; });
  }
  scores_.resize(leaf_value_.size());
  std::vector<std::uint32_t> trees;
  for (std::uint32_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    const double* of_tree = &weights[rows.first];
    if (std::all_of(of_tree, of_tree + rows.count, [](double weight) { return weight == 0; })) {
      continue;
    }
    trees.push_back(t);
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      const double* values = leaves.values_of(t, leaf);
      scores_[leaf] = std::inner_product(values, values + rows.count, of_tree, 0.0);
    }
  }
  struct Tangent {
    double at, value, slope;
  };
  const auto tangent = [&](double step) {
    Tangent result{step, step * threshold, threshold};
    for (const std::uint32_t t : trees) {
      double least = infinity;
      double chosen = 0;
      for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
        const double value = leaf_value_[leaf] - step * scores_[leaf];
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
  const Tangent here = tangent(0);
  Tangent best = here;
  Tangent low = here, high = here;  // slopes: low's is positive, high's negative
  double step = first_step;
  if (here.slope > 0 && most_step > 0) {
    for (std::uint32_t i = 0; i < tuning.price_steps; ++i, step *= tuning.price_growth) {
      high = tangent(std::min(step, most_step));
      if (high.value > best.value) best = high;
      if (high.slope <= 0 || high.at == most_step) break;
      low = high;
    }
  } else if (here.slope < 0 && least_step < 0) {
    for (std::uint32_t i = 0; i < tuning.price_steps; ++i, step *= tuning.price_growth) {
      low = tangent(std::max(least_step, -step));
      if (low.value > best.value) best = low;
      if (low.slope >= 0 || low.at == least_step) break;
      high = low;
    }
  } else {
    return;
  }
  if (low.slope > 0 && high.slope < 0) {
    for (std::uint32_t i = 0; i < tuning.price_refinements; ++i) {
      const double at = (high.value - low.value + low.slope * low.at - high.slope * high.at) /
                        (low.slope - high.slope);
      if (!(at > low.at && at < high.at)) break;
      const double expected = low.value + low.slope * (at - low.at);
      const Tangent middle = tangent(at);
      if (middle.value > best.value) best = middle;
      const double left = expected - middle.value;
      if (left <= tuning.price_tolerance * (best.value - here.value) || middle.slope == 0) break;
      (middle.slope > 0 ? low : high) = middle;
    }
  }
  if (best.at == 0 || !(best.value > here.value)) return;
  for (std::size_t m = 0; m < price_.size(); ++m) {
    price_[m] = std::max(0.0, price_[m] + best.at * direction[m]);
  }
  for (const std::uint32_t t : trees) {
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      const double more = best.at * scores_[leaf];
      reward_[leaf] += more;
      leaf_value_[leaf] -= more;
    }
    note_rewarded(t);
  }
}

/// Each price alone, then each pair of rivals: the bound has edges along which it rises only if one
/// price falls while another rises.
void DualBound::search_prices() {
  const std::size_t count = price_.size();
  const double share = context_.tuning.price_step;
  std::vector<double> direction(count, 0.0);
  for (std::size_t m = 0; m < count; ++m) {
    direction[m] = 1;
    search_along(direction, price_[m] > 0 ? share * price_[m] : 1.0);
    direction[m] = 0;
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool rivals = context_.conditions[a].plus == context_.conditions[b].plus;
      if (!rivals || !(price_[a] > 0) || !(price_[b] > 0)) continue;
      direction[a] = -1;
      direction[b] = 1;
      search_along(direction, share * price_[a]);
      direction[a] = direction[b] = 0;
    }
  }
}

/// Lets the shares follow new prices. False as soon as the bound seems to stay below `before`: each
/// round gains less than the one before it, in general.
bool DualBound::follow_prices(double before, std::uint32_t& rounds) {
  const std::uint32_t most = context_.tuning.push_rounds;
  double last = -infinity;
  for (std::uint32_t round = 1; round <= most; ++round) {
    ++rounds;
    if (!ascend_shares()) return false;
    const double now = value();
    if (now + (most - round) * (now - last) <= before) return false;
    last = now;
  }
  return last > before;
}

/// With shares that suit low prices, a higher price only lowers the bound, so a search for the
/// price alone ends far below the best one. Here all prices are raised together, and the shares get
/// rounds to follow before the bounds are compared. Any shares and any prices that are not negative
/// give a bound, so this changes only how high it is.
DualBound::Push DualBound::push_prices() {
  Push push;
  if (keep_price_) return push;
  const double before = value();
  const std::vector<double> shares = share_, prices = price_;
  for (double& price : price_) price *= push_factor_;
  set_rewards();
  refresh();
  push.higher = follow_prices(before, push.rounds);
  const double most = context_.tuning.push_factor, least = context_.tuning.push_least_factor;
  if (push.higher) {
    push_factor_ = std::min(most, push_factor_ * push_factor_);
    return push;
  }
  push_factor_ = std::max(least, std::sqrt(push_factor_));
  share_ = shares;
  price_ = prices;
  set_rewards();
  refresh();
  return push;
}

}  // namespace boxwood::fast
