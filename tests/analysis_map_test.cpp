// Maps of two features, with and without a radius, against what the models say of points in their
// rectangles and against brute force.
#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>

#include "oracle.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

namespace analysis_map_test {

using namespace boxwood;

TEST(Map, WithARadiusLeavesOutWhatALimitLeftOpen) {
  const Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1), stump(0, 0.25, -2, 0)});
  Query query = query_for(model, std::vector{0.0, 0.0, 0.0});
  query.requirements = {require_class(1)};
  MapOptions options;
  options.radius = 0.75;
  std::atomic<bool> interrupt = true;
  Options limited;
  limited.limits.interrupt = &interrupt;
  const Map map = find_map(Prepared(model), query, options, limited);
  EXPECT_EQ(map.stop, Stop::interrupt);
  for (const MapCell& cell : map.cells) EXPECT_LT(cell.cost, 1e9) << "undecided is not unreachable";
}

TEST(Map, RectanglesCoverTheViewAndAreDecidedAlike) {
  ProblemMaker maker(test_seed(), small_size());
  int cells = 0;
  const int cases = test_cases(400);
  const auto make = [&](int) {
    RandomProblem problem = maker.make();
    problem.query.groups.clear();
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    if (problem.query.point.size() < 2) return;  // shrunk too far
    const Ensemble& model = problem.ensembles[0];
    std::mt19937_64 random(test_seed() + static_cast<std::uint64_t>(i));
    MapOptions options;
    if (i % 2 == 0) options.x_view = {0.1, 0.9};
    const Map map = find_map(Prepared(problem.ensembles), problem.query, options);
    cells += static_cast<int>(map.cells.size());
    for (int k = 0; k < 50; ++k) {
      std::vector<double> point = problem.query.point;
      const auto pick = [&](const Interval& view) {
        const double value = std::uniform_real_distribution<double>(view.lower, view.upper)(random);
        return static_cast<double>(static_cast<float>(value));
      };
      point[0] = pick(map.x_view);
      point[1] = pick(map.y_view);
      if (!map.x_view.contains(point[0]) || !map.y_view.contains(point[1])) continue;
      int holding = 0;
      for (const MapCell& cell : map.cells) {
        if (!cell.x.contains(point[0]) || !cell.y.contains(point[1])) continue;
        ++holding;
        EXPECT_EQ(cell.outputs, model.transform(model.predict(point)));
        EXPECT_EQ(cell.meets, Oracle::works(problem.ensembles, problem.query, point));
      }
      EXPECT_EQ(holding, 1) << point[0] << ", " << point[1];
    }
  });
  expect_share(cells, cases, 2);
}

TEST(Map, WithARadiusShowsWhatOtherFeaturesCanDo) {
  // Only the third feature decides; from 0 it takes a step of 0.5.
  const Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1), stump(0, 0.25, -2, 0)});
  Query query = query_for(model, std::vector{0.0, 0.0, 0.0});
  query.requirements = {require_class(1)};
  query.norm = Norm::l1;
  MapOptions options;
  options.radius = 0.75;
  const Map map = find_map(Prepared(model), query, options);
  ASSERT_EQ(map.cells.size(), 2U);
  EXPECT_FALSE(map.cells[0].meets);  // below 0.25 of the first nothing helps
  EXPECT_TRUE(map.cells[1].meets);
  EXPECT_EQ(map.cells[1].cost, 0.5);
  options.radius = 0.25;
  EXPECT_FALSE(find_map(Prepared(model), query, options).cells.back().meets);
  options.y = 0;
  EXPECT_THROW(find_map(Prepared(model), query, options), Error);
}

TEST(Map, WithARadiusKnowsWhereStatementsCut) {
  Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  model.input = Precision::float64;
  Query query = query_for(model, std::vector{0.0, 0.0, 0.0});
  query.requirements = {require_class(1)};
  query.norm = Norm::l1;
  // The third may rise only where the first is at least 2, which no split of the model says.
  query.clauses = {{{Literal{0, {.lower = 2}, true, false, {}}, negated(rises(query, 2))}}};
  query.max_changes = 1;  // of the others: where the two are drawn is nobody's change
  MapOptions options;
  options.radius = 0.75;
  options.x_view = {0, 4};
  const Map map = find_map(Prepared(model), query, options);
  ASSERT_EQ(map.cells.size(), 2U);
  EXPECT_EQ(map.cells[0].x, (Interval{0, 2, true, false}));
  EXPECT_FALSE(map.cells[0].meets);
  EXPECT_EQ(map.cells[1].x, (Interval{2, 4}));
  EXPECT_TRUE(map.cells[1].meets);
  options.radius.reset();  // then nothing may change, and the model alone is drawn
  EXPECT_EQ(find_map(Prepared(model), query, options).cells.size(), 1U);
  options.x_view = {1e300, 2e300};
  EXPECT_EQ(find_map(Prepared(model), query, options).cells.size(), 1U);
  model.input = Precision::float32;  // nothing there is a number that it can read
  EXPECT_THROW(find_map(Prepared(model), query, options), Error);
}

TEST(Map, WithARadiusHonoursRulesBetweenTheOtherFeatures) {
  std::mt19937_64 random(test_seed());
  const auto pick = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  int reached = 0, blocked = 0;
  for (int i = 0; i < test_cases(30); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    std::vector<Tree> trees;
    for (int t = 0; t < 6; ++t) {
      trees.push_back(stump(pick(4), pick(3) + 0.5, pick(5) - 2, pick(5) - 2));
    }
    const Ensemble model = binary_model(4, trees);
    Query query = query_for(model, std::vector{0.0, 0.0, 1.0, 1.0});
    query.requirements = {require_class(1)};
    query.norm = Norm::l1;
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, 3};
    }
    const double most = 2 + pick(3);
    query.clauses.push_back({{}, {{{{2, 1, {}, {}}, {3, 2, {}, {}}}, {.upper = most}}}});
    MapOptions options;
    options.radius = 2;
    options.x_view = options.y_view = {-0.25, 3.25};
    const Map map = find_map(Prepared(model), query, options);
    for (double x = 0; x < 4; ++x) {
      for (double y = 0; y < 4; ++y) {
        double least = std::numeric_limits<double>::infinity();
        for (double c = 0; c < 4; ++c) {
          for (double d = 0; d < 4; ++d) {
            const std::vector<double> point{x, y, c, d};
            if (c + 2 * d > most || model.classify(model.predict(point)) != 1) continue;
            least = std::min(least, std::abs(c - 1) + std::abs(d - 1));
          }
        }
        const auto cell = std::find_if(map.cells.begin(), map.cells.end(), [&](const MapCell& one) {
          return one.x.contains(x) && one.y.contains(y);
        });
        ASSERT_NE(cell, map.cells.end());
        const double shown = least <= 2 ? least : std::numeric_limits<double>::infinity();
        EXPECT_EQ(cell->cost, shown) << x << ", " << y;
        EXPECT_EQ(cell->meets, least <= 2) << x << ", " << y;
        (least <= 2 ? reached : blocked) += 1;
      }
    }
    options.y = 3;  // now a continuous feature of the rule is an axis
    query.features[3].kind = FeatureKind::continuous;
    EXPECT_THROW(find_map(Prepared(model), query, options), Error);
  }
  EXPECT_GT(reached, 0);
  EXPECT_GT(blocked, 0);
}

}  // namespace analysis_map_test
