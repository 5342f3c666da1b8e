// What Prepared holds: the models, their leaves as boxes, and the fast engine's tables of them.
#pragma once

#include "grid/leaves.hpp"
#include "search/fast/leaf_table.hpp"

#include <boxwood/explain.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace boxwood {

struct PreparedParts {
  std::shared_ptr<const ModelSet> models;  ///< nothing where the caller owns the ensembles
  std::span<const Ensemble> ensembles;
  LeafBoxes leaves;
  fast::LeafTable table;

  static const PreparedParts& of(const Prepared& prepared) { return *prepared.parts_; }
  static Prepared wrap(PreparedParts parts) {
    Prepared prepared;
    prepared.parts_ = std::make_shared<const PreparedParts>(std::move(parts));
    return prepared;
  }
};

inline const LeafBoxes& leaves_of(const Prepared& prepared) {
  return PreparedParts::of(prepared).leaves;
}
inline const fast::LeafTable& leaf_table_of(const Prepared& prepared) {
  return PreparedParts::of(prepared).table;
}

/// Prepares ensembles that outlive the result, without copying them. The result has no ModelSet.
Prepared prepare_in_place(std::span<const Ensemble> ensembles);

/// The ensembles of `prepared` and one more, for queries whose answers change no more features than
/// `max_changes`.
Prepared prepare_with(const Prepared& prepared, Ensemble more,
                      std::optional<std::size_t> max_changes);

}  // namespace boxwood
