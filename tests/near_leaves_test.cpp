// Near leaves found by paths from the roots against the costs of all leaves.
#include "search/fast/near_leaves.hpp"

#include "base/infinity.hpp"

#include "fast_parts.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace near_leaves_test {

using namespace boxwood;

fast::Tuning paths_always() {
  fast::Tuning tuning;
  tuning.path_leaves = 0;
  tuning.path_share = 1;
  return tuning;
}

/// How many leaves have a path whose cost, added up step by step, exceeds their own.
int check(fast::NearLeaves& near, double most) {
  const std::vector<std::uint32_t> leaves = near.within(most);
  int above = 0;
  EXPECT_TRUE(std::is_sorted(leaves.begin(), leaves.end()));
  for (std::uint32_t leaf = 0; leaf < near.leaf_count(); ++leaf) {
    const double cost = near.cost_of(leaf);
    const bool found = std::binary_search(leaves.begin(), leaves.end(), leaf);
    EXPECT_TRUE(found || !(cost <= most)) << "leaf " << leaf << " costs " << cost << " of " << most;
    // A path that no number passes, but a missing value does, is found although it costs too much.
    if (!found || cost >= fast::NearLeaves::endless) continue;
    EXPECT_LE(cost, most * (1 + 1e-9));
    EXPECT_NEAR(near.costs()[leaf], cost, cost * 1e-9);
    above += near.costs()[leaf] > cost ? 1 : 0;
  }
  return above;
}

TEST(NearLeaves, PathsFindAllLeavesWithinARadius) {
  int followed = 0;
  each_question(test_cases(2000), [&](Question& question, std::mt19937_64& random) {
    const fast::Context& context = question.context;
    fast::NearLeaves near(context.table, context.boxes, context.variables, context.watch,
                          paths_always());
    if (!near.follows_paths()) return;
    const auto any_leaf = static_cast<std::uint32_t>(random() % near.leaf_count());
    const double most = near.cost_of(any_leaf);
    if (most >= fast::NearLeaves::endless) return;
    if (random() % 2 == 0) near.cover(most / 2);  // from a smaller radius to a larger one
    check(near, most);
    followed += near.follows_paths() ? 1 : 0;
  });
  expect_share(followed, test_cases(2000), 0.3);
}

/// Small trees: all paths at once tell what all leaves cost.
TEST(NearLeaves, SweepingAllPathsFindsAllLeavesWithinARadius) {
  int swept = 0;
  fast::Tuning sweep_always;
  sweep_always.path_leaves = 1'000'000;
  each_question(test_cases(2000), [&](Question& question, std::mt19937_64& random) {
    const fast::Context& context = question.context;
    if (context.table.paths.given_up()) return;
    fast::NearLeaves near(context.table, context.boxes, context.variables, context.watch,
                          sweep_always);
    EXPECT_FALSE(near.follows_paths());
    const double most = near.cost_of(static_cast<std::uint32_t>(random() % near.leaf_count()));
    if (most >= fast::NearLeaves::endless) return;
    check(near, most);
    swept += context.table.paths.linked() ? 1 : 0;
  });
  expect_share(swept, test_cases(2000), 0.3);
}

/// A chain of splits on a few features, each a little farther away: sums by differences stray.
Ensemble chain(std::mt19937_64& random, std::size_t features, int splits) {
  Tree tree;
  std::uniform_real_distribution<double> step(0, 0.01);
  std::vector<double> at(features, 0.5);
  for (int i = 0; i < splits; ++i) {
    const auto feature = static_cast<std::int32_t>(random() % features);
    double& threshold = at[static_cast<std::size_t>(feature)];
    threshold += step(random);
    const auto next = static_cast<std::int32_t>(tree.nodes.size());
    tree.nodes.push_back({.kind = NodeKind::less,
                          .feature = feature,
                          .left = next + 1,
                          .right = next + 2,
                          .threshold = threshold});
    tree.values.push_back(i);
    tree.nodes.push_back({.value = i});
  }
  tree.values.push_back(splits);
  tree.nodes.push_back({.value = splits});
  Ensemble model = binary_model(features, {tree});
  model.input = model.accumulator = Precision::float64;
  return model;
}

/// A model with the variables of a point that has 0.3 in every feature.
struct Start {
  explicit Start(const Ensemble& model) : prepared(model) {
    Query query;
    query.point.assign(model.features.size(), 0.3);
    query.features.resize(model.features.size());
    Pace pace;
    variables = make_variables(prepared.ensembles(), query, boxes(), CellOrder::by_cost, pace);
  }
  const LeafBoxes& boxes() const { return leaves_of(prepared); }
  fast::NearLeaves near(const fast::Tuning& tuning) {
    return {leaf_table_of(prepared), boxes(), variables, watch, tuning};
  }

  Prepared prepared;
  Watch watch{Limits{}};
  std::vector<Variable> variables;
};

/// Without the allowance for these sums, leaves that cost exactly as much as the radius are lost.
TEST(NearLeaves, SumsByDifferencesLoseNoLeaf) {
  std::mt19937_64 random(test_seed());
  int above = 0, above_in_sweeps = 0;
  fast::Tuning sweep_always;
  sweep_always.path_leaves = 1'000'000;
  for (int i = 0; i < 20; ++i) {
    Start start(chain(random, 1 + random() % 4, 200));
    Start shallow(chain(random, 1 + random() % 4, 60));
    for (std::uint32_t leaf = 0; leaf < start.boxes().leaves.size(); leaf += 7) {
      fast::NearLeaves near = start.near(paths_always());
      ASSERT_TRUE(near.follows_paths());
      above += check(near, near.cost_of(leaf));
    }
    for (std::uint32_t leaf = 0; leaf < shallow.boxes().leaves.size(); ++leaf) {
      fast::NearLeaves near = shallow.near(sweep_always);
      above_in_sweeps += check(near, near.cost_of(leaf));
    }
  }
  EXPECT_GT(above, 20);
  EXPECT_GT(above_in_sweeps, 20);
}

/// Where many leaves are near, or the radius has no end, all of them are priced.
TEST(NearLeaves, ManyNearLeavesAreAllPriced) {
  std::mt19937_64 random(test_seed());
  Start start(chain(random, 2, 50));
  fast::NearLeaves near = start.near(paths_always());
  near.cover(infinity);
  EXPECT_FALSE(near.follows_paths());
  EXPECT_EQ(near.found_count(), near.leaf_count());
  for (std::uint32_t leaf = 0; leaf < near.leaf_count(); ++leaf) {
    EXPECT_NEAR(near.costs()[leaf], near.cost_of(leaf), 1e-9 * near.cost_of(leaf));
  }
}

}  // namespace near_leaves_test
