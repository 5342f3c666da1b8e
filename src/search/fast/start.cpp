#include "search/fast/start.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace boxwood::fast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double exponents[] = {1, 2, 1.5, 3};

Terrain terrain_of(const Context& context, const Problem& problem) {
  Terrain terrain{problem.leaves,  problem.testers, problem.cell_begin, problem.cost,
                  problem.nearest, context.demands, problem.thresholds, context.model.row_count};
  for (std::size_t m = 0; m < context.demands.size(); ++m) {
    terrain.thresholds[m] += context.slack[m];
  }
  return terrain;
}

std::vector<std::uint32_t> grid_cells(const Problem& problem, std::span<const std::uint32_t> at) {
  std::vector<std::uint32_t> cells = problem.fixed_at;
  for (std::size_t v = 0; v < at.size(); ++v) {
    cells[problem.variable_of[v]] = problem.choice[problem.cell_begin[v] + at[v]];
  }
  return cells;
}

/// The problem's cells of a point of the grid; false when it lies outside.
bool problem_cells(const Problem& problem, std::span<const std::uint32_t> grid,
                   std::vector<std::uint32_t>& at) {
  at.resize(problem.variable_count());
  for (std::size_t v = 0; v < at.size(); ++v) {
    const auto begin = problem.choice.begin() + problem.cell_begin[v];
    const auto end = problem.choice.begin() + problem.cell_begin[v + 1];
    const auto found = std::find(begin, end, grid[problem.variable_of[v]]);
    if (found == end) return false;
    at[v] = static_cast<std::uint32_t>(found - begin);
  }
  return true;
}

}  // namespace

void start_on_model(const Context& context) {
  const Model& model = context.model;
  std::vector<double> cost(model.cell_begin.back(), infinity);
  std::vector<std::uint32_t> home(context.variables.size(), 0);
  for (std::size_t v = 0; v < home.size(); ++v) {
    const Variable& variable = context.variables[v];
    if (variable.missing) continue;
    double* costs = &cost[model.cell_begin[v]];
    for (std::size_t rank = 0; rank + 1 < variable.kept_below.size(); ++rank) {
      const std::uint32_t cell = variable.kept_below[rank];
      if (cell == variable.kept_below[rank + 1]) continue;
      costs[rank] = variable.cells[cell].cost;
      if (cell == variable.own) home[v] = static_cast<std::uint32_t>(rank);
    }
  }
  Terrain terrain{model.leaves, model.testers,   model.cell_begin,   cost,
                  home,         context.demands, context.thresholds, model.row_count};
  for (std::size_t m = 0; m < context.demands.size(); ++m) {
    terrain.thresholds[m] += context.slack[m];
  }
  LocalSearch local(std::move(terrain));
  local.place_home([&](std::uint32_t s) {
    const Side& side = model.leaves.sides[s];
    if (context.variables[side.variable].missing) return model.takes_missing[s] != 0;
    return home[side.variable] >= side.first && home[side.variable] < side.last;
  });
  std::vector<std::uint32_t> cells(home.size(), 0);
  for (const double exponent : exponents) {
    if (local.repair(exponent, context.incumbent.cost())) {
      local.pull_back();
      for (std::size_t v = 0; v < cells.size(); ++v) {
        const Variable& variable = context.variables[v];
        cells[v] = variable.missing ? 0 : variable.kept_below[local.at()[v]];
      }
      context.offer(cells);
    }
    for (std::uint32_t v = 0; v < home.size(); ++v) {
      if (local.at()[v] != home[v]) local.move(v, home[v]);
    }
  }
}

void improve_from(const Context& context, const Problem& problem,
                  std::span<const std::uint32_t> cells) {
  LocalSearch local(terrain_of(context, problem));
  local.place(cells);
  const double limit = context.incumbent.cost() - problem.fixed_cost;
  if (!local.repair(1, limit)) return;
  local.pull_back();
  if (local.cost() < limit) context.offer(grid_cells(problem, local.at()));
}

void improve(const Context& context, const Problem& problem, int patience, std::uint32_t seed) {
  std::vector<std::uint32_t> best;
  const std::vector<std::uint32_t> cells = context.best_cells();
  if (cells.empty() || !problem_cells(problem, cells, best)) return;
  LocalSearch local(terrain_of(context, problem));
  local.place(best);
  double best_cost = local.cost();
  std::mt19937 random(seed);
  std::vector<std::uint32_t> moved;
  int vain = 0;
  while (vain < patience && !context.watch.expired()) {
    moved.clear();
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (local.at()[v] != problem.nearest[v]) moved.push_back(v);
    }
    if (moved.empty()) return;
    const std::size_t most = std::max<std::size_t>(1, moved.size() / 2);
    const std::size_t count = 1 + random() % most;
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(moved[i], moved[i + random() % (moved.size() - i)]);
      local.move(moved[i], problem.nearest[moved[i]]);
    }
    ++vain;
    const double exponent = exponents[random() % std::size(exponents)];
    bool stay = false;
    local.shake(random());
    if (local.repair(exponent, best_cost * 1.03)) {
      local.pull_back();
      stay = local.cost() < best_cost * 1.02;
      if (local.cost() < best_cost * (1 - 1e-9) && context.offer(grid_cells(problem, local.at()))) {
        best_cost = local.cost();
        best.assign(local.at().begin(), local.at().end());
        vain = 0;
      }
    }
    if (stay && vain % 8 != 7) continue;
    for (std::uint32_t v = 0; v < best.size(); ++v) {
      if (local.at()[v] != best[v]) local.move(v, best[v]);
    }
  }
}

}  // namespace boxwood::fast
