// The cost of a change: one term for each feature or one-hot group, for every norm.
#include <boxwood/error.hpp>
#include <boxwood/query.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

/// The cost of a change of this size under the query's norm.
double cost_of_size(const Query& query, double weight, double size) {
  switch (query.norm) {
    case Norm::l0:
      return weight;
    case Norm::squared_l2:
      return weight * (size * size);
    case Norm::mixture: {
      // A factor of 0 contributes 0, even if the size is infinite (0 * infinity would be NaN).
      const Mixture& mixture = query.mixture;
      const double square = mixture.squared_l2 > 0 ? mixture.squared_l2 * (size * size) : 0;
      const double plain = mixture.l1 > 0 ? mixture.l1 * size : 0;
      return weight * (square + plain + mixture.l0);
    }
    default:
      return weight * size;
  }
}

/// The share of the data below a value, interpolated between quantiles. If several quantiles equal
/// the value: the middle of their shares. Monotone in the value.
double share_below(const std::vector<double>& quantiles, double value) {
  const auto below = std::lower_bound(quantiles.begin(), quantiles.end(), value);
  const auto above = std::upper_bound(below, quantiles.end(), value);
  const auto last = static_cast<double>(quantiles.size() - 1);
  if (below != above) {
    const auto first_place = static_cast<double>(below - quantiles.begin());
    const auto last_place = static_cast<double>(above - quantiles.begin() - 1);
    return (first_place + last_place) / 2 / last;
  }
  if (below == quantiles.begin()) return 0;
  if (below == quantiles.end()) return 1;
  // Between the last quantile that equals the value and the first one above it.
  const auto lower = std::lower_bound(quantiles.begin(), below, *(below - 1));
  const auto upper = std::upper_bound(below, quantiles.end(), *below);
  const auto from =
      static_cast<double>(lower - quantiles.begin() + (below - quantiles.begin()) - 1);
  const auto to = static_cast<double>(below - quantiles.begin() + (upper - quantiles.begin()) - 1);
  const double share = (value - *lower) / (*below - *lower);
  return std::lerp(from, to, share) / 2 / last;
}

double size_of_change(const FeatureRule& rule, double from, double to) {
  const auto place = [](double code) {
    return static_cast<std::size_t>(std::clamp(code, 0.0, 0x1p40));
  };
  const std::size_t row = place(from), column = place(to);
  const bool listed = row < rule.changes.size() && column < rule.changes[row].size();
  return listed ? rule.changes[row][column] : 1.0;
}

/// The term of a custom cost; it is checked here because a function can return anything.
double own_term(const Query& query, std::size_t feature, double from, double to) {
  const double cost = query.term(feature, from, to);
  if (cost >= 0) return cost;
  throw Error("cost", fmt::format("it is {} for feature {} from {} to {}", cost, feature, from, to),
              "Give 0 for no change and more the farther a value moves, never less than 0");
}

}  // namespace

double term_cost(const Query& query, std::size_t feature, double to) {
  const double from = query.point[feature];
  if (to == from || (std::isnan(to) && std::isnan(from))) return 0;
  const FeatureRule& rule = query.features[feature];
  if (rule.derived) return 0;
  constexpr double never = std::numeric_limits<double>::infinity();
  const bool through_missing = std::isnan(to) || std::isnan(from);
  if (through_missing && !rule.missing_allowed) return never;
  if (query.norm == Norm::custom) return own_term(query, feature, from, to);
  if (through_missing) return cost_of_size(query, rule.weight, 1);
  if (rule.kind == FeatureKind::categorical) {
    const double size = size_of_change(rule, from, to);
    return std::isfinite(size) ? cost_of_size(query, rule.weight, size) : never;
  }
  const double weight = rule.weight * (to > from ? rule.up : rule.down);
  if (!rule.quantiles.empty()) {
    const double passed = share_below(rule.quantiles, to) - share_below(rule.quantiles, from);
    return cost_of_size(query, weight, std::abs(passed));
  }
  return cost_of_size(query, weight, std::abs(to - from) / rule.scale);
}

double group_cost(const Query& query, const OneHot& group, std::size_t to) {
  const std::size_t from = hot_column(group, query.point).value();
  if (from == to) return 0;
  if (to == group.columns.size() && !group.none_allowed) {
    return std::numeric_limits<double>::infinity();
  }
  if (query.norm == Norm::custom) {
    return own_term(query, group.columns.front(), static_cast<double>(from),
                    static_cast<double>(to));
  }
  return cost_of_size(query, group.weight, 1);
}

std::optional<std::size_t> hot_column(const OneHot& group, std::span<const double> point) {
  std::size_t hot = group.columns.size();
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    const double value = point[group.columns[k]];
    if (value == 0) continue;
    if (value != 1 || hot != group.columns.size()) return std::nullopt;
    hot = k;
  }
  return hot;
}

double total_cost(const Query& query, std::span<const double> to) {
  double cost = 0;
  const auto add = [&](double term) {
    cost = query.norm == Norm::linf ? std::max(cost, term) : cost + term;
  };
  if (query.groups.empty()) {
    for (std::size_t i = 0; i < to.size(); ++i) add(term_cost(query, i, to[i]));
    return cost;
  }
  std::vector<const OneHot*> group_of(to.size(), nullptr);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) group_of[column] = &group;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!group_of[i]) {
      add(term_cost(query, i, to[i]));
    } else if (i == group_of[i]->columns.front()) {
      const auto hot = hot_column(*group_of[i], to);
      add(hot ? group_cost(query, *group_of[i], *hot) : std::numeric_limits<double>::infinity());
    }
  }
  return cost;
}

double distance(Norm norm, double cost) {
  return norm == Norm::squared_l2 ? std::sqrt(cost) : cost;
}

}  // namespace boxwood
