#include "render/changes.hpp"

#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace boxwood {
namespace {

std::string label_of(const Schema& schema, const GroupSchema& group, std::size_t place) {
  if (place == group.columns.size()) return "none";
  return group.labels.empty() ? title_of(schema.features[group.columns[place]])
                              : group.labels[place];
}

const GroupSchema* group_of(const Schema& schema, std::size_t feature) {
  for (const GroupSchema& group : schema.groups) {
    if (std::count(group.columns.begin(), group.columns.end(), feature) > 0) return &group;
  }
  return nullptr;
}

std::size_t hot_place(const GroupSchema& group, const std::vector<double>& point) {
  std::size_t place = 0;
  while (place < group.columns.size() && point[group.columns[place]] != 1) ++place;
  return place;
}

std::string one_of(const std::vector<std::string>& words) {
  return words.size() == 1 ? words.front() : fmt::format("one of: {}", fmt::join(words, ", "));
}

/// The columns that may be hot within the region.
std::string anything_hot(const Schema& schema, const GroupSchema& group, const Solution& solution) {
  std::vector<std::string> words;
  for (std::size_t hot = 0; hot < group.columns.size(); ++hot) {
    bool inside = true;
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      inside = inside && solution.region[group.columns[k]].contains(k == hot ? 1.0 : 0.0);
    }
    if (inside) words.push_back(label_of(schema, group, hot));
  }
  return words.empty() ? "none" : one_of(words);
}

}  // namespace

std::size_t count_features(const Schema& schema) {
  std::size_t count = schema.features.size() + schema.groups.size();
  for (const GroupSchema& group : schema.groups) count -= group.columns.size();
  return count;
}

std::string anything_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                          const Solution& solution, std::size_t feature) {
  const FeatureSchema& words = schema.features[feature];
  const bool by_code = words.kind == FeatureKind::categorical && feature < solution.codes.size() &&
                       !solution.codes[feature].empty();
  if (!by_code) {
    return interval_text(words, solution.region[feature], ensemble.input, query.point[feature]);
  }
  std::vector<std::string> labels;
  for (const std::int32_t code : solution.codes[feature]) {
    const auto value = static_cast<double>(code);
    if (words.range.contains(value)) labels.push_back(value_text(words, value, ensemble.input));
  }
  if (labels.empty()) return value_text(words, solution.point[feature], ensemble.input);
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
      changes.push_back({group->title, label_of(schema, *group, hot_place(*group, query.point)),
                         label_of(schema, *group, hot_place(*group, solution.point)),
                         anything_hot(schema, *group, solution)});
      continue;
    }
    const FeatureSchema& feature = schema.features[i];
    changes.push_back({title_of(feature), value_text(feature, query.point[i], ensemble.input),
                       value_text(feature, solution.point[i], ensemble.input),
                       anything_text(ensemble, schema, query, solution, i)});
  }
  return changes;
}

}  // namespace boxwood
