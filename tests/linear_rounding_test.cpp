// Linear rules that sums of doubles cannot decide: rows that satisfy a rule, or break it, by less
// than the rounding of its sum. The oracle adds up whole multiples of a power of two.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>

#include "search/guarded.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

namespace linear_rounding_test {

using namespace boxwood;
using Of = LinearTerm::Of;

/// Thirds as doubles: the row satisfies the rule but for 2^-54, which no sum of doubles tells. The
/// search must not look at all rows that seem to satisfy it before it changes x0, x1 or x2.
TEST(LinearRounding, RowsThatBreakARuleByRoundingAreDecidedAtOnce) {
  constexpr std::size_t others = 16;
  std::vector<Tree> trees;
  for (std::size_t d = 0; d < others; ++d) {
    trees.push_back(stump(static_cast<std::int32_t>(3 + d), 0.5, -1, 1));
  }
  const Ensemble model = binary_model(3 + others, trees, -0.5);
  std::vector<double> row{1, 2, 0};
  row.resize(3 + others, 0.0);
  Query query = query_for(model, row);
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::integer;
    rule.range = {0, 4};
  }
  for (std::size_t d = 0; d < others; ++d) query.features[3 + d].weight = 1 + double(d);
  for (std::size_t d = 0; d < 3; ++d) query.features[d].weight = 200;
  query.norm = Norm::l1;
  query.requirements = {require_class(1)};
  const double third = 1.0 / 3;
  query.clauses = {{{},
                    {{{{.feature = 2, .coefficient = third},
                       {.feature = 0, .coefficient = -third},
                       {.feature = 1, .coefficient = -third}},
                      {.upper = -1}}}}};
  ASSERT_FALSE(holds(query.clauses[0].linear[0], row, row));
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, 200 + 45);
  EXPECT_LT(answer.statistics.nodes, 40'000U);
}

/// The last tree of a problem is a rule's, and its last leaf may be the only one that is left: the
/// search for the next one must not read beyond the leaves, however many there are.
TEST(LinearRounding, ProblemsOfAnyNumberOfLeaves) {
  constexpr std::size_t others = 6;
  std::vector<Tree> trees;
  for (std::size_t d = 0; d < others; ++d) {
    trees.push_back(stump(static_cast<std::int32_t>(3 + d), 0.5, -1, 1));
  }
  const Ensemble model = binary_model(3 + others, trees, -0.5);
  std::vector<double> row{1, 2, 0};
  row.resize(3 + others, 0.0);
  const double third = 1.0 / 3;
  for (int first = 2; first < 16; ++first) {
    for (int second = 3; second < 16; ++second) {
      Query query = query_for(model, row);
      for (FeatureRule& rule : query.features) {
        rule.kind = FeatureKind::integer;
        rule.range = {0, 4};
      }
      for (std::size_t d = 0; d < 3; ++d) query.features[d].weight = 200;
      query.features[1].range.upper = first;
      query.features[2].range.upper = second;
      query.norm = Norm::l1;
      query.requirements = {require_class(1)};
      query.clauses = {{{},
                        {{{{.feature = 0, .coefficient = -third},
                           {.feature = 1, .coefficient = -third},
                           {.feature = 2, .coefficient = third}},
                          {.upper = -1}}}}};
      const Answer answer = explain(model, query);
      ASSERT_EQ(answer.status, Status::optimal);
      EXPECT_EQ(answer.cost, 200 + 4);  // one of the three, and four of the others
    }
  }
}

