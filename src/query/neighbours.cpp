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

/// The smallest number of this precision inside of an interval's lower end.
double first_inside(const Interval& interval, Precision precision) {
  double value = as_read(interval.lower, precision);
  const auto inside = [&](double x) {
    return interval.lower_closed ? x >= interval.lower : x > interval.lower;
  };
  if (!inside(value)) value = at_place(place_of(value, precision) + 1, precision);
  return value;
}

/// The smallest and the largest double that the models read as this number.
Neighbours written_as(double value, Precision precision) {
  if (precision == Precision::float64) return {value, value};
  const auto edge = [&](std::int64_t step) {
    const double beside = at_place(place_of(value, precision) + step, precision);
    if (!std::isfinite(beside)) return value;
    const double middle = (value + beside) / 2;  // exact: both have 24 bits
    return as_read(middle, precision) == value ? middle : std::nextafter(middle, value);
  };
  return {edge(-1), edge(1)};
}

double finite_as_read(double value, Precision precision) {
  const double read = as_read(value, precision);
  if (std::isfinite(read)) return read;
  return std::copysign(at_place(place_of(read, precision) + (read > 0 ? -1 : 1), precision), read);
}

}  // namespace

Neighbours neighbours_of(const FeatureRule& rule, double value, Precision precision) {
  if (rule.kind == FeatureKind::categorical || rule.robust == 0 || !std::isfinite(value)) {
    return {value, value};
  }
  const bool whole = rule.kind != FeatureKind::continuous;
  // A person writes a double that the models read as `value`, and ends up at a double within the
  // distance, which the models round again. Rounding keeps the order, so all values that are read
  // lie between the two ends as they are read.
  const Neighbours written = whole ? Neighbours{value, value} : written_as(value, precision);
  FeatureRule by_size;
  by_size.most_change = rule.robust;
  const double lowest = reach_of(by_size, written.lowest, Precision::float64).below.lower;
  const double highest = reach_of(by_size, written.highest, Precision::float64).above.upper;
  FeatureRule by_domain;
  by_domain.range = rule.domain;
  const Reach domain = reach_of(by_domain, value, precision);
  Neighbours ends{value, value};
  // If the reach is empty, its ends lie on the far side of the value; the minimum and maximum then
  // keep the value itself.
  if (!domain.below.empty()) {
    const double first = std::max(first_inside(domain.below, precision),
                                  finite_as_read(whole ? std::ceil(lowest) : lowest, precision));
    ends.lowest = std::min(value, whole ? std::ceil(first) : first);
  }
  if (!domain.above.empty()) {
    const Interval& above = domain.above;
    const double last =
        std::min(-first_inside({-above.upper, -above.lower, above.upper_closed, above.lower_closed},
                               precision),
                 finite_as_read(whole ? std::floor(highest) : highest, precision));
    ends.highest = std::max(value, whole ? std::floor(last) : last);
  }
  return ends;
}

bool has_neighbours(const FeatureRule& rule) {
  return rule.robust > 0 || !rule.robust_codes.empty();
}

bool is_robust(const Query& query) {
  return std::any_of(query.features.begin(), query.features.end(), has_neighbours) ||
         std::any_of(query.groups.begin(), query.groups.end(),
                     [](const OneHot& group) { return !group.robust.empty(); });
}

Query without_robustness(Query query) {
  for (FeatureRule& rule : query.features) {
    rule.robust = 0;
    rule.robust_codes.clear();
  }
  for (OneHot& group : query.groups) group.robust.clear();
  return query;
}

void refuse_live(const Query& query, const char* what) {
  if (query.live == 0) return;
  throw Error("live", fmt::format("{} does not support answers in a region with rows", what),
              "Leave out `live`");
}

void refuse_robust_or_live(const Query& query, const char* what) {
  refuse_live(query, what);
  if (!is_robust(query)) return;
  throw Error("robust", fmt::format("{} does not support robust answers", what),
              "Leave out the robustness");
}

namespace {

/// The rule of one feature of a neighbour, seen from the answer's value.
FeatureRule neighbour_rule(const FeatureRule& rule, double value, Precision precision) {
  FeatureRule free;
  free.kind = rule.kind;
  if (rule.kind == FeatureKind::categorical) {
    free.fixed = rule.robust_codes.empty() || std::isnan(value);
    for (const std::int32_t code : rule.robust_codes) free.allowed.push_back(code);
    return free;
  }
  free.fixed = rule.robust == 0 || !std::isfinite(value);
  free.domain = rule.domain;
  if (free.fixed) return free;
  const Neighbours ends = neighbours_of(rule, value, precision);
  free.range = {ends.lowest, ends.highest};
  free.scale = std::clamp(rule.robust, 1e-30, 1e30);
  return free;
}

/// Lets the columns of a group change to those that a robust answer withstands.
void free_columns(const OneHot& group, Query& near) {
  near.groups.push_back({group.columns, 1, false, {}});
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    const std::size_t column = group.columns[k];
    const bool may_be_hot =
        std::binary_search(group.robust.begin(), group.robust.end(), k) || near.point[column] == 1;
    FeatureRule& rule = near.features[column];
    rule = {};
    rule.range = {0, may_be_hot ? 1.0 : 0.0};
  }
}

}  // namespace

Query neighbour_query(const Query& query, std::span<const double> point, Precision precision,
                      std::size_t requirement) {
  Query near;
  near.norm = Norm::l1;
  near.requirements = {query.requirements.at(requirement)};
  near.requirements.front().negated = !near.requirements.front().negated;
  for (std::size_t d = 0; d < point.size(); ++d) {
    near.point.push_back(as_read(point[d], precision));
    near.features.push_back(neighbour_rule(query.features[d], near.point[d], precision));
  }
  for (const OneHot& group : query.groups) {
    if (!group.robust.empty()) free_columns(group, near);
  }
  return near;
}

}  // namespace boxwood
