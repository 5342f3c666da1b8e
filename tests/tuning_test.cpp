// The tuning parameters of the fast engine: they change the work of a search, never its answer.
#include "search/fast/tuning.hpp"
#include "error_of.hpp"

#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "agreement.hpp"
#include "oracle.hpp"
#include "random_options.hpp"
#include "random_problem.hpp"
#include "search/engine_settings.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tuning_test {

using namespace boxwood;

TEST(Tuning, AnswersDoNotDependOnIt) {
  ProblemMaker maker(test_seed());
  std::mt19937_64 random(test_seed() + 1);
  const int cases = test_cases(3000);
  int compared = 0;
  EngineSettings settings;
  const auto make = [&](int i) {
    RandomProblem problem = maker.make();
    problem.query.fewest_first = i % 4 == 1;
    settings.tuning = odd_tuning(random);
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const auto truth = Oracle::solve(problem.ensembles, problem.query);
    if (!truth) return;
    ++compared;
    const Prepared prepared(problem.ensembles);
    Options options;
    options.ties = 100'000;
    options.threads = i % 5 == 0 ? 3 : 1;
    settings.parts.probe = i % 3 != 0;  // without it every node needs the dual bound
    set(options, settings);
    std::vector<double> first_point;
    expect_agreeing_answer(prepared, problem.ensembles, problem.query, options, *truth,
                           first_point);
  });
  expect_share(compared, cases, 0.8);
}

/// From a value of 0 the nearest change costs 5e-324. Radii that grow by a factor alone would take
/// a thousand problems to come to the answer at 1, or never get there.
TEST(Tuning, RadiiGrowFromTheSmallestCost) {
  Ensemble model = binary_model(2, {stump(0, 0, 2, 0), stump(0, 0, -2, 0), stump(0, 1, 0, 2),
                                    stump(1, 5, 0, 0.5, NodeKind::equal)});
  model.input = model.accumulator = Precision::float64;
  Query query;
  query.point = {0, 0};
  query.features.resize(2);
  query.norm = Norm::l1;
  query.requirements = {{0, ScoreIn{{.lower = 2}}}};
  for (const double factor : {1.01, 2.0}) {
    Options options;
    fast::Tuning tuning;
    set(tuning, "piece_radius_factor", factor);
    set(tuning, "first_probe_boxes", 0);
    set(options, tuning);
    options.limits.seconds = 10;
    const Answer answer = explain({&model, 1}, query, options);
    EXPECT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.cost, 1);
  }
}

TEST(Tuning, ATunedSearchTakesOtherSteps) {
  // Otherwise the test above would compare nothing.
  ProblemMaker maker(7, {{4, 6}, {10, 20}, {6, 12}, 20, false});
  int different = 0;
  for (int i = 0; i < 30; ++i) {
    const RandomProblem problem = maker.make();
    const Prepared prepared(problem.ensembles);
    Options options;
    options.threads = 1;
    options.limits.nodes = 20'000;
    const std::uint64_t usual = explain(prepared, problem.query, options).statistics.nodes;
    fast::Tuning tuning;
    set(tuning, "first_probe_boxes", 0);
    set(tuning, "probe_boxes", 1);
    set(tuning, "probe_sure_share", 0);
    set(tuning, "price_box", 1e6);
    set(options, tuning);
    different += explain(prepared, problem.query, options).statistics.nodes != usual ? 1 : 0;
  }
  EXPECT_GT(different, 0);
}

TEST(Tuning, TheTableIsConsistent) {
  for (const fast::TuningEntry& entry : fast::tuning_table()) {
    SCOPED_TRACE(std::string(entry.name));
    EXPECT_LE(entry.least, entry.value);
    EXPECT_LE(entry.value, entry.most);
    EXPECT_FALSE(entry.why.empty());
    fast::Tuning tuning;
    EXPECT_NO_THROW(set(tuning, entry.name, entry.least));
    EXPECT_NO_THROW(set(tuning, entry.name, entry.most));
    EXPECT_THROW(set(tuning, entry.name, entry.most * 2 + 1), Error);
    EXPECT_THROW(set(tuning, entry.name, entry.least - 1), Error);
    EXPECT_THROW(set(tuning, entry.name, std::nan("")), Error);
    if (entry.whole) {
      EXPECT_THROW(set(tuning, entry.name, entry.least + 0.5), Error);
    }
  }
}

TEST(Tuning, AnUnknownNameIsAnErrorThatNamesTheOthers) {
  fast::Tuning tuning;
  const std::string error = error_of([&] { set(tuning, "probe_boxs", 3); });
  EXPECT_NE(error.find("probe_boxs"), std::string::npos);
  EXPECT_NE(error.find("probe_boxes"), std::string::npos);
}

}  // namespace tuning_test
