#include "cli/lists.hpp"

#include "base/names.hpp"
#include "base/text.hpp"
#include "cli/csv.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace boxwood::cli {
namespace {

/// Splits at commas outside double quotes; removes the quotes, and a doubled quote becomes one.
std::vector<std::string> split(std::string_view text, std::string_view flag) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && inside && text.substr(i + 1).starts_with('"')) {
      parts.back() += c;
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (inside) throw UsageError(std::string(flag), "the closing quote is missing");
  return parts;
}

bool parse_count(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Finds a feature by name, else by title, else without the spaces around a name.
std::optional<std::size_t> find_feature(std::string_view name, const Schema& schema) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (schema.features[i].name == name) return i;
  }
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!name.empty() && schema.features[i].title == name) return i;
  }
  if (const std::string_view bare = trimmed(name); bare != name) return find_feature(bare, schema);
  return std::nullopt;
}

/// A hint for lists in which a feature name contains a comma.
std::string comma_hint(std::string_view list, const Schema& schema) {
  if (list.find(',') == std::string_view::npos) return {};
  for (const FeatureSchema& feature : schema.features) {
    for (const std::string& name : {feature.name, feature.title}) {
      if (name.find(',') == std::string::npos) continue;
      return fmt::format("A name with a comma goes in double quotes inside the argument: '\"{}\"'",
                         name);
    }
  }
  return {};
}

std::size_t feature_named(const std::string& name, std::string_view list, const Schema& schema,
                          std::string_view flag) {
  if (const auto found = find_feature(name, schema)) return *found;
  std::vector<std::string> names;
  for (const FeatureSchema& feature : schema.features) {
    names.push_back(feature.name);
    if (!feature.title.empty()) names.push_back(feature.title);
  }
  std::string remedy = did_you_mean(name, names);
  const std::string hint = comma_hint(list, schema);
  if (!remedy.empty() && !hint.empty()) remedy += " ";
  throw UsageError(std::string(flag), fmt::format("no feature \"{}\"", name), remedy + hint);
}

/// The name that query text knows a feature or a one-hot group by.
std::string subject_named(const std::string& name, std::string_view list, const Schema& schema,
                          std::string_view flag) {
  const bool is_group = !find_feature(name, schema) &&
                        std::any_of(schema.groups.begin(), schema.groups.end(),
                                    [&](const GroupSchema& one) { return one.title == name; });
  return is_group ? name : schema.features[feature_named(name, list, schema, flag)].name;
}

double weight_from(std::string_view text, std::string_view flag) {
  double weight = 0;
  if (!parse_number(text, weight) || !(weight >= 1e-30 && weight <= 1e30)) {
    throw UsageError(std::string(flag),
                     fmt::format("\"{}\": a weight must be a number from 1e-30 to 1e30", text),
                     "To forbid a change, use --fix");
  }
  return weight;
}

struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// "7" or "7-9".
std::optional<RowRange> parse_row_range(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string_view end = dash == text.size() ? text : text.substr(dash + 1);
  RowRange range;
  if (!parse_count(text.substr(0, dash), range.first) || !parse_count(end, range.last)) return {};
  return range;
}

}  // namespace

KeepRow keep_rows(std::string_view text) {
  std::vector<RowRange> ranges;
  if (text.find('"') != std::string_view::npos) return {};
  for (const std::string& part : split(text, "")) {
    const std::optional<RowRange> range = parse_row_range(part);
    if (!range) return {};
    ranges.push_back(*range);
  }
  return [ranges = std::move(ranges)](std::size_t row) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const RowRange& range) {
      return range.first <= row && row <= range.last;
    });
  };
}

std::vector<std::size_t> parse_rows(std::string_view text, std::size_t count,
                                    std::string_view flag) {
  std::vector<std::size_t> rows;
  if (text == "all") {
    for (std::size_t row = 0; row < count; ++row) rows.push_back(row);
    return rows;
  }
  std::set<std::size_t> seen;
  for (const std::string& part : split(text, flag)) {
    const std::optional<RowRange> range = parse_row_range(part);
    if (!range) {
      throw UsageError(std::string(flag),
                       fmt::format("\"{}\" is not a row or a range of rows", part),
                       "Write all, or numbers such as 0,3,7-9");
    }
    const auto [first, last] = *range;
    if (first > last) {
      throw UsageError(std::string(flag), fmt::format("\"{}\" is not ascending", part),
                       fmt::format("Write the smaller number first: {}-{}", last, first));
    }
    if (last >= count) {
      throw UsageError(std::string(flag), fmt::format("row {} does not exist", last),
                       count == 0 ? std::string("The data have no rows")
                                  : fmt::format("The data have rows 0 to {}", count - 1));
    }
    for (std::size_t row = first; row <= last; ++row) {
      if (seen.insert(row).second) rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::size_t> parse_features(std::string_view text, const Schema& schema,
                                        std::string_view flag) {
  if (const auto whole = find_feature(text, schema)) return {*whole};
  std::vector<std::size_t> features;
  for (const std::string& name : split(text, flag)) {
    const auto group = std::find_if(schema.groups.begin(), schema.groups.end(),
                                    [&](const GroupSchema& one) { return one.title == name; });
    if (!find_feature(name, schema) && group != schema.groups.end()) {
      features.insert(features.end(), group->columns.begin(), group->columns.end());
    } else {
      features.push_back(feature_named(name, text, schema, flag));
    }
  }
  return features;
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::vector<std::pair<std::string, double>> parse_weights(std::string_view text,
                                                          const Schema& schema,
                                                          std::string_view flag) {
  if (const std::size_t equals = text.rfind('='); equals != std::string_view::npos) {
    if (const auto whole = find_feature(text.substr(0, equals), schema)) {
      return {{schema.features[*whole].name, weight_from(text.substr(equals + 1), flag)}};
    }
  }
  std::vector<std::pair<std::string, double>> weights;
  for (const std::string& part : split(text, flag)) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos) {
      const std::string hint = comma_hint(text, schema);
      throw UsageError(std::string(flag), fmt::format("\"{}\" has no weight", part),
                       hint.empty() ? "Write name=weight, such as duration=2" : hint);
    }
    const double weight = weight_from(std::string_view(part).substr(equals + 1), flag);
    weights.emplace_back(subject_named(part.substr(0, equals), text, schema, flag), weight);
  }
  return weights;
}

}  // namespace boxwood::cli
