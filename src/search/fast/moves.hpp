// The single-move table: for a point, how every row's sum changes if one variable moves to another
// cell. A leaf with no violated range is the leaf of its tree that holds the point. A leaf with
// exactly one violated range holds the point after that variable moves into its range. A move
// updates only the leaves that test the variable.
#pragma once

#include "search/fast/leaf_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood::fast {

class MoveTable {
 public:
  MoveTable(const Leaves& leaves, const Testers& testers, std::span<const std::uint32_t> cell_begin,
            std::uint32_t row_count);

  void place(std::span<const std::uint32_t> at);
  void move(std::uint32_t variable, std::uint32_t cell);

  std::size_t bytes() const {
    return 5 * outside_.size() * sizeof(std::uint32_t) + steps_.size() * sizeof(double);
  }
  std::span<const std::uint32_t> at() const { return at_; }
  std::span<const double> sums() const { return sums_; }
  /// Differences along the cells of a variable: their running sum up to cell j is what a move to
  /// cell j adds to the row's sum.
  const double* steps(std::uint32_t row, std::uint32_t variable) const {
    return &steps_[row * stride_ + cell_begin_[variable] + variable];
  }

 private:
  void count(std::uint32_t leaf, double sign);
  void count_single(std::uint32_t leaf, double sign);
  void add_range(std::uint32_t index, Leaves::Rows rows, const double* values, double sign,
                 bool own_leaf);

  const Leaves& leaves_;
  const Testers& testers_;
  std::span<const std::uint32_t> cell_begin_;
  std::size_t stride_;
  bool single_;                         // all trees add to one row: leaf i has value i
  std::vector<std::uint32_t> tree_of_;  // unless single_
  std::vector<std::uint32_t> at_;
  std::vector<std::uint32_t> outside_;  // of a leaf: ranges that do not hold the point
  std::vector<std::uint32_t>
      culprit_;  // of a leaf: those ranges' numbers, combined by exclusive or
  std::vector<std::uint32_t> changed_;  // leaves, or testers, that a move has to look at
  std::vector<double> sums_;
  std::vector<double> steps_;
};

}  // namespace boxwood::fast
