#include "analysis/variables.hpp"

#include <algorithm>
#include <cmath>

namespace boxwood {

std::vector<FeatureSet> feature_sets(const Query& query) {
  std::vector<const OneHot*> group_of(query.point.size(), nullptr);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) group_of[column] = &group;
  }
  std::vector<FeatureSet> sets;
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    if (query.features[d].derived) continue;
    if (!group_of[d]) {
      sets.push_back({{d}, nullptr});
    } else if (group_of[d]->columns.front() == d) {
      sets.push_back({group_of[d]->columns, group_of[d]});
    }
  }
  return sets;
}

std::vector<FeatureSet> changed_sets(const Query& query, std::span<const double> to) {
  std::vector<FeatureSet> sets = feature_sets(query);
  std::erase_if(sets, [&](const FeatureSet& set) {
    return std::all_of(set.columns.begin(), set.columns.end(), [&](std::size_t d) {
      return to[d] == query.point[d] || (std::isnan(to[d]) && std::isnan(query.point[d]));
    });
  });
  return sets;
}

}  // namespace boxwood
