// What a search left open when it ended.
#pragma once

#include <cstdint>

namespace boxwood {

struct Unfinished {
  double open_bound = 0;  ///< no point in an open box costs less; infinite if no box is open
  std::uint64_t open_nodes = 0;
};

}  // namespace boxwood
