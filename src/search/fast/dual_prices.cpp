// The prices of the dual bound: a line search for each condition.
#include "base/infinity.hpp"
#include "search/fast/dual_bound.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {

/// The bound is concave and piecewise linear in each price. The search brackets the maximum between
/// two tangents; where they meet is the next guess.
void DualBound::search_price(std::size_t condition) {
  const Leaves& leaves = problem_.leaves;
  const Tuning& tuning = context_.tuning;
  const RowCondition& wanted = context_.conditions[condition];
  const double now = price_[condition];
  residual_.resize(leaf_value_.size());
  scores_.resize(leaf_value_.size());
  std::vector<std::uint32_t> trees;
  for (std::uint32_t t = 0; t < leaves.tree_count(); ++t) {
    const Leaves::Rows rows = leaves.rows[t];
    if (rows.count == 1 && !wanted.has_row(rows.first)) continue;
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
    Tangent result{price, price * problem_.thresholds[condition], problem_.thresholds[condition]};
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
    double step = now > 0 ? tuning.price_step * now : 1.0;
    for (std::uint32_t i = 0; i < tuning.price_steps; ++i, step *= tuning.price_growth) {
      high = tangent(now + step);
      if (high.value > best.value) best = high;
      if (high.slope <= 0) break;
      low = high;
    }
  } else if (here.slope < 0 && now > 0) {
    double step = tuning.price_step * now;
    for (std::uint32_t i = 0; i < tuning.price_steps; ++i, step *= tuning.price_growth) {
      low = tangent(std::max(0.0, now - step));
      if (low.value > best.value) best = low;
      if (low.slope >= 0 || low.at == 0) break;
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
  if (best.at == now || !(best.value > here.value)) return;
  price_[condition] = best.at;
  for (const std::uint32_t t : trees) {
    for (std::uint32_t leaf = leaves.tree_begin[t]; leaf < leaves.tree_begin[t + 1]; ++leaf) {
      const double more = (best.at - now) * scores_[leaf];
      reward_[leaf] += more;
      leaf_value_[leaf] -= more;
    }
  }
}

}  // namespace boxwood::fast
