#include "cli/progress.hpp"

#include "cli/output.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <csignal>
#include <iostream>

namespace boxwood::cli {
namespace {

// A signal handler can only reach global variables.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);
}

#ifdef SIGHUP
constexpr std::array stopping_signals = {SIGINT, SIGTERM, SIGHUP};
#else
constexpr std::array stopping_signals = {SIGINT, SIGTERM};
#endif

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false);
  for (const int signal : stopping_signals) {
    // nohup and background jobs ignore some of these signals, and this program goes on ignoring
    // them.
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : stopping_signals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

const std::atomic<bool>* InterruptGuard::flag() const { return &interrupted; }

bool InterruptGuard::raised() const { return interrupted.load(); }

ProgressLine::ProgressLine(std::string what, double time_limit)
    : what_(std::move(what)), time_limit_(time_limit), terminal_(is_terminal(2)) {}

ProgressLine::~ProgressLine() { hide(); }

void ProgressLine::hide() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void ProgressLine::show(const Progress& progress) {
  constexpr double patience = 0.5;
  constexpr auto pause = std::chrono::milliseconds(100);
  if (!terminal_ || progress.seconds < patience) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < pause) return;
  shown_ = true;
  last_ = now;
  std::cerr << "\r\x1b[K" << progress_text(what_, progress, time_limit_) << std::flush;
}

std::string progress_text(const std::string& what, const Progress& progress, double time_limit) {
  std::string text = what;
  if (std::isfinite(progress.best_cost)) {
    text += fmt::format(" · best {}", cost_text(progress.best_cost));
  }
  if (is_useful_bound(progress.lower_bound, progress.best_cost)) {
    text += fmt::format(" · nothing below {}", cost_text(progress.lower_bound));
  }
  if (progress.nodes > 0) text += fmt::format(" · {} boxes", grouped_count(progress.nodes));
  text += fmt::format(" · {:.1f}", progress.seconds);
  if (std::isfinite(time_limit)) text += fmt::format(" of {:g}", time_limit);
  return text + " s";
}

}  // namespace boxwood::cli
