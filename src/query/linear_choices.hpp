// Clauses with several linear conditions: one of them has to hold, and the search tries every
// choice of one for each clause.
#pragma once

#include <boxwood/query.hpp>

#include <cstddef>
#include <vector>

namespace boxwood {

inline constexpr std::size_t most_linear_choices = 64;

/// How many choices there are; more than the most allowed stand for any such number.
std::size_t linear_choices(const std::vector<Clause>& clauses);

}  // namespace boxwood
