// Lists that a finished search leaves to the next one about the same models. Only their memory is
// used again, so that answers do not depend on what was asked before.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace boxwood::fast {

struct UnitLists;

class SpareLists {
 public:
  SpareLists();
  ~SpareLists();

  /// Lists that were given back last, because they are in the caches, or new ones.
  UnitLists take();
  /// Lists that are large are not kept, nor more than a few.
  void give(UnitLists lists);

 private:
  static constexpr std::size_t most_kept = 64;
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;

  std::mutex mutex_;
  std::vector<UnitLists> lists_;
};

}  // namespace boxwood::fast
