// Linear rules in query text: what they mean, and what is said where they mean nothing.
#include <boxwood/error.hpp>
#include <boxwood/question_file.hpp>

#include "error_of.hpp"
#include "query_text_fixture.hpp"

#include <gtest/gtest.h>

namespace query_text_linear_test {

using namespace lender;
using Of = LinearTerm::Of;

Clause clause_of(const std::string& text) {
  const Query query = asked(text);
  EXPECT_EQ(query.clauses.size(), 1U) << text;
  return query.clauses.empty() ? Clause{} : query.clauses.front();
}

LinearCondition sum_of(const std::string& text) {
  const Clause clause = clause_of(text);
  EXPECT_TRUE(clause.any_of.empty()) << text;
  EXPECT_EQ(clause.linear.size(), 1U) << text;
  return clause.linear.empty() ? LinearCondition{} : clause.linear.front();
}

std::string complaint(const std::string& text) {
  return error_of([&] { asked(text); });
}

TEST(QueryTextLinear, CoefficientsAreExactDecimals) {
  // 0.4 is two fifths: 5 * duration - 2 * age <= 0.
  const LinearCondition share{{{duration, 5, Of::value, {}}, {age, -2, Of::value, {}}},
                              {.upper = 0}};
  for (const char* text :
       {"duration <= 0.4 * age", "0.4 * age >= duration", "duration <= age * 0.4",
        "duration / 2 <= age / 5", "10*duration - 4*age <= 0", "-duration >= -0.4*age",
        "duration - 0.4 * age <= 0", "(duration + duration) <= 0.8 * age",
        "2 * (duration - 0.4 * age) <= 0"}) {
    EXPECT_EQ(sum_of(text), share) << text;
  }
  EXPECT_EQ(sum_of("duration < age"),
            (LinearCondition{{{duration, 1, Of::value, {}}, {age, -1, Of::value, {}}},
                             {.upper = 0, .upper_closed = false}}));
  EXPECT_EQ(sum_of("duration + age = 100"),
            (LinearCondition{{{duration, 1, Of::value, {}}, {age, 1, Of::value, {}}}, {100, 100}}));
  EXPECT_EQ(
      sum_of("100 - duration - age >= 40.5"),
      (LinearCondition{{{duration, 2, Of::value, {}}, {age, 2, Of::value, {}}}, {.upper = 119}}));
  const Query chain = asked("6 <= duration + age < 36");
  EXPECT_EQ(chain.clauses.size(), 2U);
}

TEST(QueryTextLinear, SignsAndParenthesesMayStandAnywhere) {
  const LinearCondition both = sum_of("duration + age <= 50");
  for (const char* text :
       {"duration - -age <= 50", "-duration >= age - 50", "age - 50 <= -duration",
        "-(duration + age) >= -50", "(duration + age) <= (50)", "50 >= (duration) + (age)",
        "duration <= -(age - 50)", "duration <= (50 - age)", "duration + age at most 50",
        "50 - age at least duration", "--duration + age <= 50", "duration - (-age) <= 50"}) {
    EXPECT_EQ(sum_of(text), both) << text;
  }
  const LinearCondition turned = sum_of("duration + age <= 0");
  for (const char* text : {"duration <= -age", "-duration >= age", "duration at most -age",
                           "(duration) <= -age", "-age >= duration"}) {
    EXPECT_EQ(sum_of(text), turned) << text;
  }
  EXPECT_EQ(sum_of("duration <= (age)"), sum_of("duration <= age"));
  EXPECT_EQ(sum_of("(duration) <= age"), sum_of("duration at most age"));
  EXPECT_EQ(complaint("duration <= -ages"),
            "text, column 14\n    duration <= -ages\n                 ^ no feature \"ages\". "
            "Did you mean \"age\"?");
}

TEST(QueryTextLinear, NowChangesAndCategories) {
  EXPECT_EQ(
      sum_of("2*duration + age <= now + 3"),
      (LinearCondition{{{duration, 2, Of::change, {}}, {age, 1, Of::change, {}}}, {.upper = 3}}));
  EXPECT_EQ(
      sum_of("change(duration) + 0.5 * change(\"credit amount\") <= 5"),
      (LinearCondition{{{duration, 2, Of::size, {}}, {amount, 1, Of::size, {}}}, {.upper = 10}}));
  EXPECT_EQ(
      sum_of("age + 20*(purpose = car) <= 100"),
      (LinearCondition{{{purpose, 20, Of::codes, {0}}, {age, 1, Of::value, {}}}, {.upper = 100}}));
  EXPECT_EQ(sum_of("age + 20*(purpose in {car, \"new kitchen\"}) <= 100").terms[0].codes,
            (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(
      sum_of("age + 20*(purpose != car) <= 100"),
      (LinearCondition{{{purpose, 20, Of::codes, {0}}, {age, -1, Of::value, {}}}, {.lower = -80}}));
  EXPECT_EQ(sum_of("age + 20*(colour = red) <= 100"),
            (LinearCondition{{{age, 1, Of::value, {}}, {red, 20, Of::value, {}}}, {.upper = 100}}));
}

TEST(QueryTextLinear, QuotientsNeedADivisorOfKnownSign) {
  // The schema says that duration is from 4 to 72.
  EXPECT_EQ(sum_of("age / duration <= 2"), sum_of("age <= 2 * duration"));
  EXPECT_EQ(sum_of("2 >= age / duration"), sum_of("age <= 2 * duration"));
  EXPECT_EQ(sum_of("age / duration - 2 <= 0"), sum_of("age <= 2 * duration"));
  EXPECT_EQ(sum_of("age / (0 - duration) >= -2"), sum_of("age <= 2 * duration"));
  EXPECT_EQ(complaint("duration / age <= 2"),
            "text, column 16\n    duration / age <= 2\n                   ^ the sign of the "
            "divisor is not known from its range. Write the rule as a product, or give the "
            "divisor a range without 0 in the schema");
}

TEST(QueryTextLinear, OneFeatureIsAnOrdinaryComparison) {
  EXPECT_EQ(asked("2 * duration <= 60").clauses, asked("duration <= 30").clauses);
  EXPECT_EQ(asked("2 * duration <= 60").features, asked("duration <= 30").features);
  EXPECT_EQ(asked("duration + 5 <= 20").clauses, asked("duration <= 15").clauses);
  // A third is no double: the sum stays a sum.
  EXPECT_EQ(sum_of("3 * duration >= 1"),
            (LinearCondition{{{duration, 3, Of::value, {}}}, {.lower = 1}}));
}

TEST(QueryTextLinear, NowStandsAloneOnItsSideWithAPlus) {
  for (const char* text : {"duration + age <= 12 - now", "duration - age <= 3 - now",
                           "duration + age <= now + age + 1", "duration + now <= age + now"}) {
    EXPECT_NE(complaint(text).find("must stand for the present value"), std::string::npos) << text;
  }
  EXPECT_EQ(
      sum_of("now - 3 <= duration + age"),
      (LinearCondition{{{duration, 1, Of::change, {}}, {age, 1, Of::change, {}}}, {.lower = -3}}));
}

TEST(QueryTextLinear, ManySignsDoNoHarm) {
  std::string signs;
  for (int i = 0; i < 100'000; ++i) signs += "- ";
  EXPECT_EQ(sum_of(signs + "duration + age <= 5"), sum_of("duration + age <= 5"));
  EXPECT_EQ(sum_of("- " + signs + "duration + age <= 5"), sum_of("age - duration <= 5"));
}

TEST(QueryTextLinear, StandInConditions) {
  const Clause clause = clause_of("if savings = much then duration + age <= 50");
  ASSERT_EQ(clause.any_of.size(), 1U);
  EXPECT_EQ(clause.any_of[0].feature, savings);
  EXPECT_EQ(clause.linear[0], sum_of("duration + age <= 50"));
  EXPECT_EQ(sum_of("not (duration + age <= 50)"), sum_of("duration + age > 50"));
  EXPECT_EQ(asked("duration + age <= 50 and age <= 40").clauses.size(), 1U);
  // A missing value makes a sum undefined, so its opposite holds.
  const Clause missing = clause_of("not (duration + income <= 50)");
  ASSERT_EQ(missing.any_of.size(), 1U);
  EXPECT_EQ(missing.any_of[0].feature, income);
  EXPECT_TRUE(missing.any_of[0].missing);
}

TEST(QueryTextLinear, SumsMayBeAlternatives) {
  const Clause either = clause_of("duration + age <= 5 or age - duration <= 2");
  EXPECT_TRUE(either.any_of.empty());
  ASSERT_EQ(either.linear.size(), 2U);
  EXPECT_EQ(either.linear[0].range.upper, 5);
  EXPECT_EQ(either.linear[1], sum_of("age - duration <= 2"));
  const Clause differs = clause_of("duration + age != 5");
  ASSERT_EQ(differs.linear.size(), 2U);
  EXPECT_EQ(differs.linear[0].range, (Interval{.upper = 5, .upper_closed = false}));
  EXPECT_EQ(differs.linear[1].range, (Interval{.lower = 5, .lower_closed = false}));
  const Clause implied = clause_of("if duration + age = 50 then duration <= 12");
  EXPECT_EQ(implied.any_of.size(), 1U);
  EXPECT_EQ(implied.linear.size(), 2U);
  EXPECT_EQ(clause_of("if duration + age > 50 then duration - age <= 3").linear.size(), 2U);
}

TEST(QueryTextLinear, ErrorsShowThePlace) {
  EXPECT_EQ(complaint("duration + agee <= 5"),
            "text, column 12\n    duration + agee <= 5\n               ^ no feature \"agee\". Did "
            "you mean \"age\"?");
  EXPECT_EQ(complaint("duration + purpose <= 5"),
            "text, column 12\n    duration + purpose <= 5\n               ^ \"purpose\" is "
            "categorical, so it is not a number. Write (purpose = label), which is 1 or 0");
  EXPECT_EQ(complaint("duration * age <= 5"),
            "text, column 10\n    duration * age <= 5\n             ^ a feature can only be "
            "multiplied by a number");
  EXPECT_EQ(complaint("duration - duration <= 5"),
            "text, column 21\n    duration - duration <= 5\n                        ^ no feature "
            "is left in this comparison");
  EXPECT_EQ(
      complaint("duration + log(age) <= 5"),
      "text, column 12\n    duration + log(age) <= 5\n               ^ rules do not have this "
      "function. Use +, -, *, / and numbers, and change(a) for the size of a change");
  EXPECT_EQ(complaint("duration/age <= 5"),
            "text, column 1\n    duration/age <= 5\n    ^ no feature \"duration/age\". Write "
            "duration / age, with blanks");
  const std::string seven =
      "duration + age != 5; duration + age != 6; duration + age != 7; "
      "duration + age != 8; duration + age != 9; duration + age != 10; ";
  EXPECT_EQ(complaint(seven), "no error");
  EXPECT_NE(complaint(seven + "duration + age != 11")
                .find("the sums of which one has to hold leave more than 64 choices. Use"),
            std::string::npos);
  EXPECT_EQ(complaint("duration + age <= 12345678901234567"),
            "text, column 19\n    duration + age <= 12345678901234567\n                      ^ the "
            "numbers of this rule have too many digits. Use at most 15 digits");
  EXPECT_EQ(complaint("duration + age <= now * 2"),
            "text, column 16\n    duration + age <= now * 2\n                   ^ \"now\" must "
            "stand for the present value of the other side. Write a + b <= now + 3");
  EXPECT_NE(complaint("duration + "), "no error");
  EXPECT_NE(complaint("duration + age"), "no error");
  EXPECT_NE(complaint("(duration + age <= 5"), "no error");
  EXPECT_NE(complaint("change(purpose) + age <= 5"), "no error");
}

TEST(QueryTextLinear, QuestionFilesKeepThem) {
  const Query query = asked("want granted; age + 20*(purpose = car) <= now + 5; duration < age");
  const Query read = query_from_json(to_json(query), "q.json");
  EXPECT_EQ(read.clauses.size(), 2U);
  EXPECT_EQ(to_json(read), to_json(query));
}

}  // namespace query_text_linear_test
