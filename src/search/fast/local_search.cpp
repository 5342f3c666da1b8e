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
      bias_(terrain_.home.size(), 1.0) {
  if (!terrain_.weights.empty()) list_touched();
}

/// A linear rule is about a few variables: moves of all others leave its sum as it is.
void LocalSearch::list_touched() {
  const bool simple =
      !terrain_.composed && std::none_of(terrain_.conditions.begin(), terrain_.conditions.end(),
                                         [](const RowCondition& one) { return one.group >= 0; });
  if (!simple) return;
  const std::size_t variables = terrain_.home.size();
  std::vector<std::vector<std::uint8_t>> rows(variables,
                                              std::vector<std::uint8_t>(terrain_.row_count, 0));
  const std::vector<std::uint32_t> tree_of = terrain_.leaves.trees();
  for (std::size_t v = 0; v < variables; ++v) {
    for (std::uint32_t i = terrain_.testers.begin[v]; i < terrain_.testers.begin[v + 1]; ++i) {
      const Leaves::Rows of = terrain_.leaves.rows[tree_of[terrain_.testers.list[i].leaf]];
      for (std::uint32_t r = 0; r < of.count; ++r) rows[v][of.first + r] = 1;
    }
  }
  touched_.resize(variables);
  touched_rows_.resize(variables);
  for (std::size_t v = 0; v < variables; ++v) {
    for (std::uint32_t r = 0; r < terrain_.row_count; ++r) {
      if (rows[v][r]) touched_rows_[v].push_back(r);
    }
    for (std::uint32_t m = 0; m < terrain_.conditions.size(); ++m) {
      bool any = false;
      terrain_.conditions[m].each_row([&](std::uint32_t r, double) { any |= rows[v][r] != 0; });
      if (any) touched_[v].push_back(m);
    }
  }
}

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
      const double weight = weights_.empty() ? share : weights_[m];
      missing += weight * std::max(0.0, lack);
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
  if (!touched_.empty()) {
    const auto lack = [&](std::uint32_t m) {
      const double share = m < terrain_.desired ? terrain_.desire : 1;
      const double weight = weights_.empty() ? share : weights_[m];
      return weight * std::max(0.0, terrain_.thresholds[m] - terrain_.conditions[m].sum(run_));
    };
    double others = 0;
    std::size_t next = 0;
    const std::vector<std::uint32_t>& touched = touched_[variable];
    for (std::uint32_t m = 0; m < terrain_.conditions.size(); ++m) {
      const bool is_touched = next < touched.size() && touched[next] == m;
      if (is_touched) {
        ++next;
      } else {
        others += lack(m);
      }
    }
    for (std::uint32_t c = 0; c < count; ++c) {
      bool changed = c == 0;
      for (const std::uint32_t r : touched_rows_[variable]) {
        const double step = table_.steps(r, variable)[c];
        changed |= step != 0;
        run_[r] += step;
      }
      if (changed) {
        after = others;
        for (const std::uint32_t m : touched) after += lack(m);
      }
      visit(c, cost[c], after);
    }
    return;
  }
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

/// Conditions that need several moves at once, such as rules between features, can leave a point
/// where every single move loses elsewhere what it gains. With other weights some move gains.
bool LocalSearch::weigh_missed() {
  bool any = false;
  for (std::size_t m = 0; m < weights_.size(); ++m) {
    const double lack = terrain_.thresholds[m] - terrain_.conditions[m].sum(table_.sums());
    if (!(lack > 0)) continue;
    weights_[m] *= terrain_.tuning.escape_factor;
    any = true;
  }
  return any;
}

bool LocalSearch::repair(double exponent, double limit) {
  // Keeps the price of a free move positive, and gains divided by it finite.
  constexpr double tiny = 1e-250;
  const double least = terrain_.tuning.least_repair_gain;
  const auto variables = static_cast<std::uint32_t>(terrain_.home.size());
  weights_ = terrain_.weights;
  std::uint32_t escapes = weights_.empty() ? 0 : terrain_.tuning.escapes;
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
    if (best.merit == 0) {
      if (escapes-- == 0 || !weigh_missed()) return false;
      missing = shortfall();
      continue;
    }
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
