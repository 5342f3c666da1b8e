// Finds good points quickly by moving one variable at a time: greedy repair until the conditions
// are met, then pull-back of what was moved too far. It proves nothing; Context::offer checks what
// it finds by the source library's arithmetic.
#pragma once

#include "search/fast/moves.hpp"
#include "search/fast/problem.hpp"
#include "search/fast/tuning.hpp"
#include "search/watch.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace boxwood::fast {

/// The problem that it searches.
struct Terrain {
  const Leaves& leaves;
  const Testers& testers;
  std::span<const std::uint32_t> cell_begin;
  std::span<const double> cost;
  std::span<const std::uint32_t> home;  ///< of a variable: its cheapest cell
  std::span<const RowCondition> conditions;
  std::vector<double> thresholds;  ///< of a condition: sufficient, rounding added
  std::uint32_t row_count = 0;
  Watch& watch;
  const Tuning& tuning;
  /// What the outcomes of compositions lack at sums of rows; empty if there are none.
  std::function<double(std::span<const double>)> composed{};
  /// The first conditions, so many, lack this share of what their thresholds say: little, if they
  /// only say what more would be good and the others must be met first.
  std::size_t desired = 0;
  double desire = 1;
  /// Of a condition: how much what it lacks counts at first. Empty: all count the same, always.
  std::vector<double> weights{};
};

class LocalSearch {
 public:
  explicit LocalSearch(Terrain terrain);

  void place(std::span<const std::uint32_t> at);

  /// Makes the move with the largest gain^exponent / cost until every condition is met. False when
  /// no move helps or the cost exceeds `limit`. Where conditions have weights, those that are
  /// missed when no move helps count more from then on, a few times.
  bool repair(double exponent, double limit);
  /// Saves as much cost as single moves can while every condition stays met.
  void pull_back();
  /// From now on repair() prefers some variables and avoids others, at random.
  void shake(std::uint32_t seed);
  void move(std::uint32_t variable, std::uint32_t cell);

  double cost() const { return cost_; }
  /// By how much the conditions are missed.
  double missing() { return shortfall(); }
  std::span<const std::uint32_t> at() const { return table_.at(); }
  const Terrain& terrain() const { return terrain_; }

 private:
  struct Move {
    std::uint32_t variable = 0;
    std::uint32_t cell = 0;
    double merit = 0;
  };
  double cost_of_place() const;
  double shortfall();
  bool weigh_missed();
  void list_touched();
  double shortfall_of(std::span<const double> sums) const;
  /// Calls visit(cell, cost, shortfall after the move) for every cell of a variable.
  template <typename Visit>
  void each_move(std::uint32_t variable, Visit visit);

  Terrain terrain_;
  MoveTable table_;
  MemoryHold held_;
  double cost_ = 0;
  std::vector<double> weights_;  // of a condition, at present
  // With weights: the conditions and rows that a move of a variable changes.
  std::vector<std::vector<std::uint32_t>> touched_, touched_rows_;
  std::vector<double> run_;   // of a row: its sum after a move
  std::vector<double> bias_;  // of a variable: its merits are multiplied by it
};

}  // namespace boxwood::fast
