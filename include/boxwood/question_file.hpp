// The question file: a query in exact numbers, as JSON (docs/formats.md). A program can save a
// question and answer it again later, and the checkers of proofs read it.
//
//   std::ofstream("question.json") << boxwood::question_text(query);
//   boxwood::Query again = boxwood::read_question("question.json");   // equal, number by number
#pragma once

#include <boxwood/query.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace boxwood {

/// Reads what `to_json(const Query&)` writes. Clauses come in the order of the file. Checks the
/// form of the file only; `validate` checks that the query fits its models. `place` names the text
/// in errors. Throws Error with byte position or JSON path.
Query query_from_json(std::string_view text, std::string_view place = "question");

/// Throws Error if the file cannot be read or is not a question.
Query read_question(const std::filesystem::path& file);

/// The text of a question file. Throws Error for Norm::custom: a function has no file form.
std::string question_text(const Query& query);

/// The question file of one question at many points, without writing the whole question for each.
class QuestionTexts {
 public:
  /// Throws Error for Norm::custom.
  explicit QuestionTexts(const Query& query);
  /// Equals question_text of the query with this point.
  std::string at(std::span<const double> point) const;

 private:
  std::string start_, end_;
};

}  // namespace boxwood
