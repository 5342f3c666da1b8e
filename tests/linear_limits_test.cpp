// Searches with linear rules that a limit ends, or that report their progress: what they claim
// until then is right. Choices of several sums, relaxations and bisections have bounds of their
// own.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "search/engine_settings.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace linear_limits_test {

using namespace boxwood;

/// Trees that look at most features, so that a search takes many boxes.
Ensemble drawn_model(std::size_t features, std::size_t trees, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t count) { return static_cast<double>(random() % count); };
  std::vector<Tree> made;
  for (std::size_t t = 0; t < trees; ++t) {
    Tree tree;
    tree.nodes.resize(7);
    for (std::int32_t i = 0; i < 3; ++i) {
      tree.nodes[static_cast<std::size_t>(i)] = {
          .kind = NodeKind::less,
          .feature = static_cast<std::int32_t>(below(features)),
          .left = 2 * i + 1,
          .right = 2 * i + 2,
          .threshold = below(10) + 0.5};
    }
    for (std::int32_t i = 0; i < 4; ++i) {
      tree.nodes[static_cast<std::size_t>(3 + i)].value = i;
      tree.values.push_back(below(2049) / 1024 - 1);
    }
    made.push_back(std::move(tree));
  }
  return binary_model(features, std::move(made), -3);
}

/// Whatever limit ends a search, what it claims is right: the cheapest answer costs no less than
/// the lower bound and no more than the answer, which satisfies the rules.
void expect_bounds_under_limits(const Ensemble& model, const Query& query, bool start = true,
                                Engine engine = Engine::fast) {
  Options unlimited;
  unlimited.engine = engine;
  const Answer whole = explain(model, query, unlimited);
  ASSERT_EQ(whole.status, Status::optimal);
  int early = 0;
  for (std::uint64_t nodes = 1; nodes < whole.statistics.nodes; nodes += 1 + nodes / 16) {
    Options options;
    EngineSettings settings;
    settings.report_seconds = 0;
    settings.parts.start = start;
    set(options, settings);
    options.engine = engine;
    options.threads = 1;
    options.limits.nodes = nodes;
    double shown = 0;
    options.progress = [&](const Progress& progress) {
      EXPECT_GE(progress.best_cost, whole.lower_bound);
      shown = std::max(shown, progress.lower_bound);
    };
    const Answer answer = explain(model, query, options);
    EXPECT_LE(shown, whole.cost);
    EXPECT_LE(answer.lower_bound, whole.cost);
    EXPECT_NE(answer.status, Status::infeasible);
    EXPECT_TRUE(answer.status != Status::optimal || answer.cost <= whole.cost * (1 + 1e-8));
    if (!answer.solutions.empty()) {
      EXPECT_GE(answer.cost, whole.lower_bound);
      EXPECT_TRUE(verify(model, query, answer).passed());
    }
    early += answer.status == Status::optimal ? 0 : 1;
  }
  EXPECT_GT(early, 10);
}

/// One box of the model, in which the values that the rule admits are far apart.
TEST(LinearLimits, BoundsHoldInTheSearchOfOneBox) {
  const Ensemble model = binary_model(3, {stump(0, 100, 1, -1)});
  Query query = whole_query(model, {5, 60, 7}, 90);
  query.norm = Norm::squared_l2;
  query.clauses = {{{},
                    {{{{.feature = 0, .coefficient = 37},
                       {.feature = 1, .coefficient = 41},
                       {.feature = 2, .coefficient = -43}},
                      {1, 1}}}}};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    query.norm = Norm::squared_l2;
    expect_bounds_under_limits(model, query, true, engine);
    query.norm = Norm::l0;
    expect_bounds_under_limits(model, query, true, engine);
  }
}

TEST(LinearLimits, BoundsHold) {
  const Ensemble model = drawn_model(6, 30, 5);
  Query query = whole_query(model, {2, 7, 4, 8, 1, 5}, 20);
  query.norm = Norm::squared_l2;
  const LinearCondition first{{{.feature = 0}, {.feature = 1}, {.feature = 2}}, {.upper = 12}};
  const LinearCondition second{{{.feature = 3}, {.feature = 4, .coefficient = -2}}, {.upper = 3}};
  const LinearCondition third{{{.feature = 5}, {.feature = 1, .coefficient = -1}}, {.lower = 1}};
  query.clauses = {{{}, {first}}, {{}, {second}}};
  expect_bounds_under_limits(model, query);
  query.clauses = {{{}, {first, third}}, {{}, {second, third}}};
  expect_bounds_under_limits(model, query);
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::continuous;
  query.clauses = {{{}, {first}}, {{}, {second}}};
  expect_bounds_under_limits(model, query);
}

