// Query text: the wanted outcome, constraints and costs as short statements, one per line or
// separated by semicolons. docs/query.md describes the language.
//
//   boxwood::Query query = boxwood::query_for(model, point);
//   boxwood::apply(schema, query);
//   boxwood::add_text("want granted with probability >= 0.8; fix age; duration <= 24 months",
//                     "question", std::span(&model, 1), schema, query);
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>
#include <boxwood/schema.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// The statements that a text may contain: `wants` are wanted outcomes; `rules` are constraints and
/// costs.
enum class Statements : std::uint8_t { all, wants, rules };

/// A text and the place that errors name: "--rule", "rules.txt".
struct QueryText {
  std::string text;
  std::string place;
  Statements may_hold = Statements::all;
  bool is_default = false;  ///< costs in other texts override the costs in this one (a schema's)
};

/// The rules of a schema as texts with places such as "schema.json: rules[2]".
std::vector<QueryText> rule_texts(const Schema& schema);

/// Adds the statements of all texts to a query that already has its point and the schema's rules;
/// "now" refers to that point. Constraints only restrict further; `may be missing` is the only
/// statement that permits more. Costs replace the query's cost. The order of the texts does not
/// matter. `models` names the ensembles; they can also be called 1, 2, ….
///
/// Throws Error with the line and a caret for syntax errors, unknown names and statements that
/// contradict each other; the query is then unchanged.
void add_text(std::span<const QueryText> texts, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query, std::span<const std::string> models = {});
void add_text(std::string_view text, std::string_view place, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query);

}  // namespace boxwood
