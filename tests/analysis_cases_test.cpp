// Wide regions and blockers of models small enough to check by hand.
#include <boxwood/analysis.hpp>
#include <boxwood/schema.hpp>

#include "search/engine_settings.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

namespace analysis_cases_test {

using namespace boxwood;

TEST(Widen, HoldsForEveryValueWhateverListsAndStepsSay) {
  // The outcome is lost between 0.6 and 0.7, where neither the list nor the steps have a value.
  Ensemble model = binary_model(1, {stump(0, 0, -4, 1), stump(0, 0.6, 0, -3), stump(0, 0.7, 0, 3)});
  Query query = query_for(model, std::vector{-1.0});
  query.requirements = {require_class(1)};
  query.features[0].range = {-2, 2};
  const Prepared prepared(model);
  for (const bool list : {true, false}) {
    query.features[0].allowed = list ? std::vector{0.25, 0.5, 0.75, 1.5} : std::vector<double>{};
    query.features[0].step = list ? 0 : 0.25;
    const Answer answer = explain(prepared, query);
    const WideRegion wide = find_wide_region(prepared, query, answer.best().point);
    EXPECT_TRUE(wide.maximal);
    EXPECT_EQ(wide.region[0].lower, 0);
    EXPECT_FLOAT_EQ(static_cast<float>(wide.region[0].upper), 0.6F);
  }
}

TEST(Widen, LeavesOutAPresentValueThatIsNotWhole) {
  // Whole numbers have the outcome unless they are 0; 2.5, the present value, has not.
  const Ensemble model =
      binary_model(1, {stump(0, 0.5, -2, 1), stump(0, 2.25, 0, -3), stump(0, 2.75, 0, 3)});
  Query query = query_for(model, std::vector{2.5});
  query.features[0].kind = FeatureKind::integer;
  query.features[0].range = {0, 9};
  query.requirements = {require_class(1)};
  const Prepared prepared(model);
  for (const double value : {2.0, 3.0}) {
    const WideRegion wide = find_wide_region(prepared, query, std::vector{value});
    EXPECT_TRUE(wide.region[0].contains(value));
    EXPECT_FALSE(wide.region[0].contains(2.5));
    EXPECT_FALSE(wide.region[0].contains(0));
    EXPECT_TRUE(wide.region[0].contains(value < 2.5 ? 1 : 9));
  }
}

TEST(Widen, EndsAtACutThatTheModelCannotRead) {
  // 0.3 lies between two numbers of float32, and the upper one is the float32 nearest to it.
  const Ensemble model =
      binary_model(2, {stump(0, 0.1, 0, 0), stump(0, 0.3, 1, -2, NodeKind::less_equal),
                       stump(1, 0.5, 0, 0), stump(1, 1, 1.5, -0.5)});
  Query query = query_for(model, std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  const Prepared prepared(model);
  for (const std::size_t first : {0U, 1U}) {
    const WideRegion wide = find_wide_region(prepared, query, query.point, std::vector{first});
    EXPECT_TRUE(wide.maximal);
    EXPECT_EQ(wide.region[0].upper, 0.3);
    EXPECT_TRUE(wide.region[0].upper_closed);
    EXPECT_TRUE(wide.region[1].contains(9)) << "no point with feature 0 at 0.3 or below forbids it";
  }
}

TEST(Widen, AsksForTwiceTheLogarithmOfTheCells) {
  constexpr int cells = 1000;
  std::vector<Tree> trees;
  for (int cut = -cells; cut <= cells; ++cut) trees.push_back(stump(0, cut, 0, 0));
  for (const int end : {1, 2, 3, 7, 64, 65, 333, 999, 1000, 2000}) {
    std::vector<Tree> all = trees;
    all.push_back(stump(0, end, 1, -2));
    all.push_back(stump(0, -end, -2, 1));
    const Ensemble model = binary_model(1, all);
    Query query = query_for(model, std::vector{0.5});
    query.requirements = {require_class(1)};
    const Prepared prepared(model);
    std::atomic<std::uint64_t> searches{0};
    EngineSettings settings;
    settings.searches = &searches;
    Options options;
    set(options, settings);
    const WideRegion wide = find_wide_region(prepared, query, query.point, {}, options);
    EXPECT_TRUE(wide.maximal);
    EXPECT_EQ(wide.region[0],
              (Interval{static_cast<double>(-end), static_cast<double>(end), true, false}));
    EXPECT_GT(searches.load(), 0U);
    EXPECT_LE(static_cast<double>(searches.load()), 2 * 2 * std::log2(cells + 1)) << end;
  }
}

TEST(Widen, LeavesOutInfinityWhereOnlyItHasNotTheOutcome) {
  // As CatBoost's nan_mode "Max" writes it: the last split parts infinity from all other numbers.
  constexpr double largest = std::numeric_limits<float>::max();
  const Ensemble model =
      binary_model(1, {stump(0, 1, -1, 1), stump(0, largest, 0, -3, NodeKind::less_equal),
                       stump(0, -largest, -3, 0)});
  Query query = query_for(model, std::vector{0.0});
  query.requirements = {require_class(1)};
  const Prepared prepared(model);
  const WideRegion up = find_wide_region(prepared, query, std::vector{1.0});
  EXPECT_EQ(up.region[0], (Interval{1, largest}));
  query.requirements[0].negated = true;
  query.requirements.push_back({0, ScoreIn{{.lower = -2}}});
  query.point = {2.0};
  const WideRegion down = find_wide_region(prepared, query, std::vector{0.0});
  EXPECT_EQ(down.region[0], (Interval{-largest, 1, true, false}));
}

TEST(WhyNot, NeverProposesACodeThatIsNoCategory) {
  // Categories 0 and 1 are in the set, -1 and all that the model has never seen are not.
  Ensemble model = binary_model(2, {});
  Tree tree;
  tree.sets = {{0, 1}};
  tree.nodes.resize(3);
  tree.nodes[0] = {.kind = NodeKind::in_set, .feature = 0, .left = 1, .right = 2, .value = 0};
  tree.nodes[1].value = 0;
  tree.nodes[2].value = 1;
  tree.values = {-1, 1};
  model.trees = {tree};
  model.features[0] = {"town", FeatureKind::categorical, {{0, ""}, {1, ""}}};
  model.validate();
  Query query = query_for(model, std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  EXPECT_TRUE(find_why_not(Prepared(model), query).impossible);
  // Without a list of categories: a code from 0 on, not a negative one.
  query.features[0].domain = {};
  const WhyNot why = find_why_not(Prepared(model), query);
  ASSERT_EQ(why.blockers.size(), 1U);
  EXPECT_EQ(why.blockers[0].rule, (Rule{Rule::Kind::allowed, 0}));
  EXPECT_EQ(why.blockers[0].without.best().point[0], 2);
}

TEST(WhyNot, LabelsThatDoNotExistAreNoWayOut) {
  // Only a code of 3 would help; the labels end at 2, and a rule keeps the value from rising to 2.
  const Ensemble model = binary_model(1, {stump(0, 2.5, -1, 1)});
  Schema schema = schema_for(model);
  schema.features[0].kind = FeatureKind::ordinal;
  schema.features[0].labels = {"none", "little", "much"};
  schema.features[0].range = {0, 2};
  Query query = query_for(model, std::vector{0.0});
  apply(schema, query);
  query.requirements = {require_class(1)};
  EXPECT_TRUE(rules_of(query).empty());
  EXPECT_TRUE(find_why_not(Prepared(model), query).impossible);
  query.features[0].range.upper = 1;
  EXPECT_EQ(rules_of(query), (std::vector<Rule>{{Rule::Kind::range_upper, 0}}));
  EXPECT_EQ(lifted(query, rules_of(query)).features[0].range, (Interval{0, 2}));
  EXPECT_TRUE(find_why_not(Prepared(model), query).impossible);
}

TEST(WhyNot, KnowsWhatAGroupMayBe) {
  // Needs colour c and n above 0.5; a rule keeps each from that.
  Ensemble model = binary_model(4, {stump(2, 0.5, -2, 1), stump(3, 0.5, -2, 1)});
  Query query = query_for(model, std::vector{1.0, 0.0, 0.0, 0.0});
  query.requirements = {require_class(1)};
  query.groups = {{{0, 1, 2}, 1, false}};
  for (FeatureRule& rule : query.features) rule.range = {0, 1};
  const Prepared prepared(model);
  query.features[2].range.upper = 0;
  const WhyNot colour = find_why_not(prepared, query);
  ASSERT_EQ(colour.blockers.size(), 1U);
  EXPECT_EQ(colour.blockers[0].rule, (Rule{Rule::Kind::allowed, 0}));
  EXPECT_EQ(colour.blockers[0].without.status, Status::optimal);
  query.features[3].range.upper = 0.25;
  const WhyNot both = find_why_not(prepared, query);
  ASSERT_FALSE(both.impossible);
  ASSERT_EQ(both.blockers.size(), 1U);  // either alone blocks it; without it the other still does
  EXPECT_TRUE(both.blockers[0].without.solutions.empty());
}

}  // namespace analysis_cases_test
