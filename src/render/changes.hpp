// The changes of an answer as people see them: a line for each feature, and one for each one-hot
// group whatever columns it has.
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

/// A feature's schema with the hull of the schema's range and the query's: "at least" and
/// "anything" then refer to both.
FeatureSchema words_for(const Schema& schema, const Query& query, std::size_t feature);

/// The group that a feature is a column of; none for most.
const GroupSchema* group_of(const Schema& schema, std::size_t feature);

/// The label of a group's column; after the last that of the category without a column.
std::string label_of(const Schema& schema, const GroupSchema& group, std::size_t place);

/// The title of a feature, or of the group that it belongs to, and its value in a point.
std::string shown_title(const Schema& schema, std::size_t feature);
std::string shown_value(const Ensemble& ensemble, const Schema& schema,
                        const std::vector<double>& point, std::size_t feature);

/// How many features people see: a one-hot group is one.
std::size_t count_features(const Schema& schema);

/// The values of a feature, or of its group, within the solution's region and the constraints.
Values values_inside(const Ensemble& ensemble, const Schema& schema, const Query& query,
                     const Solution& solution, std::size_t feature);
/// What `wide_text` says, before it becomes text.
Values wide_values(const Ensemble& ensemble, const Schema& schema, const Query& query,
                   const WideRegion& wide, std::span<const double> point, std::size_t feature);

}  // namespace boxwood
