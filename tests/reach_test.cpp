// What people are told they may choose: each value of it must keep the rules and the outcome.
#include <boxwood/explain.hpp>
#include <boxwood/render.hpp>
#include <boxwood/schema.hpp>

#include "oracle.hpp"
#include "query/reach.hpp"
#include "random_rules.hpp"
#include "render/changes.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace boxwood {
namespace reach_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// By the words of the rule, sharing nothing with the library. `single`: the models read float32,
/// and so the ends of the range.
bool keeps_rule(const FeatureRule& rule, double now, double value, bool single) {
  if (value == now) return true;
  Interval range = rule.range;
  if (single) {
    range.lower = static_cast<float>(range.lower);
    range.upper = static_cast<float>(range.upper);
  }
  if (rule.fixed || !range.contains(value)) return false;
  if (rule.direction == Direction::up && value < now) return false;
  if (rule.direction == Direction::down && value > now) return false;
  return Oracle::compare(value, now, rule.least_change) >= 0 &&
         (rule.most_change == infinity || Oracle::compare(value, now, rule.most_change) <= 0);
}

TEST(Reach, EveryValueShownKeepsRulesAndOutcome) {
  ProblemMaker maker(test_seed(), {.features = {2, 4}, .rounds = {2, 4}, .overflows = false});
  RuleMaker rules(test_seed() + 1);
  std::mt19937_64 random(test_seed() + 2);
  int shown = 0, narrowed = 0;
  const int cases = test_cases(3000);
  for (int i = 0; i < cases; ++i) {
    RandomProblem problem = maker.make();
    rules.add_to(problem);
    const Query& query = problem.query;
    const Answer answer = explain(Prepared(problem.ensembles), query);
    if (answer.solutions.empty() || answer.already_met) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    const bool single =
        std::any_of(problem.ensembles.begin(), problem.ensembles.end(),
                    [](const Ensemble& ensemble) { return ensemble.input == Precision::float32; });
    const Precision precision = single ? Precision::float32 : Precision::float64;
    const Solution& solution = answer.best();
    for (std::size_t d = 0; d < query.point.size(); ++d) {
      const double to = solution.point[d], now = query.point[d];
      const FeatureRule& rule = query.features[d];
      const bool whole = rule.kind != FeatureKind::continuous;
      if (to == now || std::isnan(to) || std::isnan(now)) continue;
      if (rule.kind == FeatureKind::categorical || rule.step != 0 || !rule.allowed.empty())
        continue;
      const Interval part =
          admissible_part(query, solution.point, d, solution.region[d], precision);
      EXPECT_TRUE(part.contains(to));
      narrowed += part != solution.region[d] ? 1 : 0;
      std::vector<double> values{part.lower, part.upper, to};
      const double low = std::max(part.lower, to - 2), high = std::min(part.upper, to + 2);
      for (int k = 0; k < 20; ++k) {
        values.push_back(std::uniform_real_distribution<double>(low, high)(random));
      }
      for (double value : values) {
        if (single) value = static_cast<double>(static_cast<float>(value));
        if (whole) value = std::round(value);
        if (!std::isfinite(value) || !part.contains(value)) continue;
        std::vector<double> point = solution.point;
        point[d] = value;
        ++shown;
        EXPECT_TRUE(keeps_rule(rule, now, value, single)) << now << " to " << value;
        Query statements = query;
        statements.max_changes.reset();  // it changes no more features than the solution does
        EXPECT_TRUE(Oracle::obeys(problem.ensembles, statements, point)) << value;
        EXPECT_TRUE(Oracle::works(problem.ensembles, query, point)) << value;
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  expect_share(shown, cases, 1);
  expect_share(narrowed, cases, 1.0 / 20);
}

TEST(Reach, NoAdmissibleNeighbourIsLeftOut) {
  // All ends are whole numbers, so half steps see every gap: the part is all one can walk to.
  std::mt19937_64 random(test_seed() + 3);
  const auto pick = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  const int cases = test_cases(5000);
  int tried = 0;
  for (int i = 0; i < cases; ++i) {
    const Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1)});
    Query query = query_for(model, std::vector{pick(-5, 5), pick(-5, 5)});
    FeatureRule& rule = query.features[0];
    rule.range = {pick(-8, 0), pick(0, 8)};
    if (pick(0, 2) == 0) rule.direction = pick(0, 1) == 0 ? Direction::up : Direction::down;
    if (pick(0, 2) == 0) rule.least_change = pick(1, 3);
    if (pick(0, 2) == 0) rule.most_change = pick(3, 6);
    if (pick(0, 1) == 0) {
      const double low = pick(-6, 6);
      query.clauses = {{{Literal{0, {low, low + pick(0, 6)}, pick(0, 1) == 0, false, {}},
                         Literal{1, {0, 8}, true, false, {}}}}};
    }
    const Interval region{pick(-9, -1), pick(1, 9)};
    const std::vector<double> point{pick(-8, 8), query.point[1]};
    const auto fine = [&](double value) {
      const std::vector<double> there{value, point[1]};
      return region.contains(value) && keeps_rule(rule, query.point[0], value, false) &&
             Oracle::obeys({model}, query, there);
    };
    if (!fine(point[0]) || point[0] == query.point[0]) continue;
    ++tried;
    const Interval part = admissible_part(query, point, 0, region, Precision::float64);
    double low = point[0], high = point[0];
    while (fine(low - 0.5)) low -= 0.5;
    while (fine(high + 0.5)) high += 0.5;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    for (double value = -10; value <= 10; value += 0.5) {
      EXPECT_EQ(part.contains(value), low <= value && value <= high)
          << value << ", now " << query.point[0] << ", to " << point[0];
    }
    if (testing::Test::HasFailure()) return;
  }
  expect_share(tried, cases, 1.0 / 10);
}

