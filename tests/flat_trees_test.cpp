// Flat trees against the trees that they copy: the same leaves, the same region.
#include "grid/flat_trees.hpp"
#include "grid/grid.hpp"

#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace flat_trees_test {

using namespace boxwood;

constexpr float infinite = std::numeric_limits<float>::infinity();

/// Numbers that are also thresholds, their neighbours, zeros of both signs and infinities.
float any_number(std::mt19937_64& random) {
  const float numbers[] = {-infinite, -1.5F, -0.0F, 0.0F, 0.25F, 0.5F, 3.0F, infinite};
  const float number = numbers[random() % std::size(numbers)];
  const auto side = random() % 3;
  return side == 0 ? number : std::nextafter(number, side == 1 ? -infinite : infinite);
}

Tree any_tree(std::mt19937_64& random, std::size_t features) {
  Tree tree;
  tree.nodes.push_back({});
  std::vector<std::size_t> open{0};
  for (std::size_t splits = random() % 40; splits > 0 && !open.empty(); --splits) {
    const std::size_t place = random() % open.size(), at = open[place];
    const auto next = static_cast<std::int32_t>(tree.nodes.size());
    tree.nodes[at] = {.kind = NodeKind::less,
                      .feature = static_cast<std::int32_t>(random() % features),
                      .left = next,
                      .right = next + 1,
                      .threshold = static_cast<double>(any_number(random))};
    if (random() % 2 == 0) std::swap(tree.nodes[at].left, tree.nodes[at].right);
    tree.nodes[at].missing_left = random() % 2 == 0;
    tree.nodes.resize(tree.nodes.size() + 2);
    open[place] = static_cast<std::size_t>(next);
    open.push_back(static_cast<std::size_t>(next) + 1);
  }
  for (Node& node : tree.nodes) {
    if (node.kind != NodeKind::leaf) continue;
    node.value = static_cast<std::int32_t>(tree.values.size());
    tree.values.push_back(
        static_cast<double>(std::uniform_real_distribution<float>(-1, 1)(random)));
  }
  return tree;
}

TEST(FlatTrees, AWalkEndsWhereTheModelsDoes) {
  std::mt19937_64 random(test_seed());
  int narrow = 0, missing = 0;
  for (int i = 0; i < test_cases(1000); ++i) {
    const std::size_t features = 1 + random() % 5;
    std::vector<Tree> trees(random() % 20);
    for (Tree& tree : trees) tree = any_tree(random, features);
    const Ensemble model = binary_model(features, trees);
    Pace pace;
    const std::shared_ptr<const FlatTrees> flat = FlatTrees::of(model, pace);
    ASSERT_TRUE(flat);
    EXPECT_LE(flat->bytes(), FlatTrees::most_bytes(20 * 81, 20));
    std::vector<double> point(features);
    for (double& value : point) value = static_cast<double>(any_number(random));
    if (random() % 4 == 0) point[random() % features] = std::nan("");
    if (random() % 4 == 0) point[random() % features] = 0.1;  // not a float32
    const Walk plain = walk(std::span(&model, 1), point);
    const Walk fast = walk(std::span(&model, 1), point, std::span(&flat, 1));
    EXPECT_EQ(fast.scores, plain.scores);
    EXPECT_EQ(plain.scores[0], model.predict(point));
    EXPECT_EQ(scores_at(model, point, flat.get()), model.predict(point));
    for (std::size_t d = 0; d < features; ++d) {
      missing += std::isnan(point[d]) ? 1 : 0;
      if (std::isnan(point[d])) continue;
      EXPECT_EQ(fast.box[d].lower, plain.box[d].lower);
      EXPECT_EQ(fast.box[d].upper, plain.box[d].upper);
      EXPECT_EQ(fast.box[d].lower_closed, plain.box[d].lower_closed);
      EXPECT_EQ(fast.box[d].upper_closed, plain.box[d].upper_closed);
      narrow += std::isfinite(plain.box[d].lower) && std::isfinite(plain.box[d].upper) ? 1 : 0;
    }
  }
  EXPECT_GT(narrow, 0);
  EXPECT_GT(missing, 0);
}

/// Splits that are not of this form, or numbers that a float32 does not hold, are not copied.
TEST(FlatTrees, OtherSplitsAreLeftToTheModel) {
  const auto flat = [](auto change) {
    Ensemble model = binary_model(1, {stump(0, 0.5, -1, 1)});
    change(model);
    Pace pace;
    return FlatTrees::of(model, pace) != nullptr;
  };
  EXPECT_TRUE(flat([](Ensemble&) {}));
  EXPECT_FALSE(flat([](Ensemble& model) { model.input = Precision::float64; }));
  EXPECT_FALSE(flat([](Ensemble& model) { model.trees[0].nodes[0].threshold = 0.1; }));
  EXPECT_FALSE(flat([](Ensemble& model) { model.trees[0].nodes[0].missing_at_zero = true; }));
  EXPECT_FALSE(flat([](Ensemble& model) { model.trees[0].nodes[0].kind = NodeKind::less_equal; }));
}

}  // namespace flat_trees_test
