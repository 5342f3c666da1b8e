// What the parts of the search cost and gain, to decide which part to run next. Costs are counted,
// not timed, so that one thread does the same work on every machine. All workers share one
// Spending; a lost update does no harm.
#pragma once

#include "search/fast/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace boxwood::fast {

/// Roughly how many nanoseconds a step takes, from the number of leaves of its problem.
class Price {
 public:
  Price(const Tuning& tuning, bool one_condition)
      : tuning_(tuning),
        box_leaf_(one_condition ? tuning.price_box_leaf : tuning.price_box_leaf_of_several) {}

  double boxes(std::uint64_t count, std::size_t leaves) const {
    return static_cast<double>(count) * (tuning_.price_box + of(leaves, box_leaf_));
  }
  double dual_round(std::size_t leaves) const { return of(leaves, tuning_.price_round_leaf); }
  double dual_check(std::size_t leaves) const { return of(leaves, tuning_.price_check_leaf); }
  double tries(std::uint32_t count, std::size_t leaves) const {
    return count * (tuning_.price_try + of(leaves, tuning_.price_try_leaf));
  }
  /// What the dual bound of a whole problem takes at first: many rounds.
  double first_dual(std::size_t leaves) const { return of(leaves, tuning_.price_first_dual_leaf); }

 private:
  static double of(std::size_t leaves, double each) { return each * static_cast<double>(leaves); }

  const Tuning& tuning_;
  double box_leaf_;
};

class Spending {
 public:
  explicit Spending(const Tuning& tuning)
      : tuning_(tuning),
        dual_(tuning.dual_price_guess),
        gap_closed_(tuning.gap_closed_guess),
        push_gain_(1) {}

  /// The estimated price of finishing a node by dual bounds: each closes a part of the gap.
  double dual_price() const {
    return dual_.load() / std::max(gap_closed_.load(), tuning_.least_gap_closed);
  }

  void probe_took(double price) { add(total_, price); }

  void dual_took(double price, double gap_closed) {
    add(total_, price);
    dual_ = mean(dual_, price, tuning_.dual_price_weight);
    gap_closed_ = mean(gap_closed_, gap_closed, tuning_.gap_closed_weight);
  }

  /// Whether a node may push prices: pushes close enough of the gap, or it is time to try again.
  bool may_push() {
    return push_gain_.load() >= tuning_.push_least_gain || ++refrained_ % tuning_.push_one_in == 0;
  }
  void push_took(double gap_closed) {
    push_gain_ = mean(push_gain_, gap_closed, tuning_.push_gain_weight);
  }

  /// Whether better points may be looked for: they get a fixed share of all work.
  bool may_polish() const { return polish_.load() <= tuning_.polish_share * total_.load(); }
  void polish_took(double price) {
    add(total_, price);
    add(polish_, price);
  }

 private:
  static void add(std::atomic<double>& sum, double price) { sum = sum.load() + price; }
  static double mean(double before, double latest, double weight) {
    return (1 - weight) * before + weight * latest;
  }

  const Tuning& tuning_;
  std::atomic<double> dual_;
  std::atomic<double> gap_closed_;
  std::atomic<double> push_gain_;
  std::atomic<std::uint32_t> refrained_{0};
  std::atomic<double> polish_{0};
  std::atomic<double> total_{0};
};

}  // namespace boxwood::fast
