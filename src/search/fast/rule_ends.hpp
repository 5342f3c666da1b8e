// The ends of linear rules that are conditions of the search, to be decided exactly. Sums of
// doubles decide about a rule up to rounding, and thresholds allow for it: a row that breaks a rule
// by less than that passes every bound, and so does every box around it. Where a sum is so close to
// its threshold, the exact sum decides (Probe::may_hold).
#pragma once

#include "grid/cells.hpp"
#include "search/fast/problem.hpp"
#include "search/linear_box.hpp"

#include <boxwood/query.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::fast {

/// One end of a linear rule. Its terms have different variables.
struct RuleEnd {
  LinearCondition condition;             ///< with this end alone
  std::vector<std::uint32_t> variables;  ///< of a term: the grid variable that decides about it
  double close = 0;  ///< sums that exceed the threshold by less are decided exactly
};

class RuleEnds {
 public:
  RuleEnds() = default;
  /// `rows_end` is beyond the last row of the rules' ensemble.
  RuleEnds(const Query& query, std::span<const Variable> variables, const LinearBox& linear,
           std::span<const RowCondition> conditions, std::uint32_t rows_end);

  bool any() const { return !of_.empty(); }
  /// Null if the condition is no end of a linear rule, or one that is not decided here.
  const RuleEnd* of(std::size_t condition) const {
    return condition < of_.size() && of_[condition] >= 0
               ? &ends_[static_cast<std::size_t>(of_[condition])]
               : nullptr;
  }

 private:
  std::vector<RuleEnd> ends_;
  std::vector<std::int32_t> of_;
};

/// The value of a term's feature in a cell of its variable that adds most to the sum, which is at
/// an end of the cell. May be missing or infinite.
double best_value(const RuleEnd& end, std::size_t term, std::uint32_t cell,
                  std::span<const Variable> variables, const LinearBox& linear);

}  // namespace boxwood::fast
