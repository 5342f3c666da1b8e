#include "search/arena.hpp"

#include "search/threads.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace boxwood {
namespace {

/// Arenas that nothing uses now, by their number of threads: no more than were ever in use at once.
struct IdleArenas {
  std::mutex mutex;
  std::map<int, std::vector<std::unique_ptr<tbb::task_arena>>> of;
};

/// Never destroyed: at the end of the process oneTBB may be gone already.
IdleArenas& idle_arenas() {
  static IdleArenas* const idle = [] {
#ifndef _WIN32
    // A forked process has none of oneTBB's threads, but a scheduler that an arena keeps alive
    // would still count on them. So nothing is kept across a fork.
    pthread_atfork(
        [] {
          idle_arenas().mutex.lock();
          idle_arenas().of.clear();
        },
        [] { idle_arenas().mutex.unlock(); }, [] { idle_arenas().mutex.unlock(); });
#endif
    return new IdleArenas;
  }();
  return *idle;
}

}  // namespace

Arena::Arena(int threads) : threads_(threads) {
  IdleArenas& idle = idle_arenas();
  const std::lock_guard lock(idle.mutex);
  std::vector<std::unique_ptr<tbb::task_arena>>& same = idle.of[threads];
  if (same.empty()) {
    arena_ = std::make_unique<tbb::task_arena>(threads);
  } else {
    arena_ = std::move(same.back());
    same.pop_back();
  }
}

Arena::~Arena() {
  IdleArenas& idle = idle_arenas();
  const std::lock_guard lock(idle.mutex);
  try {
    idle.of[threads_].push_back(std::move(arena_));
  } catch (...) {  // no memory to remember it: it is destroyed
  }
}

void while_polling(const std::function<void()>& poll, const std::function<void()>& work) {
  if (!poll) return work();
  constexpr std::chrono::milliseconds interval(20);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, interval, [&] { return done; })) {
    lock.unlock();
    poll();
    lock.lock();
  }
  lock.unlock();
  worker.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace boxwood
