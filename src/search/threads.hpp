// How many threads a search or a batch uses, and how they share its work: oneTBB, or in a
// standalone build (WebAssembly, BOXWOOD_STANDALONE) one thread that does everything itself. No
// other file knows which of them it is.
#pragma once

#ifndef BOXWOOD_STANDALONE
#include "search/arena.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_group.h>
#endif

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace boxwood {

#ifndef BOXWOOD_STANDALONE

/// The number of cores that searches may use.
inline int core_count() { return tbb::info::default_concurrency(); }

/// More threads than this are not started: oneTBB reserves memory for each and crashes at millions.
inline constexpr int most_threads = 1024;

/// The number that Options::threads asks for; 0 is all cores.
inline int thread_count(int asked) {
  return asked > 0 ? std::min(asked, most_threads) : core_count();
}

/// While one exists, oneTBB may run this many threads. By itself it runs no more than there are
/// cores.
class AllowThreads {
 public:
  explicit AllowThreads(int threads) {
    if (threads <= core_count()) return;
    control_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(threads));
  }

 private:
  std::optional<tbb::global_control> control_;
};

/// `run` adds a task, from within a task too; `wait` returns when all are done. A thread takes its
/// own newest task first.
using TaskGroup = tbb::task_group;

/// One object for each thread, made when the thread first asks for it.
template <typename Object>
using PerThread = tbb::enumerable_thread_specific<Object>;

/// Does the work with as many threads for the tasks that it starts.
template <typename Work>
void with_threads(int threads, Work work) {
  Arena arena(threads);
  arena.execute(work);
}

/// Does the work. If there is something to poll, another thread does the work, and the calling
/// thread polls meanwhile: it must not be kept waiting for tasks of others.
void while_polling(const std::function<void()>& poll, const std::function<void()>& work);

/// `begin` gives one index after the other, or nothing when there is none; `answer` takes them,
/// several at once; `show` follows in the order of `begin`, one at a time. At most `waiting` are
/// between `begin` and `show`.
template <typename Begin, typename Answer, typename Show>
void in_order(int threads, std::size_t waiting, Begin begin, Answer answer, Show show) {
  const auto first = [begin](tbb::flow_control& control) -> std::size_t {
    const std::optional<std::size_t> next = begin();
    if (!next) control.stop();
    return next.value_or(0);
  };
  with_threads(threads, [&] {
    tbb::parallel_pipeline(
        waiting,
        tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, first) &
            tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, answer) &
            tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, show));
  });
}

#else

inline int core_count() { return 1; }
/// More threads may be asked for; there is one.
inline int thread_count(int) { return 1; }

class AllowThreads {
 public:
  explicit AllowThreads(int) {}
};

class TaskGroup {
 public:
  template <typename Work>
  void run(Work work) {
    open_.emplace_back(std::move(work));
  }
  void wait() {
    while (!open_.empty()) {
      const std::function<void()> newest = std::move(open_.back());
      open_.pop_back();
      newest();
    }
  }

 private:
  std::vector<std::function<void()> > open_;
};

template <typename Object>
class PerThread {
 public:
  /// What `make` returns is never moved, so that objects need not be movable.
  template <typename Make>
  explicit PerThread(Make make)
      : make_([make = std::move(make)] { return std::unique_ptr<Object>(new Object(make())); }) {}
  Object& local() {
    if (!object_) object_ = make_();
    return *object_;
  }

 private:
  std::function<std::unique_ptr<Object>()> make_;
  std::unique_ptr<Object> object_;
};

template <typename Work>
void with_threads(int, Work work) {
  work();
}

inline void while_polling(const std::function<void()>&, const std::function<void()>& work) {
  work();
}

template <typename Begin, typename Answer, typename Show>
void in_order(int, std::size_t, Begin begin, Answer answer, Show show) {
  while (const std::optional<std::size_t> next = begin()) show(answer(*next));
}

#endif

}  // namespace boxwood
