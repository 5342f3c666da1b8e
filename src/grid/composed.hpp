// What a required outcome of a composition (boxwood/composition.hpp) means for the sums of trees:
// linear conditions for the bounds of both engines, and a check of intervals that is tighter, for
// the boxes of the fast engine. Both are necessary only; the library's arithmetic decides.
#pragma once

#include "grid/conditions.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// sign * (the sum of class `plus`, or the number, minus that of class `minus`) >= least, where
/// sums are the members' weighted contributions before they are divided. Of a linear model of three
/// or more classes: the difference of the sums of these classes, without their shifts; `factors`
/// are those of the contributions, as in LinearRow.
struct ComposedSide {
  std::size_t plus = 0;
  std::size_t minus = none;
  double sign = 1;
  double least = 0;
  bool strict = false;
  std::vector<double> factors{};
  static constexpr std::size_t none = ~std::size_t{0};
};

std::vector<ComposedSide> sides_of(const Ensemble& ensemble, const Requirement& requirement);

class ComposedNeed {
 public:
  /// Lists that a thread uses again and again.
  struct Scratch {
    std::vector<double> low, high, scores, parts, others, least, most;
    std::vector<std::size_t> order;
  };

  ComposedNeed(const Ensemble& ensemble, std::uint32_t index, const Requirement& requirement,
               std::span<const double> point);

  std::uint32_t ensemble() const { return index_; }
  /// False where no point has the outcome whose sums of trees lie in these intervals, one for each
  /// raw score.
  bool possible(std::span<const double> low, std::span<const double> high, Scratch& scratch) const;
  /// How much the outcome is missed by where trees have these sums; 0 if it is met. Only for
  /// finding points.
  double missing(std::span<const double> sums, Scratch& scratch) const;
  /// The linear conditions that follow. A threshold of +infinity means that the outcome is
  /// impossible.
  const std::vector<Condition>& conditions() const { return conditions_; }
  /// Whether the conditions alone say all that possible() does.
  bool simple() const { return simple_; }

 private:
  friend class ComposedBounds;
  double score(double sum, std::size_t output) const { return sum * unit_[output] + base_[output]; }
  /// Writes the scores of a member at a corner of their intervals, widened by their errors: those
  /// for which `raised(k)` holds at the high end. Returns the largest of their sizes.
  template <typename Raised>
  double to_corner(const Member& member, std::size_t first, std::span<const double> low,
                   std::span<const double> high, const Raised& raised,
                   std::vector<double>& scores) const;
  void add_coupled(std::size_t member, std::size_t first, std::span<const double> low,
                   std::span<const double> high, Scratch& scratch) const;
  /// Where a member's contribution to a class is added up: of linear models of several classes,
  /// every contribution has its own place.
  std::size_t place(std::size_t member, std::size_t of_class) const {
    return rows_ ? member * ensemble_.classes.size() + of_class : of_class;
  }
  std::size_t places() const {
    return rows_ ? ensemble_.composition.members.size() * ensemble_.classes.size()
                 : ensemble_.output_count();
  }
  Interval total_of(std::size_t member, std::size_t first) const;
  bool rows_possible(Scratch& scratch) const;
  double most_of(const ComposedSide& side, double sign, Scratch& scratch) const;

  const Ensemble& ensemble_;
  std::uint32_t index_;
  std::vector<ComposedSide> sides_;
  std::vector<double> unit_, base_, error_;  // of a raw score: unit * sum + base, up to error
  std::vector<double> weights_;              // of a member
  bool rows_ = false;                        // a linear model of three or more classes
  std::vector<Interval> totals_;             // then of a member: the sum of its contributions
  std::vector<double> guide_;                // of a raw score: which way leads to the outcome
  double guide_low_ = 0, guide_high_ = 1;
  bool of_share_ = false;  // normalised outputs, or those of a softmax, are asked for
  Interval share_{};
  std::size_t share_of_ = 0;
  bool unbounded_ = false;  // sums may overflow: nothing is known
  bool simple_ = false;
  std::vector<Condition> conditions_;
  std::vector<Member> uncalibrated_;  // of each member; empty ones where nobody asks
};

/// One for each requirement of the query that is about a composition.
std::vector<ComposedNeed> make_needs(std::span<const Ensemble> ensembles, const Query& query);

}  // namespace boxwood
