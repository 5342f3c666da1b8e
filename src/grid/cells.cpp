#include "grid/cells.hpp"

#include "model/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace boxwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The admissible numbers of one feature: the lowest and the highest between two cuts, either of
/// which may be absent.
struct Axis {
  const FeatureRule& rule;
  Precision precision;

  bool whole() const { return rule.kind != FeatureKind::continuous; }

  /// Every bound from below is met by the largest of the bounds' smallest numbers. Rounding up to
  /// a whole number keeps it a number of the precision: where the precision is coarser than 1
  /// every number of it is whole.
  std::optional<double> lowest(const Cut* lower, const Cut* upper) const {
    double value = -infinity;
    if (lower) value = std::max(value, first_right_of(*lower, precision));
    if (rule.range.lower != -infinity) {
      value =
          std::max(value, first_right_of({rule.range.lower, !rule.range.lower_closed}, precision));
    }
    if (whole()) value = std::ceil(value);
    return admitted(value, upper ? upper->left_of(value) : true);
  }

  std::optional<double> highest(const Cut* lower, const Cut* upper) const {
    double value = infinity;
    if (upper) value = std::min(value, last_left_of(*upper, precision));
    if (rule.range.upper != infinity) {
      value = std::min(value, last_left_of({rule.range.upper, rule.range.upper_closed}, precision));
    }
    if (whole()) value = std::floor(value);
    return admitted(value, lower ? !lower->left_of(value) : true);
  }

 private:
  std::optional<double> admitted(double value, bool inside) const {
    if (!std::isfinite(value) || !inside || !rule.range.contains(value)) return std::nullopt;
    return value + 0.0;  // never -0.0, which people would read as another number
  }
};

}  // namespace

Variable make_variable(const Query& query, std::size_t feature, std::span<const Cut> cuts,
                       Precision precision) {
  Variable variable;
  const double x = query.point[feature];
  const FeatureRule& rule = query.features[feature];
  const std::size_t axis_cells = cuts.size() + 1;
  variable.kept_below.assign(axis_cells + 1, 0);
  if (std::isnan(x)) {
    variable.missing = true;
    variable.cells.push_back({x, 0});
    return variable;
  }
  // The cuts of a float32 model see the value rounded to float32.
  const double read = as_read(x, precision);
  const std::size_t own_rank = cell_rank(cuts, read);
  const Axis axis{rule, precision};
  for (std::size_t rank = 0; rank < axis_cells; ++rank) {
    variable.kept_below[rank] = static_cast<std::uint32_t>(variable.cells.size());
    if (rank == own_rank) {
      variable.own = static_cast<std::uint32_t>(variable.cells.size());
      variable.cells.push_back({x, 0});
      continue;
    }
    if (rule.fixed) continue;
    const Cut* lower = rank > 0 ? &cuts[rank - 1] : nullptr;
    const Cut* upper = rank < cuts.size() ? &cuts[rank] : nullptr;
    const auto value = rank > own_rank ? axis.lowest(lower, upper) : axis.highest(lower, upper);
    if (!value) continue;
    const double cost = term_cost(query, feature, *value);
    if (std::isfinite(cost)) variable.cells.push_back({*value, cost});
  }
  variable.kept_below[axis_cells] = static_cast<std::uint32_t>(variable.cells.size());
  return variable;
}

std::vector<Variable> make_variables(std::span<const Ensemble> ensembles, const Query& query,
                                     const Cuts& cuts) {
  const Precision precision = common_precision(ensembles);
  std::vector<Variable> variables;
  variables.reserve(query.point.size());
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    variables.push_back(make_variable(query, d, cuts[d], precision));
  }
  return variables;
}

}  // namespace boxwood
