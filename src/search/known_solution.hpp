// In developer builds a known solution must survive every prune: whoever discards a box asks here
// first. In other builds nothing of it is left.
#pragma once

#include "grid/cells.hpp"

#include <boxwood/ensemble.hpp>
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
  KnownSolution(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts,
                std::span<const Variable> variables, std::span<const double> point) {
    if (!developer_build || point.empty()) return;
    const Precision precision = common_precision(ensembles);
    for (std::size_t d = 0; d < point.size(); ++d) {
      cells_.push_back(cell_of(variables[d], d, cuts, precision, point));
      if (cells_.back() == Variable::no_cell) lost("cells that are not admitted");
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
