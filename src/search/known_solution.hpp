// The solution guard: in developer builds a known solution must survive every prune. Both engines
// report what they discard to the checks below, and a prune that loses the solution throws. In
// other builds the checks compile to nothing.
#pragma once

#include "grid/cells.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <algorithm>
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
  /// `point` may be empty: then there is nothing to guard.
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
  /// Whether a search for points of cost `reach` or less has to find it.
  bool within(double reach) const { return active() && cost_ <= reach; }
  std::uint32_t cell(std::size_t variable) const { return cells_[variable]; }

  /// A box was discarded because no point of cost `reach` or less can be in it. `inside` says
  /// whether the box holds the solution.
  void check_discarded(bool inside, double reach, const char* prune) const {
    if (inside && within(reach)) lost(prune);
  }
  /// A problem of the fast engine loses the leaves and cells that are not kept.
  template <typename Problem, typename Selection>
  void check_selection(const Problem& problem, const Selection& keep, double reach,
                       const char* prune) const {
    if (!problem.holds_known || !within(reach)) return;
    for (std::size_t v = 0; v < problem.variable_count(); ++v) {
      if (!keep.cell[problem.cell_begin[v] + problem.known[v]]) lost(prune);
    }
    for (std::size_t leaf = 0; leaf < problem.leaf_count(); ++leaf) {
      if (!keep.leaf[leaf] && holds(problem, leaf)) lost(prune);
    }
  }
  /// A problem of the fast engine was reduced to another one.
  template <typename Problem>
  void check_reduction(const Problem& before, const Problem& after, double reach,
                       const char* prune) const {
    if (before.holds_known && !after.holds_known && within(reach)) lost(prune);
  }

  /// Whether a leaf of a problem that holds the solution holds it too.
  template <typename Problem>
  static bool holds(const Problem& problem, std::size_t leaf) {
    for (const auto& range : problem.leaves.ranges_of(leaf)) {
      const std::uint32_t cell = problem.known[range.variable];
      if (cell < range.first || cell >= range.last) return false;
    }
    return true;
  }
  /// Marks a new problem of the fast engine, which still has all variables, as holding the
  /// solution.
  template <typename Problem>
  void enter(Problem& problem, double reach) const {
    if (!within(reach)) return;
    problem.holds_known = true;
    for (std::size_t v = 0; v < problem.variable_count(); ++v) {
      const auto begin = problem.choice.begin() + problem.cell_begin[v];
      const auto end = problem.choice.begin() + problem.cell_begin[v + 1];
      const auto found = std::find(begin, end, cells_[v]);
      if (found == end) lost("near cells");
      problem.known.push_back(static_cast<std::uint32_t>(found - begin));
    }
  }

  [[noreturn]] static void lost(const char* prune) {
    throw std::logic_error(std::string("a prune lost the known solution: ") + prune);
  }

 private:
  std::vector<std::uint32_t> cells_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace boxwood
