// Questions in words mean what they say, and what is wrong is shown with a caret below it.
#include <boxwood/error.hpp>

#include "base/text.hpp"
#include "error_of.hpp"
#include "query_text_fixture.hpp"
#include "seeds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace query_text_test {

using namespace lender;

std::string complaint(const std::string& text, const std::vector<Ensemble>& ensembles = {model()}) {
  return error_of([&] { asked(text, ensembles); });
}

Requirement wanted(const std::string& text, const std::vector<Ensemble>& ensembles = {model()}) {
  const Query query = asked(text, ensembles);
  EXPECT_EQ(query.requirements.size(), 1u) << text;
  return query.requirements.front();
}

TEST(QueryText, WantsOfClasses) {
  EXPECT_EQ(wanted("want granted"), require_class(1));
  EXPECT_EQ(wanted("want 1"), require_class(1));
  EXPECT_EQ(wanted("want granted with probability >= 0.8"), require_class(1, 0.8));
  EXPECT_EQ(wanted("want granted with probability at least 80 %"), require_class(1, 0.8));
  EXPECT_EQ(wanted("want granted by a margin of 0.5"), (Requirement{0, ClassIs{1, {}, 0.5}}));
  EXPECT_EQ(wanted("want not refused"), require_class(1));
  EXPECT_EQ(wanted("want anything but refused"), require_class(1));
  EXPECT_EQ(wanted("want granted with probability < 0.3"), (Requirement{0, ClassIs{1, 0.3}, true}));
  EXPECT_EQ(wanted("want one of low, high", {grades()}), (Requirement{0, ClassIn{{0, 2}}}));
  EXPECT_EQ(wanted("want anything but low", {grades()}), (Requirement{0, ClassIn{{1, 2}}}));
  EXPECT_EQ(wanted("want anything but low, high", {grades()}), require_class(1));
}

TEST(QueryText, WantsOfNumbers) {
  EXPECT_EQ(wanted("want output >= 200", {price()}), require_output({.lower = 200}));
  EXPECT_EQ(wanted("want output >= 200 EUR", {price()}), require_output({.lower = 200}));
  EXPECT_EQ(wanted("want output in 180..200", {price()}), require_output({180, 200}));
  EXPECT_EQ(wanted("want output in (180..200]", {price()}),
            require_output({180, 200, false, true}));
  EXPECT_EQ(wanted("want output in [180..200)", {price()}),
            require_output({180, 200, true, false}));
  // The applicant's price is 100 now.
  EXPECT_EQ(wanted("want output >= +5%", {price()}), require_output({.lower = 105}));
  EXPECT_EQ(wanted("want output < -10 %", {price()}),
            require_output({.upper = 90, .upper_closed = false}));
  EXPECT_EQ(wanted("want output >= now + 20", {price()}), require_output({.lower = 120}));
  EXPECT_EQ(wanted("want output in -5%..+5%", {price()}), require_output({95, 105}));
  EXPECT_EQ(wanted("want score >= 0.3"), (Requirement{0, ScoreIn{{.lower = 0.3}}}));
  EXPECT_EQ(wanted("want score of high - score of low >= 1", {grades()}),
            (Requirement{0, ScoreIn{{.lower = 1}, 2, 0}}));
  EXPECT_EQ(wanted("want output high >= 0.5", {grades()}), require_output({.lower = 0.5}, 2));
  EXPECT_EQ(wanted("want not score <= -1"), (Requirement{0, ScoreIn{{.upper = -1}}, true}));
}

TEST(QueryText, SeveralModels) {
  const std::vector<Ensemble> both{model(), price()};
  const Query query = asked("want granted; model 2: want output >= 200", both);
  EXPECT_EQ(query.requirements,
            (std::vector<Requirement>{{0, ClassIs{1}}, {1, OutputIn{{.lower = 200}}}}));
  const std::vector<std::string> names{"this year", "prices"};
  const std::vector<QueryText> texts{{"model prices: want output < 150", "--want"},
                                     {"model \"this year\": want granted", "--want"}};
  Query named = lender::query();
  add_text(texts, both, schema(), named, names);
  EXPECT_EQ(named.requirements,
            (std::vector<Requirement>{{1, OutputIn{{.upper = 150, .upper_closed = false}}},
                                      {0, ClassIs{1}}}));
}

