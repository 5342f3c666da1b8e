// In developer builds a known solution must survive every prune: whoever discards a box asks here
// first. In other builds nothing of it is left.
#pragma once

#include "grid/cells.hpp"

#include <boxwood/query.hpp>

#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace boxwood {

#ifdef BOXWOOD_DEVELOPER
inline constexpr bool developer_build = true;
#else
inline constexpr bool developer_build = false;
#endif

class KnownSolution {
 public:
  /// `point` may be empty: then nothing is known.
  KnownSolution(const Query& query, std::span<const Variable> variables,
                std::span<const double> point) {
    if (!developer_build || point.empty()) return;
    for (std::size_t d = 0; d < point.size(); ++d) {
      // A cell's value is its nearest to the query's point: going outwards from the own cell, the
      // last one that does not lie past the known value is the cell of that value.
      const Variable& variable = variables[d];
      std::uint32_t cell = variable.own;
      while (point[d] > query.point[d] && cell + 1 < variable.cells.size() &&
             variable.cells[cell + 1].value <= point[d]) {
        ++cell;
      }
      while (point[d] < query.point[d] && cell > 0 && variable.cells[cell - 1].value >= point[d]) {
        --cell;
      }
      cells_.push_back(cell);
    }
    cost_ = total_cost(query, point);
  }

  bool active() const { return developer_build && !cells_.empty(); }
  double cost() const { return cost_; }
  std::uint32_t cell(std::size_t variable) const { return cells_[variable]; }

  [[noreturn]] static void lost(const char* prune) {
    throw std::logic_error(std::string("a prune lost the known solution: ") + prune);
  }

 private:
  std::vector<std::uint32_t> cells_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace boxwood
