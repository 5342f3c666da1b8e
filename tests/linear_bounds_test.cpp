// What the bounds of linear rules promise, on questions in which a bound that is a little too large
// would lose the answer or claim too much.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "error_of.hpp"
#include "search/engine_settings.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace linear_bounds_test {

using namespace boxwood;
using Of = LinearTerm::Of;

/// A model whose class 1 is a single row of whole numbers.
Ensemble model_of_row(const std::vector<double>& row) {
  std::vector<Tree> trees;
  for (std::size_t d = 0; d < row.size(); ++d) {
    trees.push_back(stump(static_cast<std::int32_t>(d), row[d] - 0.5, 0, 1));
    trees.push_back(stump(static_cast<std::int32_t>(d), row[d] + 0.5, 0, -1));
  }
  return binary_model(row.size(), std::move(trees), 0.5 - static_cast<double>(row.size()));
}

/// Categories count as much as their coefficients say, whole or not.
TEST(LinearBounds, CoefficientsOfCategoriesNeedNotBeWhole) {
  Tree category;
  category.nodes.resize(3);
  category.nodes[0] = {.kind = NodeKind::in_set, .feature = 0, .left = 1, .right = 2, .value = 0};
  category.nodes[1].value = 0;
  category.nodes[2].value = 1;
  category.values = {1, -1};
  category.sets = {{1, 2}};
  const Ensemble model = binary_model(2, {category});
  Query query = query_for(model, std::vector<double>{0, 0});
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::categorical;
  query.requirements = {require_class(1)};
  query.norm = Norm::l1;
  LinearCondition sum;
  sum.terms = {{.feature = 0, .coefficient = 0.3, .of = Of::codes, .codes = {2}},
               {.feature = 1, .coefficient = -1, .of = Of::codes, .codes = {1}}};
  sum.range.lower = 0.2;
  query.clauses = {{{}, {sum}}};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, (std::vector<double>{2, 0}));
}

/// 2^53 + 3 is no double, and rounding it up breaks the rule; minus 1, the sum is at the limit.
TEST(LinearBounds, SumsOfLargeWholeNumbersMayBeRounded) {
  const Ensemble model = model_of_row({1, 1, 1});
  Query query = whole_query(model, {0, 0, 0}, 1);
  query.clauses = {{{},
                    {{{{.feature = 0, .coefficient = 0x1p53},
                       {.feature = 1, .coefficient = 3},
                       {.feature = 2, .coefficient = -1}},
                      {.upper = 0x1p53 + 2}}}}};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, 3);
}

/// As many numbers on both sides, all of them whole and just below 2^51: they add up to 0, but not
/// in doubles from left to right.
TEST(LinearBounds, SumsOfManyWholeNumbersMayBeRounded) {
  const Ensemble model = model_of_row(std::vector<double>(10, 1));
  Query query = whole_query(model, std::vector<double>(10, 0), 1);
  for (const double sign : {-1.0, 1.0}) {
    LinearCondition sum{{}, {.upper = 0}};
    for (std::size_t d = 0; d < 10; ++d) {
      sum.terms.push_back({.feature = d, .coefficient = sign * (d < 5 ? 1 : -1) * (0x1p51 - 1)});
    }
    LinearCondition first_pair{{{.feature = 0}, {.feature = 1}}, {.lower = 2}};  // comes in, too
    query.clauses = {{{}, {sum}}, {{}, {first_pair}}};
    EXPECT_EQ(explain(model, query).cost, 10);
  }
}

/// x + y = z in thirds, for single values and for cells of one or many: the sum of rounded thirds
/// is sometimes less than 0 and sometimes more, and the rule holds all the same.
TEST(LinearBounds, SumsOfCellsMayBeRounded) {
  constexpr double part = 1.0 / 3;
  for (const double highest : {12.0, 15.0, 60.0}) {
    for (double x = 1; x < 7; ++x) {
      for (double y = 1; y < 7; ++y) {
        const Ensemble model = model_of_row({x, y, x + y});
        Query query = whole_query(model, {0, 0, 0}, highest);
        query.clauses = {{{},
                          {{{{.feature = 0, .coefficient = part},
                             {.feature = 1, .coefficient = part},
                             {.feature = 2, .coefficient = -part}},
                            {0, 0}}}}};
        EXPECT_EQ(explain(model, query).cost, 2 * (x + y));
      }
    }
  }
}

