// What runs without the GIL, so that Python can exit while other threads compute. A thread that
// asks for the GIL while the interpreter is being destroyed is ended by pthread_exit (before Python
// 3.14), which aborts the process when it unwinds C++ frames. Therefore a function that runs before
// that (atexit) stops all searches and waits until no thread is in native code. Threads that were
// there are never resumed: like every daemon thread, they end with the process.
#pragma once

#include "common.hpp"

#include <atomic>

namespace boxwood::python {

/// Releases the GIL while it exists. Everything slow runs below one of these.
class Released {
 public:
  Released();
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL while it exists, for calls of Python from below a `Released`.
class Held {
 public:
  Held();
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Sets the flag when Python exits, while this exists.
class StoppedAtExit {
 public:
  explicit StoppedAtExit(std::atomic<bool>& flag);
  ~StoppedAtExit();
  StoppedAtExit(const StoppedAtExit&) = delete;
  StoppedAtExit& operator=(const StoppedAtExit&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// Registers the function that stops all searches when Python exits.
void bind_exit();

}  // namespace boxwood::python
