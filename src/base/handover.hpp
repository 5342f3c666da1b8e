// Tells the thread sanitizer of an order between threads that it cannot see, because a library that
// was not built with it (oneTBB's scheduler) makes that order. No code at all in other builds.
//
//   group.run(handed_over([&] { work(); }));  …  group.wait();  take_over();
//
// What comes before `run` comes before the work, and the work before what follows `wait`. This
// never makes an order, it only reports one: where there is none, it would hide a race. So use it
// for tasks alone.
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

inline char handover_mark = 0;
inline void hand_over() { __tsan_release(&handover_mark); }
inline void take_over() { __tsan_acquire(&handover_mark); }

/// A task lives in memory that the scheduler recycles, so its own making and unmaking are part of
/// the order: the base is made before the work and unmade after it.
struct TaskMemory {
  TaskMemory() { take_over(); }
  TaskMemory(const TaskMemory&) { take_over(); }
  TaskMemory& operator=(const TaskMemory&) = delete;
  ~TaskMemory() { hand_over(); }
};

template <typename Work>
class HandedOver : TaskMemory {
 public:
  explicit HandedOver(Work work) : work_(std::move(work)) {}
  HandedOver(const HandedOver& other) : TaskMemory(other), work_(other.work_) { hand_over(); }
  HandedOver(HandedOver&& other) : TaskMemory(other), work_(std::move(other.work_)) { hand_over(); }
  void operator()() const {
    take_over();
    work_();
  }

 private:
  Work work_;
};

template <typename Work>
HandedOver<Work> handed_over(Work work) {
  return HandedOver<Work>(std::move(work));
}

#else

inline void take_over() {}

template <typename Work>
Work handed_over(Work work) {
  return work;
}

#endif

}  // namespace boxwood