/// Coefficients that are no multiples of a power of two that sums of doubles would hold, and limits
/// that sums of doubles just reach or just miss. Sums of the oracle are multiples of 2^-115.
TEST(LinearRounding, RulesAtTheEdgeOfRoundingAgreeWithBruteForce) {
  __extension__ typedef __int128 Whole;
  const auto units = [](double value, int bits) {
    return static_cast<Whole>(std::ldexp(value, bits)) << (115 - bits);  // exact
  };
  std::mt19937_64 random(test_seed());
  const auto below = [&](std::size_t count) { return random() % count; };
  constexpr double highest = 5;
  int changed = 0, infeasible = 0;
  const int cases = test_cases(1500);
  for (int i = 0; i < cases; ++i) {
    std::vector<Tree> trees;
    for (std::size_t t = 0; t < 4; ++t) {
      trees.push_back(stump(static_cast<std::int32_t>(below(3)), 0.5 + double(below(5)),
                            double(below(5)) - 2, double(below(5)) - 2));
    }
    const Ensemble model = binary_model(3, trees, 0.5 - double(below(3)));
    const auto any_row = [&] {
      return std::vector<double>{double(below(6)), double(below(6)), double(below(6))};
    };
    Query query = query_for(model, any_row());
    const bool many = below(3) == 0;  // cells of several values
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, many ? highest + 15 : highest};
      if (below(2) == 0) rule.weight = 7;
    }
    query.norm = below(2) == 0 ? Norm::l1 : Norm::squared_l2;
    query.requirements = {require_class(1)};
    for (std::size_t c = 1 + below(2); c > 0; --c) {
      LinearCondition rule;
      constexpr double parts[] = {3, 3, 7, 10, 29450};
      const double part = parts[below(5)];
      const std::vector<double> edge = below(2) == 0 ? query.point : any_row();
      double limit = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (below(4) == 0) continue;
        constexpr Of kinds[] = {Of::value, Of::value, Of::change, Of::size};
        LinearTerm term{.feature = d, .of = kinds[below(4)]};
        term.coefficient = (double(below(3)) + 1) / (below(3) == 0 ? parts[below(5)] : part);
        if (below(2) == 0) term.coefficient = -term.coefficient;
        const double change = edge[d] - query.point[d];
        limit += term.coefficient * (term.of == Of::value  ? edge[d]
                                     : term.of == Of::size ? std::abs(change)
                                                           : change);
        rule.terms.push_back(term);
      }
      if (rule.terms.empty()) continue;
      const std::size_t kind = below(5);
      if (kind < 2) rule.range = {.upper = limit, .upper_closed = kind == 0};
      if (kind == 2 || kind == 3) rule.range = {.lower = limit, .lower_closed = kind == 2};
      if (kind == 4) rule.range = {limit, limit};
      query.clauses.push_back({{}, {rule}});
      if (below(4) == 0) query.clauses.back().any_of.push_back(stays(query, below(3)));
      if (below(6) == 0) query.clauses.back().any_of.push_back(rises(query, below(3)));
    }
    const auto allowed = [&](const std::vector<double>& row) {
      return std::all_of(query.clauses.begin(), query.clauses.end(), [&](const Clause& clause) {
        bool one = false;
        for (const Literal& literal : clause.any_of) {
          const bool inside = literal.range.contains(row[literal.feature]);
          one = one || inside == literal.inside;
        }
        Whole sum = 0;
        for (const LinearTerm& term : clause.linear[0].terms) {
          const double change = row[term.feature] - query.point[term.feature];
          const double number = term.of == Of::value  ? row[term.feature]
                                : term.of == Of::size ? std::abs(change)
                                                      : change;
          sum += units(term.coefficient, 75) * static_cast<std::int64_t>(number);
        }
        const Interval& range = clause.linear[0].range;
        const auto limit = [&](double end) { return units(end, 110); };
        const bool low = std::isinf(range.lower) || (range.lower_closed ? sum >= limit(range.lower)
                                                                        : sum > limit(range.lower));
        const bool high =
            std::isinf(range.upper) ||
            (range.upper_closed ? sum <= limit(range.upper) : sum < limit(range.upper));
        return one || (low && high);
      });
    };
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> cheapest;
    const double most = query.features[0].range.upper;
    for (double a = 0; a <= most; ++a) {
      for (double b = 0; b <= most; ++b) {
        for (double c = 0; c <= most; ++c) {
          const std::vector<double> row{a, b, c};
          if (!(model.predict(row)[0] > 0) || !allowed(row)) continue;
          const double cost = total_cost(query, row);
          if (cost > least) continue;
          if (cost < least) cheapest.clear();
          least = cost;
          cheapest.push_back(row);
        }
      }
    }
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", " << to_string(engine));
      Options options;
      options.engine = engine;
      options.threads = 1;
      const Answer answer = explain_guarded(Prepared(model), query, options,
                                            cheapest.empty() ? std::vector<double>{} : cheapest[0]);
      ASSERT_EQ(answer.status, cheapest.empty() ? Status::infeasible : Status::optimal);
      if (cheapest.empty()) continue;
      ASSERT_EQ(answer.cost, least);
      EXPECT_NE(std::find(cheapest.begin(), cheapest.end(), answer.best().point), cheapest.end());
    }
    changed += least > 0 && !cheapest.empty() ? 1 : 0;
    infeasible += cheapest.empty() ? 1 : 0;
  }
  std::cout << changed << " with a change, " << infeasible << " infeasible\n";
  expect_share(changed, cases, 1.0 / 20);
  expect_share(infeasible, cases, 1.0 / 50);
}

