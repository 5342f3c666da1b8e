#include "grid/pieces.hpp"

#include <algorithm>

namespace boxwood {

void Pieces::add(const PathRange& range, std::span<const CellRange> cells) {
  const std::uint32_t owner = variables_[range.feature].owner;
  const Variable& variable = variables_[owner];
  const CellRange near = near_[owner];
  std::vector<std::uint64_t>& taken = taken_[owner];
  if (taken.empty()) {
    taken.assign(near.size(), 1);
    touched_.push_back(owner);
  }
  if (variable.missing) {
    if (!range.missing) taken.assign(near.size(), 0);
    return;
  }
  if (!variable.listed) {
    // Ranges stay separate even if no admissible cell is between them: a region is one interval.
    std::fill(taken.begin(), taken.end(), std::uint64_t{0});
    std::uint64_t mark = 1;
    for (const CellRange& part : cells) {
      const std::uint32_t first = std::max(near.first, variable.kept_below[part.first]);
      const std::uint32_t last = std::min(near.last, variable.kept_below[part.last]);
      if (first >= last) continue;
      std::fill(taken.begin() + (first - near.first), taken.begin() + (last - near.first), mark);
      mark ^= 3;
    }
    return;
  }
  const std::size_t width = variable.columns.size();
  const auto column = static_cast<std::size_t>(
      std::find(variable.columns.begin(), variable.columns.end(), range.feature) -
      variable.columns.begin());
  for (std::uint32_t cell = near.first; cell < near.last; ++cell) {
    const std::uint32_t rank = variable.ranks[cell * width + column];
    std::uint64_t& mark = taken[cell - near.first];
    if (rank == Variable::missing_rank) {
      if (!range.missing) mark = 0;
      continue;
    }
    const auto part = std::find_if(cells.begin(), cells.end(),
                                   [&](const CellRange& one) { return one.contains(rank); });
    if (part == cells.end()) {
      mark = 0;
    } else if (variable.group && mark != 0) {  // ranges of columns stay separate, too
      mark = mark * cells.size() + static_cast<std::uint64_t>(part - cells.begin());
    }
  }
  if (variable.group && cells.size() > 1) renumber(taken);
}

/// Renumbers marks by their distinct values, so that they stay small however many columns a path
/// tests.
void Pieces::renumber(std::vector<std::uint64_t>& marks) {
  marks_.assign(marks.begin(), marks.end());
  marks_.push_back(0);
  std::sort(marks_.begin(), marks_.end());
  marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  for (std::uint64_t& mark : marks) {
    mark = static_cast<std::uint64_t>(std::lower_bound(marks_.begin(), marks_.end(), mark) -
                                      marks_.begin());
  }
}

bool Pieces::find_runs() {
  runs_begin_.assign(1, 0);
  runs_.clear();
  costs_.clear();
  for (const std::uint32_t variable : touched_) {
    const std::vector<std::uint64_t>& taken = taken_[variable];
    for (std::uint32_t cell = 0; cell < taken.size(); ++cell) {
      if (!taken[cell]) continue;
      if (cell > 0 && taken[cell - 1] == taken[cell]) {
        ++runs_.back().last;
      } else {
        runs_.push_back({cell, cell + 1});
      }
    }
    if (runs_.size() == runs_begin_.back()) return false;
    for (std::size_t r = runs_begin_.back(); r < runs_.size(); ++r) {
      const std::uint32_t first = near_[variable].first;
      const Variable& whole = variables_[variable];
      costs_.push_back(
          whole.cells[whole.nearest(first + runs_[r].first, first + runs_[r].last)].cost);
    }
    runs_begin_.push_back(static_cast<std::uint32_t>(runs_.size()));
  }
  return true;
}

}  // namespace boxwood