/// Of answers with the same largest change, only those with the least sum are listed, also where
/// each of them satisfies another one of several sums.
TEST(LinearBounds, ChoicesWithTheSameLargestChangeAreComparedByTheirSum) {
  const Ensemble model = binary_model(3, {stump(0, 3, -1, 1)});
  Query query = whole_query(model, {0, 0, 0}, 10);
  query.norm = Norm::linf;
  const LinearCondition by_second{{{.feature = 0}, {.feature = 1}}, {.lower = 5}};
  const LinearCondition by_third{{{.feature = 0}, {.feature = 2, .coefficient = 2}}, {.lower = 5}};
  query.clauses = {{{}, {by_second, by_third}}};
  Options options;
  options.ties = 10;
  const Answer answer = explain(model, query, options);
  ASSERT_EQ(answer.status, Status::optimal);
  ASSERT_EQ(answer.solutions.size(), 1U);
  EXPECT_EQ(answer.best().point, (std::vector<double>{3, 0, 1}));
}

/// Where a statement may take the place of a sum of huge numbers, the sum alone decides nothing.
TEST(LinearBounds, StatementsBesideHugeSumsCount) {
  const Ensemble model = binary_model(4, {stump(3, 0.5, -1, 1)});
  Query query = whole_query(model, {0, 0, 0, 0}, 4);
  query.features[0].weight = query.features[1].weight = 100;
  Clause clause;
  clause.any_of = {rises(query, 2)};
  clause.linear = {{{{.feature = 0, .coefficient = 1e13}, {.feature = 1, .coefficient = 1e13}},
                    {.lower = 1e14}}};
  query.clauses = {clause};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, (std::vector<double>{0, 0, 1, 1}));
}

/// Of a score of at least 2, which the known row reaches by x2 >= 100 alone.
double cost_near_a_known_row(Query query, const Ensemble& model) {
  const std::vector<std::vector<double>> known{{0, 0, 100}};
  Options options;
  options.examples = known;
  query.norm = Norm::l1;
  query.requirements = {{0, ScoreIn{{.lower = 2}}}};
  const Answer answer = explain(model, query, options);
  EXPECT_EQ(answer.status, Status::optimal);
  EXPECT_TRUE(verify(model, query, answer).passed());
  return answer.cost;
}

/// What an open limit excludes depends on whether the sum is whole: numbers between two whole ones
/// count where the features are continuous, and a whole limit that is included counts.
TEST(LinearBounds, OpenLimitsExcludeNoMoreThanTheLimit) {
  const Ensemble model =
      binary_model(3, {stump(0, 5, 0, 1), stump(1, 4, 0, 1), stump(2, 100, 0, 2)});
  const std::vector<LinearTerm> sum{{.feature = 0}, {.feature = 1}};
  const auto between = [&](Interval lower, Interval upper) {
    return std::vector<Clause>{{{}, {{sum, lower}}}, {{}, {{sum, upper}}}};
  };
  Query query = query_for(model, std::vector<double>{0, 0, 0});
  query.features[2].weight = 2;  // 200 for the known row
  query.clauses = between({.lower = 9.5}, {.upper = 10, .upper_closed = false});
  EXPECT_NEAR(cost_near_a_known_row(query, model), 9.5, 1e-7);
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
  for (const double highest : {std::numeric_limits<double>::infinity(), 40.0, 12.0}) {
    query.features[0].range.upper = query.features[1].range.upper = highest;
    query.features[0].range.lower = query.features[1].range.lower = -highest / 8;
    query.clauses = between({.lower = 9.5, .lower_closed = false}, {.upper = 10});
    EXPECT_EQ(cost_near_a_known_row(query, model), 10);
    query.clauses = between({.lower = 10}, {.upper = 10.5, .upper_closed = false});
    EXPECT_EQ(cost_near_a_known_row(query, model), 10);
    query.clauses =
        between({.lower = 9, .lower_closed = false}, {.upper = 11, .upper_closed = false});
    EXPECT_EQ(cost_near_a_known_row(query, model), 10);
  }
}

