// Requirements as linear conditions on leaf scores, for bounds only: every point that meets a
// requirement meets its conditions, but not every point that meets the conditions meets the
// requirement. The source library's arithmetic decides about points.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// The softmax that a library computes is within this relative error of the true one, or within
/// `softmax_floor` where that is coarser.
inline constexpr double softmax_error = 1e-5;
inline constexpr double softmax_floor = 4 * 0x1p-149;
/// A sum of exponentials in float32 adds at most this relative error for each term.
inline constexpr double softmax_sum_error = 0x1p-23;

/// sum over trees of score(leaf) >= threshold, where score(leaf) is the leaf's number for output
/// `plus`, times `sign`, minus its number for output `minus`.
struct Condition {
  std::uint32_t ensemble = 0;
  std::int32_t plus = 0;
  std::int32_t minus = -1;  ///< no second output
  double sign = 1;          ///< or -1
  double threshold = 0;     ///< base scores and all rounding are already subtracted
  double slack = 0;         ///< what was subtracted for rounding
  /// Conditions of one group are the leads that one softmax probability needs. Each margin over its
  /// threshold must be at least 0, and the sum of exp(-unit * margin) must be at most 1.
  std::int32_t group = -1;
  double unit = 1;  ///< raw scores per unit of the trees' sum
  /// Of a composition: one for each output; the score is then the weighted sum of the numbers.
  std::vector<double> weights{};

  double score(const Tree& tree, std::uint32_t value) const {
    if (!weights.empty()) {
      const Tree::Outputs to = tree.outputs(weights.size());
      double sum = 0;
      for (std::size_t k = 0; k < to.count; ++k) {
        sum += weights[to.first + k] * tree.values[value + k];
      }
      return sum;
    }
    return sign * number(tree, value, plus) - (minus < 0 ? 0.0 : number(tree, value, minus));
  }

 private:
  static double number(const Tree& tree, std::uint32_t value, std::int32_t output) {
    if (tree.output == Tree::every_output) {
      return tree.values[value + static_cast<std::uint32_t>(output)];
    }
    const std::int32_t at = output - tree.output;
    return at >= 0 && at < tree.width ? tree.values[value + static_cast<std::uint32_t>(at)] : 0.0;
  }
};

/// The conditions that follow from the query's requirements. A threshold of +infinity means that no
/// scores meet a requirement.
std::vector<Condition> make_conditions(std::span<const Ensemble> ensembles, const Query& query);

/// The same, with the needs of compositions as make_needs (grid/composed.hpp) made them.
class ComposedNeed;
std::vector<Condition> make_conditions(std::span<const Ensemble> ensembles, const Query& query,
                                       std::span<const ComposedNeed> needs);

/// A bound on the rounding of the library and of ourselves in one raw score.
double score_error(const Ensemble& ensemble, std::size_t output);

}  // namespace boxwood
