// Necessity, sufficiency and gain of each feature: searches in which the feature, or all other
// features, must stay.
#include "analysis/level.hpp"
#include "analysis/variables.hpp"
#include "base/infinity.hpp"

#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>
#include <boxwood/reasons.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace boxwood {
namespace {

bool is_in(std::span<const std::size_t> columns, std::size_t feature) {
  return std::find(columns.begin(), columns.end(), feature) != columns.end();
}

bool has_level(const Prepared& prepared, const Query& query) {
  if (is_robust(query) || query.live > 0 || query.fewest_first) return false;
  try {
    best_requirement(prepared, query, 0);
  } catch (const Error&) {
    return false;
  }
  return true;
}

double proven_cost(const Answer& answer) {
  if (answer.status == Status::infeasible) return infinity;
  return answer.status == Status::optimal ? answer.cost : std::nan("");
}

bool is_decided(Status status) { return status == Status::optimal || status == Status::infeasible; }

double unless_nan(double value, double other) { return std::isnan(value) ? other : value; }

}  // namespace

double Reason::sufficiency() const { return proven_cost(alone); }

double Reason::gain() const {
  if (!most || !is_decided(most->status)) return std::nan("");
  if (most->status == Status::infeasible) return 0;
  const double more = most->value - most->before;
  return std::max(0.0, less_is_better ? -more : more);
}

bool Reason::proven() const {
  return is_decided(without.status) && is_decided(alone.status) &&
         (!most || is_decided(most->status));
}

double Reasons::necessity(const Reason& reason) const {
  const double needed = proven_cost(reason.without);
  const double least = proven_cost(answer);
  if (std::isnan(needed) || std::isnan(least)) return std::nan("");
  return std::isinf(needed) ? infinity : needed - least;
}

// Derived columns are not fixed: that would limit the columns of their formulas.
Query holding(const Query& query, std::span<const std::size_t> columns, bool others) {
  Query held = query;
  for (std::size_t d = 0; d < held.features.size(); ++d) {
    if (!held.features[d].derived && is_in(columns, d) != others) held.features[d].fixed = true;
  }
  return held;
}

Reasons find_reasons(const Prepared& prepared, const Query& query, const Options& options) {
  Budget budget(options);
  const auto ask = [&](const Query& held) {
    Options rest = budget.rest();
    Answer answer = explain(prepared, held, rest);
    budget.note(answer);
    return answer;
  };
  Reasons found;
  found.answer = ask(query);
  if (found.answer.already_met) return found;
  const bool level = has_level(prepared, query);
  std::vector<FeatureSet> changed;
  if (!found.answer.solutions.empty()) {
    changed = changed_sets(query, found.answer.best().point);
  }
  for (const FeatureSet& set : feature_sets(query)) {
    const bool may_change = std::any_of(set.columns.begin(), set.columns.end(),
                                        [&](std::size_t d) { return !query.features[d].fixed; });
    if (!may_change) continue;
    Reason reason;
    reason.features = set.columns;
    reason.changes = std::any_of(changed.begin(), changed.end(),
                                 [&](const FeatureSet& one) { return one.columns == set.columns; });
    // If the cheapest point does not change the feature, it is also the answer with the feature
    // fixed. If there is no answer, there is none with the feature fixed either.
    const bool same = found.answer.status == Status::infeasible ||
                      (found.answer.status == Status::optimal && !reason.changes);
    reason.without = same ? found.answer : ask(holding(query, set.columns, false));
    const Query alone = holding(query, set.columns, true);
    reason.alone = ask(alone);
    reason.less_is_better = asks_at_most(query.requirements.front());
    if (level) {
      const Options rest = budget.rest();
      reason.most = find_best(prepared, alone, infinity, rest);
      Answer noted = reason.most->answer;
      noted.stop = reason.most->stop;
      budget.note(noted);
    }
    found.reasons.push_back(std::move(reason));
  }
  const auto order = [&](const Reason& one) {
    return std::tuple(-unless_nan(one.gain(), 0), unless_nan(one.sufficiency(), infinity),
                      -unless_nan(found.necessity(one), 0));
  };
  std::stable_sort(found.reasons.begin(), found.reasons.end(),
                   [&](const Reason& a, const Reason& b) { return order(a) < order(b); });
  found.stop = budget.stop();
  return found;
}

}  // namespace boxwood
