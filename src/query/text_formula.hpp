// Conditions as trees of "all of" and "any of" over literals and linear conditions, and their
// conversion into clauses.
#pragma once

#include <boxwood/query.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace boxwood::text {

/// `all` of nothing always holds, `any` of nothing never.
struct Formula {
  enum class Kind : std::uint8_t { literal, linear, all, any };
  Kind kind = Kind::all;
  Literal literal{};
  LinearCondition linear{};
  std::vector<Formula> parts{};
};

Formula formula_of(Literal literal);
Formula formula_of(LinearCondition linear);
Formula all_of(std::vector<Formula> parts);
Formula any_of(std::vector<Formula> parts);
Formula opposite(Formula formula);

/// The opposite condition, as an interval with one end if possible.
Literal opposite(Literal literal);

/// An equivalent conjunction of clauses; no value if it would need too many.
std::optional<std::vector<Clause>> clauses_of(const Formula& formula);

/// Whether a clause has more combinations than the search supports.
bool is_too_large(const Clause& clause);

}  // namespace boxwood::text
