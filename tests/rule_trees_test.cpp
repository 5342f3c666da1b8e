// Rules as trees, and the shortcut by which they join ensembles that are prepared already.
#include "grid/rule_trees.hpp"
#include "grid/leaves.hpp"

#include "random_rules.hpp"
#include "search/fast/leaf_table.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace rule_trees_test {

using namespace boxwood;

TEST(RuleTrees, CountBrokenClausesAndChanges) {
  const Ensemble model = binary_model(3, {stump(0, 0.5, -1, 1)});
  Query query = query_for(model, std::vector{0.0, 5.0, 1.0});
  query.clauses = {{{stays(query, 0), negated(falls(query, 1))}}, {{changes(query, 2)}}};
  query.max_changes = 1;
  const Ensemble rules =
      rule_trees(std::span(&model, 1), query, collect_cuts(std::span(&model, 1)));
  rules.validate();
  EXPECT_EQ(rules.predict(std::vector{0.0, 5.0, 1.0}), (std::vector<double>{-1, 0}));
  EXPECT_EQ(rules.predict(std::vector{0.0, 4.0, 1.0}), (std::vector<double>{-1, -1}));
  EXPECT_EQ(rules.predict(std::vector{0.5, 4.0, 1.0}), (std::vector<double>{-2, -2}));
  EXPECT_EQ(rules.predict(std::vector{0.5, 6.0, 2.0}), (std::vector<double>{0, -3}));
}

TEST(RuleTrees, LongClausesCountTheStatementsThatHold) {
  const Ensemble model = binary_model(8, {stump(0, 0.5, -1, 1)});
  Query query = query_for(model, std::vector<double>(8, 0.0));
  Clause clause;
  for (std::size_t d = 0; d < 8; ++d) clause.any_of.push_back(stays(query, d));
  query.clauses = {clause};
  const Ensemble rules =
      rule_trees(std::span(&model, 1), query, collect_cuts(std::span(&model, 1)));
  ASSERT_EQ(rules.base.size(), 3U);
  std::vector<double> point(8, 1.0);
  EXPECT_EQ(rules.predict(point)[2], 0);
  point[3] = 0;
  EXPECT_EQ(rules.predict(point)[2], 1);
  const Query plain = without_rules(query, 1);
  const std::vector<Ensemble> both{model, rules};
  EXPECT_TRUE(meets(plain.requirements.back(), rules, rules.predict(point)));
  EXPECT_FALSE(meets(plain.requirements.back(), rules, rules.predict(std::vector<double>(8, 1.0))));
}

TEST(RuleTrees, JoinPreparedEnsemblesAsIfAllWerePreparedTogether) {
  ProblemMaker maker(test_seed());
  RuleMaker rule_maker(test_seed() + 1);
  int joined = 0;
  Pace unlimited;
  for (int i = 0; i < test_cases(500); ++i) {
    RandomProblem problem = maker.make();
    rule_maker.add_to(problem);
    if (!has_rules(problem.query)) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    const LeafBoxes before = box_leaves(problem.ensembles);
    std::vector<Ensemble> all = problem.ensembles;
    all.push_back(rule_trees(problem.ensembles, problem.query, collect_cuts(problem.ensembles)));
    const LeafBoxes together = box_leaves(all);
    const LeafBoxes added =
        add_ensemble(before, all.back(), static_cast<std::uint32_t>(all.size() - 1), unlimited);
    EXPECT_EQ(together.cuts, added.cuts);
    EXPECT_EQ(together.tree_count, added.tree_count);
    ASSERT_EQ(together.leaves.size(), added.leaves.size());
    ASSERT_EQ(together.ranges.size(), added.ranges.size());
    for (std::size_t l = 0; l < added.leaves.size(); ++l) {
      EXPECT_EQ(together.leaves[l].tree, added.leaves[l].tree);
      EXPECT_EQ(together.leaves[l].ensemble, added.leaves[l].ensemble);
      EXPECT_EQ(together.leaves[l].value, added.leaves[l].value);
      EXPECT_EQ(together.leaves[l].ranges_begin, added.leaves[l].ranges_begin);
    }
    for (std::size_t s = 0; s < added.ranges.size(); ++s) {
      EXPECT_EQ(together.ranges[s].feature, added.ranges[s].feature);
      EXPECT_EQ(together.ranges[s].missing, added.ranges[s].missing);
      const auto one = together.cells_of(together.ranges[s]), two = added.cells_of(added.ranges[s]);
      EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), two.end()));
    }
    for (std::size_t d = 0; d < added.cuts.size(); ++d) {
      EXPECT_TRUE(added.cell_order[d].empty() ||
                  added.cell_order[d].size() == added.cuts[d].size() + 1);
    }
    const fast::LeafTable one = fast::make_leaf_table(all, together);
    const fast::LeafTable two = fast::add_ensemble(fast::make_leaf_table(problem.ensembles, before),
                                                   added, all.back(), {}, unlimited);
    EXPECT_TRUE(one.cuts_of == two.cuts_of);
    EXPECT_EQ(one.first_row, two.first_row);
    EXPECT_EQ(one.leaves.values, two.leaves.values);
    EXPECT_EQ(one.leaves.tree_begin, two.leaves.tree_begin);
    EXPECT_EQ(one.largest_value, two.largest_value);
    ++joined;
    if (testing::Test::HasFailure()) return;
  }
  expect_share(joined, test_cases(500), 1.0 / 3);
}

