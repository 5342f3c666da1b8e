// Limits lead to results: whatever stops a search, its point works, its bound is valid, and it
// stops soon.
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using namespace boxwood;

/// A forest of deep random trees: far too much for the paper's engine as published.
Ensemble large_model(std::size_t trees, std::size_t width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Ensemble ensemble;
  ensemble.task = Task::binary;
  ensemble.link = Link::sigmoid;
  ensemble.base = {-0.25};
  for (std::size_t d = 0; d < width; ++d)
    ensemble.features.push_back({"f" + std::to_string(d), {}});
  for (std::size_t t = 0; t < trees; ++t) {
    Tree tree;
    constexpr std::int32_t inner = 31;
    for (std::int32_t i = 0; i < 2 * inner + 1; ++i) {
      Node node;
      if (i < inner) {
        node.kind = NodeKind::less;
        node.feature = static_cast<std::int32_t>(random() % width);
        node.threshold = static_cast<double>(static_cast<float>(random() % 1000) / 1000.0F);
        node.left = 2 * i + 1;
        node.right = 2 * i + 2;
      } else {
        node.value = static_cast<std::int32_t>(tree.values.size());
        tree.values.push_back(
            static_cast<double>(static_cast<float>(random() % 100) / 400.0F - 0.125F));
      }
      tree.nodes.push_back(node);
    }
    ensemble.trees.push_back(tree);
  }
  ensemble.validate();
  return ensemble;
}

Query large_query(const Ensemble& ensemble, std::uint64_t seed,
                  std::optional<double> probability = 0.8) {
  std::mt19937_64 random(seed);
  std::vector<double> point;
  for (std::size_t d = 0; d < ensemble.features.size(); ++d) {
    point.push_back(std::uniform_real_distribution<double>(0, 1)(random));
  }
  Query query = query_for(ensemble, point);
  const std::size_t now = ensemble.classify(ensemble.predict(point));
  query.requirements = {require_class(1 - now, probability)};
  return query;
}

void expect_valid(const Ensemble& ensemble, const Query& query, const Answer& answer) {
  const Verification check = verify(std::span(&ensemble, 1), query, answer);
  EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
}

TEST(Limits, BoundsAreValidWhereverTheSearchStops) {
  ProblemMaker maker(test_seed());
  std::mt19937_64 random(test_seed() + 1);
  int stopped = 0, with_point = 0;
  const int cases = test_cases(3000);
  for (int i = 0; i < cases; ++i) {
    const RandomProblem problem = maker.make();
    const auto truth = Oracle::solve(problem.ensembles, problem.query, 5'000);
    if (!truth) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    Options options;
    options.threads = i % 3 == 0 ? 3 : 1;
    options.limits.nodes = random() % 25;
    options.additions.score_pruning = i % 2 == 0;
    const Answer answer = explain(problem.ensembles, problem.query, options);
    EXPECT_LE(answer.lower_bound, truth->cost);
    EXPECT_GE(answer.cost, truth->cost);
    EXPECT_TRUE(answer.status != Status::optimal || answer.cost == truth->cost);
    EXPECT_TRUE(answer.status != Status::infeasible || truth->points.empty());
    if (answer.stop != Stop::finished) {
      EXPECT_EQ(answer.stop, Stop::nodes);
      EXPECT_TRUE(answer.status == Status::feasible || answer.status == Status::unknown);
      ++stopped;
      with_point += answer.status == Status::feasible ? 1 : 0;
    }
    EXPECT_TRUE(verify(problem.ensembles, problem.query, answer, 8, 3).passed());
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(stopped, cases / 30);
  EXPECT_GT(with_point, cases / 300);
}

TEST(Limits, TimeIsKept) {
  const Ensemble model = large_model(150, 12, 1);
  const Query query = large_query(model, 2);
  Options options;
  options.limits.seconds = 0.3;
  const Answer answer = explain(model, query, options);
  EXPECT_EQ(answer.stop, Stop::time);
  EXPECT_LT(answer.statistics.seconds, 5.0);  // generous: sanitizers and busy machines
  EXPECT_GT(answer.statistics.open_nodes, 0U);
  expect_valid(model, query, answer);
}

TEST(Limits, MemoryIsKept) {
  const Ensemble model = large_model(150, 12, 1);
  const Query query = large_query(model, 2);
  Options options;
  options.limits.nodes = 0;
  options.additions = {false, false};
  const std::uint64_t tables = explain(model, query, options).statistics.peak_bytes;
  options.limits.nodes = Limits{}.nodes;
  options.limits.bytes = tables + 100'000;
  options.limits.seconds = 60;
  options.additions = {false, false};
  const Answer answer = explain(model, query, options);
  EXPECT_EQ(answer.stop, Stop::memory);
  EXPECT_LT(answer.statistics.peak_bytes, tables + 1'000'000);
  expect_valid(model, query, answer);
}

TEST(Limits, AnInterruptKeepsWhatWasFound) {
  const Ensemble model = large_model(150, 12, 1);
  const Query query = large_query(model, 2);
  std::atomic<bool> interrupt{false};
  Options options;
  options.limits.interrupt = &interrupt;
  options.limits.seconds = 60;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    interrupt = true;
  });
  const Answer answer = explain(model, query, options);
  other.join();
  EXPECT_EQ(answer.stop, Stop::interrupt);
  EXPECT_LT(answer.statistics.seconds, 5.0);
  expect_valid(model, query, answer);
}

