// First points: how far to look, greedy from the query's point, then better ones around the best.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/local_search.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::fast {

/// How far to look, told by how many leaves that lets in: costs may lie close together or powers of
/// ten apart, but the work follows the leaves.
class Outlook {
 public:
  explicit Outlook(const Context& context);

  /// A first guess at how far the search must reach: within less or so the leaves' values cannot
  /// meet the demands. Infinite when no guess can be made.
  double least() const { return least_; }
  /// Farther than `radius`: where about `factor` times as many leaves are near. Infinite when that
  /// is all of them.
  double wider(double radius, double factor) const;

 private:
  std::vector<double> costs_;  // of a sample of the leaves, ascending
  double least_ = 0;
};

/// Offers the nearest of the examples that has the outcome. What an example has that is not
/// admitted stays as it is in the query's point.
void start_from_examples(const Context& context, std::span<const std::vector<double>> examples);

/// Greedy repair from the problem's nearest point.
void start_from_home(const Context& context, const Problem& problem);

/// Destroys parts of the best point and repairs them; gives up after `patience` tries in vain.
void improve(const Context& context, const Problem& problem, int patience, std::uint32_t seed);

/// Repairs and pulls back the point of these cells of the problem.
void improve_from(const Context& context, const Problem& problem,
                  std::span<const std::uint32_t> cells);

}  // namespace boxwood::fast
