// Where to cut a box that no rule closes.
#include <boxwood/error.hpp>

#include "base/infinity.hpp"
#include "proof/search.hpp"
#include "proof/tuning.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::proofs {

/// The sums of the leaves of a box's nearest point, for each output of a model.
std::vector<double> TreeWriter::here_sums(const Level& level, std::size_t model) const {
  std::vector<double> sums;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != model) continue;
    const auto here = std::find_if(level.live.begin() + level.tree_begin[t],
                                   level.live.begin() + level.tree_begin[t + 1],
                                   [](const Live& live) { return live.outside == 0; });
    // Where a dual bound has excluded the nearest point's leaf, any other one serves.
    const bool gone = here == level.live.begin() + level.tree_begin[t + 1];
    const double* values =
        problem_.leaves[(gone ? level.live[level.tree_begin[t]] : *here).leaf].values;
    const std::int32_t output = problem_.trees[t].output;
    for (const Outcomes& outcome : outcomes_) {
      if (outcome.model() == model) sums.resize(outcome.ensemble().base.size(), 0.0);
    }
    if (output != Tree::every_output) {
      sums[static_cast<std::size_t>(output)] += *values;
    } else {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[k];
    }
  }
  return sums;
}

/// Weights of outputs, model by model: what the nearest point lacks. False when it lacks nothing
/// that is linear.
bool TreeWriter::weigh(const Level& level, std::vector<std::vector<double>>& weights) const {
  bool any = false;
  for (const Outcomes& outcome : outcomes_) {
    const std::vector<double> sums = here_sums(level, outcome.model());
    if (sums.empty()) continue;
    weights.resize(std::max(weights.size(), outcome.model() + 1));
    const auto lacks = [&](const Condition& condition) {
      if (condition.part) return false;
      double value = sums[condition.plus];
      if (condition.minus != Condition::none) value -= sums[condition.minus];
      return condition.sign * value < condition.needed;
    };
    // A requirement that the nearest point meets in one alternative asks for nothing.
    const Alternatives& alternatives = outcome.alternatives();
    if (std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
          return std::none_of(alternative.begin(), alternative.end(), lacks);
        })) {
      continue;
    }
    // Of the alternatives that are left, the first.
    for (const std::vector<Condition>& alternative : alternatives) {
      if (std::any_of(alternative.begin(), alternative.end(), [&](const Condition& condition) {
            return fails(level, outcome, condition);
          })) {
        continue;
      }
      std::vector<double>& own = weights[outcome.model()];
      own.resize(sums.size(), 0.0);
      for (const Condition& condition : alternative) {
        if (!lacks(condition)) continue;
        own[condition.plus] += condition.sign;
        if (condition.minus != Condition::none) own[condition.minus] -= condition.sign;
        any = true;
      }
      break;
    }
  }
  if (any) return true;
  // A probability that the leads of the nearest point do not reach.
  for (const Outcomes& outcome : outcomes_) {
    for (const std::vector<Condition>& alternative : outcome.alternatives()) {
      for (const Condition& condition : alternative) {
        if (!condition.part) continue;
        const std::vector<double> sums = here_sums(level, outcome.model());
        if (sums.empty()) continue;
        weights.resize(std::max(weights.size(), outcome.model() + 1));
        std::vector<double>& own = weights[outcome.model()];
        own.resize(sums.size(), 0.0);
        for (std::size_t rival = 0; rival < sums.size(); ++rival) {
          if (rival == condition.plus) continue;
          const double lead =
              outcome.score_bound(condition.plus, rival, 1, sums[condition.plus] - sums[rival]);
          const double weight =
              condition.sign * std::exp(std::clamp(-condition.sign * lead, -tuning::most_exponent,
                                                   tuning::most_exponent));
          own[condition.plus] += weight;
          own[rival] -= weight;
          any = true;
        }
      }
    }
  }
  return any;
}

double TreeWriter::value_of(const LeafEntry& leaf, const std::vector<double>& weights) const {
  const std::int32_t output = problem_.trees[leaf.tree].output;
  if (output != Tree::every_output) return weights[static_cast<std::size_t>(output)] * *leaf.values;
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * leaf.values[k];
  return sum;
}

