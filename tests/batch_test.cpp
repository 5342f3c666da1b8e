// Many queries at once: the results and their order do not depend on the number of threads, and a
// batch that ends early keeps what it found.
#include <boxwood/explain.hpp>

#include "random_problem.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace batch_test {

using namespace boxwood;

/// A forest of stumps in ten features, with queries around it that take some nodes each.
Ensemble forest() {
  std::mt19937_64 random(7);
  std::vector<Tree> trees;
  for (int t = 0; t < 60; ++t) {
    const double threshold = static_cast<float>(random() % 1000) / 1000.0F;
    const double step = static_cast<float>(random() % 100) / 100.0F;
    trees.push_back(stump(static_cast<std::int32_t>(random() % 10), threshold, -step, step));
  }
  return binary_model(10, std::move(trees), -0.5);
}

std::vector<Query> queries_for(const Ensemble& model, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> point;
    for (std::size_t d = 0; d < model.features.size(); ++d) {
      point.push_back(std::uniform_real_distribution<double>(0, 1)(random));
    }
    queries.push_back(query_for(model, point));
    queries.back().requirements = {require_class(1, 0.5 + 0.4 * static_cast<double>(i % 5) / 5)};
  }
  return queries;
}

std::vector<BatchResult> results_of(const Prepared& prepared, const std::vector<Query>& queries,
                                    const Options& options) {
  std::vector<BatchResult> results;
  const Stop stop = explain_batch(
      prepared, queries,
      [&](BatchResult result) {
        results.push_back(std::move(result));
        return true;
      },
      options);
  EXPECT_EQ(stop, Stop::finished);
  return results;
}

void expect_same(const std::vector<BatchResult>& results, const std::vector<BatchResult>& truth) {
  ASSERT_EQ(results.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_EQ(results[i].index, i);
    ASSERT_TRUE(results[i].answer && truth[i].answer);
    EXPECT_EQ(results[i].answer->status, truth[i].answer->status);
    EXPECT_EQ(results[i].answer->stop, truth[i].answer->stop);
    EXPECT_EQ(results[i].answer->cost, truth[i].answer->cost);
    EXPECT_EQ(results[i].answer->lower_bound, truth[i].answer->lower_bound);
    EXPECT_EQ(results[i].answer->solutions, truth[i].answer->solutions);
    EXPECT_EQ(results[i].answer->statistics.nodes, truth[i].answer->statistics.nodes);
  }
}

TEST(Batch, ResultsDoNotDependOnTheNumberOfThreads) {
  const Ensemble model = forest();
  const Prepared prepared(model);
  const std::vector<Query> queries = queries_for(model, 200, test_seed());
  std::size_t limited = 0;
  for (const std::uint64_t nodes : {std::uint64_t{5}, Limits{}.nodes}) {
    Options options;
    options.limits.nodes = nodes;
    options.threads = 1;
    const std::vector<BatchResult> truth = results_of(prepared, queries, options);
    for (const BatchResult& result : truth) limited += result.answer->stop == Stop::nodes ? 1U : 0U;
    for (const int threads : {2, 4}) {
      options.threads = threads;
      expect_same(results_of(prepared, queries, options), truth);
    }
  }
  EXPECT_GT(limited, 0U) << "the limit on nodes ended no query";
}

TEST(Batch, AnyNumberOfThreadsMayBeAskedFor) {
  const Ensemble model = forest();
  const Prepared prepared(model);
  const std::vector<Query> queries = queries_for(model, 3, 1);
  Options options;
  options.threads = 1;
  const std::vector<BatchResult> truth = results_of(prepared, queries, options);
  options.threads = 1'000'000'000;
  expect_same(results_of(prepared, queries, options), truth);
}

TEST(Batch, GivesWhatExplainGives) {
  ProblemMaker maker(test_seed());
  const int cases = test_cases(60);
  const auto make = [&](int) { return maker.make(); };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int) {
    const Prepared prepared(problem.ensembles);
    Options options;
    options.threads = 2;
    const std::vector<Query> queries(5, problem.query);
    Options alone;
    alone.threads = 1;
    const Answer truth = explain(prepared, problem.query, alone);
    for (const BatchResult& result : results_of(prepared, queries, options)) {
      ASSERT_TRUE(result.answer);
      EXPECT_EQ(result.answer->status, truth.status);
      EXPECT_EQ(result.answer->cost, truth.cost);
      EXPECT_EQ(result.answer->solutions.size(), truth.solutions.size());
    }
  });
}

TEST(Batch, AQueryThatMakesNoSenseIsAnErrorOfItsOwn) {
  const Ensemble model = forest();
  std::vector<Query> queries = queries_for(model, 20, 1);
  queries[7].point.pop_back();
  std::size_t errors = 0, answers = 0;
  explain_batch(Prepared(model), queries, [&](const BatchResult& result) {
    answers += result.answer ? 1U : 0U;
    if (!result.error) return true;
    EXPECT_EQ(result.index, 7U);
    ++errors;
    return true;
  });
  EXPECT_EQ(errors, 1U);
  EXPECT_EQ(answers, 19U);
}

