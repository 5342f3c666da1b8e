#include "grid/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

}  // namespace

Cuts collect_cuts(std::span<const Ensemble> ensembles) {
  Cuts cuts(ensembles.front().features.size());
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind != NodeKind::leaf) {
          cuts[static_cast<std::size_t>(node.feature)].push_back(cut_of(node));
        }
      }
    }
  }
  for (std::vector<Cut>& list : cuts) {
    std::sort(list.begin(), list.end());
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
