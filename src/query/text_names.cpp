#include "query/text_names.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace boxwood::text {

Names::Names(std::span<const Ensemble> ensembles, const Schema& schema, const Query& query)
    : ensembles_(ensembles), schema_(schema) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    subjects_.try_emplace(schema.features[i].name, Subject{i});
  }
  const std::size_t groups = std::min(schema.groups.size(), query.groups.size());
  for (std::size_t g = 0; g < groups; ++g) {
    subjects_.try_emplace(schema.groups[g].title, Subject{g, true});
  }
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const std::string& title = schema.features[i].title;
    if (!title.empty()) subjects_.try_emplace(title, Subject{i});
  }
  for (std::size_t g = 0; g < query.groups.size(); ++g) {
    for (const std::size_t column : query.groups[g].columns) group_of_[column] = g;
  }
}

std::optional<Subject> Names::find(std::string_view name) const {
  const auto found = subjects_.find(name);
  return found == subjects_.end() ? std::nullopt : std::optional(found->second);
}

std::string Names::near(std::string_view wrong) const {
  std::vector<std::string> names;
  for (const auto& [name, subject] : subjects_) names.push_back(name);
  return did_you_mean(wrong, names);
}

const std::string& Names::title(Subject subject) const {
  if (subject.group) return schema_.groups[subject.index].title;
  const FeatureSchema& feature = schema_.features[subject.index];
  return feature.title.empty() ? feature.name : feature.title;
}

std::vector<std::string> Names::labels(Subject subject) const {
  std::vector<std::string> labels;
  if (subject.group) {
    const GroupSchema& group = schema_.groups[subject.index];
    labels = group.labels;
    for (std::size_t k = labels.size(); k < group.columns.size(); ++k) {
      labels.push_back(title({group.columns[k]}));
    }
    // The category for which all columns are 0.
    if (labels.size() == group.columns.size()) labels.emplace_back("(none)");
    return labels;
  }
  if (const auto& known = schema_.features[subject.index].labels; !known.empty()) return known;
  for (const Category& category : ensembles_.front().features[subject.index].categories) {
    if (!category.label.empty()) labels.push_back(category.label);
  }
  return labels;
}

std::optional<std::size_t> Names::code(Subject subject, std::string_view label) const {
  if (!subject.group && schema_.features[subject.index].labels.empty()) {
    // If the codes have gaps, the schema has no labels, but the model may have them.
    for (const Category& category : ensembles_.front().features[subject.index].categories) {
      if (category.label == label && !label.empty() && category.code >= 0) {
        return static_cast<std::size_t>(category.code);
      }
    }
    return std::nullopt;
  }
  const std::vector<std::string> known = labels(subject);
  const auto found = std::find(known.begin(), known.end(), label);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  if (!subject.group) return std::nullopt;
  // The name of a column is accepted as well.
  const std::vector<std::size_t>& columns = schema_.groups[subject.index].columns;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (schema_.features[columns[k]].name == label) return k;
  }
  return std::nullopt;
}

std::optional<std::size_t> Names::group_of(std::size_t feature) const {
  const auto found = group_of_.find(feature);
  return found == group_of_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace boxwood::text
