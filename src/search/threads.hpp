// How many threads a search or a batch uses.
#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <cstddef>
#include <optional>

namespace boxwood {

/// The number that Options::threads asks for; 0 is all cores.
inline int thread_count(int asked) { return asked > 0 ? asked : tbb::info::default_concurrency(); }

/// While one exists, oneTBB may run this many threads. By itself it runs no more than there are
/// cores.
class AllowThreads {
 public:
  explicit AllowThreads(int threads) {
    if (threads <= tbb::info::default_concurrency()) return;
    control_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(threads));
  }

 private:
  std::optional<tbb::global_control> control_;
};

}  // namespace boxwood
