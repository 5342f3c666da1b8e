// An ensemble seen by somebody who moves every row before the model reads it. A robust answer must
// have the outcome however its row is moved among its neighbours (query/neighbours.hpp), so each
// such ensemble is a requirement that every robust answer meets.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// Where the values of one feature are moved to: the number of `low` to `high` that is nearest to
/// the value or, if that is too far away, towards it as far as neighbours go. Of a categorical
/// feature: to the code `low`.
struct MoveTarget {
  double low = 0, high = 0;
};
using Moves = std::vector<std::optional<MoveTarget>>;  ///< for each feature; none: it stays

/// The value to which a value, as the models read it, is moved; it is one of its neighbours.
/// Numbers of a feature never change their order. `low` and `high` are numbers of the precision
/// and, for whole-number features, whole numbers.
double moved(const FeatureRule& rule, const std::optional<MoveTarget>& target, double value,
             Precision precision);

/// The ensemble whose scores at a row are, bit by bit, those of `ensemble` at the moved row.
/// `precision` is the common one of all ensembles of the query. The splits of features that move
/// must be comparisons; categorical features that move must have no missing values.
Ensemble moved_ensemble(const Ensemble& ensemble, const Query& query, const Moves& moves,
                        Precision precision);

/// Throws Error that names the first feature whose neighbours moved_ensemble cannot express.
void check_moves(std::span<const Ensemble> ensembles, const Query& query);

}  // namespace boxwood
