// Dead boxes, and boxes that rule R of docs/proof.md closes.
#include "base/infinity.hpp"
#include "proof/search.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::proofs {

bool TreeWriter::broken_clause(const Level& level) const {
  for (const std::vector<LiteralCells>& clause : problem_.clauses) {
    const bool can_hold =
        std::any_of(clause.begin(), clause.end(), [&](const LiteralCells& literal) {
          const std::uint32_t v = literal.variable;
          const std::uint32_t bit = ProofProblem::lowest(problem_.variables[v].part,
                                                         level.box.data(), literal.mask.data());
          if (bit == ProofProblem::none) return false;
          const Measure more = problem_.measure_of(v, bit);
          const Measure less = problem_.measure_of(v, level.nearest[v]);
          const Measure whole{level.measure.changes + more.changes - less.changes,
                              level.measure.cost + more.cost - less.cost};
          return !problem_.excluded(whole, level.box.data(), {}, &literal);
        });
    if (!can_hold) return true;
  }
  return false;
}

/// The largest and smallest live value of every tree with one output.
void TreeWriter::gather_extremes(const Level& level) {
  most_.assign(problem_.trees.size(), -infinity);
  least_.assign(problem_.trees.size(), infinity);
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].output == Tree::every_output) continue;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const double value = *problem_.leaves[level.live[i].leaf].values;
      most_[t] = std::max(most_[t], value);
      least_[t] = std::min(least_[t], value);
    }
  }
}

/// The most that the live leaves of a model add to sign * (plus - minus).
double TreeWriter::most(const Level& level, const Outcomes& outcome, std::size_t plus,
                        std::size_t minus, double sign) const {
  double sum = 0;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != outcome.model()) continue;
    if (problem_.trees[t].output != Tree::every_output) {
      const auto output = static_cast<std::size_t>(problem_.trees[t].output);
      if (output == plus) sum += sign > 0 ? most_[t] : -least_[t];
      if (output == minus) sum += sign > 0 ? -least_[t] : most_[t];
      continue;
    }
    double best = -infinity;
    for (std::uint32_t i = level.tree_begin[t]; i < level.tree_begin[t + 1]; ++i) {
      const double* values = problem_.leaves[level.live[i].leaf].values;
      double value = values[plus];
      if (minus != Condition::none) value -= values[minus];
      best = std::max(best, sign * value);
    }
    sum += best;
  }
  return sum;
}

bool TreeWriter::fails(const Level& level, const Outcomes& outcome,
                       const Condition& condition) const {
  if (!outcome.bounded()) return false;
  if (condition.part) {
    return outcome.softmax_fails(condition, [&](std::size_t plus, std::size_t minus, double sign) {
      return outcome.score_bound(plus, minus, sign, most(level, outcome, plus, minus, sign));
    });
  }
  if (std::isinf(condition.needed)) return condition.needed > 0;
  return most(level, outcome, condition.plus, condition.minus, condition.sign) < condition.needed;
}

bool TreeWriter::refuted(const Level& level, const Outcomes& outcome) {
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (level.tree_begin[t] == level.tree_begin[t + 1]) return true;
  }
  const Alternatives& all = outcome.alternatives();
  if (outcome.bounded() && std::all_of(all.begin(), all.end(), [&](const auto& alternative) {
        return std::any_of(alternative.begin(), alternative.end(), [&](const Condition& condition) {
          return fails(level, outcome, condition);
        });
      })) {
    return true;
  }
  std::vector<const double*> values;
  for (std::size_t t = 0; t < problem_.trees.size(); ++t) {
    if (problem_.trees[t].model != outcome.model()) continue;
    if (level.tree_begin[t + 1] - level.tree_begin[t] != 1) return false;
    values.push_back(problem_.leaves[level.live[level.tree_begin[t]].leaf].values);
  }
  return outcome.certainly(scores_of(outcome.ensemble(), values), false);
}

/// The number that closes a box; 0 if none does.
std::int32_t TreeWriter::closing_rule(const Level& level) {
  if (broken_clause(level)) return closed;
  gather_extremes(level);
  for (std::size_t r = 0; r < outcomes_.size(); ++r) {
    if (refuted(level, outcomes_[r])) return closed - static_cast<std::int32_t>(r);
  }
  return 0;
}

}  // namespace boxwood::proofs