TEST(QueryText, FixedAndOnly) {
  const Query fixed = asked("fix age, \"credit amount\"; colour stays");
  for (std::size_t i = 0; i < fixed.features.size(); ++i) {
    EXPECT_EQ(fixed.features[i].fixed, i == age || i == amount || i >= red) << i;
  }
  const Query only = asked("only duration, colour\nonly colour, savings # colour is in both");
  for (std::size_t i = 0; i < only.features.size(); ++i) {
    EXPECT_EQ(only.features[i].fixed, i < red) << i;
  }
}

TEST(QueryText, RangesAreLimitsWhereTheyHoldNow) {
  const Query query = asked("duration <= 36 months; credit_amount in (1000..5000]; age > now - 5");
  EXPECT_TRUE(query.clauses.empty());
  EXPECT_EQ(query.features[duration].range, (Interval{4, 36}));
  EXPECT_EQ(query.features[amount].range, (Interval{1000, 5000, false, true}));
  EXPECT_EQ(query.features[age].range, (Interval{.lower = 30, .lower_closed = false}));
  EXPECT_EQ(asked("6 <= duration < 36").features[duration].range, (Interval{6, 36, true, false}));
  EXPECT_EQ(asked("36 months > duration").features[duration].range, (Interval{4, 36, true, false}));
  EXPECT_EQ(asked("savings at least little").features[savings].range, (Interval{1, 2}));
}

TEST(QueryText, ConditionsThatDoNotHoldNowMustHoldInTheAnswer) {
  const Query query = asked("duration <= 13");
  ASSERT_EQ(query.clauses.size(), 1u);
  EXPECT_EQ(query.clauses[0].any_of,
            (std::vector<Literal>{{.feature = duration, .range = {.upper = 13}}}));
  const Query car = asked("purpose = car");
  ASSERT_EQ(car.clauses.size(), 1u);
  EXPECT_EQ(car.clauses[0].any_of, (std::vector<Literal>{{.feature = purpose, .codes = {0}}}));
  const Query colour = asked("colour = red");
  ASSERT_EQ(colour.clauses.size(), 1u);
  EXPECT_EQ(colour.clauses[0].any_of,
            (std::vector<Literal>{{.feature = red, .range = {.lower = 1}}}));
}

TEST(QueryText, SetsAreAllowedValuesWhereTheyHoldNow) {
  EXPECT_EQ(asked("purpose in {car, radio/tv}").features[purpose].allowed,
            (std::vector<double>{0, 1}));
  EXPECT_EQ(asked("purpose != car").features[purpose].allowed, (std::vector<double>{1, 2}));
  EXPECT_EQ(asked("duration in {12, 24, 36}").features[duration].allowed,
            (std::vector<double>{12, 24, 36}));
  const Query colour = asked("colour in {green, blue}");
  EXPECT_TRUE(colour.clauses.empty());
  EXPECT_EQ(colour.features[red].range, (Interval{.upper = 0}));
  EXPECT_EQ(colour.features[blue].range, Interval{});
  // A long list of numbers that the present value is not in: what to change to, and that it must.
  const Query many = asked(
      "credit_amount in {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5}");
  EXPECT_EQ(many.features[amount].allowed.size(), 13u);
  EXPECT_EQ(many.clauses, (std::vector<Clause>{{{changes(many, amount)}}}));
}

TEST(QueryText, OtherRules) {
  const Query query = asked(
      "duration may only fall; credit_amount does not rise\n"
      "\"credit amount\" step 100 DM; income integer; income may be missing\n"
      "credit_amount changes by at least 500; credit_amount changes by at most 1000\n"
      "at most 3 changes");
  EXPECT_EQ(query.features[duration].direction, Direction::down);
  EXPECT_EQ(query.features[amount].direction, Direction::down);
  EXPECT_EQ(query.features[amount].step, 100);
  EXPECT_EQ(query.features[amount].least_change, 500);
  EXPECT_EQ(query.features[amount].most_change, 1000);
  EXPECT_EQ(query.features[income].kind, FeatureKind::integer);
  EXPECT_TRUE(query.features[income].missing_allowed);
  EXPECT_EQ(query.max_changes, 3u);
  EXPECT_TRUE(query.clauses.empty());
}

