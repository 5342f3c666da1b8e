// Conditions as trees of "all of" and "any of" over literals, and as the clauses that say the same.
#pragma once

#include <boxwood/query.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace boxwood::text {

/// `all` of nothing always holds, `any` of nothing never.
struct Formula {
  enum class Kind : std::uint8_t { literal, all, any };
  Kind kind = Kind::all;
  Literal literal{};
  std::vector<Formula> parts{};
};

Formula formula_of(Literal literal);
Formula all_of(std::vector<Formula> parts);
Formula any_of(std::vector<Formula> parts);
Formula opposite(Formula formula);

/// The opposite statement, as an interval with one end where that says it.
Literal opposite(Literal literal);

/// Clauses that together say the same; nothing where it would take too many.
std::optional<std::vector<Clause>> clauses_of(const Formula& formula);

/// Whether a clause has more combinations than the search takes.
bool is_too_large(const Clause& clause);

}  // namespace boxwood::text
