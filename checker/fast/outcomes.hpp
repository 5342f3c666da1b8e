// The fast checker's own reading of requirements: alternatives of linear conditions, and a decision
// about known scores that is certain within the allowances of docs/proof.md.
#pragma once

#include "question.hpp"

namespace check {

constexpr int no_output = -1;

/// sign * (trees' sum of plus) - (trees' sum of minus) >= least; or a softmax probability of plus.
struct Condition {
  int plus = 0, minus = no_output;
  double sign = 1, least = 0;
  double probability = -1;  ///< not negative: the softmax of plus is at least this
};

class Outcomes {
 public:
  Outcomes(const Model& model, const Json& wanted);

  const Model& model;
  std::vector<std::vector<Condition>> ways;

  /// Whether scores have the outcome; nothing where allowances overlap.
  std::optional<bool> holds(const std::vector<double>& scores) const;
  /// An upper bound of a lead in scores, from one of the trees' sums.
  double lead_bound(int plus, int minus, double trees) const;

 private:
  struct Range {
    double low, high;
  };
  double relative(bool half_or_more) const;
  double tiny() const { return model.single ? 0x1p-120 : 0x1p-1000; }
  double near_tie() const { return model.single ? 0x1p-20 : 0x1p-46; }
  double middle() const;
  bool by_score() const;
  double score_for(double output, bool upward) const;
  std::vector<Condition> bounded(int k, Range range, bool of_output) const;
  std::vector<Condition> lead(int k, int rival, Range range) const;
  std::vector<std::vector<Condition>> softmax(int k, Range range) const;
  std::vector<Condition> wins(int target) const;
  std::vector<std::vector<Condition>> alternatives() const;
  double base_of(int plus, int minus, double sign) const;
  Range output(const std::vector<double>& scores, int k) const;
  std::optional<bool> class_is(int target, const std::vector<double>& scores) const;
  std::optional<bool> plainly(const std::vector<double>& scores) const;

  const Json wanted_;
  bool negated_ = false;
};

}  // namespace check
