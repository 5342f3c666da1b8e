// Linear rules between features of many whole numbers: the cheapest ones are found exactly for
// every cost, by comparison with all of them.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "error_of.hpp"
#include "search/engine_settings.hpp"
#include "search/guarded.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace linear_values_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double highest = 40;

/// Largest changes, own costs, costs by quantile and missing values need the values one by one.
TEST(LinearValues, EveryCostAgreesWithBruteForce) {
  std::mt19937_64 random(test_seed());
  const auto whole = [&](int first, int last) {
    return static_cast<double>(
        first + static_cast<int>(random() % static_cast<std::size_t>(last - first + 1)));
  };
  int changed = 0;
  const int cases = test_cases(200);
  for (int i = 0; i < cases; ++i) {
    Ensemble model = binary_model(2, {stump(0, whole(0, 40) + 0.5, whole(-1, 1), whole(-1, 1)),
                                      stump(1, whole(0, 40) + 0.5, whole(-1, 1), whole(-1, 1))});
    model.trees[0].nodes[0].missing_left = i % 2 == 0;
    Query query = query_for(model, std::vector<double>{whole(0, 40), whole(0, 40)});
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, highest};
      rule.weight = whole(2, 5) / 2;
    }
    constexpr Norm norms[] = {Norm::linf, Norm::custom, Norm::l1, Norm::squared_l2, Norm::l0};
    query.norm = norms[i % 5];
    if (query.norm == Norm::custom) {
      query.term = [](std::size_t d, double from, double to) {
        return std::sqrt(std::abs(to - from)) * (d == 0 ? 1 : 1.25);
      };
    }
    if (query.norm == Norm::l1) query.features[i % 2].quantiles = {0, 3, 4, 10, 11, 30};
    if (query.norm == Norm::squared_l2) {
      query.features[0].missing_allowed = true;
      query.features[0].weight = 20;
      if (random() % 2 == 0) query.point[0] = std::nan("");
    }
    query.requirements = {{0, ScoreIn{{.lower = whole(-1, 1)}}}};
    LinearCondition sum{{{.feature = 0, .coefficient = whole(1, 6)},
                         {.feature = 1, .coefficient = whole(1, 6) * (random() % 2 == 0 ? 1 : -1)}},
                        {.lower = whole(-40, 200)}};
    if (random() % 3 == 0) sum.range.upper = sum.range.lower + whole(0, 9);
    query.clauses = {{{}, {sum}}};
    double least = infinity;
    for (double a = 0; a <= highest; ++a) {
      for (double b = 0; b <= highest; ++b) {
        const std::vector<double> row{a, b};
        const double total = sum.terms[0].coefficient * a + sum.terms[1].coefficient * b;
        if (!sum.range.contains(total)) continue;
        double score = 0;
        for (const std::size_t d : {0U, 1U}) {
          score += model.trees[d].values[row[d] < model.trees[d].nodes[0].threshold ? 0 : 1];
        }
        if (score < std::get<ScoreIn>(query.requirements[0].outcome).range.lower) continue;
        least = std::min(least, total_cost(query, row));
      }
    }
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << " " << to_string(engine));
      Options options;
      options.engine = engine;
      options.threads = 1;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, std::isinf(least) ? Status::infeasible : Status::optimal);
      ASSERT_EQ(answer.cost, least);
      EXPECT_TRUE(std::isinf(least) || verify(model, query, answer).passed());
    }
    changed += least > 0 && least < infinity ? 1 : 0;
  }
  expect_share(changed, cases, 0.3);
}

/// An own cost that falls on the way is noticed, whichever of the values it is.
TEST(LinearValues, OwnCostsAreCheckedForEveryValue) {
  const Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1)});
  for (double dip = 2; dip <= 40; ++dip) {
    Query query = query_for(model, std::vector<double>{0, 0});
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, highest};
    }
    query.requirements = {require_class(1)};
    query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}}, {.lower = 45}}}}};
    query.norm = Norm::custom;
    query.term = [dip](std::size_t, double from, double to) {
      return std::abs(to - from) == dip ? 0.5 : std::abs(to - from);
    };
    EXPECT_EQ(error_of([&] { explain(model, query); }),
              "cost: it falls as feature 0 moves away from 0. Give 0 for no change and more the "
              "farther a value moves");
  }
}

