// Bounds on the rows of a query that cost at most some amount. Trees are cut down to these rows
// before they are prepared again and again (grid/moved_trees.hpp); few of their leaves are left.
#pragma once

#include "grid/cuts.hpp"

#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwood {

class RowReach {
 public:
  /// About rows that cost at most `most`; infinite: about all rows that the features' own rules
  /// permit. The query must outlive it.
  RowReach(const Query& query, Precision precision, double most);

  /// An interval of the numbers that a feature may have; empty if low > high. It contains all
  /// admissible values and possibly others.
  struct Span {
    double low = 0, high = 0;
    bool missing = false;  ///< it may be missing
  };
  const Span& span(std::size_t feature) const { return spans_[feature]; }

  /// The least cost of a value left of a cut (or not left of it); infinite if there is no such
  /// value. Missing values lie on neither side.
  double cost_of_side(std::size_t feature, const Cut& cut, bool left) const;
  /// The least cost of any value but the present one.
  double cost_of_change(std::size_t feature) const { return change_[feature]; }

  /// The present value, as it was given.
  double own(std::size_t feature) const { return query_.point[feature]; }

  /// The cost of a row after the term of one feature has risen: the sum of terms, or the largest
  /// term.
  double raised(double cost, double from, double to) const;
  /// Whether a lower bound on the cost of some rows shows that all of them cost too much.
  bool is_beyond(double bound) const;

 private:
  const Query& query_;
  Precision precision_;
  double most_;
  std::vector<Span> spans_;
  std::vector<std::uint8_t>
      priced_;  // whether costs of numbers never fall with the distance from the value
  std::vector<double> change_;
};

}  // namespace boxwood
