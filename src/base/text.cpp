#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace boxwood {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }
std::string number_text(float value) { return fmt::format("{}", value); }

std::string did_you_mean(std::string_view wrong, std::span<const std::string> names) {
  constexpr std::size_t longest =
      64;  // edit distance is quadratic: limits the time for hostile names
  if (wrong.size() > longest) return {};
  // Up to two letters, or a third of the name, may differ, but not all: "a" is not similar to "b".
  std::size_t best = std::min(wrong.size(), std::max<std::size_t>(2, wrong.size() / 3) + 1);
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    if (name.size() > longest) continue;
    const std::size_t d = edit_distance(wrong, name);
    if (d < best) {
      best = d;
      nearest = &name;
    }
  }
  return nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : std::string{};
}

}  // namespace boxwood
