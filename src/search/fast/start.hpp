// First points: how far to look, a greedy start from the query's point, better points around the
// best one.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/local_search.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::fast {

/// Chooses radii by the number of leaves within them: costs may lie close together or differ by
/// powers of ten, but the work depends on the number of leaves.
class Outlook {
 public:
  /// Throws Pace::Stopped at a limit.
  explicit Outlook(Context& context);

  /// A first guess of the radius: within much less, the leaves' values cannot meet the conditions.
  /// Infinite when no guess can be made.
  double least() const { return least_; }
  /// A radius larger than `radius` that lets in about `factor` times as many leaves. Infinite when
  /// that is all of them.
  double wider(double radius, double factor) const;

 private:
  static double least_among(Context& context, std::span<const double> radii);

  std::vector<double> costs_;  // of a sample of the leaves, ascending
  double least_ = 0;
};

/// Offers the nearest example that has the outcome. Where an example has an inadmissible value, the
/// query's own value is used.
void start_from_examples(const Context& context, std::span<const std::vector<double>> examples);

/// Greedy repair from the problem's nearest point.
void start_from_home(const Context& context, const Problem& problem);

/// For Context::any_will_do: looks for the point within reach() that has the most of the first
/// condition, while all others are met, and offers it. So a search for more than the best known
/// level of an output rises by large steps.
void reach_high(const Context& context, const Problem& problem);

/// Resets some variables of the best point and repairs it; gives up after `patience` unsuccessful
/// attempts in a row.
void improve(const Context& context, const Problem& problem, std::uint32_t patience,
             std::uint32_t seed);

/// Repairs the point of these cells of the problem and pulls it back.
void improve_from(const Context& context, const Problem& problem,
                  std::span<const std::uint32_t> cells);

}  // namespace boxwood::fast
