// What known scores and bounds of scores say about conditions.
#include "base/infinity.hpp"
#include "proof/outcomes.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::proofs {
namespace {

template <typename Real>
std::vector<double> sums_of(const Ensemble& ensemble, std::span<const double* const> values) {
  const bool first = ensemble.order == SumOrder::base_first;
  std::vector<Real> sums(ensemble.base.size(), Real{0});
  for (std::size_t k = 0; first && k < sums.size(); ++k) {
    sums[k] = static_cast<Real>(ensemble.base[k]);
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    const std::int32_t output = ensemble.trees[t].output;
    if (output != Tree::every_output) {
      sums[static_cast<std::size_t>(output)] += static_cast<Real>(*values[t]);
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<Real>(values[t][k]);
  }
  std::vector<double> scores;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (ensemble.factor != 1) sums[k] *= static_cast<Real>(ensemble.factor);
    if (ensemble.divisor != 1) sums[k] /= static_cast<Real>(ensemble.divisor);
    if (!first) sums[k] += static_cast<Real>(ensemble.base[k]);
    scores.push_back(static_cast<double>(sums[k]));
  }
  return scores;
}

}  // namespace

std::vector<double> scores_of(const Ensemble& ensemble, std::span<const double* const> values) {
  return ensemble.accumulator == Precision::float32 ? sums_of<float>(ensemble, values)
                                                    : sums_of<double>(ensemble, values);
}

bool Outcomes::softmax_fails(const Condition& condition, const Upper& upper) const {
  double total = 0;
  for (std::size_t rival = 0; rival < ensemble_->base.size(); ++rival) {
    if (rival == condition.plus) continue;
    const bool leads = condition.sign > 0;
    const double most = leads ? upper(condition.plus, rival, 1) : upper(rival, condition.plus, 1);
    if (!std::isfinite(most)) return false;
    total += std::exp(leads ? -most : most);
  }
  if (condition.sign > 0) return 1 / (1 + total * (1 - 1e-9)) < *condition.part * (1 - 1e-9);
  return total * (1 + 1e-9) < (1 / *condition.part - 1) * (1 - 1e-9);
}

bool Outcomes::fails(const Condition& condition, std::span<const double> scores) const {
  const auto difference = [&](std::size_t plus, std::size_t minus, double /*sign*/) {
    if (minus == Condition::none) return scores[plus];
    return scores[plus] == scores[minus] ? 0.0 : scores[plus] - scores[minus];
  };
  if (condition.part) return softmax_fails(condition, difference);
  double value = difference(condition.plus, condition.minus, 1) - condition.centre;
  if (condition.in_single) value = static_cast<double>(static_cast<float>(value));
  value *= condition.sign;
  return value < condition.least || (condition.barred && value == *condition.barred);
}

bool Outcomes::certainly(std::span<const double> scores, bool holds) const {
  const bool plain = direct() || ensemble_->link == Link::winner;
  for (const double score : scores) {
    if (std::isnan(score) || (!plain && std::isinf(score))) return false;
  }
  const Alternatives opposite = make_alternatives(requirement_->negated != holds);
  return std::all_of(opposite.begin(), opposite.end(), [&](const auto& alternative) {
    return std::any_of(alternative.begin(), alternative.end(),
                       [&](const Condition& condition) { return fails(condition, scores); });
  });
}

}  // namespace boxwood::proofs
