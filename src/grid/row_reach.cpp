#include "grid/row_reach.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// Costs of rows and their bounds are sums with rounding errors. This is far more than both errors
/// together.
constexpr double rounding_of_sums = 1e-9;

RowReach::Span span_of(const FeatureRule& rule, double given, Precision precision) {
  const double own = as_read(given, precision);
  if (std::isnan(own)) {
    return rule.missing_allowed && !rule.fixed ? RowReach::Span{-infinity, infinity, true}
                                               : RowReach::Span{infinity, -infinity, true};
  }
  // A model that reads doubles reads the present value as it was given, and all other values
  // rounded.
  RowReach::Span span{std::min(own, given), std::max(own, given), false};
  if (rule.fixed) return span;
  span.missing = rule.missing_allowed;
  if (rule.kind == FeatureKind::categorical) return {-infinity, infinity, span.missing};
  const Reach reach = reach_of(rule, given, precision);
  if (!reach.below.empty()) span.low = std::min(span.low, reach.below.lower);
  if (!reach.above.empty()) span.high = std::max(span.high, reach.above.upper);
  return span;
}

}  // namespace

RowReach::RowReach(const Query& query, Precision precision, double most)
    : query_(query), precision_(precision), most_(most) {
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    const FeatureRule& rule = query.features[d];
    spans_.push_back(span_of(rule, query.point[d], precision));
    const bool known = query.norm != Norm::custom && !rule.derived && !std::isnan(query.point[d]);
    const bool category = rule.kind == FeatureKind::categorical;
    priced_.push_back(known && !category ? 1 : 0);
    // Without a table, all changes of a category cost the same.
    const bool alike = known && category && rule.changes.empty() && !rule.missing_allowed;
    change_.push_back(alike ? term_cost(query, d, query.point[d] + 1) : 0);
  }
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) {
      spans_[column] = {-infinity, infinity, false};
      priced_[column] = 0;
      change_[column] = 0;
    }
  }
}

double RowReach::cost_of_side(std::size_t feature, const Cut& cut, bool left) const {
  const Span& span = spans_[feature];
  if (span.low > span.high) return infinity;
  const double given = query_.point[feature], own = as_read(given, precision_);
  // The value that a model reads for the present value lies between its rounded and its given
  // value.
  if (cut.left_of(own) == left || cut.left_of(given) == left) return 0;
  const double nearest = left ? last_left_of(cut, precision_) : first_right_of(cut, precision_);
  if (left ? nearest < span.low : nearest > span.high) return infinity;
  if (!priced_[feature]) return change_[feature];
  return std::isfinite(nearest) ? term_cost(query_, feature, nearest) : infinity;
}

double RowReach::raised(double cost, double from, double to) const {
  if (to == infinity) return infinity;
  return query_.norm == Norm::linf ? std::max(cost, to) : cost - from + to;
}

bool RowReach::is_beyond(double bound) const {
  return bound == infinity || bound > most_ * (1 + rounding_of_sums);
}

}  // namespace boxwood
