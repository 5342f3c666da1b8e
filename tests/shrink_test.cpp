// The shrinker with faults that are made here: what is left is small, still fails, and the test
// that is printed makes the same problem.
#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "print_problem.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace shrink_test {

using namespace boxwood;

/// An engine with a fault: it does not see the last tree of the first model.
Answer faulty(const RandomProblem& problem) {
  std::vector<Ensemble> ensembles = problem.ensembles;
  if (!ensembles[0].trees.empty()) ensembles[0].trees.pop_back();
  return explain(Prepared(ensembles), problem.query);
}

/// Whether the fault shows: brute force finds another cost.
bool shows(const RandomProblem& problem) {
  const auto truth = Oracle::solve(problem.ensembles, problem.query);
  return truth && faulty(problem).cost != truth->cost;
}

TEST(Shrink, AnEngineThatLosesATreeIsShownByAFewLeaves) {
  ProblemMaker maker(20210514, {{3, 4}, {3, 6}, {2, 4}, 7, false});
  int shrunk = 0;
  while (shrunk < 5) {
    const RandomProblem problem = maker.make();
    if (!shows(problem)) continue;
    ++shrunk;
    const RandomProblem small = shrink(problem, shows);
    EXPECT_TRUE(shows(small));
    ASSERT_EQ(small.ensembles.size(), 1U) << as_test(small, "Shrunk");
    EXPECT_LE(small.ensembles[0].trees.size(), 2U) << as_test(small, "Shrunk");
    EXPECT_LE(small.ensembles[0].leaf_count(), 3U) << as_test(small, "Shrunk");
    EXPECT_LE(small.query.point.size(), 2U) << as_test(small, "Shrunk");
    EXPECT_EQ(small.query.requirements.size(), 1U) << as_test(small, "Shrunk");
  }
}

TEST(Shrink, WhatTheFailureNeedsIsKept) {
  ProblemMaker maker(1, {{4, 4}, {4, 6}, {2, 4}, 7, false});
  RandomProblem problem = maker.make();
  problem.query.clauses = {{{{.feature = 3, .range = {.lower = 1}, .missing = true}}},
                           {{{.feature = 0}, {.feature = 2}}}};
  problem.query.max_changes = 3;
  problem.query.features[3].weight = 2;
  const RandomProblem small = shrink(problem, [](const RandomProblem& one) {
    return one.query.max_changes == 3U && one.query.clauses.size() == 1 &&
           one.query.clauses[0].any_of[0].missing;
  });
  EXPECT_EQ(small.query.point.size(), 1U);  // the clause's feature
  EXPECT_EQ(small.query.clauses[0].any_of.size(), 1U);
  EXPECT_EQ(small.query.features[0].weight, 1);
  for (const Ensemble& ensemble : small.ensembles) EXPECT_TRUE(ensemble.trees.empty());
}

void expect_small(const RandomProblem& problem) {
  EXPECT_LT(problem.ensembles[0].trees.size(), 2U) << "two trees or more";
}

TEST(Shrink, AFailureIsReportedForTheSmallProblemToo) {
  static ProblemMaker maker(2, {{4, 4}, {4, 6}, {2, 4}, 7, false});
  static RandomProblem problem;
  problem = maker.make();
  testing::internal::CaptureStdout();
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    report_smallest(problem, expect_small);
  }
  EXPECT_EQ(results.size(), 1);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("TEST(Regression, Shrunk) {"),
            std::string::npos);
}