TEST(QueryText, Implications) {
  const Query query = asked("if purpose changes then age does not fall");
  EXPECT_EQ(query.clauses,
            (std::vector<Clause>{{{stays(query, purpose),
                                   {.feature = age, .range = {.lower = 35}, .missing = true}}}}));
  const Query both = asked("if savings = much then duration <= 12 and colour stays");
  EXPECT_EQ(both.clauses.size(), 2u);
}

TEST(QueryText, Costs) {
  EXPECT_EQ(asked("cost l2").norm, Norm::squared_l2);
  EXPECT_EQ(asked("cost l1").norm, Norm::l1);
  EXPECT_EQ(asked("cost l0").norm, Norm::l0);
  EXPECT_EQ(asked("cost linf").norm, Norm::linf);
  const Query mixed = asked("cost l1 + 0.1 l0 + 2*l2");
  EXPECT_EQ(mixed.norm, Norm::mixture);
  EXPECT_EQ(mixed.mixture, (Mixture{2, 1, 0.1}));
  const Query fewest = asked("cost fewest then l1");
  EXPECT_TRUE(fewest.fewest_first);
  EXPECT_EQ(fewest.norm, Norm::l1);
  for (const char* text :
       {"cost l1 + 0.1 l0; fewest changes first", "fewest changes first; cost 0.1 * l0 + l1",
        "cost fewest then l1 + 0.1 l0"}) {
    const Query first = asked(text);
    EXPECT_TRUE(first.fewest_first) << text;
    EXPECT_EQ(first.mixture, (Mixture{0, 1, 0.1})) << text;
  }
  EXPECT_EQ(asked("cost 1 l1").norm, Norm::l1);
  EXPECT_EQ(asked("weight age 1e+30").features[age].weight, 1e30);
  EXPECT_EQ(asked("credit_amount <= 5E+3").features[amount].range.upper, 5000);
  const Query weights = asked(
      "weight age 2; weight duration up 3 down 0.5; scale credit_amount 1000 DM; "
      "weight colour 4");
  EXPECT_EQ(weights.features[age].weight, 2);
  EXPECT_EQ(weights.features[duration].up, 3);
  EXPECT_EQ(weights.features[duration].down, 0.5);
  EXPECT_EQ(weights.features[amount].scale, 1000);
  EXPECT_EQ(weights.groups[0].weight, 4);
}

TEST(QueryText, CostsThatContradictEachOtherAreRefused) {
  const auto refused = [](const std::string& text, const std::string& reason) {
    const std::string said = complaint(text);
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  };
  refused("cost l1; cost l2", "it contradicts \"cost l1\" (text)");
  refused("cost l1; cost fewest then l1", "it contradicts \"cost l1\" (text)");
  refused("weight age 2; weight age 3", "it contradicts \"weight age 2\" (text)");
  refused("weight age 2; weight age up 2 down 3; weight age down 2",
          "it contradicts \"weight age up 2 down 3\" (text)");
  refused("scale age 2; scale age 3", "it contradicts \"scale age 2\" (text)");
  refused("fix age; only age, duration", "\"age\" cannot change: \"fix age\" (text)");
  EXPECT_EQ(complaint("cost l1; weight age 2; cost l1; weight age 2"), "no error");
}

TEST(QueryText, TheCostOfAQuestionReplacesTheSchemas) {
  const std::vector<Ensemble> ensembles{model()};
  const QueryText defaults{"cost fewest then linf; weight age 2", "schema", Statements::rules,
                           true};
  Query made = query();
  add_text(std::vector<QueryText>{{"cost l1; weight age 3", "text"}, defaults}, ensembles, schema(),
           made);
  EXPECT_EQ(made.norm, Norm::l1);
  EXPECT_FALSE(made.fewest_first);
  EXPECT_EQ(made.features[age].weight, 3);
}

