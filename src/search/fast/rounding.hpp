// What the fast engine allows for rounding. These are not tuning parameters: each one is part of
// the argument that a bound holds, and a smaller value would make that argument wrong.
#pragma once

#include <cstddef>

namespace boxwood::fast {

/// The largest relative error of one addition of doubles is half of this.
inline constexpr double unit_in_last_place = 0x1p-52;

/// Sums of `terms` costs that are not negative, in any two orders, differ by less than this factor.
/// To first order a sum is within terms * 2^-53 of the exact one; the factor 4 covers two sums and
/// leaves a margin of two.
inline double within_any_order(std::size_t terms) {
  return 1 + 4 * (static_cast<double>(terms) + 2) * (unit_in_last_place / 2);
}

/// Bounds are about exact sums of costs, and total_cost adds with rounding: a bound divided by this
/// bounds total_cost.
inline double cost_rounding(std::size_t terms) {
  return 1 + (static_cast<double>(terms) + 4) * unit_in_last_place;
}

/// A leaf's extra cost is kept up to date along a path of boxes. What was taken off it has become
/// part of the box's cost, which is at most the radius, and what is left is at most the radius if
/// the leaf stays: no term was larger than twice the radius. With fewer than 2^16 terms and steps
/// the sum strays by less than this part of the radius.
inline constexpr double extra_drift = 0x1p-36;

/// Two sums of the same costs in different orders are closer than this, relatively. Where a cost is
/// this close to the radius, it is added up again in the order of total_cost.
inline constexpr double cost_closeness = 0x1p-30;

/// Covers the rounding of a sum of a few thousand terms and of exp, generously. Used where a bound
/// may be weaker without loss.
inline constexpr double generous = 1e-9;

/// More terms than the dual bound adds besides those that DualBound::certify counts.
inline constexpr double other_terms = 16;

}  // namespace boxwood::fast
