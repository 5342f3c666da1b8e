// Requirements as the certificate's rules see them (docs/proof.md): alternatives of conditions on
// scores, with allowances for the library's link. Everything here is a little weaker than what the
// checkers compute in exact numbers, so that what is closed here is closed there.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace boxwood::proofs {

/// sign * (score of plus - score of minus - centre) >= least - slack, for the library's scores.
/// Where they are known, slack is 0, the difference is rounded as the library does, and the result
/// may not be `barred`. With `part`, instead: the softmax of plus is at least (sign 1) or at most
/// (sign -1) that.
struct Condition {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::size_t plus = 0;
  double least = -std::numeric_limits<double>::infinity();
  double sign = 1;
  std::size_t minus = none;
  double centre = 0;
  std::optional<double> barred{};
  double slack = 0;
  bool in_single = false;
  std::optional<double> part{};
  /// What the trees' sum of sign * (plus - minus) must reach.
  double needed = -std::numeric_limits<double>::infinity();
};

/// All conditions of one of the alternatives hold in every point with the outcome.
using Alternatives = std::vector<std::vector<Condition>>;

/// An upper bound of sign * (score of plus - score of minus).
using Upper = std::function<double(std::size_t plus, std::size_t minus, double sign)>;

class Outcomes {
 public:
  /// Throws Error if proofs do not cover the model's link.
  Outcomes(const Ensemble& ensemble, const Requirement& requirement);

  const Ensemble& ensemble() const { return *ensemble_; }
  std::size_t model() const { return requirement_->ensemble; }
  const Alternatives& alternatives() const { return alternatives_; }
  /// Whether no sum can overflow; otherwise nothing follows from bounds of leaves.
  bool bounded() const { return bounded_; }

  /// Whether scores that the library has computed certainly have the outcome, or certainly do not.
  bool certainly(std::span<const double> scores, bool holds) const;

  /// A bound of sign * (score of plus - score of minus) from one of the trees' sum.
  double score_bound(std::size_t plus, std::size_t minus, double sign, double trees) const;
  /// Whether a softmax condition cannot hold.
  bool softmax_fails(const Condition& condition, const Upper& upper) const;

 private:
  Alternatives make_alternatives(bool negated) const;
  std::vector<Condition> conditions(const Interval& side) const;
  std::vector<Condition> score_within(std::size_t k, std::size_t rival, const Interval& side) const;
  std::vector<Condition> output_within(std::size_t k, const Interval& side) const;
  std::vector<Condition> softmax_within(std::size_t k, const Interval& side) const;
  std::vector<Condition> wins(std::size_t target) const;
  double score_for(double output, double sign) const;
  double relative(double output) const;
  double near_tie() const { return single_ ? 0x1p-19 : 0x1p-45; }
  bool direct() const;
  double middle() const;
  double unit() const;
  double error(std::size_t k) const;
  double base_part(std::size_t plus, std::size_t minus, double sign) const;
  bool fails(const Condition& condition, std::span<const double> scores) const;

  const Ensemble* ensemble_;
  const Requirement* requirement_;
  bool single_;
  bool bounded_ = true;
  double tiny_;
  Alternatives alternatives_;
};

/// The library's sum of one leaf of each tree; `values` has the first number of each leaf.
std::vector<double> scores_of(const Ensemble& ensemble, std::span<const double* const> values);

}  // namespace boxwood::proofs
