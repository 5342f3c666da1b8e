// What the formulas of derived columns leave of a box: the values of a derived column that some
// arguments give, and the arguments that give some value of it.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/query.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace boxwood {

/// Whether an interval holds one number.
inline bool is_single(const Interval& values) { return values.lower == values.upper; }

/// Arguments by position in DerivedBoxes::arguments, and cells [first, last) of derived columns.
struct DerivedBox {
  struct Cells {
    std::size_t first = 0, last = 0;
    bool operator==(const Cells&) const = default;
  };
  std::vector<Interval> arguments;
  std::vector<Cells> results;
  double bound = 0;  ///< no point of it costs less
};

class DerivedBoxes {
 public:
  /// `cuts` are those of the models.
  DerivedBoxes(const Query& query, const Cuts& cuts, Precision precision);

  const std::vector<std::size_t>& arguments() const { return arguments_; }
  /// The derived columns of the query that have a value, in its order.
  const std::vector<const Derived*>& columns() const { return columns_; }
  /// Whether some argument takes more than discrete values and is not the only such one of its
  /// formula: then the cheapest point is found to within a tolerance.
  bool has_tolerance() const;

  DerivedBox whole() const;
  /// Leaves out arguments and cells that no point of the box has; false if nothing is left. Every
  /// operation is monotone in each operand, as is rounding: the formula at the corners, calculated
  /// in its own type, bounds it in the box.
  bool shrink(DerivedBox& box) const;

  /// The number of cuts at or below a value of a derived column.
  std::size_t cell_of(std::size_t column, double value) const;
  /// The values of some cells.
  Interval values_of(std::size_t column, DerivedBox::Cells cells) const;
  /// The arguments of `box` for which a column is within its cells while the others are as in
  /// `point`; empty if there are none.
  Interval alone(const DerivedBox& box, std::span<const double> point, std::size_t argument) const;
  bool uses(std::size_t column, std::size_t argument) const;
  /// The numbers on both sides of about the middle of an argument's values.
  std::pair<double, double> middle(const Interval& values, std::size_t argument) const;

 private:
  template <typename Number>
  Interval range_in(const Derived& derived, const std::vector<Interval>& arguments) const;
  Interval range_of(std::size_t column, const std::vector<Interval>& arguments) const;
  bool meets(std::size_t column, DerivedBox::Cells cells,
             const std::vector<Interval>& arguments) const;
  bool narrow(const DerivedBox& box, std::size_t column, std::size_t argument,
              std::vector<Interval>& arguments) const;
  void keep_admissible(std::size_t argument, Interval& values) const;
  double first_value(const Derived& derived, const Cut& cut) const;

  const Query& query_;
  Precision precision_;
  double largest_;
  std::vector<const Derived*> columns_;
  std::vector<std::size_t> arguments_;
  std::vector<std::size_t> place_of_argument_;  // of a feature
  std::vector<std::vector<double>> starts_;     // of a column: the first value of each cell but 0
};

}  // namespace boxwood
