#include "search/fast/moves.hpp"

#include <algorithm>

namespace boxwood::fast {

MoveTable::MoveTable(const Leaves& leaves, const Testers& testers,
                     std::span<const std::uint32_t> cell_begin, std::uint32_t row_count)
    : leaves_(leaves),
      testers_(testers),
      cell_begin_(cell_begin),
      stride_(cell_begin.back() + cell_begin.size() - 1),
      tree_of_(leaves.trees()),
      outside_(leaves.count()),
      culprit_(leaves.count()),
      sums_(row_count),
      steps_(row_count * stride_) {}

void MoveTable::place(std::span<const std::uint32_t> at) {
  at_.assign(at.begin(), at.end());
  std::fill(outside_.begin(), outside_.end(), 0);
  std::fill(culprit_.begin(), culprit_.end(), 0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(steps_.begin(), steps_.end(), 0.0);
  for (std::uint32_t leaf = 0; leaf < leaves_.count(); ++leaf) {
    for (std::uint32_t s = leaves_.ranges_begin[leaf]; s < leaves_.ranges_begin[leaf + 1]; ++s) {
      const LeafRange& range = leaves_.ranges[s];
      if (at[range.variable] >= range.first && at[range.variable] < range.last) continue;
      ++outside_[leaf];
      culprit_[leaf] ^= s;
    }
    if (outside_[leaf] <= 1) count(leaf, 1.0);
  }
}

void MoveTable::add_range(std::uint32_t index, Leaves::Rows rows, const double* values, double sign,
                          bool own_leaf) {
  const LeafRange& range = leaves_.ranges[index];
  double* steps = &steps_[rows.first * stride_ + cell_begin_[range.variable] + range.variable];
  for (std::uint32_t r = 0; r < rows.count; ++r, steps += stride_) {
    const double value = sign * values[r];
    if (own_leaf) steps[0] -= value;  // lost outside the range
    steps[range.first] += value;
    steps[range.last] -= value;
  }
}

/// Adds (sign 1) or removes (sign -1) the contribution of a leaf with at most one violated range.
void MoveTable::count(std::uint32_t leaf, double sign) {
  const std::uint32_t tree = tree_of_[leaf];
  const Leaves::Rows rows = leaves_.rows[tree];
  const double* values = leaves_.values_of(tree, leaf);
  if (outside_[leaf] == 1) {
    add_range(culprit_[leaf], rows, values, sign, false);
    return;
  }
  for (std::uint32_t r = 0; r < rows.count; ++r) sums_[rows.first + r] += sign * values[r];
  for (std::uint32_t s = leaves_.ranges_begin[leaf]; s < leaves_.ranges_begin[leaf + 1]; ++s) {
    add_range(s, rows, values, sign, true);
  }
}

void MoveTable::move(std::uint32_t variable, std::uint32_t cell) {
  const std::uint32_t before = at_[variable];
  at_[variable] = cell;
  for (const Testers::Tester& tester : testers_.of(variable)) {
    const bool was = before >= tester.first && before < tester.last;
    const bool is = cell >= tester.first && cell < tester.last;
    if (was == is) continue;
    const std::uint32_t leaf = tester.leaf;
    if (outside_[leaf] <= 1) count(leaf, -1.0);
    outside_[leaf] += is ? ~std::uint32_t{0} : 1U;
    culprit_[leaf] ^= tester.range;
    if (outside_[leaf] <= 1) count(leaf, 1.0);
  }
}

}  // namespace boxwood::fast