/// A problem with everything that can be printed.
RandomProblem printed_problem() {
  RandomProblem problem;
  problem.ensembles = {binary_model(3, {stump(0, 0.5, -1, 1)})};
  Query& query = problem.query;
  query.point = {0.1, std::numeric_limits<double>::quiet_NaN(), -0.0};
  query.requirements = {{0, ClassIs{1, 0.3, std::nullopt}, true},
                        {0, ClassIn{{0, 1}}},
                        {0, OutputIn{{.lower = 0.25, .lower_closed = false}, 0}},
                        {0, ScoreIn{{.upper = 7}, 0, std::nullopt}}};
  query.features.assign(3, {});
  query.features[0] = {.kind = FeatureKind::categorical,
                       .range = {.lower = 0, .upper = 3},
                       .allowed = {0, 2},
                       .missing_allowed = true,
                       .changes = {{0, 0.5}, {1, 0}},
                       .weight = 1.5};
  query.features[1] = {.fixed = true, .step = 0.25, .direction = Direction::up, .most_change = 8};
  query.groups = {{{1, 2}, 2, true}};
  query.clauses = {{{{.feature = 1, .inside = false, .codes = {1, 4}}}}};
  query.norm = Norm::mixture;
  query.mixture = {.l1 = 0.75};
  query.max_changes = 2;
  query.fewest_first = true;
  return problem;
}

void check(const RandomProblem& problem) {
  EXPECT_EQ(as_test(problem, "Printed"), as_test(printed_problem(), "Printed"));
}

TEST(Shrink, ATestIsPrintedThatMakesTheSameProblem) {
  std::ifstream file(BOXWOOD_SOURCE_DIR "/tests/shrink_test.cpp");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const std::string printed = as_test(printed_problem(), "Printed");
  EXPECT_NE(source.find(printed), std::string::npos) << "paste it below:\n" << printed;
}

// clang-format off
TEST(Regression, Printed) {
  std::vector<boxwood::Ensemble> ensembles;
  ensembles.push_back(boxwood::ensemble_from_json(R"json({"boxwood_model":1,"source":"hand","library":"other","objective":"binary:logistic","task":"binary","link":"sigmoid","input":"float32","accumulator":"float32","order":"base_first","classes":[],"base":[0.0],"features":[{"name":"f0","kind":"continuous"},{"name":"f1","kind":"continuous"},{"name":"f2","kind":"continuous"}],"trees":[{"output":0,"values":[-1.0,1.0],"kind":["<","leaf","leaf"],"feature":[0,-1,-1],"threshold":[0.5,0.0,0.0],"missing_left":[false,false,false],"left":[1,-1,-1],"right":[2,-1,-1],"value":[-1,0,1]}]})json"));
  boxwood::Query query;
  query.point = {0x1.999999999999ap-4, std::numeric_limits<double>::quiet_NaN(), -0x0p+0};
  query.features.resize(3);
  query.requirements.push_back({0, boxwood::ClassIs{1, 0x1.3333333333333p-2, std::nullopt}, true});
  query.requirements.push_back({0, boxwood::ClassIn{{0, 1}}, false});
  query.requirements.push_back({0, boxwood::OutputIn{{0x1p-2, std::numeric_limits<double>::infinity(), false, true}, 0}, false});
  query.requirements.push_back({0, boxwood::ScoreIn{{-std::numeric_limits<double>::infinity(), 7, true, true}, 0, std::nullopt}, false});
  query.features[0].kind = boxwood::FeatureKind::categorical;
  query.features[0].range = {0, 3, true, true};
  query.features[0].allowed = {0, 2};
  query.features[0].missing_allowed = true;
  query.features[0].changes = {{0, 0x1p-1}, {1, 0}};
  query.features[0].weight = 0x1.8p+0;
  query.features[1].fixed = true;
  query.features[1].step = 0x1p-2;
  query.features[1].direction = boxwood::Direction::up;
  query.features[1].most_change = 8;
  query.groups.push_back({{1, 2}, 2, true});
  query.clauses.push_back({{{1, {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), true, true}, false, false, {1, 4}}}, {}});
  query.norm = boxwood::Norm::mixture;
  query.mixture = {0, 0x1.8p-1, 0};
  query.max_changes = 2;
  query.fewest_first = true;
  check({ensembles, query});
}
// clang-format on

}  // namespace shrink_test
