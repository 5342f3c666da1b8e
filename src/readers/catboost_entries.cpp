// Finds the combinations that have an entry in a table of statistics. The keys of a table are
// hashes, so the key of each possible combination is computed and looked up. To try fewer
// combinations, only the keys of the first parts are computed, and the last parts are removed from
// the keys of the table.
#include "base/bits.hpp"
#include "readers/catboost.hpp"
#include "readers/catboost_hash.hpp"

#include <algorithm>
#include <utility>

namespace boxwood::readers {
namespace {

constexpr double most_tried = 0x1p26;
constexpr double most_first = 0x1p20;  // these are kept in memory

using Choices = std::vector<std::vector<std::int64_t>>;  // of each element

/// Calls see(parts) for every choice of the elements from `begin` to `end`.
template <typename See>
void each_choice(const Choices& choices, std::size_t begin, std::size_t end, See see) {
  std::vector<std::size_t> at(end - begin, 0);
  std::vector<std::int64_t> parts(end - begin);
  while (true) {
    for (std::size_t i = begin; i < end; ++i) parts[i - begin] = choices[i][at[i - begin]];
    see(parts);
    std::size_t i = begin;
    while (i < end && ++at[i - begin] == choices[i].size()) at[i++ - begin] = 0;
    if (i == end) return;
  }
}

}  // namespace

CatboostEntries catboost_entries(const CatboostTable& table,
                                 const std::vector<std::vector<std::uint32_t>>& known) {
  CatboostEntries result;
  result.unnamed = table.values.size();
  Choices choices;
  for (std::size_t i = 0; i < table.elements.size(); ++i) {
    choices.push_back({0, 1});
    if (table.elements[i].kind != CatboostElement::Kind::category) continue;
    choices.back().clear();
    for (const std::uint32_t hash : known[i]) {
      choices.back().push_back(bits_as<std::int32_t>(hash));
    }
    if (choices.back().empty()) return result;
  }
  const auto count = [&](std::size_t begin, std::size_t end) {
    double product = 1;
    for (std::size_t i = begin; i < end; ++i) product *= static_cast<double>(choices[i].size());
    return product;
  };
  const auto keys = static_cast<double>(table.values.size());
  std::size_t middle = 0;
  const auto tried = [&](std::size_t at) {
    const double first = count(0, at);
    const double more = first > most_first ? most_tried : 0;
    return first + keys * count(at, choices.size()) + more;
  };
  for (std::size_t at = 1; at <= choices.size(); ++at) {
    if (tried(at) < tried(middle)) middle = at;
  }
  if (!(tried(middle) <= most_tried)) {
    result.too_many = true;
    return result;
  }
  std::vector<std::pair<std::uint64_t, std::vector<std::int64_t>>> first;
  each_choice(choices, 0, middle, [&](const std::vector<std::int64_t>& parts) {
    std::uint64_t key = 0;
    for (const std::int64_t part : parts) key = catboost_key_with(key, part);
    first.emplace_back(key, parts);
  });
  std::sort(first.begin(), first.end());
  // Keys, in an order that does not depend on the hash table, and how many parts have been removed
  // from each.
  std::vector<std::pair<std::uint64_t, float>> entries(table.values.begin(), table.values.end());
  std::sort(entries.begin(), entries.end());
  std::vector<bool> named(entries.size(), false);
  each_choice(choices, middle, choices.size(), [&](const std::vector<std::int64_t>& last) {
    for (std::size_t e = 0; e < entries.size(); ++e) {
      std::uint64_t key = entries[e].first;
      for (std::size_t i = last.size(); i-- > 0;) key = catboost_key_without(key, last[i]);
      auto found = std::lower_bound(first.begin(), first.end(), key,
                                    [](const auto& one, std::uint64_t k) { return one.first < k; });
      for (; found != first.end() && found->first == key; ++found) {
        CatboostEntry entry{found->second, entries[e].second};
        entry.parts.insert(entry.parts.end(), last.begin(), last.end());
        result.found.push_back(std::move(entry));
        if (!named[e]) --result.unnamed;
        named[e] = true;
      }
    }
  });
  return result;
}

}  // namespace boxwood::readers
