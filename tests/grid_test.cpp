// The pieces of the finite problem: nearest representable values, leaf boxes of awkward trees, and
// conditions that never exclude what meets a requirement.
#include "grid/grid.hpp"
#include "grid/cells.hpp"
#include "grid/conditions.hpp"

#include <boxwood/explain.hpp>

#include "processor_time.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace grid_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();

Variable variable_of(double x, const FeatureRule& rule, const std::vector<Cut>& cuts,
                     Precision precision = Precision::float32) {
  Query query;
  query.point = {x};
  query.features = {rule};
  Ensemble model;
  model.input = precision;
  LeafBoxes boxes;
  boxes.cuts = {cuts};
  boxes.cell_order.resize(1);
  Pace unlimited;
  return make_variables(std::span(&model, 1), query, boxes, CellOrder::by_cost, unlimited).front();
}

std::vector<double> values_of(const Variable& variable) {
  std::vector<double> values;
  for (const Cell& cell : variable.cells) values.push_back(cell.value);
  return values;
}

TEST(Cells, HoldTheNearestNumberOfTheModelsPrecision) {
  const std::vector<Cut> cuts{{1, false}, {2, true}};
  EXPECT_EQ(values_of(variable_of(1.5, {}, cuts)),
            (std::vector<double>{std::nextafter(1.0F, 0.0F), 1.5, std::nextafter(2.0F, 3.0F)}));
  EXPECT_EQ(values_of(variable_of(1.5, {}, cuts, Precision::float64)),
            (std::vector<double>{std::nextafter(1.0, 0.0), 1.5, std::nextafter(2.0, 3.0)}));
  EXPECT_EQ(values_of(variable_of(9, {}, cuts)),
            (std::vector<double>{std::nextafter(1.0F, 0.0F), 2, 9}));
}

TEST(Cells, ACutThatIsNoFloatRoundsInwards) {
  // A double model's threshold in a problem that a float32 model shares.
  const std::vector<Cut> cuts{{0.1, false}};
  EXPECT_EQ(values_of(variable_of(0, {}, cuts))[1], static_cast<double>(0.1F));  // above 0.1
  EXPECT_EQ(values_of(variable_of(1, {}, cuts))[0],
            static_cast<double>(std::nextafter(0.1F, 0.0F)));
}

TEST(Cells, WithoutAnAdmissibleValueAreLeftOut) {
  const std::vector<Cut> cuts{{0.2, false}, {0.8, false}, {1.5, false}, {7, false}};
  const FeatureRule whole{.kind = FeatureKind::integer, .range = {.lower = 0, .upper = 6}};
  EXPECT_EQ(values_of(variable_of(3, whole, cuts)), (std::vector<double>{0, 1, 3}));
  const Variable fixed = variable_of(3, {.fixed = true}, cuts);
  EXPECT_EQ(values_of(fixed), std::vector<double>{3});
  EXPECT_EQ(fixed.kept_below, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1}));
}

TEST(Cells, LargeWholeNumbersAreOnesTheModelCanRead) {
  // Above 2^24 float32 has only even numbers.
  const FeatureRule whole{.kind = FeatureKind::integer};
  const std::vector<Cut> cuts{{16777217, true}};
  const Variable variable = variable_of(0, whole, cuts);
  EXPECT_EQ(variable.cells[1].value, 16777218);
}

TEST(Cells, ThresholdsAtInfinityLeaveNoFiniteValueBehind) {
  EXPECT_EQ(values_of(variable_of(0, {}, {{infinity, false}})), std::vector<double>{0});
  EXPECT_EQ(values_of(variable_of(0, {}, {{-infinity, true}})), std::vector<double>{0});
}

TEST(Cells, CostsNeverFallAwayFromThePoint) {
  ProblemMaker maker(test_seed());
  for (int i = 0; i < 500; ++i) {
    const RandomProblem problem = maker.make();
    const Grid grid = make_grid(problem.ensembles, box_leaves(problem.ensembles), problem.query);
    for (const Variable& variable : grid.variables) {
      EXPECT_EQ(variable.cells[variable.own].cost, 0);
      for (std::size_t c = 1; c < variable.cells.size(); ++c) {
        const bool outwards = c > variable.own;
        EXPECT_LE(variable.cells[outwards ? c - 1 : c].cost,
                  variable.cells[outwards ? c : c - 1].cost);
        EXPECT_TRUE(variable.listed || variable.cells[c - 1].value < variable.cells[c].value);
      }
    }
  }
}

