// Runs searches without the GIL while the calling thread checks for signals every 50 ms. So Ctrl-C
// stops the search, other Python threads continue, callbacks may come from any thread, and Python
// can exit while a daemon thread searches (at_exit.hpp). `polled` runs a search on the calling
// thread, because starting a thread takes as long as a small search; the search polls. `watched`
// starts a thread for everything else.
#pragma once

#include "at_exit.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace boxwood::python {

/// What stops a search from outside: a signal, a callback that raises or returns False, or the end
/// of Python.
class Control {
 public:
  const std::atomic<bool>* flag() const { return &interrupt_; }
  void stop() { interrupt_ = true; }
  bool stopped() const { return interrupt_; }

  /// Keeps the first error of a callback, to be raised when the search has ended.
  void fail(std::exception_ptr error) {
    const std::lock_guard guard(mutex_);
    if (!error_) error_ = std::move(error);
    stop();
  }
  void raise_failure() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  /// Looks at signals; the GIL is held. An exception of their handlers stops the search.
  void look_at_signals() {
    if (PyErr_CheckSignals() != 0) take_signal(nb::python_error());
  }
  /// Raises what a signal's handler raised, unless it was one Ctrl-C and there is something to
  /// keep.
  void raise_signal(bool keep) {
    if (signal_ && !(keep && keyboard_)) throw std::move(*signal_);
  }
  bool interrupted() const { return signal_.has_value(); }

  /// Called from the threads of a search; a Python False or an exception stops it.
  void call(const nb::object& callback, const auto&... arguments) {
    if (stopped()) return;
    const Held held;
    try {
      const nb::object result = callback(arguments...);
      if (result.is(nb::handle(Py_False))) stop();
    } catch (...) {
      take_raised();
    }
  }
  /// In a handler of what a callback raised, with the GIL. The calling thread runs callbacks too,
  /// and Python calls the handler of Ctrl-C in whatever Python code that thread runs.
  void take_raised() {
    try {
      throw;
    } catch (nb::python_error& raised) {
      if (!raised.matches(PyExc_KeyboardInterrupt)) return fail(std::current_exception());
      take_signal(std::move(raised));
    } catch (...) {
      fail(std::current_exception());
    }
  }

 private:
  void take_signal(nb::python_error raised) {
    const bool first = !signal_;
    keyboard_ = first && raised.matches(PyExc_KeyboardInterrupt);
    signal_.emplace(std::move(raised));
    stop();
  }

  std::atomic<bool> interrupt_{false};
  StoppedAtExit stopped_at_exit_{interrupt_};
  std::mutex mutex_;
  std::exception_ptr error_;
  std::optional<nb::python_error> signal_;
  bool keyboard_ = false;
};

/// Options whose callbacks and interrupt are the control's.
inline Options options_of(const SearchOptions& given, Control& control) {
  Options options = given.values;
  options.examples = given.examples;
  options.limits.interrupt = control.flag();
  if (!given.progress.is_none()) {
    options.progress = [&](const Progress& progress) { control.call(given.progress, progress); };
  }
  return options;
}

/// A custom term asks Python; what it raises stops the search. Until then the change is forbidden.
inline Query guarded(Query query, Control& control) {
  if (query.term) {
    query.term = [term = std::move(query.term), &control](std::size_t feature, double from,
                                                          double to) {
      const Held held;
      try {
        return term(feature, from, to);
      } catch (...) {
        control.take_raised();
        return std::numeric_limits<double>::infinity();
      }
    };
  }
  return query;
}

/// How often signals are looked at.
constexpr std::chrono::milliseconds signal_interval(50);

/// Waits until `done` under the mutex, without the GIL. Every 50 ms, with the GIL, it looks at
/// signals and calls `meanwhile`.
inline void wait_for(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                     Control& control, const auto& done, const auto& meanwhile) {
  while (!changed.wait_for(lock, signal_interval, done)) {
    lock.unlock();
    {
      const Held held;
      control.look_at_signals();
      meanwhile();
    }
    lock.lock();
  }
}

/// Raises what callbacks, the work or signals raised; otherwise returns the result. `keeps(result)`
/// says whether Ctrl-C leaves something worth returning.
template <typename Result, typename Keeps>
Result outcome_of(Control& control, std::optional<Result> result, std::exception_ptr failure,
                  const Keeps& keeps) {
  control.raise_failure();
  if (failure) std::rethrow_exception(failure);
  control.raise_signal(keeps(*result));
  return std::move(*result);
}

/// `work(poll)` on the calling thread, where `poll` is for Limits::poll. Ctrl-C as in `watched`.
template <typename Work, typename Keeps>
auto polled(Control& control, const Work& work, const Keeps& keeps) {
  using Clock = std::chrono::steady_clock;
  using Result = decltype(work(std::function<void()>{}));
  std::optional<Result> result;
  std::exception_ptr failure;
  {
    const Released released;
    Clock::time_point next = Clock::now() + signal_interval;
    const auto poll = [&] {
      if (Clock::now() < next) return;
      {
        const Held held;
        control.look_at_signals();
      }
      next = Clock::now() + signal_interval;
    };
    try {
      result.emplace(work(poll));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  return outcome_of(control, std::move(result), failure, keeps);
}

/// `work(control)` on a thread of its own. `keeps(result)`: whether Ctrl-C leaves something worth
/// returning; otherwise it raises KeyboardInterrupt, as a second one always does. `meanwhile()` is
/// called in the calling thread, with the GIL, every 50 ms and at the end.
template <typename Work, typename Keeps, typename Meanwhile>
auto watched(Control& control, const Work& work, const Keeps& keeps, const Meanwhile& meanwhile) {
  using Result = decltype(work());
  std::optional<Result> result;
  std::exception_ptr failure;
  {
    const Released released;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::thread worker([&] {
      try {
        result.emplace(work());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard guard(mutex);
      done = true;
      changed.notify_all();
    });
    {
      std::unique_lock lock(mutex);
      wait_for(
          lock, changed, control, [&] { return done; }, meanwhile);
    }
    worker.join();
  }
  meanwhile();
  return outcome_of(control, std::move(result), failure, keeps);
}

template <typename Work, typename Keeps>
auto watched(Control& control, const Work& work, const Keeps& keeps) {
  return watched(control, work, keeps, [] {});
}

}  // namespace boxwood::python
