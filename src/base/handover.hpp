// Tells the thread sanitizer of an order between threads that it cannot see, because a library that
// was not built with it (oneTBB's scheduler) makes that order. No code at all in other builds.
//
//   group.run(handed_over([&] { work(); }));  …  group.wait();  take_over();
//
// What comes before `run` comes before the work, and the work before what follows `wait`. This
// does not create an order, it only reports one. Used where there is no order it would hide a race,
// so use it for tasks only.
#pragma once

#include <utility>

#if defined(__SANITIZE_THREAD__)
#define BOXWOOD_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOXWOOD_THREAD_SANITIZER 1
#endif
#endif

#ifdef BOXWOOD_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);  // NOLINT(bugprone-reserved-identifier)
void __tsan_release(void* address);  // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace boxwood {

#ifdef BOXWOOD_THREAD_SANITIZER

inline char begun_tasks = 0, ended_tasks = 0;
inline void hand_over() { __tsan_release(&begun_tasks); }
inline void take_over() { __tsan_acquire(&ended_tasks); }

/// The first object in the body of a stage of a pipeline, whose runs oneTBB orders:
/// `hand_over()` … start and wait … `take_over()`. Wrap the body itself in `handed_over` too,
/// because oneTBB copies it.
struct TaskScope {
  TaskScope() { __tsan_acquire(&begun_tasks); }
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  ~TaskScope() { __tsan_release(&ended_tasks); }
};

/// The scheduler recycles the memory of tasks, so construction and destruction of a task are part
/// of the order: the base is constructed before the work and destroyed after it. Its address is
/// the synchronisation object, so that concurrent tasks stay unordered and their races are found.
struct TaskMemory {
  TaskMemory() = default;
  TaskMemory(const TaskMemory&) { __tsan_acquire(this); }
  TaskMemory& operator=(const TaskMemory&) = delete;
  ~TaskMemory() {
    __tsan_release(this);
    __tsan_release(&ended_tasks);
  }
};

template <typename Work>
class HandedOver : TaskMemory {
 public:
  explicit HandedOver(Work work) : work_(std::move(work)) {}
  HandedOver(const HandedOver& other) : TaskMemory(other), work_(other.work_) { publish(); }
  HandedOver(HandedOver&& other) : TaskMemory(other), work_(std::move(other.work_)) { publish(); }
  template <typename... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    __tsan_acquire(mark());
    return work_(std::forward<Arguments>(arguments)...);
  }

 private:
  void publish() { __tsan_release(mark()); }
  void* mark() const { return const_cast<HandedOver*>(this); }

  Work work_;
};

template <typename Work>
HandedOver<Work> handed_over(Work work) {
  return HandedOver<Work>(std::move(work));
}

#else

inline void hand_over() {}
inline void take_over() {}

struct TaskScope {
  TaskScope() {}  // not trivial, so that an unused one is no warning
};

template <typename Work>
Work handed_over(Work work) {
  return work;
}

#endif

}  // namespace boxwood
