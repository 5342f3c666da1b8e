// One point for each region. Points that take the same leaves have the same outcome; the cheapest
// of them is offered, and of equally cheap ones always the same, whichever box it was found in.
#pragma once

#include "grid/cells.hpp"

#include <boxwood/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace boxwood {

/// Moves listed variables of a point, whose cells these are, to the cheapest cell with the same
/// leaves; of equal costs the nearest value, then the smallest, missing last. The cells of a region
/// that a listed variable may take do not depend on the other variables, so one after the other
/// will do.
void settle_listed(std::span<const Ensemble> ensembles, std::span<const Variable> variables,
                   std::span<const std::uint32_t> cells, std::vector<double>& point);

/// Whether a point comes first among those of a box that differ from it in a listed variable: the
/// cells that a box takes of a one-hot group need not stand together.
bool speaks_for(std::span<const Interval> box, std::span<const Variable> variables,
                std::span<const std::uint32_t> cells, std::span<const double> point);

}  // namespace boxwood
