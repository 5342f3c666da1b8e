// More to ask of a random problem: every kind of outcome, cost and rule beyond the plain ones.
#pragma once

#include "random_problem.hpp"

#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <random>

class RuleMaker {
 public:
  explicit RuleMaker(std::uint64_t seed) : random_(seed) {}

  void add_to(RandomProblem& problem);

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool coin() { return below(2) == 0; }
  double uniform(double low, double high);

  void add_to_feature(boxwood::Query& query, std::size_t d);

  boxwood::Literal literal(const boxwood::Query& query);

  void add_clauses(boxwood::Query& query);

  void change_outcome(boxwood::Requirement& requirement, const boxwood::Ensemble& ensemble);

  std::mt19937_64 random_;
};
