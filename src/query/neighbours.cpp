#include "query/neighbours.hpp"

#include "model/arithmetic.hpp"
#include "model/places.hpp"
#include "query/reach.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// The rule of one feature of a neighbour, seen from the answer's value.
FeatureRule neighbour_rule(const FeatureRule& rule, double value) {
  FeatureRule free;
  free.kind = rule.kind;
  if (rule.kind == FeatureKind::categorical) {
    free.fixed = rule.robust_codes.empty() || std::isnan(value);
    for (const std::int32_t code : rule.robust_codes) free.allowed.push_back(code);
    return free;
  }
  free.fixed = rule.robust == 0 || !std::isfinite(value);
  free.range = rule.domain;
  free.domain = rule.domain;
  free.most_change = rule.robust;
  if (!free.fixed) free.scale = std::clamp(rule.robust, 1e-30, 1e30);
  return free;
}

/// The smallest number of this precision inside of an interval's lower end.
double first_inside(const Interval& interval, Precision precision) {
  double value = as_read(interval.lower, precision);
  const auto inside = [&](double x) {
    return interval.lower_closed ? x >= interval.lower : x > interval.lower;
  };
  if (!inside(value)) value = at_place(place_of(value, precision) + 1, precision);
  return value;
}

}  // namespace

Neighbours neighbours_of(const FeatureRule& rule, double value, Precision precision) {
  const FeatureRule free = neighbour_rule(rule, value);
  if (free.fixed || rule.kind == FeatureKind::categorical) return {value, value};
  const Reach reach = reach_of(free, value, precision);
  const bool whole = rule.kind != FeatureKind::continuous;
  Neighbours ends{value, value};
  // An empty reach has its ends on the far side of the value, so that the value itself remains.
  if (!reach.below.empty()) {
    const double first = first_inside(reach.below, precision);
    ends.lowest = std::min(value, whole ? std::ceil(first) : first);
  }
  if (!reach.above.empty()) {
    const Interval& above = reach.above;
    const double last = -first_inside(
        {-above.upper, -above.lower, above.upper_closed, above.lower_closed}, precision);
    ends.highest = std::max(value, whole ? std::floor(last) : last);
  }
  return ends;
}

bool has_neighbours(const FeatureRule& rule) {
  return rule.robust > 0 || !rule.robust_codes.empty();
}

bool is_robust(const Query& query) {
  return std::any_of(query.features.begin(), query.features.end(), has_neighbours);
}

Query without_robustness(Query query) {
  for (FeatureRule& rule : query.features) {
    rule.robust = 0;
    rule.robust_codes.clear();
  }
  return query;
}

void refuse_robust(const Query& query, const char* what) {
  if (!is_robust(query)) return;
  throw Error("robust", fmt::format("{} does not support robust answers", what),
              "Leave out the robustness");
}

Query neighbour_query(const Query& query, std::span<const double> point, Precision precision,
                      std::size_t requirement) {
  Query near;
  near.norm = Norm::l1;
  near.requirements = {query.requirements.at(requirement)};
  near.requirements.front().negated = !near.requirements.front().negated;
  for (std::size_t d = 0; d < point.size(); ++d) {
    near.point.push_back(as_read(point[d], precision));
    near.features.push_back(neighbour_rule(query.features[d], near.point[d]));
  }
  return near;
}

}  // namespace boxwood
