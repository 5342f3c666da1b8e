#include "search/fast/probe_parts.hpp"
#include "base/infinity.hpp"
#include "search/fast/rounding.hpp"

#include <numeric>

namespace boxwood::fast {

void ProbeCorner::begin(const Problem& problem) {
  range.resize(problem.variable_count());
  nearest = problem.nearest;
  for (std::size_t v = 0; v < range.size(); ++v) range[v] = {0, problem.cell_count(v)};
  moved = true;
  filtered = infinity;
  asked = Asked::no;
  next = 0;
  holds_known = developer_build && problem.holds_known;
}

void ProbeCorner::halve(const ProbeCorner& parent, const Problem& problem, bool left) {
  const auto [v, cell] = parent.branch;
  range = parent.range;
  nearest = parent.nearest;
  (left ? range[v].last : range[v].first) = cell;
  moved = !range[v].contains(nearest[v]);
  if (moved) nearest[v] = left ? cell - 1 : cell;
  cost = parent.cost;
  filtered = moved ? infinity : parent.filtered;
  asked = moved ? Asked::no : parent.asked;
  holds_known = parent.holds_known && range[v].contains(problem.known[v]);
  next = 0;
}

/// False when no point of the box is worth finding because of its cost.
bool ProbeParts::within_radius(ProbeCorner& box) const {
  if (box.moved) {
    box.cost = problem_->fixed_cost;
    for (std::size_t v = 0; v < box.nearest.size(); ++v) {
      box.cost += problem_->cost_at(v, box.nearest[v]);
    }
  }
  // Costs never fall with the distance from the nearest cell, and a sum in a fixed order never
  // falls when one of its terms grows. So no point of the box has a smaller total cost than the
  // nearest point, exactly.
  const double radius = context_.reach();
  if (box.cost > radius * (1 + cost_closeness)) {
    guard(box, "cost");
    return false;
  }
  if (box.cost < radius * (1 - cost_closeness)) return true;
  const double cost = exact_cost(box, nothing, 0);
  if (cost > radius) {
    guard(box, "cost");
    return false;
  }
  // Every other point of the box changes all that the nearest point changes, and more.
  return !(cost == radius && context_.incumbent.settled(context_.changes(cells_)));
}

/// Finds the cheapest neighbour of a nearest cell that costs no more than the best known point.
bool ProbeParts::find_tie(const ProbeCorner& box, Branch& branch) const {
  const double radius = context_.reach();
  double least = infinity;
  bool found = false;
  for (std::uint32_t v = 0; v < box.nearest.size(); ++v) {
    const std::uint32_t own = box.nearest[v];
    const double* cost = &problem_->cost[problem_->cell_begin[v]];
    const auto consider = [&](std::uint32_t cell, std::uint32_t cut) {
      const double more = cost[cell] - cost[own];
      if (more >= least || box.cost + more > radius * (1 + cost_closeness)) return;
      if (box.cost + more >= radius * (1 - cost_closeness) && exact_cost(box, v, cell) > radius)
        return;
      least = more;
      branch = {v, cut};
      found = true;
    };
    if (own > box.range[v].first) consider(own - 1, own);
    if (own + 1 < box.range[v].last) consider(own + 1, own + 1);
  }
  return found;
}

/// The cuts of variable v begin at first_cut(v).
Branch ProbeParts::branch_at(std::uint32_t cut) const {
  std::uint32_t v = 0, beyond = static_cast<std::uint32_t>(problem_->variable_count());
  while (beyond - v > 1) {
    const std::uint32_t middle = std::midpoint(v, beyond);
    (first_cut(middle) <= cut ? v : beyond) = middle;
  }
  return {v, cut - first_cut(v)};
}

double ProbeParts::exact_cost(const ProbeCorner& box, std::uint32_t variable,
                              std::uint32_t cell) const {
  problem_->grid_cells(box.nearest, cells_);
  if (variable != nothing) {
    cells_[problem_->variable_of[variable]] =
        problem_->choice[problem_->cell_begin[variable] + cell];
  }
  return context_.cost(cells_);
}

}  // namespace boxwood::fast
