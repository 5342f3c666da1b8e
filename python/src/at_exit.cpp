#include "at_exit.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <thread>

namespace boxwood::python {
namespace {

/// What runs in native code. Never destroyed: threads may still use it while the process exits.
struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::atomic<bool>*> flags;  ///< of searches
  std::size_t released = 0;            ///< threads without the GIL
  std::size_t calling = 0;             ///< calls of Python by searches, or waiting for the GIL
  std::size_t waiting = 0;             ///< of these, those that do not have the GIL yet
  bool exiting = false;
  bool over = false;  ///< the interpreter may be gone: nobody may ask for the GIL any more
  std::thread::id exiting_thread;

  /// The thread that runs Python's exit may go on: it keeps the GIL until the end.
  bool ends_here() const { return exiting && std::this_thread::get_id() != exiting_thread; }
};

Running& running() {
  alignas(Running) static char storage[sizeof(Running)];
  static Running* const made = [] {
#ifndef _WIN32
    // A forked process has one thread: whatever the others were running is not there.
    pthread_atfork(nullptr, nullptr, [] { new (storage) Running; });
#endif
    return new (storage) Running;
  }();
  return *made;
}

/// The calling thread waits, without the GIL, until the process ends.
[[noreturn]] void wait_for_the_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Called with the GIL by Python's atexit, before the interpreter is destroyed. A callback that
/// does not return within `patience` is left alone: its thread never gets the GIL again. A thread
/// that is about to take the GIL is waited for without a limit, however slow the machine is: it
/// gets the GIL as soon as it runs, and asking for the GIL later would end the process.
void stop_searches() {
  constexpr std::chrono::seconds patience(3);
  Running& all = running();
  // What other threads hold is never released: nanobind need not complain about it.
  if (nb::cast<int>(nb::module_::import_("threading").attr("active_count")()) > 1) {
    nb::set_leak_warnings(false);
  }
  const nb::gil_scoped_release released;
  std::unique_lock lock(all.mutex);
  all.exiting = true;
  all.exiting_thread = std::this_thread::get_id();
  for (std::atomic<bool>* flag : all.flags) flag->store(true);
  const auto start = std::chrono::steady_clock::now();
  while (all.released > 0) {
    all.changed.wait_for(lock, std::chrono::milliseconds(50));
    const bool stuck = all.calling > 0 && all.waiting == 0;
    if (stuck && std::chrono::steady_clock::now() - start > patience) break;
  }
  all.over = true;
}

}  // namespace

Released::Released() {
  Running& all = running();
  {
    std::unique_lock lock(all.mutex);
    if (all.ends_here()) {
      lock.unlock();
      PyEval_SaveThread();
      wait_for_the_end();
    }
    ++all.released;
  }
  state_ = PyEval_SaveThread();
}

Released::~Released() {
  Running& all = running();
  std::unique_lock lock(all.mutex);
  if (all.ends_here()) {
    --all.released;
    all.changed.notify_all();
    lock.unlock();
    wait_for_the_end();
  }
  // Still counted, so that Python cannot be destroyed before this thread has the GIL.
  lock.unlock();
  PyEval_RestoreThread(state_);
  lock.lock();
  --all.released;
  all.changed.notify_all();
}

Held::Held() {
  Running& all = running();
  {
    std::unique_lock lock(all.mutex);
    if (all.over && all.ends_here()) {
      lock.unlock();
      wait_for_the_end();
    }
    ++all.calling;
    ++all.waiting;
  }
  state_ = PyGILState_Ensure();
  const std::lock_guard lock(all.mutex);
  --all.waiting;
}

Held::~Held() {
  PyGILState_Release(state_);
  Running& all = running();
  const std::lock_guard lock(all.mutex);
  --all.calling;
}

StoppedAtExit::StoppedAtExit(std::atomic<bool>& flag) : flag_(flag) {
  Running& all = running();
  const std::lock_guard lock(all.mutex);
  all.flags.insert(&flag_);
}

StoppedAtExit::~StoppedAtExit() {
  Running& all = running();
  const std::lock_guard lock(all.mutex);
  all.flags.erase(&flag_);
}

void bind_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_searches));
}

}  // namespace boxwood::python
