#include "render/changes.hpp"

#include "base/text.hpp"
#include "model/arithmetic.hpp"
#include "query/reach.hpp"
#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace boxwood {
namespace {

std::size_t hot_place(const GroupSchema& group, const std::vector<double>& point) {
  std::size_t place = 0;
  while (place < group.columns.size() && point[group.columns[place]] != 1) ++place;
  return place;
}

Values one_of(const std::vector<std::string>& words) {
  return {Values::Kind::some,
          words.size() == 1 ? words.front() : fmt::format("one of: {}", fmt::join(words, ", "))};
}

/// Whether the columns of a group may all be 0.
bool none_allowed(const Query& query, const GroupSchema& group) {
  return std::any_of(query.groups.begin(), query.groups.end(), [&](const OneHot& one) {
    return one.columns == group.columns &&
           (one.none_allowed || hot_column(one, query.point) == one.columns.size());
  });
}

/// The columns that may be 1 within the region, and whether all may be 0.
Values values_hot(const Ensemble& ensemble, const Query& query, const Schema& schema,
                  const GroupSchema& group, const Solution& solution) {
  std::vector<std::string> words;
  std::vector<double> point = solution.point;
  for (std::size_t hot = 0; hot <= group.columns.size(); ++hot) {
    bool inside = may_be_hot(query, group.columns, hot) &&
                  (hot < group.columns.size() || none_allowed(query, group));
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      const std::size_t column = group.columns[k];
      point[column] = k == hot ? 1 : 0;
      inside = inside && solution.region[column].contains(point[column]);
    }
    if (inside && obeys(query, point, ensemble.input)) {
      words.push_back(label_of(schema, group, hot));
    }
  }
  if (words.empty()) words.push_back(label_of(schema, group, hot_place(group, solution.point)));
  return one_of(words);
}

/// "follows from debt, income"
std::string follows_text(const Schema& schema, const Query& query, std::size_t feature) {
  std::vector<std::string> titles;
  for (const Derived& derived : query.derived) {
    for (const Derived::Step& step : derived.steps) {
      if (derived.feature != feature || step.op != Derived::Op::column) continue;
      const std::string title = title_of(schema.features[step.feature]);
      if (std::count(titles.begin(), titles.end(), title) == 0) titles.push_back(title);
    }
  }
  return fmt::format("follows from {}", fmt::join(titles, ", "));
}

/// "one of: rent, own"; shorter if nearly all values are possible.
Values some_of(const std::vector<std::string>& inside, const std::vector<std::string>& out) {
  if (out.empty()) return {Values::Kind::all, {}};
  if (out.size() == 1 && inside.size() > 2) {
    return {Values::Kind::some, "anything but " + out.front()};
  }
  return one_of(inside);
}

bool is_allowed(const Query& query, std::size_t feature, double code) {
  const FeatureRule& rule = query.features[feature];
  const bool listed =
      rule.allowed.empty() || std::binary_search(rule.allowed.begin(), rule.allowed.end(), code);
  return listed && rule.range.contains(code) && std::isfinite(term_cost(query, feature, code));
}

/// The codes of a category that a solution's region holds, as far as they are known.
std::vector<double> codes_inside(const FeatureSchema& words, const Query& query,
                                 const Solution& solution, std::size_t feature) {
  if (feature < solution.codes.size() && !solution.codes[feature].empty()) {
    return {solution.codes[feature].begin(), solution.codes[feature].end()};
  }
  std::vector<double> codes = query.features[feature].allowed;
  if (codes.empty()) {
    for (std::size_t k = 0; k < words.labels.size(); ++k) codes.push_back(static_cast<double>(k));
  }
  std::erase_if(codes, [&](double code) { return !solution.region[feature].contains(code); });
  return codes;
}

