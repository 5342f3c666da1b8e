// A fuzzer of the solver: random models, questions and options against brute force. What fails is
// made small and printed as a test (shrink.hpp). scripts/fuzz.sh runs it for as long as the targets
// for readers, by BOXWOOD_SECONDS.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "agreement.hpp"
#include "oracle.hpp"
#include "random_composition.hpp"
#include "random_options.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "search/guarded.hpp"
#include "seeds.hpp"
#include "shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace solver_fuzz_test {

using namespace boxwood;

/// What holds wherever a search stops, and with fewer ties than there are.
void expect_valid(const Answer& answer, const Oracle::Result& truth, const RandomProblem& problem,
                  const Options& options) {
  EXPECT_LE(answer.lower_bound, truth.cost);
  EXPECT_LE(answer.solutions.size(), options.ties);
  if (!answer.solutions.empty()) {
    ASSERT_FALSE(truth.points.empty());
    // Where fewest changes come first, a search that was stopped may have a cheaper point with
    // more.
    const auto changes = [&](const std::vector<double>& point) {
      return problem.query.fewest_first ? change_count(problem.query, point) : 0;
    };
    EXPECT_GE(std::pair(changes(answer.best().point), answer.cost),
              std::pair(changes(truth.points.front()), truth.cost));
  }
  const bool proven = answer.status == Status::optimal || answer.status == Status::infeasible;
  EXPECT_EQ(proven, answer.stop == Stop::finished);
  if (answer.status == Status::optimal) {
    EXPECT_EQ(answer.cost, truth.cost);
  }
  if (answer.status == Status::infeasible) {
    EXPECT_TRUE(truth.points.empty());
  }
  const Verification check = verify(problem.ensembles, problem.query, answer, 8, 3);
  EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
}

enum class Seen { too_large, agreed, stopped, refused };

/// Asks once with the options of a seed.
Seen ask(const RandomProblem& problem, std::uint64_t seed) {
  const auto truth = Oracle::solve(problem.ensembles, problem.query, 3'000);
  if (!truth) return Seen::too_large;
  const RandomOptions drawn(seed, problem.query.point);
  Options options = drawn.options();
  // A search that never ends must fail, so that it can be shrunk.
  if (!drawn.limited()) options.limits.seconds = 20;
  const Prepared prepared(problem.ensembles);
  if (!drawn.limited() && options.ties > truth->points.size()) {
    std::vector<double> first_point;
    expect_agreeing_answer(prepared, problem.ensembles, problem.query, options, *truth,
                           first_point);
    return Seen::agreed;
  }
  const std::vector<double> known =
      truth->points.empty() ? std::vector<double>{} : truth->points.back();
  try {
    const Answer answer = explain_guarded(prepared, problem.query, options, known);
    expect_valid(answer, *truth, problem, options);
    EXPECT_TRUE(drawn.limited() || answer.stop == Stop::finished);
    return answer.stop == Stop::finished ? Seen::agreed : Seen::stopped;
  } catch (const Error& error) {  // too little memory to prepare, and nothing else
    EXPECT_EQ(error.place(), "memory limit") << error.what();
    return Seen::refused;
  }
}

TEST(SolverFuzz, EveryEngineAndOptionAgreesWithBruteForce) {
  using Clock = std::chrono::steady_clock;
  const char* given = std::getenv("BOXWOOD_SECONDS");
  const auto end = Clock::now() + std::chrono::seconds(given ? std::atoi(given) : 0);
  const int cases = test_cases(600);
  ProblemMaker problems(test_seed() + 1);
  RuleMaker rules(test_seed() + 2);
  int asked[4] = {};
  for (int i = 0; given ? Clock::now() < end : i < cases; ++i) {
    RandomProblem problem = problems.make();
    if (i % 2 == 0) rules.add_to(problem);
    const std::uint64_t seed = test_seed() + 3 + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    ++asked[static_cast<int>(ask(problem, seed))];
    if (!testing::Test::HasFailure()) continue;
    report_smallest(problem, [seed](const RandomProblem& smaller) { ask(smaller, seed); });
    return;
  }
  std::cout << asked[1] + asked[2] + asked[3] << " questions: " << asked[1] << " agreed, "
            << asked[2] << " were stopped by a limit, " << asked[3]
            << " were refused for lack of memory\n";
  if (given) return;
  expect_share(asked[1], cases, 0.5);
  expect_share(asked[2], cases, 0.05);
}

TEST(SolverFuzz, CompositionsAgreeWithBruteForce) {
  using Clock = std::chrono::steady_clock;
  const char* given = std::getenv("BOXWOOD_SECONDS");
  const auto end = Clock::now() + std::chrono::seconds(given ? std::atoi(given) / 4 : 0);
  const std::uint64_t first = test_seed() + 1'000'000;
  for (std::uint64_t i = 0; given ? Clock::now() < end : i < 60; ++i) {
    SCOPED_TRACE(testing::Message() << "composition " << i << " of BOXWOOD_SEED=" << test_seed());
    expect_composed_answers(RandomComposition(first + i));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace solver_fuzz_test