TEST(QueryText, AFeatureMayBeCalledLikeAStatement) {
  Ensemble ensemble = binary_model(2, {stump(0, 80, -1, 1)});
  ensemble.features[0].name = "weight";
  ensemble.features[1].name = "now";
  const Schema schema = schema_for(ensemble);
  Query query = query_for(ensemble, std::vector<double>{90, 1});
  add_text("weight <= 95; weight weight 2; \"now\" stays", "text", std::span(&ensemble, 1), schema,
           query);
  EXPECT_EQ(query.features[0].range.upper, 95);
  EXPECT_EQ(query.features[0].weight, 2);
  EXPECT_TRUE(query.features[1].fixed);
}

TEST(QueryText, OnlyNearNamesAreSuggested) {
  const std::vector<std::string> names{"job", "age", "duration", "credit amount"};
  EXPECT_EQ(did_you_mean("foo", names), "");
  EXPECT_EQ(did_you_mean("x", names), "");
  EXPECT_EQ(did_you_mean("income", names), "");
  EXPECT_EQ(did_you_mean("jbo", names), "Did you mean \"job\"?");
  EXPECT_EQ(did_you_mean("durations", names), "Did you mean \"duration\"?");
  EXPECT_EQ(did_you_mean("credit_amount", names), "Did you mean \"credit amount\"?");
}

TEST(QueryText, ErrorsShowTheLineAndThePlace) {
  EXPECT_EQ(complaint("duration <= twelve"),
            "text, column 13\n"
            "    duration <= twelve\n"
            "                ^ \"twelve\" is not a number, and \"duration\" has no labels");
  EXPECT_EQ(complaint("fix age\n\nfix durration, age # no\n"),
            "text, line 3, column 5\n"
            "    fix durration, age # no\n"
            "        ^ no feature \"durration\". Did you mean \"duration\"?");
  EXPECT_EQ(
      complaint("fix age; savings >= litle"),
      "text, column 21\n"
      "    fix age; savings >= litle\n"
      "                        ^ no label \"litle\" of \"savings\". Did you mean \"little\"?");
  EXPECT_EQ(complaint("duration <="),
            "text, column 12\n"
            "    duration <=\n"
            "               ^ expected a number or now");
  EXPECT_EQ(complaint("duration <= 12 weeks"),
            "text, column 16\n"
            "    duration <= 12 weeks\n"
            "                   ^ \"weeks\" is not the unit of \"duration\". Its unit is months");
  EXPECT_EQ(complaint("fix \"grüße 日本\", x"),
            "text, column 5\n"
            "    fix \"grüße 日本\", x\n"
            "        ^ no feature \"grüße 日本\"");
  EXPECT_EQ(complaint("# grüße\ncolour = red or \"日本\" = 2"),
            "text, line 2, column 17\n"
            "    colour = red or \"日本\" = 2\n"
            "                    ^ no feature \"日本\"");
  EXPECT_EQ(complaint("purpose = \"日é\" and age >= x"),
            "text, column 11\n"
            "    purpose = \"日é\" and age >= x\n"
            "              ^ no label \"日é\" of \"purpose\". Labels: car; radio/tv; new kitchen");
  EXPECT_EQ(complaint("age != 3 or credit amount <= 5"),
            "text, column 13\n"
            "    age != 3 or credit amount <= 5\n"
            "                ^ a name with spaces needs quotes. Write \"credit amount\"");
  EXPECT_EQ(complaint("fix \"age"),
            "text, column 5\n"
            "    fix \"age\n"
            "        ^ the closing quote is missing");
}

/// The reason of the complaint alone.
std::string reason(const std::string& text, const std::vector<Ensemble>& ensembles = {model()}) {
  const std::string whole = complaint(text, ensembles);
  const std::size_t caret = whole.rfind("^ ");
  return caret == std::string::npos ? whole : whole.substr(caret + 2);
}

