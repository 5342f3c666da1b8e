// Questions in words: what is wanted, what may change and what it costs, one statement a line or
// separated by semicolons. docs/query.md has the grammar.
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

/// Which statements a text may hold: `wants` say which outcome is asked for, `rules` what may
/// change and what it costs.
enum class Statements : std::uint8_t { all, wants, rules };

/// A text and where it comes from, for errors: "--rule", "rules.txt".
struct QueryText {
  std::string text;
  std::string place;
  Statements may_hold = Statements::all;
};

/// The rules of a schema as texts, each with its place: "schema.json: rules[2]".
std::vector<QueryText> rule_texts(const Schema& schema);

/// Adds what the texts say to a query, which has its point and the schema's rules already: "now" is
/// that point. Statements restrict further and never lift what the query forbids, but for `may be
/// missing`; costs replace what was there. All texts count together, in any order but for costs,
/// where the last one holds. `models` are names of the ensembles, beside the numbers from 1.
///
/// Throws Error with the line and a caret below the place: for text that is no statement, for names
/// that do not exist, and for statements that contradict each other. The query is then as it was.
void add_text(std::span<const QueryText> texts, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query, std::span<const std::string> models = {});
void add_text(std::string_view text, std::string_view place, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query);

}  // namespace boxwood
