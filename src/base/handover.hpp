// Tells the thread sanitizer of an order between threads that it cannot see, because a library that
// was not built with it (oneTBB's scheduler) makes that order. No code at all in other builds.
//
//   hand_over();  group.run([&] { take_over(); work(); hand_over(); });  …  group.wait();
//   take_over();
//
// It never makes an order: where there is none, the race stays, and this would hide it. So only at
// the border of tasks. `take_over` comes before the first use of a captured variable.
#pragma once

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
#else
inline void hand_over() {}
inline void take_over() {}
#endif

}  // namespace boxwood
