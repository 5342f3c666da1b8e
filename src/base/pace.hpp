// Lets a limit stop work that is long but is not a search: preparing a model, building a problem.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace boxwood {

/// Counts units of work (a leaf, a node of a tree, a cell) and asks now and then whether a limit is
/// reached. Belongs to one thread. Asking takes as long as some dozens of units, so that counting
/// costs nothing that can be measured.
class Pace {
 public:
  /// Thrown when a limit is reached. It is not an error: whoever made the Pace catches it and gives
  /// the result that is due.
  struct Stopped {};

  Pace() = default;  ///< no limit
  explicit Pace(std::function<bool()> expired) : expired_(std::move(expired)) {}

  void work(std::size_t units) {
    if (units < left_) {
      left_ -= units;
      return;
    }
    left_ = interval;
    if (expired_ && expired_()) throw Stopped{};
  }

 private:
  static constexpr std::size_t interval = 8192;  // well below a millisecond

  std::function<bool()> expired_;
  std::size_t left_ = interval;
};

}  // namespace boxwood
