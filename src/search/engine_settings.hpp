// Settings of the engines that tests, benchmarks and searches made of several ones change. They
// reach the engines through Options::engine_settings. Only a judge can change an answer.
#pragma once

#include "search/fast/tuning.hpp"

#include <boxwood/explain.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

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

/// Boxes and refuted points of the searches for a robust answer (search/robust.cpp).
struct RobustEffort {
  /// Boxes of a search that need not prove anything: it is to find a point worth refuting. If 0,
  /// there are no such searches.
  std::uint64_t quick_nodes = 100;
  std::size_t refutations = 4;                    ///< that end the first search with a judge
  std::uint64_t judged_nodes = 1'000'000;         ///< boxes that end a search with a judge
  std::atomic<std::uint64_t>* refuted = nullptr;  ///< if set: refutations by judges are added
};

/// Decides about a point that the fast engine is about to take as an answer. The engine goes on as
/// if a refused point did not have the outcome, but its cells may hold points that are not refused:
/// an answer after a refusal has a good point, and its status and bound mean nothing. A judge must
/// not throw. It is called by one thread at a time only if the search has one thread.
enum class Judgement : std::uint8_t { take, refuse, refuse_and_stop };
using Judge = std::function<Judgement(std::span<const double> point)>;

/// Seconds between two reports: often enough to look alive, too seldom to slow a search.
inline constexpr double report_interval = 0.1;

struct EngineSettings {
  PaperAdditions additions;
  FastParts parts;
  fast::Tuning tuning;
  std::atomic<std::uint64_t>* leaf_visits = nullptr;  ///< if set: leaves looked at are added to it
  std::atomic<std::uint64_t>* searches =
      nullptr;  ///< if set: the number of searches is added to it
  RobustEffort robust;
  Judge judge;  ///< if set: asked about each point
  double report_seconds = report_interval;
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
inline void set(Options& options, const RobustEffort& robust) {
  EngineSettings settings = settings_of(options);
  settings.robust = robust;
  set(options, settings);
}
inline void set(Options& options, Judge judge) {
  EngineSettings settings = settings_of(options);
  settings.judge = std::move(judge);
  set(options, settings);
}
inline void set(Options& options, const PaperAdditions& additions) {
  EngineSettings settings = settings_of(options);
  settings.additions = additions;
  set(options, settings);
}

}  // namespace boxwood
