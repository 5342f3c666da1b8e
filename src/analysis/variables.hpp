// The units of change: a feature, or the columns of a one-hot group.
#pragma once

#include <boxwood/query.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace boxwood {

/// A feature by itself, or all columns of a group.
struct FeatureSet {
  std::vector<std::size_t> columns;
  const OneHot* group = nullptr;
};

/// All units of a query in the order of the features; a group is at the place of its first column.
std::vector<FeatureSet> feature_sets(const Query& query);
/// The units in which two points differ.
std::vector<FeatureSet> changed_sets(const Query& query, std::span<const double> to);

}  // namespace boxwood
