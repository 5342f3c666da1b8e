#include "search/speaker.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

bool same_leaves(std::span<const Ensemble> ensembles, std::span<const double> a,
                 std::span<const double> b) {
  return std::all_of(ensembles.begin(), ensembles.end(), [&](const Ensemble& ensemble) {
    return std::all_of(ensemble.trees.begin(), ensemble.trees.end(), [&](const Tree& tree) {
      return reach_leaf(tree, a, ensemble.input) == reach_leaf(tree, b, ensemble.input);
    });
  });
}

bool comes_before(const Variable& variable, std::uint32_t first, std::uint32_t second) {
  const Cell& a = variable.cells[first];
  const Cell& b = variable.cells[second];
  if (a.cost != b.cost) return a.cost < b.cost;
  if (std::isnan(a.value) != std::isnan(b.value)) return std::isnan(b.value);
  const double from = variable.cells[variable.own].value;
  const double far_a = std::abs(a.value - from), far_b = std::abs(b.value - from);
  if (far_a != far_b && !std::isnan(from)) return far_a < far_b;
  return a.value < b.value;
}

/// The cells of a variable that come before one, the first first.
std::vector<std::uint32_t> before(const Variable& variable, std::uint32_t cell) {
  std::vector<std::uint32_t> better;
  if (!variable.listed || cell == variable.own) return better;
  for (std::uint32_t other = 0; other < variable.cells.size(); ++other) {
    // The point's own value comes before another that costs nothing either.
    if (other == variable.own || comes_before(variable, other, cell)) better.push_back(other);
  }
  std::sort(better.begin(), better.end(), [&](std::uint32_t a, std::uint32_t b) {
    if ((a == variable.own) != (b == variable.own)) return a == variable.own;
    return comes_before(variable, a, b);
  });
  return better;
}

}  // namespace

void settle_listed(std::span<const Ensemble> ensembles, std::span<const Variable> variables,
                   std::span<const std::uint32_t> cells, std::vector<double>& point) {
  std::vector<double> moved;
  for (std::size_t d = 0; d < variables.size(); ++d) {
    for (const std::uint32_t cell : before(variables[d], cells[d])) {
      moved = point;
      variables[d].place(cell, d, moved);
      if (!same_leaves(ensembles, point, moved)) continue;
      point = moved;
      break;
    }
  }
}

bool speaks_for(std::span<const Interval> box, std::span<const Variable> variables,
                std::span<const std::uint32_t> cells, std::span<const double> point) {
  std::vector<double> moved;
  for (std::size_t d = 0; d < variables.size(); ++d) {
    for (const std::uint32_t cell : before(variables[d], cells[d])) {
      moved.assign(point.begin(), point.end());
      variables[d].place(cell, d, moved);
      const std::vector<std::uint32_t>& columns = variables[d].columns;
      if (std::all_of(columns.begin(), columns.end(),
                      [&](std::uint32_t c) { return box[c].contains(moved[c]); })) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace boxwood
