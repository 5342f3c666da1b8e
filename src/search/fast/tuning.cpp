#include "search/fast/tuning.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace boxwood::fast {
namespace {

#define BOXWOOD_WHOLE(name, value, least, most, why) {#name, value, least, most, true, why},
#define BOXWOOD_REAL(name, value, least, most, why) {#name, value, least, most, false, why},
constexpr TuningEntry tuning_entries[] = {BOXWOOD_FAST_TUNING(BOXWOOD_WHOLE, BOXWOOD_REAL)};
#undef BOXWOOD_WHOLE
#undef BOXWOOD_REAL

std::string all_names() {
  std::string names;
  for (const TuningEntry& entry : tuning_entries) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

}  // namespace

std::span<const TuningEntry> tuning_table() { return tuning_entries; }

void set(Tuning& tuning, std::string_view name, double value) {
  const auto* const entry =
      std::find_if(std::begin(tuning_entries), std::end(tuning_entries),
                   [&](const TuningEntry& candidate) { return candidate.name == name; });
  if (entry == std::end(tuning_entries)) {
    throw Error(fmt::format("tuning parameter \"{}\"", name), "there is no parameter of this name",
                "Give one of: " + all_names());
  }
  const bool in_range = value >= entry->least && value <= entry->most;
  if (!in_range || (entry->whole && value != std::floor(value))) {
    throw Error(fmt::format("tuning parameter \"{}\"", name), fmt::format("{} is not valid", value),
                fmt::format("Give a {}number from {} to {}", entry->whole ? "whole " : "",
                            entry->least, entry->most));
  }
#define BOXWOOD_WHOLE(field, initial, least, most, why) \
  if (name == #field) tuning.field = static_cast<std::uint32_t>(value);
#define BOXWOOD_REAL(field, initial, least, most, why) \
  if (name == #field) tuning.field = value;
  BOXWOOD_FAST_TUNING(BOXWOOD_WHOLE, BOXWOOD_REAL)
#undef BOXWOOD_WHOLE
#undef BOXWOOD_REAL
}

}  // namespace boxwood::fast