TEST(QueryText, ContradictionsNameBoth) {
  EXPECT_EQ(complaint("duration >= 20; duration <= 10"),
            "text, column 17\n"
            "    duration >= 20; duration <= 10\n"
            "                    ^ it contradicts \"duration >= 20\" (text)");
  EXPECT_EQ(reason("purpose = car; purpose in {radio/tv, \"new kitchen\"}"),
            "it contradicts \"purpose = car\" (text)");
  EXPECT_EQ(reason("colour = red; colour = blue"), "it contradicts \"colour = red\" (text)");
  EXPECT_EQ(reason("duration > 5; duration < 6"), "it contradicts \"duration > 5\" (text)");
  EXPECT_EQ(reason("credit_amount > 5; credit_amount < 6"), "no error");
  EXPECT_EQ(reason("duration > 20 and duration < 10"), "this condition contradicts itself");
  EXPECT_EQ(reason("want granted; want refused"), "it contradicts \"want granted\" (text)");
  EXPECT_EQ(reason("want output >= 5; want output < 5", {price()}),
            "it contradicts \"want output >= 5\" (text)");
  EXPECT_EQ(reason("age changes by at least 5; age changes by at most 3"),
            "it contradicts \"age changes by at least 5\" (text). Write fix \"age\" if it must not "
            "change");
  EXPECT_EQ(reason("only age; only duration"),
            "together with \"only age\" (text) it leaves no feature that may change. List all "
            "features that may change in one statement");
  // Whether these can be met depends on the row: they are no errors but for the search to say.
  EXPECT_EQ(reason("duration >= 100"), "no error");
  EXPECT_EQ(reason("duration >= now + 1; duration <= 10"), "no error");
  EXPECT_EQ(reason("duration <= 10; duration >= now + 1"), "no error");
  EXPECT_EQ(reason("duration <= now - 30; duration >= 20"), "no error");
  EXPECT_EQ(reason("duration >= 20; duration <= now - 30"), "no error");
}

TEST(QueryText, WhatIsWrongIsSaid) {
  EXPECT_EQ(reason("want granted with probability >= 80"),
            "a probability must be a number from 0 to 1, or from 0 to 100 %");
  EXPECT_EQ(reason("want grnted"),
            "no class \"grnted\"; the classes are \"refused\", \"granted\". Did you mean "
            "\"granted\"?");
  EXPECT_EQ(reason("want granted", {price()}),
            "the model predicts a number, not a class. Write want output >= 5");
  EXPECT_EQ(reason("want output >= 5%", {price()}),
            "a percentage needs a sign. Write +5% or -5%, or a number without %");
  EXPECT_EQ(reason("want output >= +5", {price()}),
            "a number must not start with a plus sign. Write now + 5, or 5 without a sign");
  EXPECT_EQ(reason("want output >= 0.5", {grades()}),
            "the model has 3 outputs: choose one. Write want output 0 >= 5");
  EXPECT_EQ(reason("want output in 5..2", {price()}),
            "this range is empty. Give the smaller end first");
  EXPECT_EQ(reason("model 3: want granted"), "no model \"3\". The models are 1 to 1");
  EXPECT_EQ(reason("purpose >= car"),
            "\"purpose\" is categorical, so nothing is less or more; use =, != or in");
  EXPECT_EQ(reason("purpose may only rise"),
            "\"purpose\" is categorical, so it cannot rise or fall");
  EXPECT_EQ(reason("cost l3"), "expected l2, l1, l0, linf, a number, or \"fewest then\"");
  EXPECT_EQ(reason("cost l1 + linf"), "linf, the largest change, cannot be part of a sum");
  EXPECT_EQ(reason("weight c_red 2"),
            "\"c_red\" is a column of a one-hot group, so its own weight does not count. Write "
            "weight \"colour\"");
  EXPECT_EQ(reason("weight age 0"), "a weight must be a number from 1e-30 to 1e30");
  EXPECT_EQ(reason("at most 2.5 changes"), "the number of changes must be a whole number ≥ 0");
  EXPECT_EQ(reason("duration step 2.5"),
            "the step must be a whole number, because the values are whole numbers");
  EXPECT_EQ(reason("duration in 36..6"), "this range is empty. Give the smaller end first");
  EXPECT_EQ(reason("age <= 1e999"), "this number is outside the range of a double");
  EXPECT_EQ(reason("age <= 5 5"), "\"5\" is not the unit of \"age\". Its unit is years");
  EXPECT_EQ(reason("if age changes then credit_amount changes by at least 5"),
            "the size of a change cannot be part of a condition. Compare with now "
            "instead: amount >= now + 500");
}