/// The same with what makes a sum of whole changes one that is not whole: steps of a half, halves
/// as coefficients, a half that stays or comes in.
TEST(LinearBounds, OpenLimitsOfSumsThatAreNotWhole) {
  const Ensemble model =
      binary_model(4, {stump(0, 5, 0, 1), stump(1, 4, 0, 1), stump(2, 100, 0, 2)});
  const auto query_with = [&](std::vector<double> point, std::vector<LinearTerm> sum,
                              double lower) {
    Query query = query_for(model, std::move(point));
    for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
    query.features[2].weight = 2;
    query.clauses = {{{}, {{sum, {.lower = lower}}}},
                     {{}, {{sum, {.upper = 10, .upper_closed = false}}}}};
    return query;
  };
  Query steps = query_with({0, 0, 0, 0}, {{.feature = 0}, {.feature = 1}}, 9.5);
  for (FeatureRule& rule : steps.features) {
    rule.kind = FeatureKind::continuous;
    rule.step = 0.5;
  }
  EXPECT_EQ(cost_near_a_known_row(steps, model), 9.5);
  EXPECT_EQ(
      cost_near_a_known_row(
          query_with({0, 0, 0, 0},
                     {{.feature = 0, .coefficient = 0.5}, {.feature = 1, .coefficient = 1.5}}, 9.5),
          model),
      4 + 7);  // 7 / 2 + 4 * 3 / 2
  Query left = query_with({0, 0, 0, 0.5}, {{.feature = 0}, {.feature = 1}, {.feature = 3}}, 9.5);
  left.features[3].fixed = true;
  EXPECT_EQ(cost_near_a_known_row(left, model), 9);
  left = query_with({0, 0, 0, 0}, left.clauses[0].linear[0].terms, 9.5);
  left.features[3].kind = FeatureKind::continuous;
  left.features[3].step = 0.5;
  left.features[3].range = {0, 1};
  EXPECT_EQ(cost_near_a_known_row(left, model), 9.5);
  // The row in which the models would be content breaks the rule, and x3 stays at its half.
  const Ensemble nearer =
      binary_model(4, {stump(0, 5, 0, 1), stump(1, 3, 0, 1), stump(2, 100, 0, 2)});
  EXPECT_EQ(cost_near_a_known_row(left, nearer), 9.5);
  EXPECT_EQ(cost_near_a_known_row(
                query_with({0.5, 0, 0, 0}, {{.feature = 0, .of = Of::change}, {.feature = 1}}, 9.5),
                model),
            9.5);
}

/// What a rule leaves of a feature without limits depends on the other features of the rule.
TEST(LinearBounds, FeaturesWithoutLimitsMayGoAsFarAsTheRuleLetsThem) {
  const Ensemble model = binary_model(3, {stump(0, 9.5, 0, 2), stump(2, 100, 0, 2)});
  Query query = query_for(model, std::vector<double>{0, 0, 0});
  query.features[1].range = {0, 0.1};
  const std::vector<LinearTerm> sum{{.feature = 0}, {.feature = 1}};
  query.clauses = {{{}, {{sum, {.lower = 9.7}}}}, {{}, {{sum, {.upper = 10}}}}};
  EXPECT_NEAR(cost_near_a_known_row(query, model), 9.7, 1e-7);
}

/// Both features may be as large as they like, and each is at least 2, so that their sum is at
/// least 3 whatever they are.
TEST(LinearBounds, SumsOfFeaturesWithoutLimitsMayBeFarBeyondTheirEnd) {
  const Ensemble model = binary_model(2, {stump(0, 9.5, 0, 1), stump(1, 9.5, 0, 1)}, -1.5);
  Query query = query_for(model, std::vector<double>{2, 2});
  for (FeatureRule& rule : query.features) rule.range.lower = 2;
  query.norm = Norm::l1;
  query.requirements = {require_class(1)};
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}}, {.lower = 3}}}},
                   {{}, {{{{.feature = 0}, {.feature = 1, .coefficient = -1}}, {.lower = 3}}}}};
  EXPECT_NEAR(explain(model, query).cost, 7.5 + 10.5, 1e-6);
}

