// The changes of an answer as people see them: a line for each feature, and one for each one-hot
// group whatever columns it has.
#pragma once

#include <boxwood/render.hpp>

#include <span>
#include <string>
#include <vector>

namespace boxwood {

/// "duration: 18 months · savings: 100 to 500 DM", with what stands between them.
std::string changes_line(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         const std::vector<double>& point, const char* between = " · ");

/// A feature's words with a range that holds what the query allows as well as what the schema does:
/// "at least" and "anything" are said of both.
FeatureSchema words_for(const Schema& schema, const Query& query, std::size_t feature);

/// The group that a feature is a column of; none for most.
const GroupSchema* group_of(const Schema& schema, std::size_t feature);

/// The label of a group's column; "none" after the last.
std::string label_of(const Schema& schema, const GroupSchema& group, std::size_t place);

/// What a feature, or the group that it belongs to, is called and is in a point.
std::string shown_title(const Schema& schema, std::size_t feature);
std::string shown_value(const Ensemble& ensemble, const Schema& schema,
                        const std::vector<double>& point, std::size_t feature);

/// How many features people see: a one-hot group is one.
std::size_t count_features(const Schema& schema);

/// What else will do in place of one feature's value.
std::string anything_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                          const Solution& solution, std::size_t feature);

}  // namespace boxwood