/// Coefficients of one feature, whose sum is 2 units. A sum in twice the precision of a double
/// loses three of them and gets 5.
constexpr double unit = 0x1p-60;
constexpr double lost_factors[] = {0x1p100, 1, -3 * unit, -1, -0x1p100, 5 * unit};

/// The rule is x0 + x1 >= 2, and seems to be x0 + x1 >= 5. Squares are least at (1, 1). Whole
/// numbers are lost in the same way.
TEST(LinearRounding, ALimitThatIsLostDoesNotRaiseTheBound) {
  const Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  for (const double scale : {1.0, -1.0, 1 / unit, -1 / unit}) {
    Query query = query_for(model, std::vector<double>{0, 0, 0});
    for (FeatureRule& rule : query.features) {
      rule.range = {0, 1e6};
      if (std::abs(scale) > 1) rule.kind = FeatureKind::integer;
    }
    query.features[2].kind = FeatureKind::integer;
    query.features[2].range = {0, 1};
    query.norm = Norm::squared_l2;
    query.requirements = {require_class(1)};
    LinearCondition sum;
    for (const double factor : lost_factors) {
      sum.terms.push_back({.feature = 2, .coefficient = scale * 10 * factor});
    }
    sum.terms.push_back({.feature = 0, .coefficient = -scale * unit});
    sum.terms.push_back({.feature = 1, .coefficient = -scale * unit});
    (scale > 0 ? sum.range.upper : sum.range.lower) = 0;
    query.clauses = {{{}, {sum}}};
    ASSERT_TRUE(holds(sum, query.point, std::vector<double>{10, 10, 1}));
    const Answer answer = explain(model, query);
    EXPECT_LE(answer.lower_bound, 201);
    EXPECT_GE(answer.cost, 201 - 1e-4);
  }
}