/// Where a feature has no limits, products may be too large for a double. A present value whose
/// product is too large leaves nothing to calculate with.
TEST(LinearBounds, ProductsMayBeTooLarge) {
  const Ensemble model = binary_model(2, {stump(0, 101, -1, 1)});
  Query query = query_for(model, std::vector<double>{100, 100});
  query.requirements = {require_class(1)};
  for (FeatureRule& rule : query.features) rule.range = {-1e308, 1e308};
  const auto ask = [&](double factor) {
    query.clauses = {
        {{},
         {{{{.feature = 0, .coefficient = factor, .of = Of::change}}, {.upper = 1.5 * factor}}}},
        {{},
         {{{{.feature = 0, .of = Of::change}, {.feature = 1, .coefficient = -1, .of = Of::change}},
           {.upper = 0}}}}};
    return explain(model, query);
  };
  const Answer answer = ask(1e10);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, (std::vector<double>{101, 101}));
  EXPECT_EQ(error_of([&] { ask(1e307); }),
            "linear rule: its terms may add up to more than a double can hold. Give smaller "
            "coefficients");
}

/// A feature that is missing now may become 3, but no number is a change from a missing value.
TEST(LinearBounds, ChangesFromMissingValuesSatisfyNothing) {
  const Ensemble model = binary_model(2, {stump(0, 3, -1, 1)});
  Query query = whole_query(model, {std::nan(""), 5}, 10);
  query.features[0].missing_allowed = true;
  ASSERT_EQ(explain(model, query).status, Status::optimal);
  for (const Of of : {Of::change, Of::size}) {
    Clause clause{{}, {{{{.feature = 0, .of = of}}, {.upper = 5}}}};
    query.clauses = {clause};
    EXPECT_EQ(explain(model, query).status, Status::infeasible);
    clause.any_of = {falls(query, 1)};
    query.clauses = {clause};
    EXPECT_EQ(explain(model, query).best().point[1], 4);
  }
}

/// One feature has to reach 10 and the other one what is missing to 12. Which of them goes first
/// hardly matters, and it does.
TEST(LinearBounds, TheCheaperOneOfTwoIsFoundHoweverCloseTheyAre) {
  const Ensemble model = binary_model(2, {stump(0, 10, 0, 1), stump(1, 10, 0, 1)}, -0.5);
  for (const Norm norm : {Norm::squared_l2, Norm::l1, Norm::mixture, Norm::l0}) {
    for (const double more : {1e-3, 4e-6, 3e-8}) {
      for (const std::size_t dear : {0U, 1U}) {
        for (const double step : {0.0, 1.0, 0.5}) {
          Query query = query_for(model, std::vector<double>{0, 0});
          query.norm = norm;
          query.mixture = {.squared_l2 = 1, .l0 = 0.1};
          query.requirements = {require_class(1)};
          query.features[dear].weight = 1 + more;
          for (FeatureRule& rule : query.features) rule.step = step;
          query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}}, {.lower = 12}}}}};
          const Answer answer = explain(model, query);
          ASSERT_EQ(answer.status, Status::optimal);
          std::vector<double> best{10, 10};
          const bool alone = norm == Norm::l1 || norm == Norm::l0;  // one moves the whole way
          best[dear] = alone ? 0 : 2;
          if (alone) best[1 - dear] = 12;
          EXPECT_NEAR(answer.cost, total_cost(query, best), 1.1e-9 * answer.cost);
          EXPECT_LE(answer.lower_bound, total_cost(query, best));
        }
      }
    }
  }
}

