// Settings of the engines that only tests and benchmarks change. They reach the engines through
// Options::engine_settings. No setting changes an answer.
#pragma once

#include "search/fast/tuning.hpp"

#include <boxwood/explain.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace boxwood {

/// What the paper's engine does beyond the paper. Options::published switches both off.
struct PaperAdditions {
  /// Discard a node when even the best remaining leaf of every tree cannot meet a requirement.
  bool score_pruning = true;
  /// Drop a leaf from a node when its own distance in the dimensions to come exceeds the bound.
  bool leaf_pruning = true;
};

/// The parts of the fast engine, so that a benchmark can measure what each part is worth.
struct FastParts {
  bool start = true;  ///< look for good points before the search
  bool probe = true;  ///< search boxes with the radius bound before paying for the dual bound
  bool dual = true;   ///< compute the dual bound
};

struct EngineSettings {
  PaperAdditions additions;
  FastParts parts;
  fast::Tuning tuning;
  std::atomic<std::uint64_t>* leaf_visits = nullptr;  ///< if set: leaves looked at are added to it
};

inline EngineSettings settings_of(const Options& options) {
  EngineSettings settings;
  if (options.engine_settings) settings = *options.engine_settings;
  if (options.published) settings.additions = {false, false};
  return settings;
}

inline void set(Options& options, const EngineSettings& settings) {
  options.engine_settings = std::make_shared<const EngineSettings>(settings);
}
inline void set(Options& options, const FastParts& parts) {
  EngineSettings settings = settings_of(options);
  settings.parts = parts;
  set(options, settings);
}
inline void set(Options& options, const fast::Tuning& tuning) {
  EngineSettings settings = settings_of(options);
  settings.tuning = tuning;
  set(options, settings);
}
inline void set(Options& options, const PaperAdditions& additions) {
  EngineSettings settings = settings_of(options);
  settings.additions = additions;
  set(options, settings);
}

}  // namespace boxwood
