// Reasons: what each feature contributes to an answer, by exact searches.
//
//   boxwood::Reasons found = boxwood::find_reasons(prepared, query);
//   for (const boxwood::Reason& one : found.reasons) use(one.without.cost, one.alone.status);
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// One feature, or the columns of a one-hot group.
struct Reason {
  std::vector<std::size_t> features;
  bool changes = false;  ///< in the answer's point
  /// Necessity: the answer if this feature must stay as it is. Infeasible: without a change of this
  /// feature there is none.
  Answer without;
  /// Sufficiency: the answer if only this feature may change. Infeasible: it is not enough.
  Answer alone;
  /// Sufficiency by gain: the best that this feature alone can bring, at any cost. Not set if the
  /// first requirement has no level, and for robust queries.
  std::optional<Best> most{};
  bool less_is_better = false;  ///< the first requirement asks for at most so much

  /// What `alone` costs: infinite if it is impossible, NaN if a limit left it open.
  double sufficiency() const;
  /// How much better `most` is than the row: 0 if this feature alone brings nothing, which includes
  /// rules that make the row worse; NaN if it is not known.
  double gain() const;
  /// Whether a limit left nothing open.
  bool proven() const;
};

struct Reasons {
  Answer answer;  ///< to the query itself
  /// Every feature that may change: the largest gain first, then the lowest sufficiency, then the
  /// highest necessity. Empty if the row has the outcome.
  std::vector<Reason> reasons;
  Stop stop = Stop::finished;  ///< the limit that ended the searches early

  /// How much more `without` costs than the answer: 0 if the feature is not needed, infinite if
  /// there is no answer without it, NaN if a limit left it open.
  double necessity(const Reason& reason) const;
};

/// The query in which these features must stay as they are, or with `others` all features but
/// these.
Query holding(const Query& query, std::span<const std::size_t> features, bool others);

/// Every number has the status of its search. The time limit applies to all searches together; what
/// it leaves open is `unknown`.
Reasons find_reasons(const Prepared& prepared, const Query& query, const Options& options = {});

}  // namespace boxwood