/// The part of an interval that a list or a step allows.
Values allowed_values(const FeatureSchema& words, const FeatureRule& rule, const Interval& part,
                      Precision precision, double now) {
  std::vector<std::string> listed;
  for (const double value : rule.allowed) {
    if (part.contains(as_read(value, precision))) {
      listed.push_back(value_text(words, value, precision));
    }
  }
  if (!listed.empty()) return one_of(listed);
  const bool steps = rule.step > 0 && !(rule.step == 1 && rule.kind != FeatureKind::continuous);
  if (!steps || std::isnan(part.lower)) return interval_values(words, part, precision, now);
  // The outermost multiple that the models read as a value inside the interval. Rounding moves a
  // multiple by less than a step, unless steps are finer than the precision: then there is no such
  // multiple.
  const auto outermost = [&](double end, double inwards) -> std::optional<double> {
    const double nearest = std::round(end / rule.step);
    for (const double times : {nearest - inwards, nearest, nearest + inwards}) {
      const double multiple = multiple_of(rule.step, times);
      if (part.contains(as_read(multiple, precision))) return multiple;
    }
    return std::nullopt;
  };
  Interval inner = part;
  for (const bool low : {true, false}) {
    double& end = low ? inner.lower : inner.upper;
    if (!std::isfinite(end)) continue;
    const std::optional<double> multiple = outermost(end, low ? 1 : -1);
    if (!multiple) return interval_values(words, part, precision, now);
    end = *multiple;
  }
  if (inner.lower > inner.upper) return interval_values(words, part, precision, now);
  inner.lower_closed = inner.upper_closed = true;
  const Values values = interval_values(words, inner, precision, now);
  if (inner.lower == inner.upper) return values;
  return {Values::Kind::some, fmt::format("{} in steps of {}", text_of(values),
                                          value_text(words, rule.step, precision))};
}

}  // namespace

FeatureSchema words_for(const Schema& schema, const Query& query, std::size_t feature) {
  FeatureSchema words = schema.features[feature];
  const Interval& range = query.features[feature].range;
  words.range.lower = std::min(words.range.lower, range.lower);
  words.range.upper = std::max(words.range.upper, range.upper);
  return words;
}

std::string label_of(const Schema& schema, const GroupSchema& group, std::size_t place) {
  if (place < group.labels.size()) return visible(group.labels[place]);
  return place == group.columns.size() ? "(none)" : title_of(schema.features[group.columns[place]]);
}

const GroupSchema* group_of(const Schema& schema, std::size_t feature) {
  for (const GroupSchema& group : schema.groups) {
    if (std::count(group.columns.begin(), group.columns.end(), feature) > 0) return &group;
  }
  return nullptr;
}

std::size_t count_features(const Schema& schema) {
  std::size_t count = schema.features.size() + schema.groups.size();
  for (const GroupSchema& group : schema.groups) count -= group.columns.size();
  return count;
}

Values values_inside(const Ensemble& ensemble, const Schema& schema, const Query& query,
                     const Solution& solution, std::size_t feature) {
  if (const GroupSchema* group = group_of(schema, feature)) {
    return values_hot(ensemble, query, schema, *group, solution);
  }
  if (query.features[feature].derived)
    return {Values::Kind::some, follows_text(schema, query, feature)};
  const FeatureSchema words = words_for(schema, query, feature);
  if (words.kind != FeatureKind::categorical || std::isnan(solution.point[feature])) {
    const Interval alone =
        admissible_part(query, solution.point, feature, solution.region[feature], ensemble.input);
    const Interval part =
        part_with_derived(query, solution.point, feature, alone, solution.region, ensemble.input);
    return allowed_values(words, query.features[feature], part, ensemble.input,
                          query.point[feature]);
  }
  std::vector<std::string> labels;
  std::vector<double> point = solution.point;
  for (const double code : codes_inside(words, query, solution, feature)) {
    point[feature] = code;
    const bool now = code == query.point[feature];
    if (!now && !is_allowed(query, feature, code)) continue;
    if (!words.range.contains(code) || !obeys(query, point, ensemble.input)) continue;
    labels.push_back(value_text(words, code, ensemble.input));
  }
  if (labels.empty()) labels.push_back(value_text(words, solution.point[feature], ensemble.input));
  return one_of(labels);
}

