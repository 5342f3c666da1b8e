// Long work at a terminal: one line on standard error, and Ctrl-C that stops cleanly.
#pragma once

#include <boxwood/explain.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

namespace boxwood::cli {

/// While an object exists, the first Ctrl-C, SIGTERM or SIGHUP sets `flag`; a second signal of the
/// same kind ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>* flag() const;
  bool raised() const;
};

/// A line that is rewritten in place. It appears only if standard error is a terminal, after half a
/// second of work, and disappears when the work is done.
class ProgressLine {
 public:
  ProgressLine(std::string what, double time_limit);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void rename(std::string what) { what_ = std::move(what); }
  void show(const Progress& progress);
  void hide();  ///< before something else is written to the terminal

 private:
  std::string what_;
  double time_limit_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// "row 3 (2 of 8) · best 0.0731 · nothing below 0.0708 · 12 345 boxes · 3.2 of 10 s", without
/// figures that are unknown (a list of regions has no best).
std::string progress_text(const std::string& what, const Progress& progress, double time_limit);

}  // namespace boxwood::cli
