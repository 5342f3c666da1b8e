// Looks for a neighbour of a point that does not have the outcome, or proves that there is none.
#pragma once

#include "grid/conditions.hpp"
#include "grid/moved_trees.hpp"

#include <boxwood/budget.hpp>
#include <boxwood/explain.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

class Adversary {
 public:
  /// All must outlive it.
  Adversary(const Prepared& prepared, const Query& query, Budget& budget);

  enum class Verdict : std::uint8_t { robust, broken, unknown };
  struct Finding {
    Verdict verdict = Verdict::unknown;  ///< unknown: a limit of the budget stopped the search
    std::vector<double> neighbour{};     ///< one without the outcome, if the point is broken
  };
  Finding examine(std::span<const double> point);

  /// Moves to the neighbour, and for other points towards its region.
  Moves towards(std::span<const double> neighbour) const;

 private:
  bool lacks(std::size_t requirement, std::span<const double> row) const;
  /// Moves the row among the neighbours of `point`, one feature after the other, to where the
  /// requirement is missed by most. A heuristic: the models decide about the row.
  void descend(std::size_t requirement, std::span<const double> point, std::vector<double>& row);
  std::vector<double> values_near(std::size_t feature, double value) const;

  const Prepared& prepared_;
  const Query& query_;
  Budget& budget_;
  Precision precision_;
  std::vector<std::vector<Condition>> conditions_;  ///< of each requirement
  /// For each ensemble and feature, the trees that test it.
  std::vector<std::vector<std::vector<std::uint32_t>>> trees_;
  std::vector<std::vector<double>> thresholds_;  ///< of each feature with neighbours, ascending
};

}  // namespace boxwood