/// From 60 down to the last value whose multiple of c is at most the limit, which is about c k: the
/// rule is decided without rounding, and so is the range of values that it leaves.
TEST(LinearBounds, TheLastValueThatARuleAdmitsIsFound) {
  const Ensemble model = binary_model(2, {stump(0, 70, 1, -1)});
  for (const double c : {1.0 / 3, 1.0 / 7, 0.1, 0.7, 1.0 / 9, 1.0 / 11}) {
    for (double k = 1; k <= 40; ++k) {
      Query query = whole_query(model, {60, 0}, 60);
      const double limit = c * k;
      query.clauses = {{{},
                        {{{{.feature = 0, .coefficient = c}, {.feature = 1, .coefficient = c}},
                          {.upper = limit}}}}};
      const double last = std::fma(c, k, -limit) <= 0 ? k : k - 1;
      EXPECT_EQ(explain(model, query).best().point, (std::vector<double>{last, 0})) << c;
    }
  }
}

/// A sum of a few units in the last place of 1, beside terms of 2^100 that cancel out.
TEST(LinearBounds, SmallSumsOfHugeTermsAreDecidedExactly) {
  const Ensemble model = model_of_row(std::vector<double>(7, 1));
  Query query = whole_query(model, std::vector<double>(7, 0), 60);
  LinearCondition sum;
  const double factors[] = {0x1p100, 1, 1.9 * 0x1p-54, 1.9 * 0x1p-54, -0x1p100, -1, -0x1p-53};
  for (std::size_t d = 0; d < 7; ++d) {
    sum.terms.push_back({.feature = d, .coefficient = factors[d]});
  }
  sum.range.lower = 0;
  query.clauses = {{{}, {sum}}};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, 7);
}