std::vector<ChangeText> changes_in_words(const Ensemble& ensemble, const Schema& schema,
                                         const Query& query, const Solution& solution) {
  std::vector<ChangeText> changes;
  std::vector<const GroupSchema*> told;
  for (const std::size_t i : changed_features(query, solution.point)) {
    if (const GroupSchema* group = group_of(schema, i)) {
      if (std::count(told.begin(), told.end(), group) > 0) continue;
      told.push_back(group);
      changes.push_back({visible(group->title),
                         label_of(schema, *group, hot_place(*group, query.point)),
                         label_of(schema, *group, hot_place(*group, solution.point)),
                         text_of(values_inside(ensemble, schema, query, solution, i)), i});
      continue;
    }
    const FeatureSchema& feature = schema.features[i];
    std::string now = value_text(feature, query.point[i], ensemble.input);
    std::string then = value_text(feature, solution.point[i], ensemble.input);
    if (now == then) {
      // A change by less than the rounding errors that are removed when values with a step are
      // shown.
      FeatureSchema exact = feature;
      exact.step = 0;
      now = value_text(exact, query.point[i], ensemble.input);
      then = value_text(exact, solution.point[i], ensemble.input);
    }
    changes.push_back({title_of(feature), now, then,
                       text_of(values_inside(ensemble, schema, query, solution, i)), i});
  }
  return changes;
}

std::string changes_line(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         const std::vector<double>& point, const char* between) {
  std::vector<std::string> parts;
  std::vector<const GroupSchema*> told;
  for (const std::size_t i : changed_features(query, point)) {
    const GroupSchema* group = group_of(schema, i);
    if (group && std::count(told.begin(), told.end(), group) > 0) continue;
    told.push_back(group);
    parts.push_back(
        fmt::format("{}: {}", shown_title(schema, i), shown_value(ensemble, schema, point, i)));
  }
  return fmt::format("{}", fmt::join(parts, between));
}

std::string shown_title(const Schema& schema, std::size_t feature) {
  const GroupSchema* group = group_of(schema, feature);
  return group ? visible(group->title) : title_of(schema.features[feature]);
}

std::string shown_value(const Ensemble& ensemble, const Schema& schema,
                        const std::vector<double>& point, std::size_t feature) {
  if (const GroupSchema* group = group_of(schema, feature)) {
    return label_of(schema, *group, hot_place(*group, point));
  }
  return value_text(schema.features[feature], point[feature], ensemble.input);
}

std::string wide_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                      const WideRegion& wide, std::span<const double> point, std::size_t feature) {
  return text_of(wide_values(ensemble, schema, query, wide, point, feature));
}

Values wide_values(const Ensemble& ensemble, const Schema& schema, const Query& query,
                   const WideRegion& wide, std::span<const double> point, std::size_t feature) {
  const auto values_at = [&](std::size_t i) {
    return i < wide.values.size() ? wide.values[i] : std::vector<double>{};
  };
  const auto holds = [](const std::vector<double>& values, double value) {
    return std::count(values.begin(), values.end(), value) > 0;
  };
  std::vector<std::string> inside, outside;
  if (const GroupSchema* group = group_of(schema, feature)) {
    const std::vector<double> places = values_at(group->columns.front());
    for (std::size_t k = 0; k < group->columns.size(); ++k) {
      (holds(places, static_cast<double>(k)) ? inside : outside)
          .push_back(label_of(schema, *group, k));
    }
    const std::size_t none = group->columns.size();
    if (holds(places, static_cast<double>(none))) {
      inside.push_back(label_of(schema, *group, none));
    } else if (none_allowed(query, *group)) {
      outside.push_back(label_of(schema, *group, none));
    }
    return some_of(inside, outside);
  }
  const FeatureSchema words = words_for(schema, query, feature);
  if (query.features[feature].derived)
    return {Values::Kind::some, follows_text(schema, query, feature)};
  const std::vector<double> codes = values_at(feature);
  if (codes.empty()) {
    const Interval region =
        part_with_derived(query, point, feature, wide.region[feature], wide.region, ensemble.input);
    const double now = query.point[feature];
    if (point[feature] == now) return interval_values(words, region, ensemble.input, now);
    const Interval part = admissible_part(query, point, feature, region, ensemble.input);
    return allowed_values(words, query.features[feature], part, ensemble.input, now);
  }
  for (const double code : codes) inside.push_back(value_text(words, code, ensemble.input));
  for (std::size_t k = 0; k < words.labels.size(); ++k) {
    const auto code = static_cast<double>(k);
    if (!holds(codes, code) && words.range.contains(code))
      outside.push_back(visible(words.labels[k]));
  }
  // Without labels it is unknown which other codes exist.
  if (words.labels.empty()) return one_of(inside);
  return some_of(inside, outside);
}

}  // namespace boxwood
