// What the parts of the search cost and bring, to decide which to pay for. Costs are counted, not
// timed, so that one thread does the same whatever else the machine does. Shared by all workers; a
// number that another overwrites is no harm.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace boxwood::fast {

/// About how many nanoseconds a step takes, from the leaves of its problem (docs/engine.md).
struct Price {
  static double boxes(std::uint64_t count, std::size_t leaves) {
    return static_cast<double>(count) * (400 + 2 * static_cast<double>(leaves));
  }
  static double dual_round(std::size_t leaves) { return 40 * static_cast<double>(leaves); }
  static double dual_check(std::size_t leaves) { return 150 * static_cast<double>(leaves); }
  static double tries(int count, std::size_t leaves) {
    return count * (500 + 6 * static_cast<double>(leaves));
  }
  /// What the dual of a whole problem takes at first: many rounds.
  static double first_dual(std::size_t leaves) { return 5000 * static_cast<double>(leaves); }
};

class Spending {
 public:
  /// What it seems to cost to finish a node by the dual: each time it closes a part of the gap.
  double dual_price() const { return dual_.load() / std::max(gap_closed_.load(), 1e-3); }

  void probe_took(double price) { total_.fetch_add(price); }

  void dual_took(double price, double gap_closed) {
    total_.fetch_add(price);
    dual_ = 0.8 * dual_ + 0.2 * price;
    gap_closed_ = 0.9 * gap_closed_ + 0.1 * gap_closed;
  }

  /// Whether better points may be looked for: they get a tenth of all.
  bool may_polish() const { return polish_.load() <= 0.1 * total_.load(); }
  void polish_took(double price) {
    total_.fetch_add(price);
    polish_.fetch_add(price);
  }

 private:
  std::atomic<double> dual_{1e6};
  std::atomic<double> gap_closed_{0.3};
  std::atomic<double> polish_{0};
  std::atomic<double> total_{0};
};

}  // namespace boxwood::fast
