// A leaf as boxes of a query's cells. Most leaves are one box. A leaf that takes several ranges of
// a feature, or cells of a listed variable that are not consecutive, is cut into pieces: disjoint
// boxes with the leaf's values that together hold exactly the leaf's points.
#pragma once

#include "grid/cells.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// A leaf's range of cells of one variable, if it does not take all of them.
struct LeafRange {
  std::uint32_t variable = 0;
  CellRange cells;
};

class Pieces {
 public:
  /// `near` has the cells of each variable to use; all others are ignored. Ranges are numbered from
  /// the first near cell.
  Pieces(std::span<const Variable> variables, std::span<const CellRange> near)
      : variables_(variables), near_(near), taken_(variables.size()) {}

  /// Whether a leaf's cells of a feature may be more than one range of the variable's cells.
  bool is_odd(const PathRange& range) const {
    const Variable& variable = variables_[range.feature];
    return range.list != PathRange::no_list || variable.listed || variable.owner != range.feature;
  }

  void begin() {
    for (const std::uint32_t variable : touched_) taken_[variable].clear();
    touched_.clear();
  }
  /// Adds one odd range.
  void add(const PathRange& range, std::span<const CellRange> cells);
  /// Calls emit(ranges) with the odd variables' ranges for every piece whose runs together cost at
  /// most `radius`, until emit returns false. Does not call it if no cell is left. A change of
  /// category has a cost, so few of the many combinations are within the radius.
  template <typename Emit>
  void each(double radius, Emit emit) {
    if (!find_runs()) return;
    choice_.assign(touched_.size(), 0);
    spent_.assign(touched_.size() + 1, 0.0);
    std::size_t depth = 0;
    for (;;) {
      if (depth == touched_.size()) {
        ranges_.clear();
        for (std::size_t i = 0; i < touched_.size(); ++i) {
          const CellRange run = runs_[runs_begin_[i] + choice_[i]];
          if (run.size() < near_[touched_[i]].size()) ranges_.push_back({touched_[i], run});
        }
        if (!emit(std::span<const LeafRange>(ranges_))) return;
      } else if (runs_begin_[depth] + choice_[depth] < runs_begin_[depth + 1]) {
        spent_[depth + 1] = spent_[depth] + costs_[runs_begin_[depth] + choice_[depth]];
        if (spent_[depth + 1] <= radius) {
          if (++depth < touched_.size()) choice_[depth] = 0;
          continue;
        }
        ++choice_[depth];
        continue;
      }
      if (depth == 0) return;
      ++choice_[--depth];
    }
  }

 private:
  bool find_runs();
  void renumber(std::vector<std::uint64_t>& marks);

  std::span<const Variable> variables_;
  std::span<const CellRange> near_;
  std::vector<std::vector<std::uint64_t>> taken_;  // of a variable, of a near cell: 0 for no, equal
                                                   // neighbours are one run; empty: untouched
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> runs_begin_;
  std::vector<CellRange> runs_;
  std::vector<double> costs_;  // of a run: its cheapest cell
  std::vector<double> spent_;
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> choice_;
  std::vector<LeafRange> ranges_;
};

}  // namespace boxwood
