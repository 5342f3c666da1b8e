#include "query/text_formula.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace boxwood::text {
namespace {

constexpr std::size_t most_clauses = 200;
constexpr std::size_t most_literals = 2000;
/// The search makes a tree of a clause; each condition with two ends doubles the rest of the tree.
constexpr std::size_t most_ends = 1000;

std::size_t ends_of(const Literal& literal) {
  if (!literal.inside) return 1;
  return std::isfinite(literal.range.lower) && std::isfinite(literal.range.upper) ? 2 : 1;
}

bool has(const Clause& clause, const Literal& literal) {
  return std::find(clause.any_of.begin(), clause.any_of.end(), literal) != clause.any_of.end();
}

/// Both in one; nothing where it always holds.
std::optional<Clause> joined(Clause clause, const Clause& more) {
  for (const Literal& literal : more.any_of) {
    if (has(clause, opposite(literal))) return std::nullopt;
    if (!has(clause, literal)) clause.any_of.push_back(literal);
  }
  for (const LinearCondition& sum : more.linear) {
    if (std::count(clause.linear.begin(), clause.linear.end(), sum) == 0) {
      clause.linear.push_back(sum);
    }
  }
  return clause;
}

bool is_within_bounds(const std::vector<Clause>& clauses) {
  std::size_t literals = 0;
  for (const Clause& clause : clauses) literals += clause.any_of.size();
  return clauses.size() <= most_clauses && literals <= most_literals;
}

}  // namespace

Formula formula_of(Literal literal) {
  return {.kind = Formula::Kind::literal, .literal = std::move(literal)};
}

Formula formula_of(LinearCondition linear) {
  return {.kind = Formula::Kind::linear, .linear = std::move(linear)};
}

Formula all_of(std::vector<Formula> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Formula::Kind::all, .parts = std::move(parts)};
}

Formula any_of(std::vector<Formula> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Formula::Kind::any, .parts = std::move(parts)};
}

namespace {

/// A sum beyond the limits, or none because a value is missing.
Formula opposite(const LinearCondition& sum) {
  std::vector<Formula> parts;
  for (const LinearTerm& term : sum.terms) {
    parts.push_back(formula_of(Literal{.feature = term.feature, .inside = false, .missing = true}));
  }
  const Interval& range = sum.range;
  if (std::isfinite(range.lower)) {
    const Interval below{.upper = range.lower, .upper_closed = !range.lower_closed};
    parts.push_back(formula_of(LinearCondition{sum.terms, below}));
  }
  if (std::isfinite(range.upper)) {
    const Interval above{.lower = range.upper, .lower_closed = !range.upper_closed};
    parts.push_back(formula_of(LinearCondition{sum.terms, above}));
  }
  return any_of(std::move(parts));
}

}  // namespace

Formula opposite(Formula formula) {
  if (formula.kind == Formula::Kind::literal) {
    formula.literal = opposite(std::move(formula.literal));
    return formula;
  }
  if (formula.kind == Formula::Kind::linear) return opposite(formula.linear);
  formula.kind = formula.kind == Formula::Kind::all ? Formula::Kind::any : Formula::Kind::all;
  for (Formula& part : formula.parts) part = opposite(std::move(part));
  return formula;
}

Literal opposite(Literal literal) {
  const Interval& range = literal.range;
  const bool low = std::isinf(range.lower), high = std::isinf(range.upper);
  if (!literal.inside || low == high) return negated(std::move(literal));
  literal.missing = !literal.missing;
  literal.range = low ? Interval{.lower = range.upper, .lower_closed = !range.upper_closed}
                      : Interval{.upper = range.lower, .upper_closed = !range.lower_closed};
  return literal;
}

std::optional<std::vector<Clause>> clauses_of(const Formula& formula) {
  if (formula.kind == Formula::Kind::literal) return std::vector<Clause>{{{formula.literal}}};
  if (formula.kind == Formula::Kind::linear) return std::vector<Clause>{{{}, {formula.linear}}};
  const bool all = formula.kind == Formula::Kind::all;
  std::vector<Clause> clauses;
  if (!all) clauses.emplace_back();  // never holds
  for (const Formula& part : formula.parts) {
    const auto more = clauses_of(part);
    if (!more) return std::nullopt;
    if (all) {
      clauses.insert(clauses.end(), more->begin(), more->end());
    } else {
      std::vector<Clause> product;
      for (const Clause& clause : clauses) {
        for (const Clause& other : *more) {
          if (auto both = joined(clause, other)) product.push_back(std::move(*both));
        }
        if (!is_within_bounds(product)) return std::nullopt;
      }
      clauses = std::move(product);
    }
    if (!is_within_bounds(clauses)) return std::nullopt;
  }
  return clauses;
}

bool is_too_large(const Clause& clause) {
  std::size_t ends = 1;
  for (const Literal& literal : clause.any_of) {
    ends *= ends_of(literal);
    if (ends > most_ends) return true;
  }
  return false;
}

}  // namespace boxwood::text
