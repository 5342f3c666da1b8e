// Requirements as the certificate's rules see them (docs/proof.md): alternatives of linear
// conditions for bounds, and a decision about known scores that is certain whatever the last digit
// of the library's exp is. Everything here is a little weaker than what the checkers compute in
// exact numbers, so that what is closed here is closed there.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::proofs {

/// sign * (sum of the trees for `plus`) - (sum of the trees for `minus`) >= least. With
/// `probability`, instead: the softmax of `plus` is at least that.
struct LinearCondition {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t plus = 0;
  std::size_t minus = none;
  double sign = 1;
  double least = 0;  ///< infinite: impossible
  std::optional<double> probability{};
};

/// All conditions of one of the ways hold in every point with the outcome.
using Ways = std::vector<std::vector<LinearCondition>>;

class Outcomes {
 public:
  /// Throws Error if proofs do not cover the model's link.
  Outcomes(const Ensemble& ensemble, const Requirement& requirement);

  const Ensemble& ensemble() const { return *ensemble_; }
  std::size_t model() const { return requirement_->ensemble; }
  const Ways& ways() const { return ways_; }

  /// Whether scores that the library has computed have the outcome; nothing where it depends on the
  /// last digits of the link.
  std::optional<bool> holds(std::span<const double> scores) const;

  /// A lead in raw scores that no point of a box exceeds, from a bound on the trees' sums; infinite
  /// where sums may overflow.
  double lead_bound(std::size_t plus, std::size_t minus, double trees) const;

 private:
  std::optional<bool> holds_plainly(std::span<const double> scores) const;
  std::optional<bool> class_is(std::size_t target, std::span<const double> scores) const;
  struct Bounds {
    double low, high;
  };
  Bounds forward(double score) const;
  Bounds softmax_bounds(std::span<const double> scores, std::size_t k) const;
  double relative(bool half_or_more) const;
  double near_tie() const { return single_ ? 0x1p-19 : 0x1p-45; }

  Ways make_ways() const;
  Ways softmax_ways(std::size_t k, double low, double high) const;
  std::vector<LinearCondition> bounded(std::size_t k, double low, double high, bool output) const;
  std::vector<LinearCondition> lead(std::size_t k, std::size_t rival, double low,
                                    double high) const;
  std::vector<LinearCondition> wins(std::size_t target) const;
  double score_for(double output, bool upward) const;
  double error(std::size_t k) const;
  double base_part(const LinearCondition& condition) const;
  double unit() const;
  double middle() const;
  void to_tree_sums();

  const Ensemble* ensemble_;
  const Requirement* requirement_;
  bool single_;
  double tiny_;
  Ways ways_;
};

/// The library's sum of one leaf of each tree; `values` has the first number of each leaf.
std::vector<double> scores_of(const Ensemble& ensemble, std::span<const double* const> values);

}  // namespace boxwood::proofs
