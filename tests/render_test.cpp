// Answers in words: every status has its text, and table, JSON and CSV tell the same facts.
#include <boxwood/render.hpp>

#include "small_models.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include "render/words.hpp"

namespace boxwood {
namespace render_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double missing = std::nan("");

FeatureSchema months() {
  FeatureSchema feature;
  feature.name = "duration";
  feature.kind = FeatureKind::integer;
  feature.unit = "months";
  feature.range = {4, 72};
  return feature;
}

FeatureSchema labelled(FeatureKind kind, std::vector<std::string> labels) {
  FeatureSchema feature;
  feature.name = "savings";
  feature.kind = kind;
  feature.range = {0, static_cast<double>(labels.size() - 1)};
  feature.labels = std::move(labels);
  return feature;
}

FeatureSchema income() {
  FeatureSchema feature;
  feature.name = "income";
  feature.unit = "DM";
  return feature;
}

TEST(Words, ValuesHaveUnitsLabelsAndGroupedThousands) {
  EXPECT_EQ(value_text(months(), 13), "13 months");
  EXPECT_EQ(value_text(months(), 1), "1 month");
  EXPECT_EQ(value_text(income(), 4870), "4 870 DM");
  EXPECT_EQ(value_text(income(), -1234567), "-1 234 567 DM");
  EXPECT_EQ(value_text(income(), 0.1F), "0.1 DM");
  EXPECT_EQ(value_text(income(), 0.1F, Precision::float64), "0.10000000149011612 DM");
  EXPECT_EQ(value_text(income(), -0.0), "0 DM");
  EXPECT_EQ(value_text(income(), missing), "missing");
  EXPECT_EQ(value_text(labelled(FeatureKind::ordinal, {"none", "much"}), 1), "much");
}

TEST(Words, IntegersAreToldByTheWholeNumbersInside) {
  EXPECT_EQ(interval_text(months(), {-infinity, 13.5, false, false}), "at most 13 months");
  EXPECT_EQ(interval_text(months(), {4, 14, true, false}), "at most 13 months");
  EXPECT_EQ(interval_text(months(), {12.5, infinity, true, false}), "at least 13 months");
  EXPECT_EQ(interval_text(months(), {12, 20, false, false}), "between 13 and 19 months");
  EXPECT_EQ(interval_text(months(), {1.5, 5, true, false}), "exactly 4 months");
  EXPECT_EQ(interval_text(months(), {12.5, 13.5, true, false}), "exactly 13 months");
  FeatureSchema years = months();
  years.unit = "years";
  years.range = {};
  EXPECT_EQ(interval_text(years, {0.5, 1.5, true, false}), "exactly 1 year");
  EXPECT_EQ(interval_text(years, {-0.5, 1.5, true, false}), "between 0 and 1 years");
  years.unit = "Celsius";
  EXPECT_EQ(value_text(years, 1), "1 Celsius");
  // Above 2^25 a float32 is a multiple of 4: the last one below the end is told.
  FeatureSchema large = months();
  large.range = {};
  EXPECT_EQ(interval_text(large, {-infinity, 33554436, false, false}), "at most 33 554 432 months");
  EXPECT_EQ(interval_text(months(), {-infinity, infinity, false, false}), "anything");
}

TEST(Words, ContinuousEndsSayWhetherTheyAreIn) {
  FeatureSchema feature = income();
  EXPECT_EQ(interval_text(feature, {3.5, infinity, false, false}), "more than 3.5 DM");
  EXPECT_EQ(interval_text(feature, {3.5, infinity, true, false}), "at least 3.5 DM");
  EXPECT_EQ(interval_text(feature, {-infinity, 3.5, false, false}), "less than 3.5 DM");
  EXPECT_EQ(interval_text(feature, {100, 200, true, true}), "between 100 and 200 DM");
  EXPECT_EQ(interval_text(feature, {100, 200, true, false}), "at least 100 and less than 200 DM");
  EXPECT_EQ(interval_text(feature, {7, 7, true, true}), "exactly 7 DM");
  EXPECT_EQ(interval_text(feature, {missing, missing}), "missing");
  // From outside the range even all of it is news.
  feature.range = {5, 6};
  EXPECT_EQ(interval_text(feature, {-infinity, infinity, false, false}), "anything");
  EXPECT_EQ(interval_text(feature, {1, infinity, true, false}, Precision::float32, 0),
            "at least 5 DM");
  EXPECT_EQ(interval_text(feature, {-infinity, 9, false, false}, Precision::float32, 10),
            "at most 6 DM");
}

TEST(Words, LabelsAreListedOrToldByTheirOrder) {
  const FeatureSchema savings =
      labelled(FeatureKind::ordinal, {"none", "little", "some", "much", "plenty"});
  EXPECT_EQ(interval_text(savings, {0.5, 2.5}), "one of: little, some");
  EXPECT_EQ(interval_text(savings, {0.5, infinity}), "at least little");
  EXPECT_EQ(interval_text(savings, {-infinity, 3.5}), "at most much");
  EXPECT_EQ(interval_text(savings, {1.5, 2.5}), "some");
  EXPECT_EQ(interval_text(savings, {-infinity, infinity}), "anything");
  const FeatureSchema purpose =
      labelled(FeatureKind::categorical, {"car", "house", "boat", "school", "other"});
  EXPECT_EQ(interval_text(purpose, {0.5, infinity}), "anything but car");
  EXPECT_EQ(interval_text(purpose, {-infinity, 1.5}), "one of: car, house");
}

TEST(Words, WhatTheRangeForbidsIsNotOffered) {
  FeatureSchema savings = labelled(FeatureKind::ordinal, {"hidden", "little", "some", "much"});
  savings.range = {1, 3};
  EXPECT_EQ(interval_text(savings, {-infinity, 2.5}), "one of: little, some");
  EXPECT_EQ(interval_text(savings, {0.5, infinity}), "anything");
  EXPECT_EQ(interval_text(savings, {-infinity, 0.5}), "hidden");
}

TEST(Words, ColumnsAlignForAnyScript) {
  EXPECT_EQ(display_width("Größe"), 5u);
  EXPECT_EQ(display_width("年齢"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
  EXPECT_EQ(padded("Größe", 7), "Größe  ");
}

TEST(Words, ProbabilitiesShowEnoughDigitsToDiffer) {
  EXPECT_EQ(probability_text(0.213, 0.5), "0.21");
  EXPECT_EQ(probability_text(0.49961, 0.5), "0.4996");
  EXPECT_EQ(probability_text(0.5, 0.5), "0.50");
  EXPECT_EQ(probability_text(0.00195, 0.5), "0.002");
  EXPECT_EQ(probability_text(0.9987, 0.5), "0.999");
  EXPECT_EQ(probability_text(3e-12, 0.5), "3e-12");
  EXPECT_EQ(probability_text(0, 0.5), "0.00");
  EXPECT_EQ(probability_text(1, 0.5), "1.00");
}

TEST(Words, DurationsSuitTheirSize) {
  EXPECT_EQ(duration_text(0.0001), "under 1 ms");
  EXPECT_EQ(duration_text(0.0031), "3 ms");
  EXPECT_EQ(duration_text(10), "10.0 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
}

/// Granted when duration < 20 and savings are not "none"; income is a third feature.
class Rendered : public testing::Test {
 protected:
  Rendered() {
    ensemble = duration_model();
    schema = schema_for(ensemble);
    schema.subject = "applicant";
    schema.outcome = "credit";
    schema.features[0] = months();
    schema.features[1] = labelled(FeatureKind::ordinal, {"none", "little", "much"});
    schema.features[1].fixed = true;
    schema.features[2] = income();
    query = query_for(ensemble, std::vector<double>{24, 1, 4870});
    apply(schema, query);
    query.requirements = {require_class(1)};
    query.features[2].scale = 10;
    answer.statistics = {
        .nodes = 12, .open_nodes = 0, .peak_bytes = 64, .threads = 1, .seconds = 0.003};
  }

  /// 24 months become 19.
  void solve(Status status) {
    answer.status = status;
    answer.cost = 25;
    answer.distance = 5;
    answer.lower_bound = status == Status::optimal ? 25 : 20;
    answer.solutions = {{{19, 1, 4870},
                         {{-infinity, 20, false, false},
                          {-infinity, infinity, false, false},
                          {-infinity, infinity, false, false}}}};
  }

  std::string table() { return to_table({ensemble, schema, query, answer, 3, std::nullopt}); }
  nlohmann::json json() {
    return nlohmann::json::parse(to_json({ensemble, schema, query, answer, 3, std::nullopt}));
  }

  Ensemble ensemble;
  Schema schema;
  Query query;
  Answer answer;
};

const char* const headline_text =
    "Applicant 3: credit refused (probability of \"granted\" 0.12, needed more than 0.50)\n";

TEST_F(Rendered, AOneHotGroupIsOneLine) {
  schema.groups = {{"home", {0, 2}, {"rent", "own"}, 1, false}};
  schema.features[0].range = schema.features[2].range = {0, 1};
  query = query_for(ensemble, std::vector<double>{1, 1, 0});
  apply(schema, query);
  query.requirements = {require_class(1)};
  solve(Status::optimal);
  answer.solutions[0].point = {0, 1, 1};
  answer.solutions[0].region[0] = {-infinity, 0.5, false, false};
  const std::string text = table();
  EXPECT_NE(text.find("home      rent   own         own"), std::string::npos) << text;
  EXPECT_EQ(json()["changes"].size(), 2U);  // column by column, for programs
}

TEST_F(Rendered, AOneHotGroupThatIsFixedIsOneTitle) {
  schema.groups = {{"home", {1, 2}, {"rent", "own"}, 1, false}};
  query.features[1].fixed = query.features[2].fixed = true;
  solve(Status::optimal);
  EXPECT_NE(table().find("Held fixed: home.\n"), std::string::npos) << table();
}

TEST_F(Rendered, PredictedNumbersHaveAsManyDigitsAsItTakes) {
  ensemble.task = Task::regression;
  ensemble.link = Link::identity;
  ensemble.accumulator = Precision::float64;
  ensemble.base = {235.87843075556418};
  schema.outcome = "price";
  query.requirements = {require_output({.lower = 240})};
  solve(Status::optimal);
  EXPECT_EQ(table().substr(0, table().find('\n')),
            "Applicant 3: price 234.378 (needed at least 240)");
  query.requirements = {require_output({.upper = 234.37843})};
  EXPECT_EQ(table().substr(0, table().find('\n')),
            "Applicant 3: price 234.378431 (needed at most 234.37843)");
}

TEST_F(Rendered, CategoriesThatWillDoAreListedWhereverTheirCodesAre) {
  schema.features[1] = labelled(FeatureKind::categorical, {"none", "little", "much"});
  solve(Status::optimal);
  answer.solutions[0].point[1] = 0;
  answer.solutions[0].region[1] = {-1, 1, false, false};
  answer.solutions[0].codes = {{}, {0, 2}, {}};
  EXPECT_NE(table().find("one of: none, much"), std::string::npos) << table();
  EXPECT_EQ(json()["changes"][1]["codes"], nlohmann::json({0, 2}));
}

TEST_F(Rendered, OptimalShowsTheChangeAndItsProof) {
  solve(Status::optimal);
  EXPECT_EQ(table(), std::string(headline_text) +
                         "Smallest change that is granted (proven optimal, 3 ms):\n"
                         "\n"
                         "  feature    now         change to   anything in\n"
                         "  duration   24 months   19 months   at most 19 months\n"
                         "  ----------------------------------------------------\n"
                         "  2 features stay as they are. Held fixed: savings.\n"
                         "\n"
                         "Probability there 0.56 · cost 25 · proven: no allowed change costs less "
                         "(squared L2 by scale)\n");
}

TEST_F(Rendered, FeasibleShowsTheGap) {
  solve(Status::feasible);
  answer.stop = Stop::time;
  answer.statistics.seconds = 10;
  const std::string text = table();
  EXPECT_NE(text.find("Best change found in 10.0 s that is granted (stopped at the time limit):\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("cost 25 · best found; nothing cheaper than 20 exists (gap 20.0 %, squared\n"
                      "  L2 by scale)\n"),
            std::string::npos)
      << text;
  for (const double bound : {0.0, 3.553e-15}) {
    answer.lower_bound = bound;
    EXPECT_NE(
        table().find("cost 25 · best found; no useful lower bound yet (squared L2 by scale)\n"),
        std::string::npos)
        << table();
  }
}

TEST_F(Rendered, ClassesAreQuotedWhereNothingSaysWhatHasThem) {
  solve(Status::optimal);
  schema.outcome.clear();
  EXPECT_NE(table().find("Smallest change that gives \"granted\" (proven optimal, 3 ms):\n"),
            std::string::npos)
      << table();
  query.requirements = {require_class(1, 0.525)};
  EXPECT_NE(table().find("that gives \"granted\" with probability at least 0.525 ("),
            std::string::npos)
      << table();
  query.requirements = {require_class(1)};
  schema.outcome = "credit";
  ensemble.classes.clear();
  EXPECT_NE(table().find("Smallest change that gives \"class 1\" ("), std::string::npos) << table();
}

TEST_F(Rendered, CustomCostsAreCalledSo) {
  solve(Status::optimal);
  query.norm = Norm::custom;
  EXPECT_NE(table().find(" · cost 25 · proven: no allowed change costs less (custom cost)"),
            std::string::npos)
      << table();
}

TEST_F(Rendered, InfeasibleSaysThatItIsProven) {
  answer.status = Status::infeasible;
  answer.lower_bound = infinity;
  EXPECT_EQ(table(), std::string(headline_text) +
                         "Not possible: no allowed change is granted (proven, 3 ms).\n"
                         "Held fixed: savings.\n");
}

TEST_F(Rendered, UnknownSaysWhatIsKnown) {
  answer.status = Status::unknown;
  answer.stop = Stop::interrupt;
  answer.lower_bound = 0.25;
  EXPECT_EQ(table(),
            std::string(headline_text) +
                "No change found in 3 ms that is granted (interrupted). Proven: no allowed "
                "change that works costs\nless than 0.25 (squared L2 by scale).\n");
  answer.lower_bound = 0;
  EXPECT_NE(table().find("It is unknown whether"), std::string::npos) << table();
}

TEST_F(Rendered, AlreadyMetNeedsNoChange) {
  query.requirements = {require_class(0)};
  answer.status = Status::optimal;
  answer.already_met = true;
  answer.cost = answer.distance = answer.lower_bound = 0;
  answer.solutions = {{query.point, std::vector<Interval>(3)}};
  EXPECT_EQ(table(),
            "Applicant 3: credit refused (probability of \"refused\" 0.88, needed 0.50)\n"
            "Nothing to change: this outcome is the one that was asked for.\n");
  EXPECT_TRUE(json()["already_met"].get<bool>());
  EXPECT_TRUE(json()["changes"].empty());
}

TEST_F(Rendered, TiesAreCountedAndListed) {
  solve(Status::optimal);
  Solution tie = answer.solutions.front();
  tie.point = {24, 1, 4875};
  answer.solutions.push_back(tie);
  EXPECT_NE(table().find("1 other region has a change of the same cost:\n  income: 4 875 DM\n"),
            std::string::npos)
      << table();
  answer.more_ties = true;
  EXPECT_NE(table().find("At least 1 other region has a change of the same cost:\n"),
            std::string::npos);
  EXPECT_EQ(json()["ties"].size(), 1u);
  EXPECT_TRUE(json()["more_ties"].get<bool>());
}

TEST_F(Rendered, MissingValuesAreSaidToStay) {
  query.point[2] = missing;
  solve(Status::optimal);
  answer.solutions[0].point[2] = missing;
  answer.solutions[0].region[2] = {missing, missing};
  EXPECT_NE(table().find("The value of income is missing and stays missing.\n"), std::string::npos)
      << table();
  EXPECT_TRUE(json()["point"][2].is_null());
  EXPECT_TRUE(json()["region"]["income"].is_null());
  EXPECT_EQ(json()["changes"].size(), 1u);
}

TEST_F(Rendered, MissingValuesThatTheAnswerFillsAreNotSaidToStay) {
  query.point[2] = missing;
  query.features[2].missing_allowed = true;
  solve(Status::optimal);
  EXPECT_EQ(table().find("stays missing"), std::string::npos) << table();
  EXPECT_NE(table().find("income     missing     4 870 DM"), std::string::npos) << table();
  answer.solutions.clear();
  answer.status = Status::infeasible;
  EXPECT_NE(table().find("The value of income is missing.\n"), std::string::npos) << table();
}

TEST_F(Rendered, DistancesInRawUnitsAreSaidToBe) {
  solve(Status::optimal);
  const char* const note = "Note: distances are in raw units, because no feature has a scale.";
  EXPECT_EQ(table().find(note), std::string::npos) << table();
  for (FeatureRule& rule : query.features) rule.scale = 1;
  EXPECT_NE(table().find(note), std::string::npos) << table();
  query.norm = Norm::l0;  // counts changes, whatever their size
  EXPECT_EQ(table().find(note), std::string::npos) << table();
}

TEST_F(Rendered, FewestFirstClaimsNothingAboutMoreChanges) {
  solve(Status::optimal);
  query.fewest_first = true;
  answer.least_changes = 1;
  const std::string claim =
      "proven: no other single allowed change is cheaper (squared L2 by scale)";
  // The table may break the line.
  EXPECT_NE(table().find("Change of the fewest features that is granted (proven optimal, 3 ms):\n"),
            std::string::npos)
      << table();
  EXPECT_EQ(json()["claim"]["text"], claim);
  EXPECT_EQ(json()["claim"]["minimised"], nlohmann::json({"changes", "cost"}));
  EXPECT_EQ(json()["claim"]["among_changes"], 1);
  const auto told = sentences({ensemble, schema, query, answer, 3, std::nullopt});
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [&](const std::string& sentence) {
    return sentence.find(claim) != std::string::npos;
  }));
  EXPECT_NE(to_csv({ensemble, schema, query, answer, 3, std::nullopt}).find(claim),
            std::string::npos);
}

TEST_F(Rendered, ChangesTooSmallToActOnAreSaidToBe) {
  solve(Status::optimal);
  answer.solutions[0].point = {24, 1, std::nextafter(4870.0F, 0.0F)};
  const std::string text = table();
  EXPECT_NE(text.find("Note: applicant 3 sits on the edge of the model: the change is the smallest "
                      "float step of \"income\".\n      Give it a kind or a range in the schema"),
            std::string::npos)
      << text;
  answer.solutions[0].point = {24, 1, 4870.004};
  EXPECT_NE(table().find("Note: applicant 3 sits on the edge of the model: the change of "
                         "\"income\" is too small to act on."),
            std::string::npos)
      << table();
  answer.solutions[0].point = {19, 1, 4870.004};
  EXPECT_NE(table().find("Note: part of the change for applicant 3, that of \"income\", is too "
                         "small to act on."),
            std::string::npos)
      << table();
  answer.solutions[0].point = {24, 1, 4860};
  EXPECT_EQ(table().find("Note"), std::string::npos);
}

TEST_F(Rendered, VerificationIsPartOfTheAnswer) {
  solve(Status::optimal);
  Explanation shown{ensemble, schema, query, answer, 3, std::vector<std::string>{}};
  EXPECT_NE(
      to_table(shown).find("\nChecked again from the model alone: outcome, rules, cost and box "
                           "hold.\n"),
      std::string::npos)
      << to_table(shown);
  EXPECT_TRUE(nlohmann::json::parse(to_json(shown))["verified"].get<bool>());
  shown.faults = {"the cost is wrong"};
  EXPECT_NE(to_table(shown).find("VERIFICATION FAILED:\n  the cost is wrong\n"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(to_json(shown))["verified"].get<bool>());
  EXPECT_FALSE(json().contains("verified"));
}

TEST_F(Rendered, RegressionSpeaksOfItsOutput) {
  ensemble.task = Task::regression;
  ensemble.link = Link::identity;
  ensemble.classes.clear();
  schema.outcome = "price";
  schema.subject = "house";
  schema.output_unit = "USD";
  query.requirements = {require_output({0.25, infinity})};
  solve(Status::optimal);
  const std::string text = table();
  EXPECT_NE(text.find("House 3: price -2 USD (needed at least 0.25 USD)\n"
                      "Smallest change that brings the price to at least 0.25 USD (proven optimal, "
                      "3 ms):\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Price there 0.25 USD · cost 25"), std::string::npos) << text;
  EXPECT_FALSE(json().contains("class_before"));
}

TEST_F(Rendered, JsonHasEveryFieldThatIsPromised) {
  solve(Status::optimal);
  const nlohmann::json object = json();
  for (const char* key : {"boxwood_answer", "row",         "status",        "proven",
                          "stop",           "already_met", "target",        "cost",
                          "distance",       "lower_bound", "gap",           "point",
                          "changes",        "region",      "output_before", "output_after",
                          "class_before",   "class_after", "ties",          "more_ties",
                          "nodes",          "seconds",     "text"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  EXPECT_TRUE(to_json({ensemble, schema, query, answer, 3, std::nullopt})
                  .starts_with(R"({"boxwood_answer":1,"row":3,)"));
  EXPECT_EQ(object["row"], 3);
  EXPECT_EQ(object["status"], "optimal");
  EXPECT_EQ(object["cost"], 25.0);
  EXPECT_EQ(object["point"], (std::vector<double>{19, 1, 4870}));
  EXPECT_EQ(object["class_before"], "refused");
  EXPECT_EQ(object["class_after"], "granted");
  EXPECT_EQ(object["changes"][0]["feature"], "duration");
  EXPECT_EQ(object["changes"][0]["from"], 24.0);
  EXPECT_EQ(object["changes"][0]["to"], 19.0);
  EXPECT_EQ(object["changes"][0]["anything_in"], "at most 19 months");
  const nlohmann::json& duration = object["region"]["duration"];
  EXPECT_TRUE(duration["lower"].is_null());
  EXPECT_EQ(duration["upper"], 20.0);
  EXPECT_FALSE(duration["upper_closed"].get<bool>());
  EXPECT_EQ(object["text"].size(), 4u);
  EXPECT_EQ(object["text"][1],
            "Bring duration to at most 19 months (now 24 months), and credit is granted.");
}

TEST_F(Rendered, JsonWithoutAPointHasNulls) {
  answer.status = Status::infeasible;
  answer.lower_bound = infinity;
  const nlohmann::json object = json();
  for (const char* key : {"cost", "distance", "gap", "point", "region", "output_after",
                          "lower_bound", "class_after"}) {
    EXPECT_TRUE(object[key].is_null()) << key;
  }
  EXPECT_TRUE(object["proven"].get<bool>());
}

TEST_F(Rendered, CsvHasTheSameFacts) {
  solve(Status::optimal);
  EXPECT_EQ(csv_header(ensemble, false),
            "row,status,proven,stop,already_met,cost,distance,lower_bound,gap,claim,"
            "output_before,output_after,class_before,class_after,changed,ties,more_ties,nodes,"
            "seconds,duration,"
            "savings,income");
  const nlohmann::json object = json();
  const std::string line = to_csv({ensemble, schema, query, answer, 3, std::nullopt});
  EXPECT_TRUE(line.starts_with("3,optimal,true,finished,false,25,5,25,0,")) << line;
  EXPECT_TRUE(line.ends_with(",refused,granted,duration,0,false,12,0.003,19,1,4870")) << line;
  EXPECT_NE(line.find(object["output_after"][0].dump()), std::string::npos) << line;
}

TEST_F(Rendered, CsvCellsAreQuotedWhereNeeded) {
  ensemble.features[2].name = "income, \"net\"";
  EXPECT_TRUE(csv_header(ensemble, true)
                  .ends_with(",verified,duration,savings,"
                             "\"income, \"\"net\"\"\""));
}

TEST_F(Rendered, RowsAreCalledByTheirLabels) {
  solve(Status::optimal);
  const auto said = [&](const RowLabel& row) {
    return sentences({ensemble, schema, query, answer, row, std::nullopt}).front();
  };
  const auto row_of = [&](const RowLabel& row) {
    return nlohmann::json::parse(
        to_json(Explanation{ensemble, schema, query, answer, row, std::nullopt}))["row"];
  };
  EXPECT_TRUE(said(3).starts_with("Applicant 3: credit refused (")) << said(3);
  const RowLabel smith(std::string("Smith")), nobody(std::string{});
  EXPECT_TRUE(said(smith).starts_with("Applicant Smith: credit refused (")) << said(smith);
  EXPECT_TRUE(said(nobody).starts_with("Applicant: credit refused (")) << said(nobody);
  schema.subject.clear();
  EXPECT_TRUE(said(smith).starts_with("Row Smith: credit refused (")) << said(smith);
  EXPECT_TRUE(said(nobody).starts_with("Now: credit refused (")) << said(nobody);
  EXPECT_EQ(row_of(3), 3);
  EXPECT_EQ(row_of(smith), "Smith");
  EXPECT_TRUE(row_of(nobody).is_null());
}

TEST_F(Rendered, ColourOnlyWhenAsked) {
  solve(Status::optimal);
  const Explanation shown{ensemble, schema, query, answer, 3, std::nullopt};
  EXPECT_EQ(to_table(shown).find('\x1b'), std::string::npos);
  EXPECT_NE(to_table(shown, {.colour = true}).find("\x1b[32m"), std::string::npos);
}

TEST_F(Rendered, RegionsShowTheirIntervals) {
  solve(Status::optimal);
  const Region region{answer.best(), 25, {ensemble.predict(answer.best().point)}};
  const RegionView view{ensemble, schema, query, region, 3, 1};
  EXPECT_EQ(to_table(view),
            "Region 1: credit granted (probability of \"granted\" 0.56) · distance 5 · cost 25\n"
            "  feature    now         nearest     anything in\n"
            "  duration   24 months   19 months   at most 19 months\n"
            "  ----------------------------------------------------\n"
            "  2 features as they are\n");
  EXPECT_TRUE(to_json(view).starts_with(R"({"boxwood_region":1,"row":3,"number":1,)"));
  EXPECT_EQ(nlohmann::json::parse(to_json(view))["class"], "granted");
  EXPECT_NE(to_csv(view).find("\"(-inf, 20)\""), std::string::npos);
}

TEST_F(Rendered, TheRegionOfThePointItselfChangesNothing) {
  query.requirements.clear();
  const Region region{
      {query.point, {{20, infinity, true, false}, {}, {}}}, 0, {ensemble.predict(query.point)}};
  EXPECT_EQ(to_table(RegionView{ensemble, schema, query, region, 3, 1}),
            "Region 1: credit refused · distance 0 · cost 0\n"
            "  3 features as they are\n");
}

}  // namespace render_test
}  // namespace boxwood
