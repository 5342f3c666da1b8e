// A problem as C++ source: a test that makes the same models and the same query. Numbers are
// hexadecimal, so that they are the same to the last bit; settings that are the default are left
// out.
#pragma once

#include "random_problem.hpp"

#include <string>

/// A test of that name that makes the problem and calls `check`, for which the check of the random
/// test has to be put.
std::string as_test(const RandomProblem& problem, const std::string& name);
