// The admissible numbers of one feature: whole numbers, steps, a list, a range.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/query.hpp>

#include <optional>

namespace boxwood {

/// The lowest and the highest admissible number between two cuts, either of which may be absent.
struct Axis {
  const FeatureRule& rule;
  Precision precision;

  std::optional<double> lowest(const Cut* lower, const Cut* upper) const;
  std::optional<double> highest(const Cut* lower, const Cut* upper) const;
  /// Some admissible number, where none is nearer than another.
  std::optional<double> any(const Cut* lower, const Cut* upper) const;

 private:
  double round_up(double value) const;
  double round_down(double value) const;
  std::optional<double> admitted(double value, bool inside) const;
};

}  // namespace boxwood