/// The same where every feature has many values: the sum is large enough at one end alone, by less
/// than a sum in twice the precision of a double is rounded.
TEST(LinearBounds, EndsOfHugeSumsAreDecidedExactly) {
  const double part = 1.02 * 0x1p-54;
  const double factors[] = {0x1p100, 1, part, part, -0x1p100, -1, -0x1p-53};
  const Ensemble model = binary_model(7, {stump(2, -18.5, -1, 1)});
  for (const double sign : {1.0, -1.0}) {
    Query query = whole_query(model, std::vector<double>(7, 0), 60);
    LinearCondition sum;
    for (std::size_t d = 0; d < 7; ++d) {
      query.point[d] = factors[d] > 0 ? -19 : 59;
      query.features[d].range = factors[d] > 0 ? Interval{-20, 20} : Interval{20, 60};
      sum.terms.push_back({.feature = d, .coefficient = sign * factors[d]});
    }
    (sign > 0 ? sum.range.lower : sum.range.upper) = 0;
    query.clauses = {{{}, {sum}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.cost, 7 * 39);
  }
}

/// What is left of terms that nearly cancel out: 2^100 + 1 + 3 * 2^-60 - 2^100 - 1 is far more than
/// nothing where the other numbers are small, and a sum in twice the precision of a double loses
/// it. The terms are those of columns that stay, or of one column.
TEST(LinearBounds, WhatIsLeftOfHugeTermsCounts) {
  constexpr double unit = 0x1p-60;
  const double factors[] = {0x1p100, 1, 3 * unit, -0x1p100, -1};
  Ensemble model = binary_model(7, {stump(0, 0.25 * unit, -1, 1)});
  model.input = Precision::float64;
  for (const std::size_t first : {1U, 2U}) {  // one column or two are free
    for (const double sign : {1.0, -1.0}) {
      Query query = query_for(model, std::vector<double>{0, 0, 1, 1, 1, 1, 1});
      query.norm = Norm::l1;
      query.requirements = {require_class(1)};
      LinearCondition stays;
      for (std::size_t d = 0; d < 7; ++d) {
        query.features[d].fixed = d >= first;
        query.features[d].range = {0, 1.5 * unit};
        query.features[d].scale = 1e-18;
        if (d < first) stays.terms.push_back({.feature = d, .coefficient = sign});
        if (d >= 2) {
          stays.terms.push_back({.feature = d, .coefficient = sign * factors[d - 2]});
        }
      }
      const double least = (static_cast<double>(first) - 0.5) * unit;
      (sign > 0 ? stays.range.lower : stays.range.upper) = sign * (3 * unit + least);
      query.clauses = {{{}, {stays}}};
      const Answer answer = explain(model, query);
      EXPECT_NE(answer.status, Status::infeasible);
      EXPECT_LE(answer.lower_bound, least / 1e-18 * (1 + 1e-12));

      for (FeatureRule& rule : query.features) rule.range.upper = 1.5, rule.scale = 1;
      LinearCondition moves;
      for (const double factor : factors) {
        moves.terms.push_back({.feature = 0, .coefficient = sign * factor});
      }
      if (first > 1) moves.terms.push_back({.feature = 1, .coefficient = sign * unit});
      (sign > 0 ? moves.range.lower : moves.range.upper) = sign * (first > 1 ? 5 : 3) * unit;
      query.clauses = {{{}, {moves}}};
      const Answer moved = explain(model, query);
      EXPECT_NE(moved.status, Status::infeasible);
      EXPECT_LE(moved.lower_bound, first > 1 ? 5.0 / 3 : 1);
      // Without limits, what is left decides where the sum may end.
      query.features[0].range = {};
      EXPECT_NE(explain(model, query).status, Status::infeasible);
    }
  }
}

/// The same for whole numbers: 2^-53 is left of the rounded sum, and 5 / 8 of that of the exact
/// one, so that x0 may be as large as 20.
TEST(LinearBounds, WhatIsLeftOfHugeFactorsOfWholeNumbers) {
  const Ensemble model = binary_model(2, {stump(0, 24.5, 1, -1)});
  Query query = whole_query(model, {60, 0}, 60);
  LinearCondition sum;
  for (const double factor : {0x1p100, 1.0, -0.375 * 0x1p-53, -0x1p100, -1.0, 0x1p-53}) {
    sum.terms.push_back({.feature = 0, .coefficient = factor});
  }
  sum.range.upper = 20 * 0.625 * 0x1p-53;
  for (const double more : {0.0, 1.0}) {  // beside another feature
    sum.terms.push_back({.feature = 1, .coefficient = 1 + more});
    query.clauses = {{{}, {sum}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.cost, 40);
  }
}

/// A number costs what it costs, also where one is missing now and another feature has to move.
TEST(LinearBounds, ANumberInsteadOfAMissingOne) {
  Ensemble model = binary_model(3, {stump(0, -5, 0, 1), stump(1, 1, 0, 1), stump(2, 70, 0, 2)});
  model.trees[0].nodes[0].missing_left = true;
  for (const double weight : {5.0, 6.5}) {
    Query query = query_for(model, std::vector<double>{std::nan(""), 0, 0});
    query.features[0].missing_allowed = true;
    query.features[0].weight = weight;
    query.features[2].weight = 0.11;  // 7.7 alone
    query.norm = Norm::l1;
    query.requirements = {{0, ScoreIn{{.lower = 2}}}};
    query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = 2}}, {.lower = 10}}}}};
    query.clauses[0].any_of = {{.feature = 2, .range = {.lower = 50}}};
    const std::vector<std::vector<double>> known{{std::nan(""), 0, 70}};
    Options options;
    options.examples = known;
    const Answer answer = explain(model, query, options);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.cost, weight + 1);
  }
}

/// a x0 + b x1 + c x2 >= d for whole numbers without limits, by a list of all of them: the nearest
/// whole point of the nearest real one is often not the cheapest. Weights differ little.
TEST(LinearBounds, SumsOfWholeNumbersWithoutLimits) {
  const Ensemble model = binary_model(3, {stump(0, 0.5, 0, 1)});
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t count) { return static_cast<double>(random() % count); };
  for (int i = 0; i < 40; ++i) {
    Query query = query_for(model, std::vector<double>{0, 0, 0});
    LinearCondition sum;
    for (std::size_t d = 0; d < 3; ++d) {
      query.features[d].kind = FeatureKind::integer;
      const double factor = 5 + below(20);
      query.features[d].weight = factor * 1000 + below(200);
      sum.terms.push_back({.feature = d, .coefficient = factor});
    }
    sum.range.lower = 60 + below(60);
    if (i % 3 == 0) sum.range.upper = sum.range.lower + 1;
    query.norm = i % 2 == 0 ? Norm::l1 : Norm::squared_l2;
    query.requirements = {{0, ScoreIn{{.lower = 1}}}};
    query.clauses = {{{}, {sum}}};
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> x(3);
    for (x[0] = 1; x[0] <= 30; ++x[0]) {
      for (x[1] = -9; x[1] <= 21; ++x[1]) {
        for (x[2] = -9; x[2] <= 21; ++x[2]) {
          double total = 0;
          for (std::size_t d = 0; d < 3; ++d) total += sum.terms[d].coefficient * x[d];
          if (sum.range.contains(total)) least = std::min(least, total_cost(query, x));
        }
      }
    }
    const Answer answer = explain(model, query);
    if (answer.stop == Stop::precision) {
      EXPECT_LE(answer.lower_bound, least);
      continue;
    }
    ASSERT_EQ(answer.status, Status::optimal) << i;
    EXPECT_EQ(answer.cost, least) << i;
    EXPECT_LE(answer.gap(), 1.1e-9);
  }
}

