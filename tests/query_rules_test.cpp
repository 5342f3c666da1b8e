// Every kind of outcome, cost and rule that a query can have, alone and in random combinations,
// against brute force, by both engines, with one thread and several.
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "agreement.hpp"
#include "random_rules.hpp"
#include "search/engine_settings.hpp"
#include "search/guarded.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

namespace query_rules_test {

using namespace boxwood;

TEST(QueryRules, RandomCombinationsAgreeWithBruteForce) {
  ProblemMaker maker(test_seed(), {.features = {2, 4}, .rounds = {2, 4}, .overflows = false});
  RuleMaker rules(test_seed() + 1);
  const int cases = test_cases(3000);
  int tried = 0, optimal = 0, with_clauses = 0, limited = 0, fewest = 0;
  const auto make = [&](int) {
    RandomProblem problem = maker.make();
    rules.add_to(problem);
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int) {
    const auto truth = Oracle::solve(problem.ensembles, problem.query, 100'000);
    if (!truth) return;
    ++tried;
    const Prepared prepared(problem.ensembles);
    std::vector<double> first_point;
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << to_string(engine) << ", " << threads << " threads");
        Options options;
        options.engine = engine;
        options.threads = threads;
        options.ties = 100'000;
        expect_agreeing_answer(prepared, problem.ensembles, problem.query, options, *truth,
                               first_point);
      }
    }
    optimal += truth->points.empty() || truth->cost == 0 ? 0 : 1;
    with_clauses += !problem.query.clauses.empty() && !truth->points.empty() ? 1 : 0;
    limited += problem.query.max_changes && !truth->points.empty() ? 1 : 0;
    fewest += problem.query.fewest_first && !truth->points.empty() ? 1 : 0;
  });
  std::cout << tried << " tried, " << optimal << " with a change, " << with_clauses
            << " with clauses, " << limited << " with a limit on changes, " << fewest
            << " with the fewest first\n";
  expect_share(tried, cases, 0.6);  // the others are too large for brute force
  expect_share(optimal, cases, 1.0 / 20);
  expect_share(with_clauses, cases, 1.0 / 20);
  expect_share(limited, cases, 1.0 / 30);
  expect_share(fewest, cases, 1.0 / 60);
}

TEST(QueryRules, StoppedEarlyTheyClaimNoMoreThanIsTrue) {
  ProblemSize larger;
  larger.features = {3, 5};
  larger.rounds = {3, 6};
  larger.overflows = false;
  ProblemMaker maker(test_seed() + 2, larger);
  RuleMaker rules(test_seed() + 3);
  int stopped = 0;
  const int cases = test_cases(1500);
  const auto make = [&](int) {
    RandomProblem problem = maker.make();
    rules.add_to(problem);
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const Prepared prepared(problem.ensembles);
    const Answer whole = explain(prepared, problem.query);
    Options options;
    options.engine = i % 2 == 0 ? Engine::fast : Engine::paper;
    set(options, FastParts{.start = false});
    options.limits.nodes = static_cast<std::uint64_t>(i % 12);
    const Answer part = explain(prepared, problem.query, options);
    const Verification check = verify(problem.ensembles, problem.query, part, 8, 7);
    EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
    const bool proven = part.status == Status::optimal || part.status == Status::infeasible;
    EXPECT_EQ(proven, part.stop == Stop::finished);
    if (proven) {
      EXPECT_EQ(part.status, whole.status);
      EXPECT_EQ(part.cost, whole.cost);
    } else if (!problem.query.fewest_first) {  // fewer changes may cost more
      EXPECT_LE(part.lower_bound, whole.cost);
      EXPECT_GE(part.cost, whole.cost);
    }
    stopped += proven ? 0 : 1;
  });
  expect_share(stopped, cases, 1.0 / 20);
}

}  // namespace query_rules_test
