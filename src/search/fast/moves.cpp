#include "search/fast/moves.hpp"

#include <algorithm>

namespace boxwood::fast {

MoveTable::MoveTable(const Leaves& leaves, const Testers& testers,
                     std::span<const std::uint32_t> cell_begin, std::uint32_t row_count)
    : leaves_(leaves),
      testers_(testers),
      cell_begin_(cell_begin),
      stride_(cell_begin.back() + cell_begin.size() - 1),
      single_(row_count == 1 && leaves.values.size() == leaves.count()),
      outside_(leaves.count()),
      culprit_(leaves.count()),
      changed_(leaves.count() + 1),
      sums_(row_count),
      steps_(row_count * stride_) {
  if (!single_) tree_of_ = leaves.trees();
}

namespace {

/// Whether a cell is in first..last - 1, without a branch, which would mostly be predicted wrong.
template <typename Range>
std::uint32_t holds(const Range& range, std::uint32_t cell) {
  return cell - range.first < range.last - range.first ? 1 : 0;
}

}  // namespace

void MoveTable::place(std::span<const std::uint32_t> at) {
  at_.assign(at.begin(), at.end());
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(steps_.begin(), steps_.end(), 0.0);
  std::size_t near = 0;
  for (std::uint32_t leaf = 0; leaf < leaves_.count(); ++leaf) {
    std::uint32_t outside = 0, culprit = 0;
    for (std::uint32_t s = leaves_.ranges_begin[leaf]; s < leaves_.ranges_begin[leaf + 1]; ++s) {
      const LeafRange& range = leaves_.ranges[s];
      const std::uint32_t out = 1 - holds(range, at[range.variable]);
      outside += out;
      culprit ^= out * s;
    }
    outside_[leaf] = outside;
    culprit_[leaf] = culprit;
    changed_[near] = leaf;
    near += outside <= 1 ? 1U : 0U;
  }
  for (std::size_t i = 0; i < near; ++i) count(changed_[i], 1.0);
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
  if (single_) return count_single(leaf, sign);
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

void MoveTable::count_single(std::uint32_t leaf, double sign) {
  const double value = sign * leaves_.values[leaf];
  const auto add = [&](std::uint32_t s) {
    const LeafRange& range = leaves_.ranges[s];
    double* const steps = &steps_[cell_begin_[range.variable] + range.variable];
    if (outside_[leaf] == 0) steps[0] -= value;  // lost outside the range
    steps[range.first] += value;
    steps[range.last] -= value;
  };
  if (outside_[leaf] == 1) return add(culprit_[leaf]);
  sums_[0] += value;
  for (std::uint32_t s = leaves_.ranges_begin[leaf]; s < leaves_.ranges_begin[leaf + 1]; ++s) {
    add(s);
  }
}

void MoveTable::move(std::uint32_t variable, std::uint32_t cell) {
  const std::uint32_t before = at_[variable];
  at_[variable] = cell;
  const std::span<const Testers::Tester> testers = testers_.of(variable);
  changed_.resize(std::max(changed_.size(), testers.size() + 1));
  std::size_t changed = 0;
  for (std::uint32_t i = 0; i < testers.size(); ++i) {
    changed_[changed] = i;
    changed += holds(testers[i], before) ^ holds(testers[i], cell);
  }
  for (std::size_t i = 0; i < changed; ++i) {
    const Testers::Tester& tester = testers[changed_[i]];
    const std::uint32_t leaf = tester.leaf;
    if (outside_[leaf] <= 1) count(leaf, -1.0);
    outside_[leaf] += holds(tester, cell) ? ~std::uint32_t{0} : 1U;
    culprit_[leaf] ^= tester.range;
    if (outside_[leaf] <= 1) count(leaf, 1.0);
  }
}

}  // namespace boxwood::fast
