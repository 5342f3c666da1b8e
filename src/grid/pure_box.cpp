// The region around an answer, found from the paths that the point takes through the trees.
#include "grid/cuts.hpp"
#include "grid/grid.hpp"
#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// Calls see(tree, node, x, left) for every split that a point passes, in all trees.
template <typename See>
void each_split(std::span<const Ensemble> ensembles, std::span<const double> point, See see) {
  std::vector<double> read(point.size());
  for (const Ensemble& ensemble : ensembles) {
    for (std::size_t d = 0; d < point.size(); ++d) read[d] = as_read(point[d], ensemble.input);
    for (const Tree& tree : ensemble.trees) {
      std::int32_t at = 0;
      for (;;) {
        const Node& node = tree.nodes[static_cast<std::size_t>(at)];
        if (node.kind == NodeKind::leaf) break;
        const double x = read[static_cast<std::size_t>(node.feature)];
        const bool left = takes_left(tree, node, x);
        see(tree, node, x, left);
        at = left ? node.left : node.right;
      }
    }
  }
}

}  // namespace

std::vector<Interval> pure_box(std::span<const Ensemble> ensembles, std::span<const double> point) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<Interval> box(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    // A missing value has no interval. Infinite ends are excluded: no answer is infinite.
    box[d] = std::isnan(point[d]) ? Interval{nothing, nothing, false, false}
                                  : Interval{.lower_closed = false, .upper_closed = false};
  }
  const auto end_below = [](Interval& interval, const Cut& cut) {
    // `x < v` is tighter than `x <= v`.
    if (cut.value < interval.upper || (cut.value == interval.upper && !cut.inclusive)) {
      interval.upper = cut.value;
      interval.upper_closed = cut.inclusive;
    }
  };
  const auto begin_above = [](Interval& interval, const Cut& cut) {
    if (cut.value > interval.lower || (cut.value == interval.lower && cut.inclusive)) {
      interval.lower = cut.value;
      interval.lower_closed = !cut.inclusive;
    }
  };
  SplitCuts split;
  each_split(ensembles, point, [&](const Tree& tree, const Node& node, double x, bool left) {
    if (std::isnan(x)) return;
    Interval& interval = box[static_cast<std::size_t>(node.feature)];
    const bool inclusive = node.kind == NodeKind::less_equal;
    if ((inclusive || node.kind == NodeKind::less) && !node.missing_at_zero) {
      // The common case: a split with one cut, which bounds the branch that was taken.
      const Cut cut{node.threshold + 0.0, inclusive};
      left ? end_below(interval, cut) : begin_above(interval, cut);
      return;
    }
    cuts_of(tree, node, split);
    const auto next = std::partition_point(split.cuts.begin(), split.cuts.end(),
                                           [&](const Cut& cut) { return !cut.left_of(x); });
    if (next != split.cuts.end()) end_below(interval, *next);
    if (next != split.cuts.begin()) begin_above(interval, *(next - 1));
  });
  return box;
}

std::vector<std::vector<std::int32_t>> pure_codes(std::span<const Ensemble> ensembles,
                                                  std::span<const double> point) {
  std::vector<std::vector<std::int32_t>> codes(point.size());
  bool any = false;
  for (std::size_t d = 0; d < point.size(); ++d) {
    for (const Ensemble& ensemble : ensembles) {
      if (!codes[d].empty() || std::isnan(point[d])) continue;
      for (const Category& category : ensemble.features[d].categories) {
        codes[d].push_back(category.code);
      }
      any |= !codes[d].empty();
    }
  }
  if (!any) return codes;
  each_split(ensembles, point, [&](const Tree& tree, const Node& node, double, bool left) {
    std::erase_if(codes[static_cast<std::size_t>(node.feature)], [&](std::int32_t code) {
      return goes_left(tree, node, static_cast<double>(code)) != left;
    });
  });
  return codes;
}

Solution solution_at(std::span<const Ensemble> ensembles, const std::vector<double>& point) {
  return {point, pure_box(ensembles, point), pure_codes(ensembles, point)};
}

}  // namespace boxwood