/// 2^100 + 1 + 3 * 2^-60 - 2^100 - 1 is left in an equation, which a sum in twice the precision of
/// a double loses, so that x0 = 3 seems to be too much or not enough. 5 x1 is no way out.
TEST(LinearValues, AnEquationThatSeemsToHoldDoesNot) {
  constexpr double unit = 0x1p-60;
  const Ensemble model = binary_model(3, {stump(2, 0.5, -1, 1)});
  for (const double sign : {1.0, -1.0}) {
    Query query = query_for(model, std::vector<double>{0, 0, 0});
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, highest};
    }
    query.features[2].range = {0, 1};
    query.requirements = {require_class(1)};
    query.norm = Norm::l1;
    LinearCondition sum;
    for (const double factor : {0x1p100, 1.0, 3 * unit, -0x1p100, -1.0}) {
      sum.terms.push_back({.feature = 2, .coefficient = sign * factor});
    }
    sum.terms.push_back({.feature = 0, .coefficient = -sign * unit});
    sum.terms.push_back({.feature = 1, .coefficient = -sign * 5 * unit});
    sum.range = {0, 0};
    query.clauses = {{{}, {sum}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.best().point, (std::vector<double>{3, 0, 1}));
  }
}

/// The distance of the present value to one of the values rounds to that of the other one, which is
/// less. Only the farther one satisfies the rule.
TEST(LinearValues, SizesThatRoundToTheSameNumberDiffer) {
  Ensemble model = binary_model(2, {stump(1, 5, 0, 1)});
  model.input = Precision::float64;
  for (const double sign : {1.0, -1.0}) {
    Query query = query_for(model, std::vector<double>{sign, 0});
    query.features[0].allowed = {sign * 2, sign * -0x1p-53};
    std::sort(query.features[0].allowed.begin(), query.features[0].allowed.end());
    query.features[1].kind = FeatureKind::integer;
    query.features[1].range = {0, 10};
    query.norm = Norm::l1;
    query.requirements = {{0, ScoreIn{{.lower = 1}}}};
    LinearCondition sum{
        {{.feature = 0, .of = LinearTerm::Of::size}, {.feature = 1, .coefficient = -1}},
        {.lower = -4, .lower_closed = false}};
    query.clauses = {{{}, {sum}}};
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      Options options;
      options.engine = engine;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, Status::optimal);
      EXPECT_EQ(answer.best().point, (std::vector<double>{sign * -0x1p-53, 5}));
    }
  }
}

/// No double is as small as their product.
TEST(LinearValues, ProductsOfTheSmallestNumbersCount) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  for (const double factor : {least, -least, 3 * least}) {
    for (const double value : {least, -least, 5 * least}) {
      const LinearCondition above{{{.feature = 0, .coefficient = factor}},
                                  {.lower = 0, .lower_closed = false}};
      const std::vector<double> row{value};
      EXPECT_EQ(holds(above, row, row), (factor > 0) == (value > 0));
    }
  }
}

/// A feature that has to change is one change, also where the search no longer asks about it.
TEST(LinearValues, AForcedChangeCountsOnce) {
  std::mt19937_64 random(test_seed());
  constexpr std::size_t n = 8;
  int changed = 0;
  const int cases = test_cases(25);
  for (int i = 0; i < cases; ++i) {
    std::vector<Tree> trees{stump(0, 5, 0, 100)};
    for (std::size_t t = 0; t < 24; ++t) {
      Tree tree;
      tree.nodes.resize(7);
      for (std::int32_t k = 0; k < 3; ++k) {
        Node& node = tree.nodes[static_cast<std::size_t>(k)];
        node = {.kind = NodeKind::less, .left = 2 * k + 1, .right = 2 * k + 2};
        node.feature = static_cast<std::int32_t>(1 + random() % (n - 1));
        node.threshold = 0.5 + static_cast<double>(random() % 9);
      }
      for (std::int32_t k = 0; k < 4; ++k) {
        tree.nodes[static_cast<std::size_t>(3 + k)].value = k;
        tree.values.push_back(static_cast<double>(random() % 7) - 3);
      }
      trees.push_back(tree);
    }
    const Ensemble model = binary_model(n, trees);
    std::vector<double> point{3};
    while (point.size() < n) point.push_back(static_cast<double>(random() % 10));
    Query query = query_for(model, point);
    query.norm = i % 2 == 0 ? Norm::l1 : Norm::squared_l2;
    query.max_changes = 2 + random() % 2;
    query.requirements = {{0, ScoreIn{{.lower = 104 + static_cast<double>(random() % 8)}}}};
    double cost = 0;
    for (const Engine engine : {Engine::paper, Engine::fast}) {
      Options options;
      EngineSettings settings;
      settings.parts.start = false;  // else the search begins with the answer
      set(options, settings);
      options.engine = engine;
      options.threads = 1;
      const Answer answer = explain(model, query, options);
      if (engine == Engine::fast) {
        EXPECT_EQ(answer.cost, cost) << i;
      } else if (!answer.solutions.empty()) {  // no prune may discard it
        options.engine = Engine::fast;
        explain_guarded(Prepared(model), query, options, answer.best().point);
      }
      cost = answer.cost;
    }
    changed += cost > 0 && cost < infinity ? 1 : 0;
  }
  expect_share(changed, cases, 0.3);
}

