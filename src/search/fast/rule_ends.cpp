#include "search/fast/rule_ends.hpp"

#include "base/infinity.hpp"
#include "grid/linear_trees.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood::fast {
namespace {

/// Far more than what thresholds allow for rounding, as a share of the largest sum.
constexpr double close_share = 0x1p-40;
/// Where other statements may take the place of a rule, each adds at least 1 to what is enough: the
/// sum is so close only if none of them holds.
constexpr double most_close = 0.25;

bool is_from_now(const LinearTerm& term) {
  return term.of == LinearTerm::Of::change || term.of == LinearTerm::Of::size;
}

/// Whether every term has a variable of its own, so that each can be as large as it gets whatever
/// the others are.
bool is_separable(const Query& query, const RuleEnd& end) {
  std::vector<std::uint32_t> sorted = end.variables;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() &&
         std::none_of(end.condition.terms.begin(), end.condition.terms.end(),
                      [&](const LinearTerm& term) {
                        return is_from_now(term) && std::isnan(query.point[term.feature]);
                      });
}

double most_size(const RuleEnd& end, const Query& query, std::span<const Variable> variables,
                 const LinearBox& linear) {
  const Interval& range = end.condition.range;
  double size = std::abs(std::isfinite(range.lower) ? range.lower : range.upper);
  for (std::size_t t = 0; t < end.variables.size(); ++t) {
    const LinearTerm& term = end.condition.terms[t];
    double largest = term.of == LinearTerm::Of::codes ? 1 : std::abs(query.point[term.feature]);
    const auto last = static_cast<std::uint32_t>(variables[end.variables[t]].cells.size() - 1);
    for (const std::uint32_t cell : {std::uint32_t{0}, last}) {
      const double value = std::abs(best_value(end, t, cell, variables, linear));
      if (value > largest && value < infinity) largest = value;
    }
    size += std::abs(term.coefficient) * largest;
  }
  return size;
}

}  // namespace

RuleEnds::RuleEnds(const Query& query, std::span<const Variable> variables, const LinearBox& linear,
                   std::span<const RowCondition> conditions, std::uint32_t rows_end) {
  std::size_t sides = 0;
  for (const Clause& clause : query.exact_clauses) sides += linear_sides(clause.linear.front());
  if (sides == 0) return;
  // The rules' ensemble has a row for each end, in this order, after its other rows.
  of_.assign(conditions.size(), -1);
  std::uint32_t row = rows_end - static_cast<std::uint32_t>(sides);
  for (const Clause& clause : query.exact_clauses) {
    const LinearCondition& rule = clause.linear.front();
    for (const bool lower : {true, false}) {
      if (!std::isfinite(lower ? rule.range.lower : rule.range.upper)) continue;
      RuleEnd end{rule, {}};
      (lower ? end.condition.range.upper : end.condition.range.lower) =
          lower ? infinity : -infinity;
      for (const LinearTerm& term : rule.terms) {
        end.variables.push_back(variables[term.feature].owner);
      }
      const auto found =
          std::find_if(conditions.begin(), conditions.end(), [&](const RowCondition& condition) {
            return condition.plus == row && condition.minus == RowCondition::none &&
                   condition.weights.empty();
          });
      ++row;
      if (found == conditions.end() || !is_separable(query, end)) continue;
      end.close = close_share * most_size(end, query, variables, linear);
      if (!(end.close < most_close) && !clause.any_of.empty()) continue;
      of_[static_cast<std::size_t>(found - conditions.begin())] =
          static_cast<std::int32_t>(ends_.size());
      ends_.push_back(std::move(end));
    }
  }
}

double best_value(const RuleEnd& end, std::size_t term, std::uint32_t cell,
                  std::span<const Variable> variables, const LinearBox& linear) {
  const LinearTerm& of = end.condition.terms[term];
  const Variable& variable = variables[end.variables[term]];
  double value = variable.cells[cell].value;
  if (variable.group) {
    const auto column = std::find(variable.columns.begin(), variable.columns.end(), of.feature);
    return value == static_cast<double>(column - variable.columns.begin()) ? 1 : 0;
  }
  const LinearBox::Range range = linear.range_around(of.feature, value);
  const bool turned = of.of == LinearTerm::Of::size && !range.up;
  const bool wants_more = std::isfinite(end.condition.range.lower) == (of.coefficient > 0);
  return wants_more != turned ? range.upper : range.lower;
}

}  // namespace boxwood::fast