/// One sum asks for much more than the other, and both for more than the model: what the search
/// without sums finds is no answer, and what is proven of one of the sums is no bound of both.
TEST(LinearLimits, BoundsOfOneChoiceAreNotThoseOfAll) {
  const Ensemble model = drawn_model(6, 30, 5);
  Query query = whole_query(model, {2, 7, 4, 8, 1, 5}, 20);
  query.norm = Norm::squared_l2;
  const LinearCondition cheap{{{.feature = 0}, {.feature = 1}, {.feature = 2}}, {.lower = 22}};
  const LinearCondition dear{{{.feature = 3}, {.feature = 4}, {.feature = 5}}, {.lower = 40}};
  for (const bool first : {true, false}) {
    query.clauses = {{{}, {first ? cheap : dear, first ? dear : cheap}}};
    expect_bounds_under_limits(model, query);
  }
  query.clauses = {{{}, {dear}}};
  expect_bounds_under_limits(model, query);
}

/// A search without the sums comes first, and finds points that break them.
TEST(LinearLimits, PointsThatBreakARuleAreNotShown) {
  const Ensemble model = drawn_model(8, 40, 3);
  Query query = whole_query(model, {2, 7, 4, 8, 1, 5, 3, 6}, 20);
  query.norm = Norm::squared_l2;
  Options options;
  EngineSettings settings;
  settings.report_seconds = 0;
  set(options, settings);
  options.threads = 1;
  const double without = explain(model, query).cost;
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}, {.feature = 2}}, {.lower = 32}}}}};
  int shown = 0;
  double least = std::numeric_limits<double>::infinity();
  options.progress = [&](const Progress& progress) {
    ++shown;
    least = std::min(least, progress.best_cost);
  };
  const Answer answer = explain(model, query, options);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_LT(without, answer.cost);
  EXPECT_GE(least, answer.cost);
  EXPECT_GT(shown, 10);
}

/// What the largest change costs is found by searches for sums of changes.
TEST(LinearLimits, TheLargestChange) {
  Ensemble model = drawn_model(4, 16, 7);
  model.input = Precision::float64;
  Query query = whole_query(model, {2, 7, 4, 8}, 20);
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::continuous;
  query.norm = Norm::linf;
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}, {.feature = 2}}, {.lower = 24}}}}};
  expect_bounds_under_limits(model, query);
  expect_bounds_under_limits(model, query, false);
  // Many small changes: their sum is no bound of the largest one.
  std::vector<Tree> trees;
  for (std::int32_t d = 0; d < 10; ++d) {
    trees.push_back(stump(d, 1, -1, 1));
    trees.push_back(stump(d, 2, 0, 1));
  }
  const Ensemble small = binary_model(10, trees, -9);
  Query all = query_for(small, std::vector<double>(10, 0));
  all.norm = Norm::linf;
  all.requirements = {require_class(1)};
  all.clauses = {{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = -1.1}}, {.lower = 0.1}}}}};
  expect_bounds_under_limits(small, all, false);
}

/// Points with the same cost are listed by the number of their changes, then by their values, also
/// where they satisfy another one of several sums; and no more of them than are asked for.
TEST(LinearLimits, TiesOfSeveralChoicesAreListedInOrder) {
  const Ensemble model = binary_model(3, {stump(0, -5, -1, 1)});
  Query query = whole_query(model, {0, 0, 0}, 10);
  const LinearCondition first{{{.feature = 0}, {.feature = 1}}, {.lower = 3}};
  const LinearCondition second{{{.feature = 1}, {.feature = 2}}, {.lower = 3}};
  const std::vector<std::vector<double>> all{{0, 0, 3}, {0, 3, 0}, {3, 0, 0}, {0, 1, 2},
                                             {0, 2, 1}, {1, 2, 0}, {2, 1, 0}};
  for (const bool swapped : {false, true}) {
    query.clauses = {{{}, {swapped ? second : first, swapped ? first : second}}};
    for (const std::size_t ties : {std::size_t{1}, std::size_t{3}, std::size_t{10}}) {
      Options options;
      options.ties = ties;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, Status::optimal);
      ASSERT_EQ(answer.solutions.size(), std::min(ties, all.size()));
      EXPECT_EQ(answer.more_ties, ties < all.size());
      for (std::size_t i = 0; i < answer.solutions.size(); ++i) {
        EXPECT_EQ(answer.solutions[i].point, all[i]);
      }
    }
  }
}

}  // namespace linear_limits_test