TEST(Limits, ProgressNeverGoesBack) {
  const Ensemble model = large_model(150, 12, 1);
  const Query query = large_query(model, 2);
  std::vector<Progress> reports;
  Options options;
  options.threads = 3;
  options.limits.seconds = 1;
  options.progress = [&](const Progress& progress) { reports.push_back(progress); };
  const Answer answer = explain(model, query, options);
  ASSERT_GE(reports.size(), 2U);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_LE(reports[i].lower_bound, reports[i].best_cost);
    if (i == 0) continue;
    EXPECT_LE(reports[i].best_cost, reports[i - 1].best_cost);
    EXPECT_GE(reports[i].lower_bound, reports[i - 1].lower_bound);
    EXPECT_GE(reports[i].seconds, reports[i - 1].seconds);
  }
  EXPECT_LE(answer.cost, reports.back().best_cost);
}

TEST(Limits, ThreadsDoNotChangeTheAnswer) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Ensemble model = large_model(16, 5, seed);
    const Query query = large_query(model, seed + 100, std::nullopt);
    Options options;
    options.threads = 1;
    const Answer one = explain(model, query, options);
    ASSERT_EQ(one.status, Status::optimal);
    for (const int threads : {2, 4}) {
      options.threads = threads;
      const Answer several = explain(model, query, options);
      EXPECT_EQ(several.status, one.status);
      EXPECT_EQ(several.cost, one.cost);
      EXPECT_EQ(several.solutions, one.solutions);
    }
  }
}

TEST(Limits, TiesAreCappedAndTheFirstOnesKept) {
  // Moving either of three features across 0.5, up or down in any mixture, costs the same.
  Ensemble model;
  model.task = Task::binary;
  model.link = Link::sigmoid;
  model.base = {-0.5};
  for (int d = 0; d < 3; ++d) {
    model.features.push_back({"f" + std::to_string(d), FeatureKind::integer});
    Tree tree;
    tree.nodes.resize(3);
    tree.nodes[0] = {NodeKind::less, false, d, 1, 2, -1, 0.5};
    tree.nodes[1].value = 0;
    tree.nodes[2].value = 1;
    tree.values = {0, 1};
    model.trees.push_back(tree);
  }
  model.validate();
  Query query = query_for(model, std::vector<double>{0, 0, 0});
  query.requirements = {require_class(1)};
  const Answer all = explain(model, query);
  ASSERT_EQ(all.solutions.size(), 3U);
  EXPECT_FALSE(all.more_ties);
  EXPECT_EQ(all.solutions[0].point, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(all.solutions[2].point, (std::vector<double>{1, 0, 0}));
  Options options;
  options.ties = 2;
  const Answer capped = explain(model, query, options);
  EXPECT_TRUE(capped.more_ties);
  ASSERT_EQ(capped.solutions.size(), 2U);
  EXPECT_EQ(capped.solutions[0], all.solutions[0]);
  EXPECT_EQ(capped.solutions[1], all.solutions[1]);
}

}  // namespace
