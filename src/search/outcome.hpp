// What a search leaves undone.
#pragma once

#include <cstdint>

namespace boxwood {

struct Outcome {
  double open_bound = 0;  ///< no point that was not searched costs less; infinite when all were
  std::uint64_t open_nodes = 0;
};

}  // namespace boxwood