/// Sums of numbers near 2^52 that cancel out, of yes and no and of categories: doubles round them
/// on the way, and the oracle adds whole numbers.
TEST(LinearValues, SumsOfHugeNumbersAgreeWithBruteForce) {
  std::mt19937_64 random(test_seed());
  const int cases = test_cases(300);
  int changed = 0;
  for (int i = 0; i < cases; ++i) {
    constexpr std::size_t n = 7;
    std::vector<Tree> trees;
    for (std::int32_t d = 0; d < static_cast<std::int32_t>(n); ++d) {
      const double by = static_cast<double>(random() % 3);
      Tree tree = stump(d, 0.5, 0, by);
      if (i % 2 == 0) {
        tree = stump(d, 0, by, 0, NodeKind::in_set);
        tree.nodes[0].value = 0;
        tree.sets = {{1}};
      }
      trees.push_back(tree);
    }
    const Ensemble model = binary_model(n, trees);
    Query query = query_for(model, std::vector<double>(n, 0));
    query.norm = Norm::l1;
    query.requirements = {{0, ScoreIn{{.lower = static_cast<double>(random() % 6)}}}};
    const double unit = i % 4 < 2 ? 1 : 0x1p-10;
    LinearCondition sum;
    std::vector<std::int64_t> factors;
    std::int64_t total = 0;
    for (std::size_t d = 0; d < n; ++d) {
      FeatureRule& rule = query.features[d];
      rule.kind = i % 2 == 0 ? FeatureKind::categorical : FeatureKind::integer;
      if (i % 2 != 0) rule.range = {0, 1};
      if (i % 2 == 0) rule.changes = {{0, 1}, {1, 0}};
      rule.weight = 1 + static_cast<double>(random() % 8);
      auto factor = static_cast<std::int64_t>(random() >> 11U) - (std::int64_t{1} << 52U);
      if (d + 1 == n) factor = -total;  // all of them together are 0
      total += factor;
      if (factor == 0 || std::abs(factor) > std::int64_t{1} << 53U) continue;
      factors.push_back(factor);
      sum.terms.push_back({.feature = d, .coefficient = static_cast<double>(factor) * unit});
      if (i % 2 != 0) continue;
      sum.terms.back().of = LinearTerm::Of::codes;
      sum.terms.back().codes = {1};
    }
    if (factors.size() < n) continue;
    const std::size_t kind = random() % 3;
    if (kind != 0) sum.range.lower = 0;
    if (kind != 1) sum.range.upper = 0;
    if (random() % 2 == 0 && kind < 2) sum.range.lower_closed = sum.range.upper_closed = false;
    LinearCondition two;  // so that the rule comes in from the start
    for (std::size_t d = 0; d < 2 && i % 2 != 0; ++d) two.terms.push_back({.feature = d});
    two.range.lower = 1;
    query.clauses = {{{}, {sum}}};
    if (i % 2 != 0) query.clauses.push_back({{}, {two}});
    double least = infinity;
    for (std::size_t set = 0; set < std::size_t{1} << n; ++set) {
      double cost = 0, score = 0;
      std::int64_t whole = 0;
      for (std::size_t d = 0; d < n; ++d) {
        if ((set >> d & 1U) == 0) continue;
        cost += query.features[d].weight;
        whole += factors[d];
        score += trees[d].values[i % 2 == 0 ? 0 : 1];
      }
      if (i % 2 != 0 && (set & 3U) == 0) continue;
      if (score < std::get<ScoreIn>(query.requirements[0].outcome).range.lower) continue;
      const auto value = static_cast<double>(whole > 0 ? 1 : whole < 0 ? -1 : 0);
      if (sum.range.contains(value)) least = std::min(least, cost);
    }
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << " " << to_string(engine));
      Options options;
      options.engine = engine;
      options.threads = 1;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, std::isinf(least) ? Status::infeasible : Status::optimal);
      ASSERT_EQ(answer.cost, least);
    }
    changed += least > 0 && least < infinity ? 1 : 0;
  }
  expect_share(changed, cases, 0.3);
}