TEST(Conditions, HoldWhereverTheRequirementDoes) {
  ProblemMaker maker(test_seed());
  std::mt19937_64 random(test_seed());
  int met = 0;
  for (int i = 0; i < test_cases(3000); ++i) {
    const RandomProblem problem = maker.make();
    const Grid grid = make_grid(problem.ensembles, box_leaves(problem.ensembles), problem.query);
    for (int trial = 0; trial < 10; ++trial) {
      // A random admissible point, its leaves' scores summed in double.
      std::vector<double> point = problem.query.point;
      std::vector<std::uint32_t> cell(point.size());
      for (std::size_t d = 0; d < point.size(); ++d) {
        cell[d] = static_cast<std::uint32_t>(random() % grid.variables[d].cells.size());
        if (grid.variables[d].owner == d) grid.variables[d].place(cell[d], d, point);
      }
      bool works = true;
      for (const Requirement& r : problem.query.requirements) {
        const Ensemble& ensemble = problem.ensembles[r.ensemble];
        works = works && meets(r, ensemble, ensemble.predict(point));
      }
      if (!works) continue;
      ++met;
      std::size_t reached = 0;
      std::vector<double> sums(grid.conditions.size(), 0);
      for (std::size_t leaf = 0; leaf < grid.leaf_count(); ++leaf) {
        const auto ranges = grid.ranges_of(leaf);
        if (!std::all_of(ranges.begin(), ranges.end(), [&](const LeafRange& range) {
              return range.cells.contains(cell[range.variable]);
            })) {
          continue;
        }
        ++reached;
        for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += grid.score(m, leaf);
      }
      EXPECT_EQ(reached, grid.tree_count) << "a point lies in one leaf of every tree";
      for (std::size_t m = 0; m < sums.size(); ++m) {
        EXPECT_GE(sums[m], grid.conditions[m].threshold);
      }
    }
  }
  expect_share(met, test_cases(3000), 1.0 / 2);
}

TEST(Leaves, AChainOfTwoHundredThousandSplitsIsNoProblem) {
  Tree chain;
  constexpr std::int32_t length = 200'000;
  for (std::int32_t i = 0; i < length; ++i) {
    const auto threshold = static_cast<double>(static_cast<float>(i));
    chain.nodes.push_back({.kind = NodeKind::less,
                           .feature = i % 2,
                           .left = 2 * i + 1,
                           .right = 2 * i + 2,
                           .threshold = threshold});
    Node leaf;
    leaf.value = 0;
    chain.nodes.push_back(leaf);
  }
  Node last;
  last.value = 1;
  chain.nodes.push_back(last);
  chain.values = {-1, 1};
  const Ensemble model = binary_model(2, {chain});
  const std::vector<Ensemble> models{model};
  const LeafBoxes boxes = box_leaves(models);
  EXPECT_EQ(boxes.leaves.size(), static_cast<std::size_t>(length) + 1);
  EXPECT_GT(boxes.cuts[0].size(), 65'536U);
  Query query = query_for(model, std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  const Answer whole = explain(model, query);
  ASSERT_EQ(whole.status, Status::optimal);
  EXPECT_EQ(whole.best().point, (std::vector<double>{199'998, 199'999}));
  Options options;
  options.engine = Engine::paper;
  options.limits.seconds = 0.5;
  Answer stopped;
  const double taken =
      boxwood_test::processor_seconds([&] { stopped = explain(model, query, options); });
  EXPECT_EQ(stopped.stop, Stop::time);
  EXPECT_LT(taken, 10);  // generous: sanitizers
  // Closer to the answer far fewer boxes are near enough to be built.
  for (FeatureRule& rule : query.features) rule.range = {.lower = 199'900, .upper = 300'000};
  options.limits = {};
  const Answer answer = explain(model, query, options);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, whole.best().point);
}

TEST(Leaves, PathsThatContradictThemselvesAreLeftOut) {
  Tree tree = stump(0, 1, -1, 1);
  // Left of 1, then right of 2: only a missing value could pass, and it does not.
  tree.nodes[1] = {.kind = NodeKind::less,
                   .missing_left = true,
                   .feature = 0,
                   .left = 3,
                   .right = 4,
                   .threshold = 2};
  tree.nodes.resize(5);
  tree.nodes[3].value = 0;
  tree.nodes[4].value = 1;
  tree.nodes[2].value = 1;
  const std::vector<Ensemble> models{binary_model(1, {tree})};
  EXPECT_EQ(box_leaves(models).leaves.size(), 2U);
}

TEST(Explain, ModelsWithoutSplitsAreAnsweredToo) {
  const Ensemble empty = binary_model(1, {}, 1);
  Query query = query_for(empty, std::vector{0.0});
  query.requirements = {require_class(0)};
  EXPECT_EQ(explain(empty, query).status, Status::infeasible);
  query.requirements = {require_class(1)};
  EXPECT_TRUE(explain(empty, query).already_met);
}

}  // namespace grid_test
