// Where the splits of all ensembles cut each feature's axis. Between two neighbouring cuts is a
// cell: no split separates two values of one cell. Depends only on the models, not on a query.
#pragma once

#include "base/pace.hpp"

#include <boxwood/ensemble.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace boxwood {

/// The left side is `x < value`, or `x <= value` when inclusive.
struct Cut {
  double value = 0;
  bool inclusive = false;

  auto operator<=>(const Cut&) const = default;
  bool left_of(double x) const { return inclusive ? x <= value : x < value; }
};

/// Sorted and distinct, one list for each feature. -0.0 is stored as 0.0: no comparison separates
/// them.
using Cuts = std::vector<std::vector<Cut>>;

Cuts collect_cuts(std::span<const Ensemble> ensembles, Pace& pace);
Cuts collect_cuts(std::span<const Ensemble> ensembles);

/// The rank of the cell that holds a value as the model reads it: the number of cuts left of it.
inline std::size_t cell_rank(std::span<const Cut> cuts, double value) {
  return static_cast<std::size_t>(
      std::partition_point(cuts.begin(), cuts.end(),
                           [&](const Cut& cut) { return !cut.left_of(value); }) -
      cuts.begin());
}

/// The cuts at which the result of a split changes along its axis, in ascending order. The result
/// alternates from cut to cut.
struct SplitCuts {
  std::vector<Cut> cuts;
  bool left_first = true;  ///< whether values left of the first cut go to the left child
};
void cuts_of(const Tree& tree, const Node& node, SplitCuts& split);

/// The precision in which every ensemble reads a value exactly: float32 if at least one ensemble
/// reads float32. Changed values are numbers of this precision.
Precision common_precision(std::span<const Ensemble> ensembles);

/// The smallest number of this precision that is not left of the cut; may be infinite.
double first_right_of(const Cut& cut, Precision precision);
/// The largest number of this precision that is left of the cut; may be infinite.
double last_left_of(const Cut& cut, Precision precision);

}  // namespace boxwood
