// Every example of docs/query.md is read as it stands, makes a sound query, and says something.
#include <boxwood/error.hpp>

#include "error_of.hpp"
#include "query_text_fixture.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace query_document_test {

using namespace lender;

struct Example {
  std::string about;  ///< the model: "", "grades", "price" or "both"
  std::string text;
  int line = 0;
};

/// The code blocks that are marked as query text.
std::vector<Example> examples() {
  std::ifstream page(BOXWOOD_SOURCE_DIR "/docs/query.md");
  std::vector<Example> found;
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(page, line); ++number) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back().text += line + "\n";
    } else if (line.starts_with("```query")) {
      inside = true;
      found.push_back({line.size() > 9 ? line.substr(9) : "", "", number});
    }
  }
  return found;
}

std::vector<Ensemble> models_of(const std::string& about) {
  if (about == "grades") return {grades()};
  if (about == "price") return {price()};
  if (about == "both") return {model(), price()};
  EXPECT_EQ(about, "");
  return {model()};
}

bool says_nothing(const Query& query, const Query& plain) {
  return query.requirements == plain.requirements && query.clauses == plain.clauses &&
         query.features == plain.features && query.groups == plain.groups &&
         query.max_changes == plain.max_changes && query.norm == plain.norm &&
         query.mixture == plain.mixture && query.fewest_first == plain.fewest_first;
}

TEST(QueryDocument, EveryExampleIsRead) {
  const std::vector<Example> all = examples();
  EXPECT_GE(all.size(), 12u);
  for (const Example& example : all) {
    SCOPED_TRACE("docs/query.md, line " + std::to_string(example.line));
    const std::vector<Ensemble> models = models_of(example.about);
    Query query;
    try {
      query = asked(example.text, models);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    EXPECT_NO_THROW(validate(query, models));
  }
}

TEST(QueryDocument, EveryStatementCounts) {
  int statements = 0;
  for (const Example& example : examples()) {
    const std::vector<Ensemble> models = models_of(example.about);
    std::istringstream lines(example.text);
    std::string line;
    for (int number = example.line + 1; std::getline(lines, line); ++number) {
      SCOPED_TRACE("docs/query.md, line " + std::to_string(number));
      // The one statement that says what holds anyway.
      if (line.starts_with("cost l2 ")) continue;
      ++statements;
      EXPECT_FALSE(says_nothing(asked(line, models), query(models.front()))) << line;
    }
  }
  EXPECT_GE(statements, 40);
}

TEST(QueryDocument, TheErrorIsAsShown) {
  std::ifstream page(BOXWOOD_SOURCE_DIR "/docs/query.md");
  std::stringstream text;
  text << page.rdbuf();
  const QueryText wrong{"duration <= twelve", "--rule"};
  Query query = lender::query();
  const Ensemble ensemble = model();
  const std::string error =
      error_of([&] { add_text(std::span(&wrong, 1), std::span(&ensemble, 1), schema(), query); });
  EXPECT_NE(text.str().find(error), std::string::npos) << error;
}

}  // namespace query_document_test