TEST(Batch, QueriesAreMadeWhenTheyAreNeeded) {
  const Ensemble model = forest();
  const std::vector<Query> queries = queries_for(model, 5, 1);
  std::atomic<std::size_t> made = 0;
  Options options;
  options.threads = 2;
  std::size_t visited = 0;
  const Queries lazy{1'000'000, [&](std::size_t i) {
                       ++made;
                       return queries[i % 5];
                     }};
  const Stop stop = explain_batch(
      Prepared(model), lazy, [&](const BatchResult&) { return ++visited < 10; }, options);
  EXPECT_EQ(stop, Stop::visitor);
  EXPECT_EQ(visited, 10U);
  EXPECT_LT(made, 5'000U) << "work goes on only so far ahead of the visitor";
}

TEST(Batch, AVisitorStopsItAfterAnyNumberOfResults) {
  const Ensemble model = forest();
  const Prepared prepared(model);
  const std::vector<Query> queries = queries_for(model, 50, 2);
  for (const int threads : {1, 2, 4}) {
    Options options;
    options.threads = threads;
    std::vector<std::size_t> visited;
    const Stop stop = explain_batch(
        prepared, queries,
        [&](const BatchResult& result) {
          visited.push_back(result.index);
          return visited.size() < 6;
        },
        options);
    EXPECT_EQ(stop, Stop::visitor);
    EXPECT_EQ(visited, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(Batch, AnInterruptKeepsWhatWasFound) {
  const Ensemble model = forest();
  const Prepared prepared(model);
  const std::vector<Query> queries = queries_for(model, 5, 3);
  for (const int threads : {1, 2, 4}) {
    std::atomic<bool> interrupt = false;
    Options options;
    options.threads = threads;
    options.limits.interrupt = &interrupt;
    std::vector<std::size_t> visited;
    std::size_t finished = 0;
    const Queries endless{1'000'000, [&](std::size_t i) { return queries[i % 5]; }};
    const Stop stop = explain_batch(
        prepared, endless,
        [&](const BatchResult& result) {
          EXPECT_EQ(result.index, visited.size()) << "in order and without gaps";
          EXPECT_TRUE(result.answer);
          finished += result.answer->stop == Stop::finished ? 1U : 0U;
          visited.push_back(result.index);
          if (visited.size() == 20) interrupt = true;
          return true;
        },
        options);
    EXPECT_EQ(stop, Stop::interrupt);
    EXPECT_GE(finished, 20U);
    EXPECT_LT(visited.size(), 20U + 1024U + 1U);
  }
}

TEST(Batch, WhatAVisitorThrowsEndsIt) {
  const Ensemble model = forest();
  const std::vector<Query> queries = queries_for(model, 50, 4);
  std::size_t visited = 0;
  const auto visit = [&](const BatchResult&) -> bool {
    if (++visited == 3) throw std::runtime_error("enough");
    return true;
  };
  EXPECT_THROW(explain_batch(Prepared(model), queries, visit), std::runtime_error);
  EXPECT_EQ(visited, 3U);
}

TEST(Batch, OfNoQueriesIsFinished) {
  const Prepared prepared(forest());
  EXPECT_TRUE(results_of(prepared, {}, {}).empty());
}

/// Lists that a search leaves to the next one (fast::SpareLists) lend it memory and nothing else.
TEST(Batch, SearchesDoNotDependOnWhatWasAskedBefore) {
  const Ensemble model = forest();
  const Prepared asked_often(model);
  std::uint64_t nodes = 0;
  for (const std::uint64_t most_nodes : {std::uint64_t{1'000'000}, std::uint64_t{12}}) {
    Options options;
    options.threads = 1;
    options.limits.nodes = most_nodes;
    for (const Query& query : queries_for(model, 20, 11)) {
      const Answer later = explain(asked_often, query, options);
      const Answer first = explain(Prepared(model), query, options);
      EXPECT_EQ(later.status, first.status);
      EXPECT_EQ(later.cost, first.cost);
      EXPECT_EQ(later.lower_bound, first.lower_bound);
      EXPECT_EQ(later.statistics.nodes, first.statistics.nodes);
      nodes += first.statistics.nodes;
      EXPECT_EQ(later.statistics.peak_bytes, first.statistics.peak_bytes);
      ASSERT_EQ(later.solutions.size(), first.solutions.size());
      if (first.solutions.empty()) continue;
      EXPECT_EQ(later.best().point, first.best().point);
    }
  }
  EXPECT_GT(nodes, 400);
}

}  // namespace batch_test