/// Statements about features of a sum, with continuous numbers. The cheapest rows have each value
/// at an end of a statement, of a cell or of the sum, or just beside it.
TEST(LinearValues, StatementsAboutFeaturesOfASumAgreeWithAllCorners) {
  std::mt19937_64 random(test_seed());
  const auto tenth = [&] { return static_cast<double>(random() % 97) / 10; };
  const int cases = test_cases(1500);
  int changed = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<Tree> trees;
    for (std::int32_t t = 0; t < 4; ++t) {
      trees.push_back(stump(t % 2, tenth() + 0.03, static_cast<double>(random() % 3),
                            static_cast<double>(random() % 3)));
    }
    Ensemble model = binary_model(2, trees);
    model.input = Precision::float64;
    Query query = query_for(model, std::vector<double>{tenth() + 0.01, tenth() + 0.01});
    for (FeatureRule& rule : query.features) rule.range = {0, 10};
    query.features[1].weight = 1.5;
    query.norm = i % 2 == 0 ? Norm::l1 : Norm::l0;
    query.requirements = {{0, ScoreIn{{.lower = static_cast<double>(random() % 6)}}}};
    const double factor = random() % 2 == 0 ? 1 : -1, limit = tenth() + tenth() * factor;
    Clause with_sum{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = factor}}, {}}}};
    const bool upper = random() % 2 == 0;
    (upper ? with_sum.linear[0].range.upper : with_sum.linear[0].range.lower) = limit;
    query.clauses = {with_sum};
    for (std::size_t c = random() % 3; c > 0; --c) query.clauses.push_back({});
    for (Clause& clause : query.clauses) {
      for (std::size_t l = 1 + random() % 2; l > 0; --l) {
        if (clause.linear.empty() || random() % 3 == 0) {
          Interval range{.lower = tenth() + 0.02};
          if (random() % 2 == 0) range = {.upper = tenth() + 0.02};
          clause.any_of.push_back({.feature = random() % 2, .range = range});
        }
      }
    }
    constexpr double beside = 1e-8;
    std::array<std::vector<double>, 2> ends;
    for (const std::size_t d : {0U, 1U}) ends[d] = {query.point[d], 0, 10};
    const auto add = [&](std::size_t d, double value) {
      ends[d].insert(ends[d].end(), {value, value - beside, value + beside});
    };
    for (const Tree& tree : trees) {
      add(static_cast<std::size_t>(tree.nodes[0].feature), tree.nodes[0].threshold);
    }
    for (const Clause& clause : query.clauses) {
      for (const Literal& one : clause.any_of) {
        add(one.feature, std::isfinite(one.range.lower) ? one.range.lower : one.range.upper);
      }
    }
    const std::array<std::vector<double>, 2> given = ends;
    for (const double a : given[0]) add(1, (limit - a) * factor);
    for (const double b : given[1]) add(0, limit - b * factor);
    double least = infinity;
    for (const double a : ends[0]) {
      for (const double b : ends[1]) {
        const std::vector<double> row{a, b};
        bool good = a >= 0 && a <= 10 && b >= 0 && b <= 10;
        for (const Clause& clause : query.clauses) {
          bool one = false;
          for (const Literal& literal : clause.any_of) {
            one = one || literal.range.contains(row[literal.feature]);
          }
          const double excess = (a + factor * b - limit) * (upper ? 1 : -1);
          good = good && (one || (!clause.linear.empty() && excess <= 0));
        }
        double score = 0;
        for (const Tree& tree : trees) {
          const Node& node = tree.nodes[0];
          score +=
              tree.values[row[static_cast<std::size_t>(node.feature)] < node.threshold ? 0 : 1];
        }
        good = good && score >= std::get<ScoreIn>(query.requirements[0].outcome).range.lower;
        if (good) least = std::min(least, total_cost(query, row));
      }
    }
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message()
                   << "case " << i << " " << to_string(engine) << " " << to_json(query));
      Options options;
      options.engine = engine;
      options.threads = 1;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, std::isinf(least) ? Status::infeasible : Status::optimal);
      if (std::isinf(least)) continue;
      EXPECT_NEAR(answer.cost, least, 1e-6);
      EXPECT_TRUE(verify(model, query, answer).passed());
    }
    changed += least > 0 && least < infinity ? 1 : 0;
  }
  expect_share(changed, cases, 0.3);
}

}  // namespace linear_values_test