/// Granted from 10 of the first feature on; now 0.
class Shown : public testing::Test {
 protected:
  Shown() : ensemble(binary_model(2, {stump(0, 10, -1, 1)})) {
    schema = schema_for(ensemble);
    query = query_for(ensemble, std::vector{0.0, 0.0});
    query.requirements = {require_class(1)};
    rule().range = {-100, 100};
  }

  FeatureRule& rule() { return query.features[0]; }
  std::string anything() {
    const Answer answer = explain(Prepared(ensemble), query);
    if (answer.solutions.empty()) return "nothing";
    return changes_in_words(ensemble, schema, query, answer.best()).front().anything;
  }

  Ensemble ensemble;
  Schema schema;
  Query query;
};

TEST_F(Shown, NothingBeyondARuleIsOffered) {
  rule().range = {-100, 30};
  EXPECT_EQ(anything(), "between 10 and 30");
  rule().range = {-100, 100};
  rule().most_change = 12;
  EXPECT_EQ(anything(), "between 10 and 12");
  rule().most_change = 10;
  EXPECT_EQ(anything(), "exactly 10");
  rule().most_change = infinity;
  rule().least_change = 15;
  EXPECT_EQ(anything(), "between 15 and 100");
  rule().least_change = 0;
  rule().step = 4;
  EXPECT_EQ(anything(), "between 12 and 100 in steps of 4");
  rule().step = 0;
  rule().allowed = {5, 20, 40, 70};
  EXPECT_EQ(anything(), "one of: 20, 40, 70");
  rule().allowed.clear();
  query.clauses = {{{Literal{0, {-infinity, 25}, true, false, {}}, rises(query, 1)}}};
  EXPECT_EQ(anything(), "between 10 and 25");
}

/// A float32 model reads 676.3 as 676.299988: the multiple that people write is not in the region,
/// the number that the model reads is.
TEST_F(Shown, StepsIncludeTheAnswerAsTheModelReadsIt) {
  for (const double step : {0.1, 0.01, 0.001}) {
    for (const double end : {676.3, 16.88, 1.2945, 0.3, 7.7, 1001.1}) {
      const double answer = std::round(end / step) * step;
      const float read = static_cast<float>(answer);
      const float beyond = std::nextafter(read, std::numeric_limits<float>::infinity());
      ensemble = binary_model(2, {stump(0, beyond, 1, -1)});
      schema = schema_for(ensemble);
      query = query_for(ensemble, std::vector{answer + 50, 0.0});
      query.requirements = {require_class(1)};
      rule().step = step;
      EXPECT_EQ(anything(), fmt::format("at most {} in steps of {}",
                                        value_text(schema.features[0], answer), step));
    }
  }
}

TEST_F(Shown, RangesOfTheQueryCountNotThoseOfTheSchema) {
  schema.features[0].range = {4, 20};
  rule().range = {0, 100};
  EXPECT_EQ(anything(), "at least 10");
  ensemble.trees.push_back(stump(0, 30, 0, -4));
  EXPECT_EQ(anything(), "at least 10 and less than 30");
}

TEST_F(Shown, AColumnOfAGroupIsWhatItIs) {
  ensemble = binary_model(2, {stump(1, 0.5, -1, 1)});
  schema = schema_for(ensemble);
  schema.groups = {{"colour", {0, 1}, {"red", "blue"}, 1, false}};
  query = query_for(ensemble, std::vector{1.0, 0.0});
  apply(schema, query);
  query.requirements = {require_class(1)};
  EXPECT_EQ(anything(), "blue");
  const Answer answer = explain(Prepared(ensemble), query);
  const std::string json = to_json({ensemble, schema, query, answer, 0, std::nullopt});
  EXPECT_NE(json.find("exactly 0"), std::string::npos) << json;
  EXPECT_NE(json.find("exactly 1"), std::string::npos) << json;
}

TEST_F(Shown, CodesThatMayNotBeChosenAreNot) {
  ensemble.features[0].kind = FeatureKind::categorical;
  ensemble.trees[0].sets = {{1, 2, 3}};
  ensemble.trees[0].nodes[0].kind = NodeKind::in_set;
  ensemble.trees[0].nodes[0].value = 0;
  ensemble.trees[0].values = {1, -1};
  ensemble.validate();
  schema = schema_for(ensemble);
  schema.features[0].kind = FeatureKind::categorical;
  schema.features[0].labels = {"a", "b", "c", "d"};
  schema.features[0].range = {0, 3};
  query = query_for(ensemble, std::vector{0.0, 0.0});
  apply(schema, query);
  query.requirements = {require_class(1)};
  EXPECT_EQ(anything(), "one of: b, c, d");
  rule().changes = {{0, 1, infinity, 1}};
  EXPECT_EQ(anything(), "one of: b, d");
  rule().changes.clear();
  rule().allowed = {0, 2, 3};
  EXPECT_EQ(anything(), "one of: c, d");
  query.clauses = {{{Literal{0, {}, false, true, {3}}, rises(query, 1)}}};
  EXPECT_EQ(anything(), "c");
}

}  // namespace reach_test
}  // namespace boxwood
