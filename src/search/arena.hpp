// Arenas of oneTBB that are used again. oneTBB (2021.8, Debian's) keeps about 7 KB of every arena
// that is destroyed for as long as its scheduler lives, so a process that makes one for each
// question grows without limit (tests/python/test_memory.py).
#pragma once

#include <tbb/task_arena.h>

#include <memory>

namespace boxwood {

/// While one exists, it has an arena for this many threads to itself.
class Arena {
 public:
  explicit Arena(int threads);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void execute(const auto& work) { arena_->execute(work); }

 private:
  int threads_;
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace boxwood
