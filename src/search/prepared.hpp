// What Prepared holds: the models and, from the first question on, the tables that searches read.
#pragma once

#include "grid/leaves.hpp"
#include "search/fast/leaf_table.hpp"
#include "search/watch.hpp"

#include <boxwood/explain.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace boxwood {

/// The models' leaves as boxes, and the fast engine's tables of them.
struct Tables {
  LeafBoxes leaves;
  fast::LeafTable table;

  std::size_t bytes() const { return leaves.bytes() + table.bytes(); }
};

/// Tables that are built when the first question needs them. Building is part of that question: its
/// limits stop it, and the next question goes on where it stopped. Several threads may ask at once;
/// one builds, the others wait within their own limits.
class LazyTables {
 public:
  LazyTables() = default;
  explicit LazyTables(Tables finished) : tables_(std::move(finished)), finished_(true) {}

  /// Throws Pace::Stopped at a limit of `watch`, and Error if its memory limit is too small for the
  /// tables alone. Without a watch nothing is limited.
  const Tables& get(std::span<const Ensemble> ensembles, Watch* watch);
  /// The tables if they are built, or null.
  const Tables* finished() const;

 private:
  void build(std::span<const Ensemble> ensembles, Watch* watch);

  Tables tables_;
  std::atomic<bool> finished_{false};
  std::mutex mutex_;  // guards busy_; whoever has set it may change tables_
  std::condition_variable idle_;
  bool busy_ = false;
  std::optional<std::size_t> needed_;  // bytes, once they are counted
};

struct PreparedParts {
  std::shared_ptr<const ModelSet> models;  ///< nothing where the caller owns the ensembles
  std::span<const Ensemble> ensembles;
  std::unique_ptr<LazyTables> tables = std::make_unique<LazyTables>();

  static const PreparedParts& of(const Prepared& prepared) { return *prepared.parts_; }
  static Prepared wrap(PreparedParts parts) {
    Prepared prepared;
    prepared.parts_ = std::make_shared<const PreparedParts>(std::move(parts));
    return prepared;
  }
};

/// The tables of prepared models, built within the limits of `watch` if they are not there yet.
inline const Tables& tables_of(const Prepared& prepared, Watch* watch) {
  const PreparedParts& parts = PreparedParts::of(prepared);
  return parts.tables->get(parts.ensembles, watch);
}
/// The same if they are built already, or null.
inline const Tables* finished_tables_of(const Prepared& prepared) {
  return PreparedParts::of(prepared).tables->finished();
}
inline const LeafBoxes& leaves_of(const Prepared& prepared) {
  return tables_of(prepared, nullptr).leaves;
}
inline const fast::LeafTable& leaf_table_of(const Prepared& prepared) {
  return tables_of(prepared, nullptr).table;
}

/// Prepares ensembles that outlive the result, without copying them. The result has no ModelSet.
Prepared prepare_in_place(std::span<const Ensemble> ensembles);

/// The ensembles of `prepared` and one more, for queries whose answers change no more features than
/// `max_changes`. The memory of the copy is counted in `held`. Throws as LazyTables::get.
Prepared prepare_with(const Prepared& prepared, Ensemble more,
                      std::optional<std::size_t> max_changes, Watch& watch, MemoryHold& held);

}  // namespace boxwood
