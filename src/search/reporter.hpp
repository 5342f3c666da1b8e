// Reports progress to the caller: now and then, by one thread at a time, with bounds that never
// fall.
#pragma once

#include "search/engine_settings.hpp"
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
  Reporter(const Options& options, const Watch& watch, const Incumbent& incumbent)
      : progress_(options.progress),
        watch_(watch),
        incumbent_(incumbent),
        interval_(settings_of(options).report_seconds),
        next_(interval_) {}

  /// Reports if it is time to. Only then calls lower_bound(), which must bound every cost that can
  /// still be found.
  template <typename LowerBound>
  void tick(LowerBound lower_bound) {
    if (!progress_ || watch_.seconds() < next_.load(std::memory_order_relaxed)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    next_.store(watch_.seconds() + interval_, std::memory_order_relaxed);
    // Read the incumbent after the bound: a subtree that ended before has reported what it found.
    const double bound = lower_bound();
    const double best = incumbent_.cost();
    bound_ = std::max(bound_, std::min(bound, best));
    progress_({best, bound_, watch_.nodes(), watch_.seconds()});
  }

 private:
  const std::function<void(const Progress&)>& progress_;
  const Watch& watch_;
  const Incumbent& incumbent_;
  double interval_;
  std::atomic<double> next_;
  std::mutex mutex_;
  double bound_ = 0;
};

}  // namespace boxwood