/// What each tree's best leaf scores more than the leaf of the nearest point is shared among the
/// variables that keep the nearest point out of it; the cut with the largest sum is chosen.
void TreeWriter::cut_by_gain(Level& level, const std::vector<std::vector<double>>& weights,
                             bool& found) {
  touched_.clear();
  std::vector<double> odd(problem_.variables.size(), 0.0), odd_best = odd;
  std::vector<const LeafCells*> odd_cells(problem_.variables.size(), nullptr);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    const std::size_t model = problem_.trees[t].model;
    if (model >= weights.size() || weights[model].empty()) continue;
    const Live* best = nullptr;
    double most_value = -infinity, least_value = infinity, here = -infinity;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const Live& live = level.live[i];
      const double value = value_of(problem_.leaves[live.leaf], weights[model]);
      if (live.outside == 0) here = value;
      least_value = std::min(least_value, value);
      if (value > most_value) {
        most_value = value;
        best = &live;
      }
    }
    if (here == -infinity) here = least_value - 1e-9 * (1 + std::abs(least_value));
    if (!(most_value > here) || best->outside == 0) continue;
    const double share = (most_value - here) / best->outside;
    for (const LeafCells& side : problem_.cells_of(problem_.leaves[best->leaf])) {
      const std::uint32_t v = side.variable;
      const ProofVariable& variable = problem_.variables[v];
      const std::uint32_t bit = level.nearest[v];
      if (has_bit(&problem_.pool[side.mask], bit)) continue;
      const std::uint32_t own = variable.position_of[bit];
      if (side.range) {
        const std::uint32_t at = gain_begin_[v] + (own < side.first ? side.first : side.last);
        if (gain_[at] == 0) touched_.push_back(at);
        gain_[at] += share;
      } else {
        odd[v] += share;
        if (share > odd_best[v]) {
          odd_best[v] = share;
          odd_cells[v] = &side;
        }
      }
    }
  }
  double most_gain = 0;
  for (const std::uint32_t at : touched_) {
    if (gain_[at] > most_gain) {
      most_gain = gain_[at];
      const auto v = static_cast<std::uint32_t>(
          std::upper_bound(gain_begin_.begin(), gain_begin_.end(), at) - gain_begin_.begin() - 1);
      level.variable = v;
      const ProofVariable& variable = problem_.variables[v];
      level.first.assign(variable.part.words, 0);
      for (std::uint32_t position = 0; position < at - gain_begin_[v]; ++position) {
        const std::uint32_t bit = variable.bit_of[position];
        set_bit(level.first.data(), bit);
      }
    }
    gain_[at] = 0;
  }
  for (std::uint32_t v = 0; v < odd.size(); ++v) {
    if (odd[v] <= most_gain) continue;
    most_gain = odd[v];
    level.variable = v;
    const Word* mask = &problem_.pool[odd_cells[v]->mask];
    level.first.assign(mask, mask + problem_.variables[v].part.words);
  }
  found = most_gain > 0;
}

/// Separates the nearest point from the cheapest cells of a live leaf that it is not in. A cut of
/// cells that no live leaf distinguishes would decide nothing: where the score of the nearest point
/// is within the allowance for rounding, only known scores close the box, so that every tree has to
/// come down to one leaf. False if no tree has several live leaves.
bool TreeWriter::cut_undecided(Level& level) const {
  double least = infinity;
  bool found = false;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (level.tree_begin[t + 1] - level.tree_begin[t] < 2) continue;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      if (level.live[i].outside == 0) continue;
      for (const LeafCells& side : problem_.cells_of(problem_.leaves[level.live[i].leaf])) {
        const ProofVariable& variable = problem_.variables[side.variable];
        const std::uint32_t here = level.nearest[side.variable];
        const Word* mask = &problem_.pool[side.mask];
        if (has_bit(mask, here)) continue;
        const std::uint32_t bit = ProofProblem::lowest(variable.part, level.box.data(), mask);
        const double more = variable.costs[bit] - variable.costs[here];
        if (found && more >= least) continue;
        found = true;
        least = more;
        level.variable = side.variable;
        level.first.assign(mask, mask + variable.part.words);
      }
    }
  }
  return found;
}

/// Separates the nearest point from its cheapest neighbour.
void TreeWriter::cut_cheapest(Level& level) const {
  double least = infinity;
  bool found = false;
  Mask rest = level.box;
  for (std::uint32_t v = 0; v < problem_.variables.size(); ++v) {
    const ProofVariable& variable = problem_.variables[v];
    const std::uint32_t bit = level.nearest[v];
    clear_bit(&rest[variable.part.at], bit);
    const std::uint32_t next = ProofProblem::lowest(variable.part, rest.data());
    if (next == ProofProblem::none) continue;
    const double more = variable.costs[next] - variable.costs[bit];
    if (found && more >= least) continue;
    found = true;
    least = more;
    level.variable = v;
    level.first.assign(variable.part.words, 0);
    set_bit(level.first.data(), bit);
  }
  if (found) return;
  throw Error("proof",
              "one combination of cells cannot be refuted: its outcome depends on the last digits "
              "of the library's arithmetic, or the answer is not what it claims to be",
              "Ask without a proof, and report the question if the answer seems wrong");
}

void TreeWriter::choose_cut(Level& level) {
  std::vector<std::vector<double>> weights;
  bool found = false;
  if (weigh(level, weights)) cut_by_gain(level, weights, found);
  if (!found && !cut_undecided(level)) cut_cheapest(level);
}

}  // namespace boxwood::proofs