/// One feature goes nearly the whole way: a bound without such points would be too large.
TEST(LinearBounds, OneFeatureMayGoFar) {
  const Ensemble model = binary_model(2, {stump(0, 0.5, 0, 1)});
  Query query = query_for(model, std::vector<double>{0, 0});
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
  query.features[0].weight = 1000;
  query.features[1].weight = 330;
  query.norm = Norm::l1;
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.clauses = {
      {{},
       {{{{.feature = 0, .coefficient = 10}, {.feature = 1, .coefficient = 3}}, {.lower = 1001}}}}};
  EXPECT_EQ(explain(model, query).cost, 98 * 1000 + 7 * 330);  // 101 * 1000 is the first answer
}

/// A million and a third: the next whole sum costs nearly the same, and the gap says how nearly.
TEST(LinearBounds, OptimalMeansWithinTheTolerance) {
  const Ensemble model = binary_model(2, {stump(0, 0.5, 0, 1)});
  Query query = query_for(model, std::vector<double>{0, 0});
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
  query.norm = Norm::l1;
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.clauses = {{{},
                    {{{{.feature = 0, .coefficient = 3}, {.feature = 1, .coefficient = 3}},
                      {.lower = 3e6 + 1}}}}};
  const Answer answer = explain(model, query);
  EXPECT_EQ(answer.cost, 1e6 + 1);
  EXPECT_TRUE(answer.status != Status::optimal || answer.gap() < 1.1e-9);
}

/// a x0 + b x1 = c for whole numbers without limits: the nearest real point says little about the
/// cheapest whole one, which a list of all of them gives.
TEST(LinearBounds, EquationsOfWholeNumbersWithoutLimits) {
  const Ensemble model = binary_model(2, {stump(0, 0.5, 0, 1)});
  for (double a = 3; a <= 11; a += 2) {
    for (double b = 4; b <= 13; b += 3) {
      const double limit = 5 * a + 3 * b + 1;
      Query query = query_for(model, std::vector<double>{0, 0});
      for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
      query.features[0].up = 1 + std::fmod(a, 3);
      query.features[1].down = 2;
      query.norm = std::fmod(a + b, 2) == 0 ? Norm::l1 : Norm::squared_l2;
      query.requirements = {{0, ScoreIn{{.lower = 1}}}};
      query.clauses = {{{},
                        {{{{.feature = 0, .coefficient = a}, {.feature = 1, .coefficient = b}},
                          {limit, limit}}}}};
      double least = std::numeric_limits<double>::infinity();
      for (double x = 1; x <= 200; ++x) {
        const double y = (limit - a * x) / b;
        if (y == std::floor(y)) least = std::min(least, total_cost(query, std::vector{x, y}));
      }
      const Answer answer = explain(model, query);
      if (std::isinf(least)) {  // no solution within the list: it may end without one
        EXPECT_TRUE(answer.solutions.empty() || answer.best().point[0] > 200);
        continue;
      }
      ASSERT_EQ(answer.status, Status::optimal) << a << ' ' << b;
      EXPECT_NEAR(answer.cost, least, 1e-8 * least) << a << ' ' << b;
    }
  }
}

}  // namespace linear_bounds_test
