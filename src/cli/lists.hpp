// Lists as flags take them: row numbers, feature names, weights.
#pragma once

#include "cli/csv.hpp"

#include <boxwood/schema.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boxwood::cli {

/// Whether a list of rows includes a row. True for every row if the list is malformed; parse_rows
/// reports that when the number of rows is known.
KeepRow keep_rows(std::string_view text);
/// "0,3,7-9" or "all", in the given order, without duplicates. `count` is the number of rows.
std::vector<std::size_t> parse_rows(std::string_view text, std::size_t count,
                                    std::string_view flag = "--rows");

/// "a,b" as features, by name or title. A name with a comma is written in double quotes,
/// "\"a,b\",c", or without quotes if it is the only one.
std::vector<std::size_t> parse_features(std::string_view text, const Schema& schema,
                                        std::string_view flag);

/// A name in the double quotes of query text; quotes within it are doubled.
std::string quoted_name(std::string_view name);

/// "a=2,b=0.5" as positive numbers by the name of a feature or the title of a one-hot group.
std::vector<std::pair<std::string, double>> parse_weights(std::string_view text,
                                                          const Schema& schema,
                                                          std::string_view flag);

}  // namespace boxwood::cli
