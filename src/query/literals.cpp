// Conditions on single features: whether they hold in a point, and those that compare with it.
#include "model/arithmetic.hpp"

#include <boxwood/query.hpp>

#include <algorithm>
#include <cmath>

namespace boxwood {

Literal stays(const Query& query, std::size_t feature) {
  const double now = query.point[feature];
  if (std::isnan(now)) return {feature, {}, false, true, {}};
  return {feature, {now, now}, true, false, {}};
}

Literal changes(const Query& query, std::size_t feature) { return negated(stays(query, feature)); }

Literal rises(const Query& query, std::size_t feature) {
  const double now = query.point[feature];
  if (std::isnan(now)) return {feature, {}, false, false, {}};  // a missing value cannot rise
  return {feature, {.lower = now, .lower_closed = false}, true, false, {}};
}

Literal falls(const Query& query, std::size_t feature) {
  const double now = query.point[feature];
  if (std::isnan(now)) return {feature, {}, false, false, {}};
  return {feature, {.upper = now, .upper_closed = false}, true, false, {}};
}

Literal negated(Literal literal) {
  literal.inside = !literal.inside;
  literal.missing = !literal.missing;
  return literal;
}

bool holds(const Literal& literal, std::span<const double> point, Precision precision) {
  const double value = as_read(point[literal.feature], precision);
  if (std::isnan(value)) return literal.missing;
  if (!literal.codes.empty()) {
    // The category of a number is its integer part; negative numbers belong to no category.
    const bool named = value > -1 && value < 0x1p31 &&
                       std::binary_search(literal.codes.begin(), literal.codes.end(),
                                          static_cast<std::int32_t>(value));
    return named == literal.inside;
  }
  const Interval read{as_read(literal.range.lower, precision),
                      as_read(literal.range.upper, precision), literal.range.lower_closed,
                      literal.range.upper_closed};
  return read.contains(value) == literal.inside;
}

bool obeys(const Query& query, std::span<const double> point, Precision precision) {
  if (query.max_changes && change_count(query, point) > *query.max_changes) return false;
  return std::all_of(query.clauses.begin(), query.clauses.end(), [&](const Clause& clause) {
    return holds(clause, query.point, point, precision);
  });
}

bool holds(const Clause& clause, std::span<const double> from, std::span<const double> point,
           Precision precision) {
  return std::any_of(clause.any_of.begin(), clause.any_of.end(),
                     [&](const Literal& literal) { return holds(literal, point, precision); }) ||
         std::any_of(clause.linear.begin(), clause.linear.end(),
                     [&](const LinearCondition& sum) { return holds(sum, from, point); });
}

std::size_t change_count(const Query& query, std::span<const double> to) {
  std::vector<std::uint8_t> changed(to.size(), 0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool both_missing = std::isnan(to[i]) && std::isnan(query.point[i]);
    const bool same = to[i] == query.point[i] || both_missing;
    changed[i] = same || query.features[i].derived ? 0 : 1;
  }
  for (const OneHot& group : query.groups) {
    std::uint8_t any = 0;
    for (const std::size_t column : group.columns) {
      any |= changed[column];
      changed[column] = 0;
    }
    changed[group.columns.front()] = any;
  }
  std::size_t count = 0;
  for (const std::uint8_t one : changed) count += one;
  return count;
}

}  // namespace boxwood
