// Limits lead to results: whatever stops a search, its point works, its bound is valid, and it
// stops soon.
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "processor_time.hpp"
#include "random_problem.hpp"
#include "search/engine_settings.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace limits_test {

using namespace boxwood;

/// A forest of full random trees.
Ensemble large_model(std::size_t trees, std::size_t width, int depth, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Ensemble ensemble;
  ensemble.task = Task::binary;
  ensemble.link = Link::sigmoid;
  ensemble.base = {-0.25};
  for (std::size_t d = 0; d < width; ++d)
    ensemble.features.push_back({"f" + std::to_string(d), {}});
  for (std::size_t t = 0; t < trees; ++t) {
    Tree tree;
    const std::int32_t inner = (1 << depth) - 1;
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

Query large_query(const Ensemble& ensemble, std::uint64_t seed, std::optional<double> probability) {
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
  EXPECT_LE(answer.lower_bound, answer.cost);
  const bool found = !answer.solutions.empty();
  if (answer.stop == Stop::finished) {
    EXPECT_EQ(answer.status, found ? Status::optimal : Status::infeasible);
  } else {
    EXPECT_EQ(answer.status, found ? Status::feasible : Status::unknown);
  }
}

/// Every limit holds for both engines.
class Limits : public testing::TestWithParam<Engine> {
 protected:
  /// Far too much for the engine: many deep trees that have nothing in common, and a probability
  /// that few points reach.
  static const Ensemble& busy_model() {
    static const Ensemble for_fast = large_model(200, 20, 6, 1);
    static const Ensemble for_paper = large_model(150, 12, 5, 1);
    return GetParam() == Engine::fast ? for_fast : for_paper;
  }
  static Query busy_query() {
    return large_query(busy_model(), 2, GetParam() == Engine::fast ? 0.999 : 0.8);
  }

  static Options options(int threads = 0) {
    Options options;
    options.engine = GetParam();
    options.threads = threads;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, Limits, testing::Values(Engine::fast, Engine::paper),
                         [](const auto& chosen) { return to_string(chosen.param); });

TEST_P(Limits, BoundsAreValidWhereverTheSearchStops) {
  ProblemMaker maker(test_seed());
  std::mt19937_64 random(test_seed() + 1);
  int stopped = 0, with_point = 0;
  const int cases = test_cases(3000);
  for (int i = 0; i < cases; ++i) {
    const RandomProblem problem = maker.make();
    const auto truth = Oracle::solve(problem.ensembles, problem.query, 5'000);
    if (!truth) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    Options limited = options(i % 3 == 0 ? 3 : 1);
    limited.limits.nodes = random() % 25;
    set(limited, PaperAdditions{.score_pruning = i % 2 == 0});
    set(limited, FastParts{i % 2 == 0, i % 5 < 2, i % 7 < 5});
    const Answer answer = explain(problem.ensembles, problem.query, limited);
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
    const Verification check = verify(problem.ensembles, problem.query, answer, 8, 3);
    EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
    if (testing::Test::HasFailure()) return;
  }
  expect_share(stopped, cases, 1.0 / 30);
  expect_share(with_point, cases, 1.0 / 70);
}

TEST_P(Limits, TimeIsKept) {
  Options limited = options(1);
  limited.limits.seconds = 0.3;
  Answer answer;
  const double taken = boxwood_test::processor_seconds(
      [&] { answer = explain(busy_model(), busy_query(), limited); });
  EXPECT_EQ(answer.stop, Stop::time);
  EXPECT_GE(answer.statistics.seconds, 0.3);
  EXPECT_LT(taken, 5.0);  // generous: sanitizers
  EXPECT_GT(answer.statistics.open_nodes, 0U);
  expect_valid(busy_model(), busy_query(), answer);
}

TEST_P(Limits, MemoryIsKept) {
  const bool fast = GetParam() == Engine::fast;
  Options limited = options(1);
  limited.published = true;
  limited.limits.nodes = 0;
  const std::uint64_t tables = explain(busy_model(), busy_query(), limited).statistics.peak_bytes;
  limited.limits.nodes = boxwood::Limits{}.nodes;
  limited.limits.bytes = fast ? 3 * tables : tables + 100'000;
  limited.limits.seconds = fast ? 2 : 60;
  const Answer answer = explain(busy_model(), busy_query(), limited);
  // The fast engine goes depth-first before it gives up: then time ends the search.
  EXPECT_TRUE(answer.stop == Stop::memory || (fast && answer.stop == Stop::time))
      << to_string(answer.stop);
  EXPECT_GT(answer.statistics.peak_bytes, limited.limits.bytes / 2);
  // What stops it is the first box too many: no box is larger than the first one's tables.
  EXPECT_LT(answer.statistics.peak_bytes, limited.limits.bytes + (fast ? tables : 900'000));
  expect_valid(busy_model(), busy_query(), answer);
}

TEST(LimitsOfTheFastEngine, ShortOfMemoryItGoesDepthFirst) {
  // With the least bound first these would be full long before the time is up.
  const Ensemble model = large_model(100, 12, 5, 1);
  const Query query = large_query(model, 2, 0.999);
  Options options;
  options.threads = 1;
  options.limits.bytes = 12'000'000;
  options.limits.seconds = 1;
  const Answer answer = explain(model, query, options);
  EXPECT_EQ(answer.stop, Stop::time);
  EXPECT_LE(answer.statistics.peak_bytes, options.limits.bytes);
  expect_valid(model, query, answer);
}

TEST_P(Limits, AnInterruptKeepsWhatWasFound) {
  std::atomic<bool> interrupt{false};
  Options limited = options();
  limited.limits.interrupt = &interrupt;
  limited.limits.seconds = 60;
  const Prepared prepared(busy_model());
  // Another thread interrupts as soon as the search has told that it is under way.
  std::atomic<bool> searching{false};
  limited.progress = [&](const Progress&) {
    searching = true;
    searching.notify_one();
  };
  std::thread other([&] {
    searching.wait(false);
    interrupt = true;
  });
  const Answer answer = explain(prepared, busy_query(), limited);
  searching = true;  // should it have ended without a word
  searching.notify_one();
  other.join();
  EXPECT_EQ(answer.stop, Stop::interrupt);
  expect_valid(busy_model(), busy_query(), answer);
}

TEST_P(Limits, TheThreadThatAsksPollsAndMayInterrupt) {
  std::atomic<bool> interrupt{false};
  Options limited = options();
  limited.limits.interrupt = &interrupt;
  limited.limits.seconds = 60;
  // Open nodes are left to other threads; the asking thread goes on polling meanwhile.
  std::atomic<bool> searching{false};
  limited.progress = [&](const Progress& progress) { searching = progress.nodes > 2000; };
  std::size_t polls = 0, elsewhere = 0;
  limited.limits.poll = [&, asking = std::this_thread::get_id()] {
    ++polls;
    elsewhere += std::this_thread::get_id() != asking ? 1U : 0U;
    if (searching) interrupt = true;
  };
  const Answer answer = explain(busy_model(), busy_query(), limited);
  EXPECT_EQ(answer.stop, Stop::interrupt);
  EXPECT_GT(polls, 0U);
  EXPECT_EQ(elsewhere, 0U);
  expect_valid(busy_model(), busy_query(), answer);
}

TEST_P(Limits, ProgressNeverGoesBack) {
  std::vector<Progress> reports;
  // Some reports will do; a slow or crowded machine gets the time for them.
  std::atomic<bool> enough{false};
  Options limited = options(3);
  limited.limits.seconds = 20;
  limited.limits.interrupt = &enough;
  limited.progress = [&](const Progress& progress) {
    reports.push_back(progress);
    enough = reports.size() >= 6;
  };
  const Answer answer = explain(busy_model(), busy_query(), limited);
  ASSERT_GE(reports.size(), 2U);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_LE(reports[i].lower_bound, reports[i].best_cost);
    if (i == 0) continue;
    EXPECT_LE(reports[i].best_cost, reports[i - 1].best_cost);
    EXPECT_GE(reports[i].lower_bound, reports[i - 1].lower_bound);
    EXPECT_GE(reports[i].seconds, reports[i - 1].seconds);
  }
  EXPECT_LE(answer.cost, reports.back().best_cost);
  EXPECT_GE(answer.lower_bound, reports.back().lower_bound);
}

TEST_P(Limits, OneThreadDoesTheSameHoweverSlowTheMachineIs) {
  Options limited = options(1);
  limited.limits.nodes = GetParam() == Engine::fast ? 6'000 : 10'000;
  const Answer once = explain(busy_model(), busy_query(), limited);
  ASSERT_EQ(once.stop, Stop::nodes);
  // A machine that stands still now and then: a search that went by its clock would do otherwise.
  int pauses = 0;
  limited.progress = [&pauses](const Progress&) {
    if (++pauses < 6) std::this_thread::sleep_for(std::chrono::milliseconds(150));
  };
  const Answer again = explain(busy_model(), busy_query(), limited);
  EXPECT_GT(pauses, 0);
  EXPECT_EQ(again.stop, Stop::nodes);
  EXPECT_EQ(again.statistics.nodes, once.statistics.nodes);
  EXPECT_EQ(again.statistics.open_nodes, once.statistics.open_nodes);
  EXPECT_EQ(again.lower_bound, once.lower_bound);
  EXPECT_EQ(again.cost, once.cost);
  EXPECT_EQ(again.solutions, once.solutions);
}

TEST_P(Limits, ThreadsDoNotChangeTheAnswer) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Ensemble model = large_model(16, 5, 5, seed);
    const Query query = large_query(model, seed + 100, std::nullopt);
    const Answer one = explain(model, query, options(1));
    ASSERT_EQ(one.status, Status::optimal);
    for (const int threads : {2, 4}) {
      const Answer several = explain(model, query, options(threads));
      EXPECT_EQ(several.status, one.status);
      EXPECT_EQ(several.cost, one.cost);
      EXPECT_EQ(several.solutions, one.solutions);
    }
  }
}

TEST_P(Limits, TheLargestChangeIsWhatItIsWhereverTheSearchStops) {
  // Moving one feature by 4 or two by 2 has the same sum, but not the same largest change.
  Ensemble model = binary_model(2, {stump(0, 2, 0, 1), stump(0, 4, 0, 1), stump(1, 2, 0, 1)});
  model.task = Task::regression;
  model.link = Link::identity;
  Query query = query_for(model, std::vector<double>{0, 0});
  query.requirements = {require_output({.lower = 2})};
  query.norm = Norm::linf;
  for (std::uint64_t nodes = 0; nodes < 80; ++nodes) {
    SCOPED_TRACE(nodes);
    Options limited = options(1);
    limited.limits.nodes = nodes;
    const Answer answer = explain(model, query, limited);
    expect_valid(model, query, answer);
    EXPECT_LE(answer.lower_bound, 2);
    EXPECT_GE(answer.cost, 2);
  }
  EXPECT_EQ(explain(model, query, options(1)).best().point, (std::vector<double>{2, 2}));
}

TEST_P(Limits, LeavesInTooManyPiecesEndAtTheMemoryLimit) {
  // Each tree asks that all eight features have one bit of their category.
  const Ensemble model = bits_model(1, -1, true);
  Query query = query_for(model, std::vector<double>(8, 0.0));
  query.requirements = {require_class(1)};
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::categorical;
  Options limited = options(1);
  limited.limits.bytes = 1 << 22;
  const Answer answer = explain(model, query, limited);
  EXPECT_EQ(answer.stop, Stop::memory);
  EXPECT_TRUE(answer.status == Status::unknown || answer.status == Status::feasible);
  EXPECT_LE(answer.lower_bound, 8);
}

TEST_P(Limits, TiesAreCappedAndTheFirstOnesKept) {
  // Moving either of three features across 0.5, up or down in any mixture, costs the same.
  Ensemble model;
  model.task = Task::binary;
  model.link = Link::sigmoid;
  model.base = {-0.5};
  for (int d = 0; d < 3; ++d) {
    model.features.push_back({"f" + std::to_string(d), FeatureKind::integer});
    Tree tree;
    tree.nodes.resize(3);
    tree.nodes[0] = {.kind = NodeKind::less, .feature = d, .left = 1, .right = 2, .threshold = 0.5};
    tree.nodes[1].value = 0;
    tree.nodes[2].value = 1;
    tree.values = {0, 1};
    model.trees.push_back(tree);
  }
  model.validate();
  Query query = query_for(model, std::vector<double>{0, 0, 0});
  query.requirements = {require_class(1)};
  const Answer all = explain(model, query, options());
  ASSERT_EQ(all.solutions.size(), 3U);
  EXPECT_FALSE(all.more_ties);
  EXPECT_EQ(all.solutions[0].point, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(all.solutions[2].point, (std::vector<double>{1, 0, 0}));
  Options two = options();
  two.ties = 2;
  const Answer capped = explain(model, query, two);
  EXPECT_TRUE(capped.more_ties);
  ASSERT_EQ(capped.solutions.size(), 2U);
  EXPECT_EQ(capped.solutions[0], all.solutions[0]);
  EXPECT_EQ(capped.solutions[1], all.solutions[1]);
}

TEST_P(Limits, TiesOfTheLargestChangeAreNotSaidToBeComplete) {
  // Moving the first feature by 1 is enough; moving the second by 1 as well has the same cost.
  const Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1), stump(1, 0.5, 0, 0.25)});
  Query query = query_for(model, std::vector{0.0, 0.0});
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
  query.requirements = {require_class(1)};
  query.norm = Norm::linf;
  const Answer answer = explain(model, query, options());
  EXPECT_EQ(answer.cost, 1);
  EXPECT_TRUE(answer.solutions.size() == 2 || answer.more_ties);
  query.point = {1.0, 0.0};
  EXPECT_FALSE(explain(model, query, options()).more_ties);
}

}  // namespace limits_test
