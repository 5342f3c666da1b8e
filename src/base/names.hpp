// Names as files and people write them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace boxwood {

/// The text without the blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The name with underscores for spaces: so LightGBM stores the names of columns.
inline std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// The names of the entries of a table: "a, b, c".
template <typename Table>
std::string listed_names(const Table& table) {
  std::string names;
  for (const auto& entry : table) {
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

}  // namespace boxwood
