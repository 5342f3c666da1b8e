#include "search/rules.hpp"

#include "grid/grid.hpp"
#include "grid/rule_trees.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"

namespace boxwood {

WithRules::WithRules(const Prepared& given, const Query& given_query)
    : prepared(prepare_with(given, rule_trees(given.ensembles(), given_query),
                            given_query.max_changes)),
      query(without_rules(given_query, given.ensembles().size())) {}

Answer explain_with_rules(const Prepared& prepared, const Query& query, const Options& options,
                          std::span<const double> known_solution) {
  const WithRules with(prepared, query);
  Answer answer = explain_guarded(with.prepared, with.query, options, known_solution);
  answer.output_before.pop_back();
  if (!answer.output_after.empty()) answer.output_after.pop_back();
  for (Solution& solution : answer.solutions) {
    solution.region = pure_box(prepared.ensembles(), solution.point);
    solution.codes = pure_codes(prepared.ensembles(), solution.point);
  }
  return answer;
}

}  // namespace boxwood
