// The question file: a query that is saved and read again is the same query, number by number, and
// a file that is no question is refused with place and reason.
#include <boxwood/error.hpp>
#include <boxwood/question_file.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <random>

#include "command_line.hpp"
#include "error_of.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"

namespace boxwood {
namespace question_file_test {

/// What a file keeps: clauses in the order of their text, and no range beside codes.
Query as_filed(Query query) {
  for (Clause& clause : query.clauses) {
    for (Literal& literal : clause.any_of) {
      if (!literal.codes.empty()) literal.range = {};
    }
  }
  if (query.norm != Norm::mixture) query.mixture = {};
  std::sort(query.clauses.begin(), query.clauses.end(), [](const Clause& a, const Clause& b) {
    Query x, y;
    x.clauses = {a};
    y.clauses = {b};
    return to_json(x) < to_json(y);
  });
  return query;
}

void expect_same(const Query& a, const Query& b) {
  ASSERT_EQ(a.point.size(), b.point.size());
  for (std::size_t i = 0; i < a.point.size(); ++i) {
    if (std::isnan(a.point[i])) {
      EXPECT_TRUE(std::isnan(b.point[i]));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.point[i]), std::bit_cast<std::uint64_t>(b.point[i]));
    }
  }
  EXPECT_EQ(a.requirements, b.requirements);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.clauses, b.clauses);
  EXPECT_EQ(a.max_changes, b.max_changes);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.mixture, b.mixture);
  EXPECT_EQ(a.fewest_first, b.fewest_first);
}

RandomProblem drawn(std::uint64_t seed) {
  RandomProblem problem = ProblemMaker(seed).make();
  if (seed % 2 == 0) RuleMaker(seed).add_to(problem);
  if (problem.query.norm == Norm::custom) {
    problem.query.norm = Norm::l1;
    problem.query.term = nullptr;
  }
  return problem;
}

std::string complaint_about(const std::string& text) {
  return error_of([&] { query_from_json(text, "q.json"); }, {});
}

TEST(QuestionFile, RandomQueriesAreReadAsTheyWereSaved) {
  const int cases = test_cases(1000);
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(seed);
    const Query query = drawn(seed).query;
    const std::string text = question_text(query);
    const Query again = query_from_json(text);
    expect_same(as_filed(query), again);
    EXPECT_EQ(question_text(again), text);
    EXPECT_EQ(QuestionTexts(query).at(query.point), text);
  }
}

TEST(QuestionFile, DamagedFilesAreRefusedOrAreOtherQuestions) {
  const int cases = test_cases(2000);
  std::mt19937_64 random(test_seed());
  int refused = 0;
  for (int i = 0; i < cases; ++i) {
    std::string text = question_text(drawn(random()).query);
    const std::size_t at = random() % text.size();
    if (random() % 4 == 0) {
      text.resize(at);
    } else {
      text[at] = "0123456789.,:-+eE\"[]{}nulltrue\xff\0x"[random() % 32];
    }
    if (!complaint_about(text).empty()) ++refused;  // anything but an Error escapes and fails
  }
  expect_share(refused, cases, 0.4);
}

TEST(QuestionFile, MistakesAreNamedWithTheirPlace) {
  const auto with = [](const std::string& more) {
    return R"({"boxwood_question": 1, "point": [1, "nan"], "requirements": [{"class": 1}],
              "features": [{}, {}], "cost": "l2")" +
           more + "}";
  };
  EXPECT_EQ(complaint_about(with("")), "");
  EXPECT_EQ(complaint_about("[]"), "q.json: expected an object");
  EXPECT_EQ(
      complaint_about("{}"),
      "q.json: \"boxwood_question\" is missing. Give a file that --save-question has written");
  EXPECT_EQ(complaint_about(R"({"boxwood_question": 2})"),
            "q.json: boxwood_question: version 2 is unsupported; this Boxwood reads version 1");
  EXPECT_EQ(complaint_about(with(R"(, "max_change": 2)")),
            "q.json: no key \"max_change\". Did you mean \"max_changes\"?");
  EXPECT_EQ(complaint_about(with(R"(, "max_changes": -2)")),
            "q.json: max_changes: must be an integer ≥ 0");
  EXPECT_EQ(complaint_about(with(R"(, "clauses": [[{"feature": 0, "inside": true}]])")),
            "q.json: clauses[0][0]: give either a range or codes");
  EXPECT_EQ(complaint_about(with(R"(, "mixture": {"l1": 1, "l2": 0, "l0": 0})")),
            "q.json: \"mixture\" must be given for the cost \"mixture\", and only for it");
  Query custom;
  custom.norm = Norm::custom;
  EXPECT_THROW(question_text(custom), Error);
}

TEST_F(CommandLine, ASavedQuestionHasTheSameAnswer) {
  const std::string file = (folder_ / "question.json").string();
  const Result saved = credit("explain", {"--row", "3", "--rule", "at most 2 changes", "--format",
                                          "csv", "--save-question", file});
  ASSERT_EQ(saved.code, 0) << saved.err;
  const Result again =
      run({"explain", example + "model.ubj", "--question", file, "--format", "csv"});
  ASSERT_EQ(again.code, 0) << again.err;
  const auto cost = [](const std::string& csv) {
    const std::string record = csv.substr(csv.find('\n') + 1);
    return record.substr(record.find(','), 40);  // all but the row and the seconds
  };
  EXPECT_EQ(cost(again.out), cost(saved.out));
  EXPECT_EQ(run({"explain", example + "model.ubj", "--question", file, "--norm", "l1"}).code, 2);
  EXPECT_EQ(run({"explain", example + "model.ubj"}).err,
            "boxwood: --data: is required unless --question is given. Give the CSV file with the "
            "rows\n");
  EXPECT_EQ(credit("explain", {"--save-question", file}).err,
            "boxwood: --save-question: a file holds one row, not 10. Choose one row: --row 0\n");
}

}  // namespace question_file_test
}  // namespace boxwood
