// One time limit for several searches.
#pragma once

#include <boxwood/explain.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace boxwood {

class Budget {
 public:
  explicit Budget(const Options& options) : options_(options), start_(Clock::now()) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Options for the next search. What it reports of costs is its own, so only nodes and time are
  /// passed on.
  Options rest() const {
    Options rest = options_;
    rest.limits.seconds = std::max(0.0, options_.limits.seconds - seconds());
    if (options_.progress) {
      rest.progress = [this](const Progress& inner) {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        options_.progress({unknown, 0, nodes_ + inner.nodes, seconds()});
      };
    }
    return rest;
  }

  /// Keeps count of what a search took and of the first reason to stop.
  const Answer& note(const Answer& answer) {
    nodes_ += answer.statistics.nodes;
    if (stop_ == Stop::finished) stop_ = answer.stop;
    return answer;
  }

  /// Why a search did not come to its end; `finished` if all did.
  Stop stop() const { return stop_; }
  bool stopped() const { return stop_ != Stop::finished; }

 private:
  using Clock = std::chrono::steady_clock;

  const Options& options_;
  Clock::time_point start_;
  std::uint64_t nodes_ = 0;
  Stop stop_ = Stop::finished;
};

}  // namespace boxwood