/// The score of a rule that is a single sum: the one after those of clauses and changes.
double score_of(const Ensemble& model, Query query, const LinearCondition& sum,
                const std::vector<double>& row) {
  query.clauses = {{{}, {sum}}};
  EXPECT_TRUE(holds(sum, query.point, row));
  const std::span<const Ensemble> models(&model, 1);
  return rule_trees(models, query, collect_cuts(models)).predict(row).at(2);
}

/// Whole numbers that a double holds, and sums of them that no double holds.
TEST(RuleTrees, RowsThatSatisfyASumOfHugeNumbersReachItsScore) {
  constexpr std::size_t half = 8;
  const Ensemble model = binary_model(2 * half, {stump(0, 0.5, -1, 1)});
  Query query = query_for(model, std::vector<double>(2 * half, 0.0));
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::integer;
    rule.range = {0, 1};
  }
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < test_cases(200); ++i) {
    std::vector<std::int64_t> factors;
    for (std::size_t d = 0; d < half; ++d) {
      factors.push_back((std::int64_t{1} << 51) - 1 - static_cast<std::int64_t>(random() % 99));
    }
    std::int64_t left = std::accumulate(factors.begin(), factors.end(), std::int64_t{0});
    for (std::size_t d = half; d > 0; --d) {  // all of them together are 0
      factors.push_back(-left / static_cast<std::int64_t>(d));
      left += factors.back();
    }
    LinearCondition sum;
    const double sign = i % 2 == 0 ? 1 : -1;
    for (std::size_t d = 0; d < 2 * half; ++d) {
      sum.terms.push_back({.feature = d, .coefficient = sign * static_cast<double>(factors[d])});
    }
    (sign > 0 ? sum.range.lower : sum.range.upper) = 0;
    EXPECT_GE(score_of(model, query, sum, std::vector<double>(2 * half, 1.0)), 0) << i;
  }
}

/// The sum of the coefficients is -0.15 * 2^-52, and 0.1 * 2^-52 in doubles: it seems that numbers
/// below 0 are of no use.
TEST(RuleTrees, RowsFarAwayReachTheScoreOfCoefficientsThatNearlyCancelOut) {
  const Ensemble model = binary_model(1, {stump(0, 0.5, -1, 1)});
  const Query query = query_for(model, std::vector<double>{0});
  for (const double sign : {1.0, -1.0}) {
    LinearCondition sum;
    for (const double factor : {1.0, 0.75 * 0x1p-52, -1 - 0x1p-52, 0.1 * 0x1p-52}) {
      sum.terms.push_back({.feature = 0, .coefficient = sign * factor});
    }
    (sign > 0 ? sum.range.lower : sum.range.upper) = sign;
    EXPECT_GE(score_of(model, query, sum, std::vector<double>{-0x1p57}), 0);
  }
}

}  // namespace rule_trees_test
