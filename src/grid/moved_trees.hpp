// An ensemble in front of which every row is moved to one of its neighbours. A robust answer must
// have the outcome whichever neighbour its row is moved to (query/neighbours.hpp), so each such
// ensemble is a requirement that every robust answer meets.
#pragma once

#include "grid/row_reach.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// Where the values of one feature are moved to: the number from `low` to `high` that is nearest to
/// the value. If that is too far, the value moves in its direction as far as the neighbours of the
/// value reach. If `constant`, for categories and columns of one-hot groups: always to `low`.
struct MoveTarget {
  double low = 0, high = 0;
  bool constant = false;
};
using Moves = std::vector<std::optional<MoveTarget>>;  ///< for each feature; none: it stays

/// The value to which a value, as the models read it, is moved; it is one of its neighbours.
/// Numbers of a feature never change their order. `low` and `high` are numbers of the precision
/// and, for whole-number features, whole numbers.
double moved(const FeatureRule& rule, const std::optional<MoveTarget>& target, double value,
             Precision precision);
/// The whole row, as the models read it.
std::vector<double> moved_row(const Query& query, const Moves& moves, std::span<const double> row,
                              Precision precision);

/// An ensemble whose scores at every row within `reach` are, bit by bit, those of `ensemble` at the
/// moved row. Branches that no such row takes are left out. `precision` is the common one of all
/// ensembles of the query. A categorical feature that moves must have no missing values.
Ensemble moved_ensemble(const Ensemble& ensemble, const Query& query, const Moves& moves,
                        Precision precision, const RowReach& reach, Pace& pace);
/// The same without moving: the ensemble without branches that no row within `reach` takes.
Ensemble cut_ensemble(const Ensemble& ensemble, const RowReach& reach, Pace& pace);

/// Throws Error that names the first categorical feature that an answer cannot be robust in.
void check_moves(std::span<const Ensemble> ensembles, const Query& query);

}  // namespace boxwood
