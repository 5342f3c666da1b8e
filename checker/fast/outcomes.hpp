// The fast checker's own reading of requirements: alternatives of conditions on scores, with the
// allowances of docs/proof.md. Its doubles are rounded so that a condition can only become weaker.
#pragma once

#include "question.hpp"

#include <functional>

namespace check {

constexpr int no_output = -1;

/// sign * (score of plus - score of minus - centre) >= least - slack. Where scores are known, slack
/// is 0, the difference is rounded as the library does, and the result may not be `barred`. With
/// `part`, instead: the softmax of plus is at least (sign 1) or at most (sign -1) that.
struct Condition {
  int plus = 0;
  double least = -inf;
  double sign = 1;
  int minus = no_output;
  double centre = 0;
  std::optional<double> barred{};
  double slack = 0;
  bool in_single = false;
  std::optional<double> part{};
  double needed = -inf;  ///< what the trees' sum of sign * (plus - minus) must reach
};
using Alternatives = std::vector<std::vector<Condition>>;
/// An upper bound of sign * (score of plus - score of minus).
using Upper = std::function<double(int plus, int minus, double sign)>;

class Outcomes {
 public:
  Outcomes(const Model& of, const Json& wanted);

  const Model& model;
  Alternatives alternatives;
  bool bounded = true;  ///< no sum can overflow; otherwise nothing follows from bounds of leaves

  /// Whether known scores certainly have the outcome, or certainly do not.
  bool certainly(const std::vector<double>& scores, bool holds) const;
  /// A bound of sign * (score of plus - score of minus) from one of the trees' sum.
  double score_bound(int plus, int minus, double sign, double trees) const;
  bool softmax_fails(const Condition& condition, const Upper& upper) const;

 private:
  void check_numbers() const;
  Alternatives make(bool negated) const;
  std::vector<Condition> conditions(const Interval& side) const;
  std::vector<Condition> score_within(int k, int rival, const Interval& side) const;
  std::vector<Condition> output_within(int k, const Interval& side) const;
  std::vector<Condition> softmax_within(int k, const Interval& side) const;
  std::vector<Condition> wins(int target) const;
  double score_for(double output, double sign) const;
  double inverse(double output) const;
  double relative(double output) const;
  double near_tie() const { return model.single ? 0x1p-20 : 0x1p-46; }
  bool direct() const { return model.link == "identity" || model.link == "votes"; }
  double middle() const;
  double base_of(int plus, int minus, double sign) const;
  bool fails(const Condition& condition, const std::vector<double>& scores) const;

  const Json wanted_;
  bool negated_ = false;
  double tiny_ = 0;
};

}  // namespace check
