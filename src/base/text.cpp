#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace boxwood {
namespace {

/// Insertions, deletions, replacements, and swaps of two neighbours; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      next[j] = std::min({replaced, row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
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
  // A third of the letters may be wrong, and one of two: "foo" is not near "job".
  std::size_t best = std::min(wrong.size(), std::max<std::size_t>(1, (wrong.size() + 1) / 3) + 1);
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
