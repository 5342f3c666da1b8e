// Looks for a neighbour of a point that does not have the outcome, or proves that there is none.
#pragma once

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
  Adversary(const Prepared& prepared, const Query& query, Budget& budget, Pace& pace);

  /// `missed`: the point itself lacks the outcome. `broken`: only a neighbour does.
  enum class Verdict : std::uint8_t { robust, missed, broken, unknown };
  struct Finding {
    Verdict verdict = Verdict::unknown;  ///< unknown: a limit of the budget stopped the search
    std::vector<double> neighbour{};     ///< one without the outcome; if missed, the point
  };
  /// Throws Pace::Stopped at a limit. If `inside` a search, Limits::poll is left to that search.
  Finding examine(std::span<const double> point, bool inside = false);

  /// Whether a row lacks the outcome of one of the query's requirements.
  bool lacks(std::size_t requirement, std::span<const double> row) const;

  /// Moves to the neighbour, and for other points towards its region.
  Moves towards(std::span<const double> neighbour) const;

 private:
  const Prepared& prepared_;
  const Query& query_;
  Budget& budget_;
  Pace& pace_;
  Precision precision_;
};

}  // namespace boxwood