TEST(QueryText, OnlyWhatMayStandInAPlace) {
  Query query = lender::query();
  const Ensemble ensemble = model();
  const auto add = [&](const QueryText& text) {
    add_text(std::span(&text, 1), std::span(&ensemble, 1), schema(), query);
  };
  EXPECT_THROW(add({"want granted", "--rule", Statements::rules}), Error);
  EXPECT_THROW(add({"fix age", "--want", Statements::wants}), Error);
  EXPECT_TRUE(query.requirements.empty());
  EXPECT_FALSE(query.features[age].fixed);
  EXPECT_THROW(add({"fix age; fix nothing", "--rule", Statements::rules}), Error);
  EXPECT_FALSE(query.features[age].fixed) << "after an error the query is as it was";
}

TEST(QueryText, HostileTextEndsInAnError) {
  EXPECT_EQ(reason(std::string(100'000, '(') + "age = 1"), "the parentheses are nested too deeply");
  std::string nots;
  for (int i = 0; i < 10'000; ++i) nots += "not ";
  EXPECT_EQ(reason(nots + "age = 1"), "no error");
  std::string explosion = "age = 1 and income = 1";
  for (int i = 0; i < 12; ++i) {
    explosion += fmt::format(" or age = {0} and income = {0}", i + 2);
  }
  EXPECT_EQ(reason(explosion),
            "this condition has too many combinations. Split it into several statements");
  EXPECT_EQ(complaint(std::string(1 << 19, ';')),
            "text: the text is longer than 256 KiB. Move rules that always hold into the schema");
  const std::string shortened = complaint("fix age, " + std::string(1000, 'x') + ", \x1b\x80");
  EXPECT_LT(shortened.size(), 700u);
  const std::string far = complaint(std::string(1000, ' ') + "fix age, \x1b\x80, x");
  EXPECT_NE(far.find("…   "), std::string::npos) << far;
  EXPECT_NE(far.find("fix age, \\x1b\\x80, x"), std::string::npos)
      << "nothing that a terminal obeys";
  EXPECT_NE(far.find("no feature \"\\x1b\\x80\""), std::string::npos) << far;
}

/// Conditions as the test understands them, and the words for them.
struct Drawn {
  std::string words;
  std::function<bool(const std::vector<double>&)> holds;
};

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : random_(seed), now_(point()) {}

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  Drawn condition(int depth) {
    if (depth == 0 || below(3) == 0) return atom();
    Drawn a = condition(depth - 1), b = condition(depth - 1);
    switch (below(3)) {
      case 0:
        return {"(" + a.words + " and " + b.words + ")",
                [=](const auto& y) { return a.holds(y) && b.holds(y); }};
      case 1:
        return {"(" + a.words + " or " + b.words + ")",
                [=](const auto& y) { return a.holds(y) || b.holds(y); }};
      default:
        return {"not (" + a.words + ")", [=](const auto& y) { return !a.holds(y); }};
    }
  }

  Drawn atom() {
    switch (below(7)) {
      case 0: {
        const std::size_t f = pick({duration, age, income});
        const double bound = below(80);
        const int sign = below(6);
        const char* signs[] = {"<=", "<", ">=", ">", "=", "!="};
        return {fmt::format("{} {} {}", name(f), signs[sign], bound), [=](const auto& y) {
                  const double v = y[f];
                  return sign == 0   ? v <= bound
                         : sign == 1 ? v < bound
                         : sign == 2 ? v >= bound
                         : sign == 3 ? v > bound
                         : sign == 4 ? v == bound
                                     : !(v == bound);
                }};
      }
      case 1: {
        const int label = below(3);
        const char* labels[] = {"car", "radio/tv", "\"new kitchen\""};
        return {fmt::format("purpose = {}", labels[label]),
                [=](const auto& y) { return y[purpose] == label; }};
      }
      case 2: {
        const int label = below(3);
        const char* labels[] = {"red", "green", "blue"};
        return {fmt::format("colour in {{{}, red}}", labels[label]), [=](const auto& y) {
                  return y[red + static_cast<std::size_t>(label)] == 1 || y[red] == 1;
                }};
      }
      case 3: {
        const std::size_t f = pick({duration, age, savings});
        const double now = now_[f];
        return below(2) == 0 ? Drawn{name(f) + " rises", [=](const auto& y) { return y[f] > now; }}
                             : Drawn{name(f) + " does not fall",
                                     [=](const auto& y) { return !(y[f] < now); }};
      }
      case 4:
        return {"colour changes", [](const auto& y) { return y[green] != 1; }};
      case 5:
        return {"income is missing", [](const auto& y) { return std::isnan(y[income]); }};
      default: {
        const double low = below(40), high = low + below(40);
        return {fmt::format("{} <= duration < {}", low, high + 1),
                [=](const auto& y) { return low <= y[duration] && y[duration] < high + 1; }};
      }
    }
  }

  std::vector<double> answer() {
    const auto maybe = [&](double now, double other) { return below(3) == 0 ? now : other; };
    std::vector<double> y = now_;
    y[duration] = maybe(24, 4 + below(69));
    y[age] = maybe(35, below(80));
    y[savings] = below(3);
    y[purpose] = below(3);
    y[income] = maybe(now_[income], below(80));
    y[red] = y[green] = y[blue] = 0;
    y[red + static_cast<std::size_t>(below(3))] = 1;
    return y;
  }

 private:
  std::size_t pick(std::initializer_list<std::size_t> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  static std::string name(std::size_t f) {
    return f == duration ? "duration" : f == age ? "age" : f == savings ? "savings" : "income";
  }

  std::mt19937_64 random_;
  std::vector<double> now_;
};

/// Whether a query's rules admit a point, written down anew: ranges, lists and clauses.
bool admits(const Query& query, const std::vector<double>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const FeatureRule& rule = query.features[i];
    const bool same = y[i] == query.point[i] || (std::isnan(y[i]) && std::isnan(query.point[i]));
    if (same || std::isnan(y[i])) continue;
    if (rule.fixed || !rule.range.contains(y[i])) return false;
    if (!rule.allowed.empty() &&
        std::find(rule.allowed.begin(), rule.allowed.end(), y[i]) == rule.allowed.end()) {
      return false;
    }
    if (rule.direction == Direction::up && y[i] < query.point[i]) return false;
    if (rule.direction == Direction::down && y[i] > query.point[i]) return false;
  }
  return std::all_of(query.clauses.begin(), query.clauses.end(), [&](const Clause& clause) {
    return std::any_of(clause.any_of.begin(), clause.any_of.end(), [&](const Literal& literal) {
      return holds(literal, y, Precision::float32);
    });
  });
}

TEST(QueryText, RandomConditionsAdmitWhatTheySay) {
  Drawer draw(test_seed());
  const int cases = test_cases(3000);
  int sound = 0, admitted = 0, refused = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<Drawn> conditions;
    std::string text = "income may be missing";
    for (int k = 1 + draw.below(2); k > 0; --k) {
      Drawn one = draw.condition(draw.below(3));
      if (draw.below(3) == 0) {
        const Drawn then = draw.condition(1);
        one = {"if " + one.words + " then " + then.words,
               [=](const auto& y) { return !one.holds(y) || then.holds(y); }};
      }
      text += "; " + one.words;
      conditions.push_back(one);
    }
    Query query;
    bool contradicts = false;
    try {
      query = asked(text);
    } catch (const Error&) {
      contradicts = true;  // then no answer meets all of it
    }
    sound += contradicts ? 0 : 1;
    for (int n = 0; n < 30; ++n) {
      const std::vector<double> y = draw.answer();
      const bool truth = std::all_of(conditions.begin(), conditions.end(),
                                     [&](const Drawn& one) { return one.holds(y); });
      ASSERT_EQ(!contradicts && admits(query, y), truth)
          << text << "\n  " << y[duration] << " months, savings " << y[savings] << ", purpose "
          << y[purpose] << ", age " << y[age] << ", income " << y[income] << ", red " << y[red]
          << ", green " << y[green] << "; BOXWOOD_SEED=" << test_seed();
      ++(truth ? admitted : refused);
    }
  }
  expect_share(sound, cases, 1.0 / 2);
  expect_share(admitted, cases, 1);
  expect_share(refused, cases, 1);
}

}  // namespace query_text_test
