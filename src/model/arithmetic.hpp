// The library's rounding, step by step: reading a value, and the links from scores to outputs.
// Shared by prediction and by the search's thresholds, so that both mean the same numbers.
#pragma once

#include <boxwood/ensemble.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace boxwood {

/// A feature value as the library holds it. Values beyond float32's range become infinite.
inline double as_read(double value, Precision input) {
  return input == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// goes_left(), with a short way for the splits that nearly all models have.
inline bool takes_left(const Tree& tree, const Node& node, double value) {
  if (!node.missing_at_zero && !std::isnan(value)) {
    if (node.kind == NodeKind::less) return value < node.threshold;
    if (node.kind == NodeKind::less_equal) return value <= node.threshold;
  }
  return goes_left(tree, node, value);
}

/// Adds up the leaves of an ensemble that is no composition, in Real. `scores` holds the sums: a
/// double holds every Real exactly. leaf_of(tree) is called once for each tree, in their order.
template <typename Real, typename LeafOf>
void sum_leaves_in(const Ensemble& ensemble, LeafOf leaf_of, std::span<double> scores) {
  const auto add = [](double& sum, double value) {
    sum = static_cast<double>(static_cast<Real>(static_cast<Real>(sum) + static_cast<Real>(value)));
  };
  const std::size_t outputs = ensemble.base.size();
  const bool base_first = ensemble.order == SumOrder::base_first;
  for (std::size_t k = 0; k < outputs; ++k) {
    scores[k] = base_first ? static_cast<double>(static_cast<Real>(ensemble.base[k])) : 0;
  }
  for (const Tree& tree : ensemble.trees) {
    const auto value = static_cast<std::size_t>(leaf_of(tree).value);
    const Tree::Outputs to = tree.outputs(outputs);
    for (std::size_t k = 0; k < to.count; ++k) add(scores[to.first + k], tree.values[value + k]);
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    auto sum = static_cast<Real>(scores[k]);
    if (ensemble.factor != 1) sum *= static_cast<Real>(ensemble.factor);
    if (ensemble.divisor != 1) sum /= static_cast<Real>(ensemble.divisor);
    if (!base_first) sum += static_cast<Real>(ensemble.base[k]);
    scores[k] = static_cast<double>(sum);
  }
}

/// The same in the precision of the library's sums.
template <typename LeafOf>
void sum_leaves(const Ensemble& ensemble, LeafOf leaf_of, std::span<double> scores) {
  if (ensemble.accumulator == Precision::float32) {
    sum_leaves_in<float>(ensemble, leaf_of, scores);
  } else {
    sum_leaves_in<double>(ensemble, leaf_of, scores);
  }
}

/// float32: XGBoost's formula, with its guards against division by zero and overflow.
inline float sigmoid(float score) {
  const float exponent = std::min(-score, 88.7F);
  const float denominator = std::exp(exponent) + 1.0F + 1e-16F;
  return 1.0F / denominator;
}

inline double sigmoid(double score) { return 1.0 / (1.0 + std::exp(-score)); }

/// float32: XGBoost's formula. double: LightGBM's.
inline float softplus(float score) {
  return std::max(score, 0.0F) + std::log1p(std::exp(-std::abs(score)));
}
inline double softplus(double score) { return std::log1p(std::exp(score)); }

/// onnxruntime's, which never takes the exponential of a positive number.
inline float onnxruntime_sigmoid(float score) {
  const float upper = 1.0F / (1.0F + std::exp(-std::abs(score)));
  return score < 0 ? 1.0F - upper : upper;
}

/// onnxruntime's softmax sums in float32.
inline void onnxruntime_softmax(std::span<const double> scores, std::span<double> outputs) {
  auto largest = std::numeric_limits<float>::lowest();
  for (const double score : scores) largest = std::max(largest, static_cast<float>(score));
  float total = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const float weight = std::exp(static_cast<float>(scores[k]) - largest);
    outputs[k] = static_cast<double>(weight);
    total += weight;
  }
  for (double& output : outputs) {
    output = static_cast<double>(static_cast<float>(output) / total);
  }
}

/// CatBoost's exp, of fmath: the nearest of 2048 steps from one power of two to the next, times a
/// cubic in what remains. `within` is what its loop over four numbers at once does beyond the ends.
inline double stepped_exp(double x, bool within) {
  constexpr double lowest = -708.39641853226408;
  if (std::isnan(x)) return x;
  if (within) x = std::clamp(x, lowest, 709.78272569338397);
  if (!within && x <= lowest) return 0;
  if (x >= 709.78271289338397) return std::numeric_limits<double>::infinity();
  const double steps = 2048 / std::log(2.0);
  const double nearest = std::nearbyint(x * steps);
  const double rest = nearest * (1 / steps) - x;
  const double cubic =
      (3.0000000027955394 - rest) * (rest * rest) * 0.16666666685227835064 - rest + 1.0;
  const double power = std::floor(nearest / 2048);
  const double step = std::pow(2.0, nearest / 2048 - power);
  return cubic * std::ldexp(step, static_cast<int>(power));
}