/// The rule is 2 x0 - x1 <= -26, and seems to be 5 x0 - x1 <= -26. So x0 can be 7, not only 2.
TEST(LinearRounding, AFactorThatIsLostDropsNoValue) {
  const Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  for (const double sign : {1.0, -1.0}) {
    Query query = query_for(model, std::vector<double>{17, 0, 0});
    constexpr double highest[] = {17, 40, 1};
    for (std::size_t d = 0; d < 3; ++d) {
      query.features[d].kind = FeatureKind::integer;
      query.features[d].range = {0, highest[d]};
    }
    query.features[1].weight = 0.125;
    query.norm = Norm::l1;
    query.requirements = {require_class(1)};
    LinearCondition sum;
    for (const double factor : lost_factors) {
      sum.terms.push_back({.feature = 0, .coefficient = sign * factor});
    }
    sum.terms.push_back({.feature = 1, .coefficient = -sign * unit});
    (sign > 0 ? sum.range.upper : sum.range.lower) = -sign * 26 * unit;
    query.clauses = {{{}, {sum}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.best().point, (std::vector<double>{7, 40, 1}));
  }
}

/// f x0 >= -f 2^-70 leaves -2^-70 to x0. The room of the largest value a is f a + f 2^-70: divided
/// by f and rounded, it may be a, as if 0 were the least number that is left.
TEST(LinearRounding, AQuotientThatRoundsDownDropsNoValue) {
  Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  model.input = Precision::float64;
  constexpr double factor = 1.4, least = 0x1p-70;
  for (int i = 0; i < 40; ++i) {
    Query query = query_for(model, std::vector<double>{2, 0, 0});
    query.features[0].allowed = {-least};
    for (int k = 0; k < 20; ++k) query.features[0].allowed.push_back(0.5 + k / 64.0);
    query.features[0].allowed.push_back(1 + i / 600.0);
    for (const std::size_t d : {1U, 2U}) query.features[d].kind = FeatureKind::integer;
    query.features[1].range = {0, 40};
    query.features[2].range = {0, 1};
    query.norm = Norm::l1;
    query.requirements = {require_class(1)};
    const LinearCondition above{
        {{.feature = 0, .coefficient = factor}, {.feature = 1, .coefficient = -1}},
        {.lower = -factor * least}};
    const LinearCondition below{{{.feature = 0}, {.feature = 1}}, {.upper = 0}};
    query.clauses = {{{}, {above}}, {{}, {below}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal) << i;
    EXPECT_EQ(answer.best().point, (std::vector<double>{-least, 0, 1}));
  }
}

/// Products that are too small for a double: the same rule in larger units has the same answer.
TEST(LinearRounding, TheSmallestCoefficientsAreAsGoodAsOthers) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  std::mt19937_64 random(test_seed());
  Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  model.input = Precision::float64;
  int changed = 0;
  const int cases = test_cases(300);
  for (int i = 0; i < cases; ++i) {
    Query query = query_for(model, std::vector<double>{0, 0, 0});
    for (const std::size_t d : {0U, 1U}) {
      query.features[d].range = {0, 10};
      query.features[d].step = 0.25;
      query.features[d].weight = 1 + static_cast<double>(random() % 3);
    }
    query.features[2].kind = FeatureKind::integer;
    query.features[2].range = {0, 1};
    query.norm = i % 2 == 0 ? Norm::l1 : Norm::squared_l2;
    query.requirements = {require_class(1)};
    LinearCondition sum;
    for (const std::size_t d : {0U, 1U}) {
      const double sign = random() % 2 == 0 ? 1 : -1;
      sum.terms.push_back(
          {.feature = d, .coefficient = sign * static_cast<double>(1 + random() % 9)});
    }
    (random() % 2 == 0 ? sum.range.upper : sum.range.lower) =
        static_cast<double>(random() % 80) - 40;
    if (random() % 4 == 0) sum.range.upper = sum.range.lower;
    if (std::isinf(sum.range.lower) && std::isinf(sum.range.upper)) continue;
    query.clauses = {{{}, {sum}}};
    const Answer large = explain(model, query);
    for (LinearTerm& term : query.clauses[0].linear[0].terms) term.coefficient *= least;
    query.clauses[0].linear[0].range.lower *= least;
    query.clauses[0].linear[0].range.upper *= least;
    const Answer small = explain(model, query);
    ASSERT_EQ(small.status, large.status) << i;
    EXPECT_EQ(small.cost, large.cost) << i;
    changed += large.cost > 1 && large.cost < 1e9 ? 1 : 0;
  }
  expect_share(changed, cases, 0.2);
}

}  // namespace linear_rounding_test
