// What the parts of the search cost and bring, measured as it runs, to decide which to pay for.
// Shared by all workers; a measurement that another overwrites is no harm.
#pragma once

#include <algorithm>
#include <atomic>

namespace boxwood::fast {

class Spending {
 public:
  /// What it seems to cost to finish a node by the dual: each time it closes a part of the gap.
  double dual_price() const { return dual_seconds_.load() / std::max(gap_closed_.load(), 1e-3); }
  /// Before the first time: rounds in proportion to the leaves.
  static double first_dual_price(std::size_t leaves) { return 5e-6 * static_cast<double>(leaves); }

  void dual_took(double seconds, double gap_closed) {
    dual_seconds_ = 0.8 * dual_seconds_ + 0.2 * seconds;
    gap_closed_ = 0.9 * gap_closed_ + 0.1 * gap_closed;
  }

  /// Whether better points may be looked for: they get a tenth of the time.
  bool may_polish(double now) const { return polish_seconds_.load() <= 0.1 * now; }
  void polish_took(double seconds) { polish_seconds_.fetch_add(seconds); }

 private:
  std::atomic<double> dual_seconds_{1e-3};
  std::atomic<double> gap_closed_{0.3};
  std::atomic<double> polish_seconds_{0.0};
};

}  // namespace boxwood::fast
