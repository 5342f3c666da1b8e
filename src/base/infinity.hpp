// Infinity as a double: the bound of what is not bounded.
#pragma once

#include <limits>

namespace boxwood {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace boxwood