// `Model` is an Ensemble or a Member: both have the fields of the arithmetic.

template <typename Model>
float exponential_of(const Model& /*model*/, float x, bool /*within*/ = false) {
  return std::exp(x);
}
template <typename Model>
double exponential_of(const Model& model, double x, bool within = false) {
  return model.link_form == LinkForm::catboost ? stepped_exp(x, within) : std::exp(x);
}

/// XGBoost's softmax: exponentials in the scores' precision, their sum in double.
template <typename Real, typename Model>
void softmax(const Model& ensemble, std::span<const double> scores, std::span<double> outputs) {
  auto largest = static_cast<Real>(scores[0]);
  for (const double score : scores) largest = std::max(largest, static_cast<Real>(score));
  double total = 0;
  const std::size_t in_fours = scores.size() - scores.size() % 4;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const auto below = static_cast<Real>(static_cast<Real>(scores[k]) - largest);
    outputs[k] = static_cast<double>(exponential_of(ensemble, below, k < in_fours));
    total += outputs[k];
  }
  for (double& output : outputs) {
    output = static_cast<double>(static_cast<Real>(output) / static_cast<Real>(total));
  }
}

template <typename Real, typename Model>
double apply_link_to_one(const Model& ensemble, Real score) {
  switch (ensemble.link) {
    case Link::sigmoid:
      if (ensemble.link_form == LinkForm::onnxruntime) {
        const float steep = static_cast<float>(ensemble.steepness) * static_cast<float>(score);
        return static_cast<double>(onnxruntime_sigmoid(steep));
      }
      return static_cast<double>(sigmoid(static_cast<Real>(ensemble.steepness) * score));
    case Link::exponential:
      return static_cast<double>(exponential_of(ensemble, score));
    case Link::square:
      return static_cast<double>(std::copysign(score * score, score));
    case Link::softplus:
      return static_cast<double>(softplus(score));
    case Link::isolation:
      return static_cast<double>(-std::pow(Real{2}, -score));
    default:
      return static_cast<double>(score);
  }
}

template <typename Real, typename Model>
void apply_link(const Model& ensemble, std::span<const double> scores, std::span<double> outputs) {
  if (ensemble.link == Link::softmax && ensemble.link_form == LinkForm::onnxruntime) {
    onnxruntime_softmax(scores, outputs);
  } else if (ensemble.link == Link::softmax) {
    softmax<Real>(ensemble, scores, outputs);
  } else if (ensemble.link == Link::winner && ensemble.task == Task::binary) {
    const bool from_zero = ensemble.decision == Decision::score_from_zero;
    outputs[0] = (from_zero ? scores[0] >= 0 : scores[0] > 0) ? 1.0 : 0.0;
  } else if (ensemble.link == Link::winner) {
    outputs[0] =
        static_cast<double>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  } else {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      outputs[k] = apply_link_to_one(ensemble, static_cast<Real>(scores[k]));
    }
  }
}

template <typename Model>
bool links_in_float(const Model& model) {
  return model.accumulator == Precision::float32 || model.link_form == LinkForm::onnxruntime;
}

/// Writes the outputs that the link makes of the scores: as many, but 1 for Link::winner.
template <typename Model>
void link_scores(const Model& model, std::span<const double> scores, std::span<double> outputs) {
  if (links_in_float(model)) {
    apply_link<float>(model, scores, outputs);
  } else {
    apply_link<double>(model, scores, outputs);
  }
}

/// The class that a classifier predicts.
template <typename Model>
std::size_t class_of_scores(const Model& model, std::span<const double> scores) {
  const auto first_largest = [](std::span<const double> numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) -
                                    numbers.begin());
  };
  if (model.task == Task::binary) {
    if (model.decision == Decision::score_above_zero) return scores[0] > 0 ? 1 : 0;
    if (model.decision == Decision::score_from_zero) return scores[0] >= 0 ? 1 : 0;
    if (model.decision == Decision::score_above_half) return scores[0] > 0.5 ? 1 : 0;
    double output = 0;
    link_scores(model, scores, std::span(&output, 1));
    return output > 0.5 ? 1 : 0;
  }
  if (model.decision == Decision::largest_score || model.link == Link::winner) {
    return first_largest(scores);
  }
  std::vector<double> outputs(scores.size());
  link_scores(model, scores, outputs);
  return first_largest(outputs);
}

/// 1 - p in the library's precision, the probability of the other of two classes.
template <typename Model>
double other_probability(const Model& model, double p) {
  return links_in_float(model) ? static_cast<double>(1.0F - static_cast<float>(p)) : 1.0 - p;
}

}  // namespace boxwood
