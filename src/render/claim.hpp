// Words about costs that claims, tables and pictures share. The claim itself is in
// boxwood/render.hpp.
#pragma once

#include <boxwood/render.hpp>

#include <span>
#include <string>

namespace boxwood {

/// The cost that a query minimises: "L1 by scale + 0.1 per changed feature".
std::string cost_name(const Query& query);

/// The distance as people know it: "L2 by scale" for the squared norm.
std::string distance_name(const Query& query);

/// The claim of an explanation.
Claim claim_of(const Explanation& explanation);

/// Whether some model that the query asks is a stack (Claim::certain).
bool asks_stacks(const Query& query, std::span<const Ensemble> ensembles);

/// The sentence that says so, without its full stop.
inline constexpr const char* stacks_text =
    "rows whose outcome depends on the rounding of the stack's sum do not count";

/// Whether the sizes of changes of several features are added without scales.
bool in_raw_units(const Query& query);

}  // namespace boxwood
