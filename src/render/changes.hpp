// The changes of an answer as people see them: one line for each feature, and one for each one-hot
// group, however many of its columns change.
#pragma once

#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <span>
#include <string>
#include <vector>

namespace boxwood {

/// "duration: 18 months · savings: 100 to 500 DM", with `between` between two changes.
std::string changes_line(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         const std::vector<double>& point, const char* between = " · ");

/// A feature's schema with the hull of two ranges, the schema's and the query's, so that "at least"
/// and "anything" refer to both.
FeatureSchema words_for(const Schema& schema, const Query& query, std::size_t feature);

/// The group that a feature is a column of; none for most.
const GroupSchema* group_of(const Schema& schema, std::size_t feature);

/// The label of a group's column; for the number of columns, the label of the category without a
/// column.
std::string label_of(const Schema& schema, const GroupSchema& group, std::size_t place);

/// The title of a feature, or of the group that it belongs to, and its value in a point.
std::string shown_title(const Schema& schema, std::size_t feature);
std::string shown_value(const Ensemble& ensemble, const Schema& schema,
                        const std::vector<double>& point, std::size_t feature);

/// The number of features that people see: a one-hot group counts as one.
std::size_t count_features(const Schema& schema);

/// The values of a feature, or of its group, within the solution's region and the constraints.
Values values_inside(const Ensemble& ensemble, const Schema& schema, const Query& query,
                     const Solution& solution, std::size_t feature);
/// The content of `wide_text` before it becomes text.
Values wide_values(const Ensemble& ensemble, const Schema& schema, const Query& query,
                   const WideRegion& wide, std::span<const double> point, std::size_t feature);

}  // namespace boxwood
