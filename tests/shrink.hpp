// Makes a small problem of a random one that fails: drops ensembles, requirements, trees, splits,
// rules and features and simplifies numbers for as long as the failure persists. The result is
// printed as a test that can be pasted into a test file.
//
//   expect_or_shrink(problem, [&](const RandomProblem& smaller) { EXPECT_EQ(…); });
//   for_random_problems(cases, [&](int) { return maker.make(); },
//                       [&](const RandomProblem& problem, int) { EXPECT_EQ(…); });
#pragma once

#include "random_problem.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <functional>

using Fails = std::function<bool(const RandomProblem&)>;
using Check = std::function<void(const RandomProblem&)>;

/// The smallest problem found that still fails.
RandomProblem shrink(const RandomProblem& problem, const Fails& fails);

/// Prints the smallest problem that fails the check, as a test, and reports how it fails.
void report_smallest(const RandomProblem& problem, const Check& check);

/// Checks a problem; where the check fails, does the same for the smallest problem that fails.
void expect_or_shrink(const RandomProblem& problem, const Check& check);

/// Calls check(make(i), i) for each i below `cases` and stops at the first failure, which it
/// shrinks. What is random belongs to `make`: a check is repeated while its problem is shrunk.
template <class Make, class CheckOne>
void for_random_problems(int cases, Make make, CheckOne check) {
  for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    expect_or_shrink(make(i), [&](const RandomProblem& problem) { check(problem, i); });
  }
}
