#include "grid/cuts.hpp"
#include "base/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

double next_up(double value, Precision precision) {
  if (precision == Precision::float64) return std::nextafter(value, infinity);
  return static_cast<double>(
      std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity()));
}

double next_down(double value, Precision precision) { return -next_up(-value, precision); }

/// The smallest number of this precision that is at least `value`.
double round_up(double value, Precision precision) {
  if (precision == Precision::float64) return value;
  const auto rounded = static_cast<double>(static_cast<float>(value));
  return rounded < value ? next_up(rounded, precision) : rounded;
}

/// Sorts in parts that are merged, so that a limit can stop it between them.
void sort_cuts(std::vector<Cut>& list, Pace& pace) {
  constexpr std::size_t part = std::size_t{1} << 14;
  const auto at = [&](std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(std::min(i, list.size()));
  };
  for (std::size_t i = 0; i < list.size(); i += part) {
    pace.work(part);
    std::sort(at(i), at(i + part));
  }
  for (std::size_t size = part; size < list.size(); size *= 2) {
    for (std::size_t i = 0; i + size < list.size(); i += 2 * size) {
      pace.work(size);
      std::inplace_merge(at(i), at(i + size), at(i + 2 * size));
    }
  }
}

}  // namespace

void cuts_of(const Tree& tree, const Node& node, SplitCuts& split) {
  split.cuts.clear();
  split.left_first = true;
  const double threshold = node.threshold + 0.0;
  switch (node.kind) {
    case NodeKind::less:
    case NodeKind::less_equal: {
      const Cut cut{threshold, node.kind == NodeKind::less_equal};
      split.cuts.push_back(cut);
      if (!node.missing_at_zero) return;
      // Zeros go to the branch of missing values: they are cut out of the other one.
      const Cut low{-zero_size, false}, high{zero_size, true};
      split.cuts.clear();
      bool left = true;  // where values left of the next cut go
      const auto add = [&](const Cut& at, bool left_after) {
        if (left_after != left) split.cuts.push_back(at);
        left = left_after;
      };
      if (cut < low) add(cut, false);
      add(low, node.missing_left);
      add(high, cut > high);
      if (cut > high) add(cut, false);
      return;
    }
    case NodeKind::equal:
      split.left_first = false;
      split.cuts = {{threshold, false}, {threshold, true}};
      return;
    case NodeKind::in_set: {
      split.left_first = false;
      const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
      for (std::size_t i = 0; i < set.size(); ++i) {
        // Category 0 is everything above -1 where the library converts to an integer, otherwise
        // everything from 0 on.
        const bool goes_on = i > 0 && set[i - 1] + 1 == set[i];
        if (!goes_on) {
          split.cuts.push_back(set[i] == 0 && !node.zero_up
                                   ? Cut{-1, true}
                                   : Cut{static_cast<double>(set[i]), false});
        }
        const bool ends = i + 1 == set.size() || set[i] + 1 != set[i + 1];
        if (ends) split.cuts.push_back({static_cast<double>(set[i]) + 1, false});
      }
      return;
    }
    case NodeKind::leaf:
      return;
  }
}

Cuts collect_cuts(std::span<const Ensemble> ensembles) {
  Pace unlimited;
  return collect_cuts(ensembles, unlimited);
}

Cuts collect_cuts(std::span<const Ensemble> ensembles, Pace& pace) {
  Cuts cuts(ensembles.front().features.size());
  SplitCuts split;
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      pace.work(tree.nodes.size());
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf) continue;
        cuts_of(tree, node, split);
        std::vector<Cut>& list = cuts[static_cast<std::size_t>(node.feature)];
        list.insert(list.end(), split.cuts.begin(), split.cuts.end());
      }
    }
  }
  for (std::vector<Cut>& list : cuts) {
    sort_cuts(list, pace);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return cuts;
}

Precision common_precision(std::span<const Ensemble> ensembles) {
  const bool any_float32 = std::any_of(ensembles.begin(), ensembles.end(), [](const Ensemble& e) {
    return e.input == Precision::float32;
  });
  return any_float32 ? Precision::float32 : Precision::float64;
}

double first_right_of(const Cut& cut, Precision precision) {
  const double rounded = round_up(cut.value, precision);
  return cut.left_of(rounded) ? next_up(rounded, precision) : rounded;
}

double last_left_of(const Cut& cut, Precision precision) {
  return next_down(first_right_of(cut, precision), precision);
}

}  // namespace boxwood
