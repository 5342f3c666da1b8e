// The region around an answer, read off the paths that the point takes through the trees.
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"

#include <cmath>
#include <limits>

namespace boxwood {

std::vector<Interval> pure_box(std::span<const Ensemble> ensembles, std::span<const double> point) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<Interval> box(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    // A missing value is no interval. The ends of everything are out: no answer is infinite.
    box[d] = std::isnan(point[d]) ? Interval{nothing, nothing, false, false}
                                  : Interval{.lower_closed = false, .upper_closed = false};
  }
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      std::int32_t at = 0;
      for (;;) {
        const Node& node = tree.nodes[static_cast<std::size_t>(at)];
        if (node.kind == NodeKind::leaf) break;
        const auto d = static_cast<std::size_t>(node.feature);
        const double x = as_read(point[d], ensemble.input);
        const Cut cut = cut_of(node);
        const bool left = std::isnan(x) ? node.missing_left : cut.left_of(x);
        at = left ? node.left : node.right;
        if (std::isnan(x)) continue;
        Interval& side = box[d];
        if (left) {
          // `x < v` is tighter than `x <= v`.
          if (cut.value < side.upper || (cut.value == side.upper && !cut.inclusive)) {
            side.upper = cut.value;
            side.upper_closed = cut.inclusive;
          }
        } else if (cut.value > side.lower || (cut.value == side.lower && cut.inclusive)) {
          side.lower = cut.value;
          side.lower_closed = !cut.inclusive;
        }
      }
    }
  }
  return box;
}

}  // namespace boxwood
