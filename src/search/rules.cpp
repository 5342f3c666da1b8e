#include "search/rules.hpp"

#include "grid/grid.hpp"
#include "grid/linear_trees.hpp"
#include "grid/rule_trees.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"

#include <algorithm>
#include <optional>

namespace boxwood {

namespace {

/// More than a leaf of a linear condition takes while the trees are built and in all tables
/// (tests/large_model_test.cpp, MemoryHolds).
constexpr std::size_t bytes_per_linear_leaf = 400;

Ensemble rules_within(const Prepared& prepared, const Query& query, Watch& watch) {
  const Cuts& cuts = tables_of(prepared, &watch).leaves.cuts;
  watch.require_bytes(most_linear_leaves(query) * bytes_per_linear_leaf);
  Pace pace = watch.pace();
  return rule_trees(prepared.ensembles(), query, cuts, pace);
}

/// In how many features the cells of a point may differ from the row's. A derived column moves
/// without being a change.
std::optional<std::size_t> most_changed_cells(const Query& query) {
  const bool any = std::any_of(query.features.begin(), query.features.end(),
                               [](const FeatureRule& rule) { return rule.derived; });
  return any ? std::nullopt : query.max_changes;
}

}  // namespace

WithRules::WithRules(const Prepared& given, const Query& given_query, Watch& watch)
    : prepared(prepare_with(given, rules_within(given, given_query, watch),
                            most_changed_cells(given_query), watch, held)),
      query(without_rules(given_query, given.ensembles().size())),
      base_(tables_of(given, nullptr).bytes()) {}

Limits WithRules::rest(const Limits& limits, const Watch& watch) const {
  Limits rest = limits;
  rest.seconds = std::max(0.0, limits.seconds - watch.seconds());
  // The search counts the copied tables itself; the models and their first tables come on top.
  const std::uint64_t outside =
      base_ + held.bytes() -
      std::min<std::uint64_t>(held.bytes(), tables_of(prepared, nullptr).bytes());
  rest.bytes = limits.bytes - std::min<std::uint64_t>(limits.bytes, outside);
  return rest;
}

Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution) {
  check_spread_costs(query, prepared.ensembles());
  Watch watch(options.limits);
  std::optional<WithRules> with;
  try {
    with.emplace(prepared, query, watch);
  } catch (const Pace::Stopped&) {
    return stopped_answer(prepared, query, watch);
  }
  Options rest = options;
  rest.limits = with->rest(options.limits, watch);
  const double before = watch.seconds();
  Answer answer = explain_guarded(with->prepared, with->query, rest, known_solution);
  answer.statistics.seconds += before;
  answer.output_before.pop_back();
  if (!answer.output_after.empty()) answer.output_after.pop_back();
  for (Solution& solution : answer.solutions) {
    solution.region = pure_box(prepared.ensembles(), solution.point);
    solution.codes = pure_codes(prepared.ensembles(), solution.point);
  }
  return answer;
}

}  // namespace boxwood
