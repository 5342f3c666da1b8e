#include "search/fast/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace boxwood::fast {

LocalSearch::LocalSearch(Terrain terrain)
    : terrain_(std::move(terrain)),
      table_(terrain_.leaves, terrain_.testers, terrain_.cell_begin, terrain_.row_count),
      held_(terrain_.watch, table_.bytes()),
      run_(terrain_.row_count),
      bias_(terrain_.home.size(), 1.0) {}

void LocalSearch::shake(std::uint32_t seed) {
  constexpr std::uint32_t steps = 1024;
  std::minstd_rand random(seed);  // its small state is initialized quickly
  for (double& bias : bias_) {
    bias = 1 + terrain_.tuning.bias_spread * (static_cast<double>(random() % steps) / steps - 0.5);
  }
}

void LocalSearch::place(std::span<const std::uint32_t> at) {
  table_.place(at);
  cost_ = cost_of_place();
}

double LocalSearch::cost_of_place() const {
  double cost = 0;
  for (std::size_t v = 0; v < table_.at().size(); ++v) {
    cost += terrain_.cost[terrain_.cell_begin[v] + table_.at()[v]];
  }
  return cost;
}

void LocalSearch::move(std::uint32_t variable, std::uint32_t cell) {
  table_.move(variable, cell);
  cost_ = cost_of_place();
}

double LocalSearch::shortfall() { return shortfall_of(table_.sums()); }

/// How much the conditions are missed by, in total. A group of conditions, which stands for one
/// probability, counts with the logarithm of its sum of exp(-margin): that is what the probability
/// lacks.
double LocalSearch::shortfall_of(std::span<const double> sums) const {
  double missing = terrain_.composed ? terrain_.composed(sums) : 0;
  double group_sum = 0;
  for (std::size_t m = 0; m < terrain_.conditions.size(); ++m) {
    const RowCondition& condition = terrain_.conditions[m];
    if (terrain_.composed && !condition.weights.empty()) continue;  // it follows from the outcome
    const double lack = terrain_.thresholds[m] - condition.sum(sums);
    const double share = m < terrain_.desired ? terrain_.desire : 1;
    if (condition.group < 0) {
      missing += share * std::max(0.0, lack);
      continue;
    }
    group_sum += std::exp(condition.unit * lack);
    const bool last =
        m + 1 == terrain_.conditions.size() || terrain_.conditions[m + 1].group != condition.group;
    if (!last) continue;
    missing += share * std::max(0.0, std::log(group_sum) / condition.unit);
    group_sum = 0;
  }
  return missing;
}

template <typename Visit>
void LocalSearch::each_move(std::uint32_t variable, Visit visit) {
  const std::uint32_t begin = terrain_.cell_begin[variable];
  const std::uint32_t count = terrain_.cell_begin[variable + 1] - begin;
  const double* cost = &terrain_.cost[begin];
  if (terrain_.conditions.size() == 1 && terrain_.conditions[0].minus == RowCondition::none &&
      terrain_.conditions[0].weights.empty() && !terrain_.composed) {
    const RowCondition& condition = terrain_.conditions[0];
    const double* steps = table_.steps(condition.plus, variable);
    const double missing = terrain_.thresholds[0] - condition.sign * table_.sums()[condition.plus];
    double run = 0;
    for (std::uint32_t c = 0; c < count; ++c) {
      run += steps[c];
      visit(c, cost[c], std::max(0.0, missing - condition.sign * run));
    }
    return;
  }
  run_.assign(table_.sums().begin(), table_.sums().end());
  double after = 0;
  for (std::uint32_t c = 0; c < count; ++c) {
    bool changed = c == 0;
    for (std::uint32_t r = 0; r < terrain_.row_count; ++r) {
      const double step = table_.steps(r, variable)[c];
      changed |= step != 0;
      run_[r] += step;
    }
    if (changed) after = shortfall_of(run_);
    visit(c, cost[c], after);
  }
}

bool LocalSearch::repair(double exponent, double limit) {
  constexpr double tiny = 1e-300;  // keeps the price of a free move positive
  const double least = terrain_.tuning.least_repair_gain;
  const auto variables = static_cast<std::uint32_t>(terrain_.home.size());
  for (double missing = shortfall(); missing > 0;) {
    if (terrain_.watch.expired()) return false;
    Move best;
    for (std::uint32_t v = 0; v < variables; ++v) {
      const double now = terrain_.cost[terrain_.cell_begin[v] + at()[v]];
      const double most = limit - cost_;
      const double bias = bias_[v];
      each_move(v, [&](std::uint32_t cell, double cost, double after) {
        const double gain = missing - after;
        // The table drifts by rounding: a gain this small, or one for staying, is no gain.
        if (gain <= least * missing || cell == at()[v] || !(cost - now <= most)) return;
        const double price = std::max(cost - now, least * (cost_ + tiny));
        const double merit = exponent == 1   ? gain / price
                             : exponent == 2 ? gain * gain / price
                                             : std::pow(gain, exponent) / price;
        if (bias * merit > best.merit) best = {v, cell, bias * merit};
      });
    }
    if (best.merit == 0) return false;
    const double before = missing;
    move(best.variable, best.cell);
    missing = shortfall();
    // The expected gain may have been drift alone: then go no further.
    if (missing > before - least * std::abs(before)) return false;
  }
  return cost_ <= limit;
}

void LocalSearch::pull_back() {
  const auto variables = static_cast<std::uint32_t>(terrain_.home.size());
  while (!terrain_.watch.expired()) {
    Move best;
    for (std::uint32_t v = 0; v < variables; ++v) {
      if (at()[v] == terrain_.home[v]) continue;
      const double now = terrain_.cost[terrain_.cell_begin[v] + at()[v]];
      each_move(v, [&](std::uint32_t cell, double cost, double after) {
        if (after == 0 && now - cost > best.merit) best = {v, cell, now - cost};
      });
    }
    if (best.merit == 0) return;
    move(best.variable, best.cell);
    if (shortfall() > 0) return;
  }
}

}  // namespace boxwood::fast
