// Reports progress to the caller: every 0.1 s, by one thread at a time, with bounds that never
// fall.
#pragma once

#include "search/incumbent.hpp"
#include "search/watch.hpp"

#include <boxwood/explain.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>

namespace boxwood {

class Reporter {
 public:
  Reporter(const std::function<void(const Progress&)>& progress, const Watch& watch,
           const Incumbent& incumbent)
      : progress_(progress), watch_(watch), incumbent_(incumbent) {}

  /// Reports if it is time to. Only then calls lower_bound(), which must bound every cost that can
  /// still be found.
  template <typename LowerBound>
  void tick(LowerBound lower_bound) {
    if (!progress_ || watch_.seconds() < next_.load(std::memory_order_relaxed)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    next_.store(watch_.seconds() + interval, std::memory_order_relaxed);
    // Read the incumbent after the bound: a subtree that ended before has reported what it found.
    const double bound = lower_bound();
    const double best = incumbent_.cost();
    bound_ = std::max(bound_, std::min(bound, best));
    progress_({best, bound_, watch_.nodes(), watch_.seconds()});
  }

  /// Seconds between two reports: often enough to look alive, too seldom to slow a search.
  static constexpr double interval = 0.1;

 private:
  const std::function<void(const Progress&)>& progress_;
  const Watch& watch_;
  const Incumbent& incumbent_;
  std::atomic<double> next_{interval};
  std::mutex mutex_;
  double bound_ = 0;
};

}  // namespace boxwood
