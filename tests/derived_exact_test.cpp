// Formulas of two continuous columns, where a bound that is too large by rounding would lose the
// answer or claim too much: questions whose answer has a closed form, and columns that take a few
// neighbouring numbers only, all of which are listed. The oracles share no code with the library.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "error_of.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

namespace derived_exact_test {

using namespace boxwood;
using Op = Derived::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t formula_column = 2;

void add_formula(Query& query, Op op, Precision precision = Precision::float64) {
  Derived derived{formula_column, {}, precision};
  derived.steps = {{.op = Op::column, .feature = 0},
                   {.op = Op::column, .feature = 1},
                   {.op = op, .a = 0, .b = 1}};
  query.point[formula_column] = derived_value(derived, query.point);
  add_derived(query, derived);
}

/// x0 op x1 has to reach a limit. The least cost of two positive columns with these weights.
struct Reach {
  long double a = 0, b = 0, limit = 0, of_a = 1, of_b = 1;
  Norm norm = Norm::l1;

  /// What is missing to the limit of a sum of of_x * x, where of_x is `by_a` and `by_b`.
  long double linear(long double missing, long double by_a, long double by_b) const {
    missing = std::abs(missing), by_a = std::abs(by_a), by_b = std::abs(by_b);
    if (norm == Norm::squared_l2) {
      return missing * missing / (by_a * by_a / of_a + by_b * by_b / of_b);
    }
    if (norm == Norm::linf) return missing / (by_a / of_a + by_b / of_b);
    return missing * std::min(of_a / by_a, of_b / by_b);
  }

  long double least(Op op) const {
    if (op == Op::plus) return linear(limit - a - b, 1, 1);
    if (op == Op::minus) return linear(limit - a + b, 1, 1);
    if (op == Op::over) return linear(a - limit * b, 1, limit);
    const long double alone_a = of_a * std::abs(limit / b - a);
    const long double alone_b = of_b * std::abs(limit / a - b);
    if (limit < a * b) return std::min(alone_a, alone_b);
    const long double to = std::clamp(std::sqrt(limit * of_b / of_a), a, limit / b);
    return of_a * (to - a) + of_b * (limit / to - b);
  }
};

/// Among them formulas of one column and a number, and divisors that may change their sign.
TEST(DerivedExact, LimitsOfFormulasAreReachedAtTheLeastCost) {
  std::mt19937_64 random(test_seed());
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  const int cases = test_cases(200);
  int open = 0;
  for (int i = 0; i < cases; ++i) {
    constexpr Op ops[] = {Op::plus, Op::minus, Op::over, Op::over, Op::times};
    const Op op = ops[random() % std::size(ops)];
    const bool alone = random() % 5 == 0;
    const bool up = random() % 2 == 0, crosses = op == Op::over && !up && random() % 2 == 0;
    const double a = number(0.5, 3), b = crosses ? number(0.05, 0.3) : number(0.5, 3);
    const double of_b = number(0.5, 2);
    const double now = op == Op::plus    ? a + b
                       : op == Op::minus ? a - b
                       : op == Op::over  ? a / b
                                         : a * b;
    const bool sum = op == Op::plus || op == Op::minus;
    const double limit = sum ? now + (up ? 0.3 : -0.3) : now * (up ? 1.25 : crosses ? 0.1 : 0.8);
    Ensemble model = binary_model(3, {stump(formula_column, limit, up ? -1 : 1, up ? 1 : -1)});
    model.input = Precision::float64;
    Query query = query_for(model, std::vector<double>{a, b, 0});
    query.features[0].range = {0.01, random() % 2 == 0 ? 100 : infinity};
    query.features[1].range = {crosses ? -1 : 0.01, query.features[0].range.upper};
    query.features[1].weight = of_b;
    constexpr Norm norms[] = {Norm::l1, Norm::squared_l2, Norm::linf};
    query.norm = op == Op::times ? Norm::l1 : norms[random() % std::size(norms)];
    query.requirements = {{0, ScoreIn{{.lower = 1}}}};
    add_formula(query, op);
    if (alone) query.derived[0].steps[1] = {.op = Op::number, .number = b};
    Reach reach{a, b, limit, 1, of_b, query.norm};
    if (alone) reach.of_b = 1e30L;
    auto least = static_cast<double>(reach.least(op));
    if (crosses && !alone) least = std::min(least, total_cost(query, std::vector<double>{a, 0, 0}));
    SCOPED_TRACE(testing::Message() << "case " << i << " " << to_json(query) << " " << limit);
    Options options;
    options.threads = 1;
    for (const std::uint64_t nodes : {std::uint64_t{4000}, std::uint64_t{1 + random() % 60}}) {
      options.limits.nodes = nodes;
      const Answer answer = explain(model, query, options);
      EXPECT_NE(answer.status, Status::infeasible);
      EXPECT_LE(answer.lower_bound, least * (1 + 1e-12));
      if (!answer.solutions.empty()) {
        EXPECT_GE(answer.cost, least * (1 - 1e-12));
        EXPECT_TRUE(verify(model, query, answer).passed());
      }
      if (answer.status == Status::optimal) {
        EXPECT_LE(answer.cost, least * (1 + 4e-9));
        EXPECT_GE(answer.lower_bound, answer.cost * (1 - 4e-9));
      } else {
        open += nodes == 4000 ? 1 : 0;
      }
    }
  }
  std::cout << open << " open\n";
  EXPECT_LE(open, 1 + cases / 10);
}

/// Linear rules do not take these costs, and bounds of formulas work without them.
TEST(DerivedExact, CostsThatAreNotConvexAreSupported) {
  Ensemble model = binary_model(3, {stump(formula_column, 4, -1, 1)});
  model.input = Precision::float64;
  Query query = query_for(model, std::vector<double>{1, 1, 0});
  for (FeatureRule& rule : query.features) rule.range = {0, 10};
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  add_formula(query, Op::plus);
  query.norm = Norm::custom;
  query.term = [](std::size_t, double from, double to) { return to == from ? 0 : 1; };
  EXPECT_EQ(explain(model, query).cost, 1);
  query.norm = Norm::l1;
  query.features[0].quantiles = {0, 1, 3, 10};
  Options options;
  options.limits.nodes = 4000;
  const Answer answer = explain(model, query, options);
  EXPECT_LE(answer.lower_bound, 1.0 / 3);  // x0 rises to 3
  EXPECT_LE(answer.cost, 2.0 / 3);
}

double next(double value, Precision precision) {
  if (precision == Precision::float64) return std::nextafter(value, infinity);
  return static_cast<double>(
      std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity()));
}

double calculated(Op op, double a, double b, Precision precision) {
  if (op == Op::over && b == 0) return std::nan("");
  if (precision == Precision::float32) {
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    if (op == Op::least || op == Op::most) return op == Op::least ? std::min(x, y) : std::max(x, y);
    const float z = op == Op::plus    ? x + y
                    : op == Op::minus ? x - y
                    : op == Op::times ? x * y
                                      : x / y;
    return static_cast<double>(z) + 0.0;
  }
  if (op == Op::least || op == Op::most) return op == Op::least ? std::min(a, b) : std::max(a, b);
  const double z = op == Op::plus    ? a + b
                   : op == Op::minus ? a - b
                   : op == Op::times ? a * b
                                     : a / b;
  return z + 0.0;
}

/// Every pair of a few neighbouring numbers is listed. No proof excludes the cheapest one.
TEST(DerivedExact, NeighbouringNumbersAgreeWithEnumeration) {
  std::mt19937_64 random(test_seed());
  const auto below = [&](std::size_t count) { return random() % count; };
  const int cases = test_cases(7000);
  int changed = 0, infeasible = 0, open = 0;
  for (int i = 0; i < cases; ++i) {
    const Precision precision = below(3) > 0 ? Precision::float64 : Precision::float32;
    const Precision formula = below(4) == 0 ? Precision::float32 : Precision::float64;
    constexpr Op ops[] = {Op::plus, Op::minus, Op::times, Op::times,
                          Op::over, Op::over,  Op::least, Op::most};
    const Op op = ops[below(std::size(ops))];
    std::array<std::vector<double>, 2> values;
    for (std::vector<double>& list : values) {
      const double size = std::ldexp(1.0, static_cast<int>(below(6)) - 3);
      double value = size * (1 + std::uniform_real_distribution(-0.1, 1.0)(random));
      if (below(4) == 0) value = size;  // where the distance of neighbours changes
      if (below(3) == 0) value = -value;
      if (precision == Precision::float32) value = static_cast<double>(static_cast<float>(value));
      for (std::size_t count = 2 + below(10); count > 0; --count) {
        list.push_back(value);
        value = next(value, precision);
      }
    }
    const auto any = [&](const std::vector<double>& list) { return list[below(list.size())]; };
    std::vector<Tree> trees;
    for (std::size_t t = 1 + below(2); t > 0; --t) {
      double threshold = calculated(op, any(values[0]), any(values[1]), formula);
      if (precision == Precision::float32) threshold = static_cast<float>(threshold);
      trees.push_back(stump(formula_column, threshold, static_cast<double>(below(3)) - 1,
                            static_cast<double>(below(3)) - 1,
                            below(2) == 0 ? NodeKind::less : NodeKind::less_equal));
    }
    const std::size_t other = below(2);
    trees.push_back(stump(static_cast<std::int32_t>(other), any(values[other]), 0,
                          static_cast<double>(below(3)) - 1));
    Ensemble model = binary_model(3, trees);
    model.input = precision;
    Query query = query_for(model, std::vector<double>{any(values[0]), any(values[1]), 0});
    constexpr Norm norms[] = {Norm::l1, Norm::squared_l2, Norm::l0, Norm::linf};
    query.norm = norms[below(std::size(norms))];
    for (const std::size_t d : {0U, 1U}) {
      FeatureRule& rule = query.features[d];
      rule.range = {values[d].front(), values[d].back()};
      rule.scale = values[d][1] - values[d][0];
      rule.weight = 1 + static_cast<double>(below(3)) / 4;
    }
    query.requirements = {{0, ScoreIn{{.lower = static_cast<double>(below(3))}}}};
    add_formula(query, op, formula);
    SCOPED_TRACE(testing::Message()
                 << "case " << i << " " << to_json(query) << " " << to_json(model));
    double least = infinity;
    for (const double a : values[0]) {
      for (const double b : values[1]) {
        const std::vector<double> row{a, b, calculated(op, a, b, formula)};
        double score = 0, cost = 0;
        for (const Tree& tree : trees) {
          const Node& node = tree.nodes[0];
          double value = row[static_cast<std::size_t>(node.feature)];
          if (precision == Precision::float32) value = static_cast<float>(value);
          const bool left =
              node.kind == NodeKind::less ? value < node.threshold : value <= node.threshold;
          score += tree.values[left ? 0 : 1];
        }
        if (score < std::get<ScoreIn>(query.requirements[0].outcome).range.lower) continue;
        for (const std::size_t d : {0U, 1U}) {
          const FeatureRule& rule = query.features[d];
          const double size = std::abs(row[d] - query.point[d]) / rule.scale;
          if (size == 0) continue;
          if (query.norm == Norm::l1) cost += rule.weight * size;
          if (query.norm == Norm::squared_l2) cost += rule.weight * size * size;
          if (query.norm == Norm::l0) cost += rule.weight;
          if (query.norm == Norm::linf) cost = std::max(cost, rule.weight * size);
        }
        least = std::min(least, cost);
      }
    }
    Options options;
    options.threads = 1;
    for (const std::uint64_t nodes : {std::uint64_t{2000}, std::uint64_t{1 + below(20)}}) {
      options.limits.nodes = nodes;
      const Answer answer = explain(model, query, options);
      EXPECT_LE(answer.lower_bound, least * (1 + 1e-12));
      EXPECT_TRUE(std::isinf(least) || answer.status != Status::infeasible);
      if (!answer.solutions.empty()) {
        EXPECT_GE(answer.cost, least * (1 - 1e-12));
        EXPECT_TRUE(verify(model, query, answer).passed());
      } else if (nodes == 2000) {
        open += std::isinf(least) && answer.status == Status::infeasible ? 0 : 1;
      }
    }
    changed += least > 0 && std::isfinite(least) ? 1 : 0;
    infeasible += std::isinf(least) ? 1 : 0;
  }
  std::cout << changed << " with a change, " << infeasible << " infeasible, " << open << " open\n";
  expect_share(changed, cases, 0.15);
  expect_share(infeasible, cases, 0.1);
  EXPECT_LE(open, 1 + cases / 20);
}

/// A column that is missing because one of its columns is stays missing. Where a divisor is 0 it
/// would become a number, so such a row is refused.
TEST(DerivedExact, AMissingColumnStaysMissing) {
  Tree tree = stump(formula_column, 0.5, 1, -1);
  Ensemble model = binary_model(3, {tree, stump(1, 2.5, 0, 3)});
  model.input = Precision::float64;
  Query query = query_for(model, std::vector<double>{std::nan(""), 1, 0});
  query.features[1].kind = FeatureKind::integer;
  query.features[1].range = {0, 5};
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.norm = Norm::l1;
  add_formula(query, Op::over);
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, 2);  // missing goes right: -1, and 3 for x1 >= 2.5
  EXPECT_TRUE(std::isnan(answer.best().point[formula_column]));

  query.point = {1, 0, 0};
  query.features[formula_column] = {};
  add_formula(query, Op::over);
  ASSERT_TRUE(std::isnan(query.point[formula_column]));
  EXPECT_EQ(error_of([&] { explain(model, query); }),
            "derived column \"f2\": in the row, a divisor of its formula is 0 or the result is too "
            "large. Ask about rows in which it is a number, or leave out the formula");
}

/// Whole numbers without limits: there is a point that satisfies the equation, far away, and the
/// search without a formula gives up before it finds it; or it finds the cheapest point and cannot
/// prove it. With a formula of other columns, it claims no more.
TEST(DerivedExact, WhatIsNotProvenWithoutAFormulaIsNotProvenWithIt) {
  Ensemble model = binary_model(5, {stump(formula_column, 3.5, 0, 1), stump(3, 0.5, 0, 1)}, -1);
  model.input = Precision::float64;
  Query query = query_for(model, std::vector<double>{0, 0, 0, 0, 0});
  for (const std::size_t d : {3U, 4U}) query.features[d].kind = FeatureKind::integer;
  for (const std::size_t d : {0U, 1U}) query.features[d].range = {2, 2};
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.norm = Norm::l1;
  const std::vector<LinearCondition> sums = {
      {{{.feature = 3, .coefficient = 999983}, {.feature = 4, .coefficient = -999979}}, {1, 1}},
      {{{.feature = 3, .coefficient = 3}, {.feature = 4, .coefficient = 3}}, {.lower = 3e6 + 1}}};
  for (const LinearCondition& sum : sums) {
    Query without = query;
    without.clauses = {{{}, {sum}}};
    without.features[0].range = without.features[1].range = {0, 0};
    without.features[formula_column].range = {4, 4};
    const Answer known = explain(model, without);
    Query with = query;
    with.clauses = without.clauses;
    add_formula(with, Op::plus);
    const Answer answer = explain(model, with);
    EXPECT_EQ(answer.status, known.status);
    EXPECT_TRUE(std::isfinite(answer.lower_bound));
    EXPECT_EQ(answer.solutions.empty(), known.solutions.empty());
    if (!known.solutions.empty()) {
      EXPECT_GT(answer.gap(), known.gap() / 2);
    }
    EXPECT_EQ(known.stop, Stop::precision);
  }
}

/// A quotient may be any number where its divisor goes through 0, and times 0 it is 0 all the same.
TEST(DerivedExact, AnythingTimesZeroIsZero) {
  Ensemble model = binary_model(5, {stump(formula_column, -0.5, -9, 0), stump(4, 2.5, -1, 1)});
  model.input = Precision::float64;
  Query query = query_for(model, std::vector<double>{1, 1, 0, 0, 0});
  for (const std::size_t d : {0U, 1U, 4U}) {
    query.features[d].kind = FeatureKind::integer;
    query.features[d].range = {-3, 3};
  }
  query.features[3].fixed = true;
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.norm = Norm::l1;
  Derived derived{formula_column, {}};  // x0 / x1 * x3
  derived.steps = {{.op = Op::column, .feature = 0},
                   {.op = Op::column, .feature = 1},
                   {.op = Op::over, .a = 0, .b = 1},
                   {.op = Op::column, .feature = 3},
                   {.op = Op::times, .a = 2, .b = 3}};
  add_derived(query, derived);
  EXPECT_EQ(explain(model, query).cost, 3);
}

/// Quotients of whole numbers whose ranges begin at 0, end there, or have it inside.
TEST(DerivedExact, DivisorsAroundZero) {
  const std::array<Interval, 6> ranges{Interval{-2, -1}, {-2, 0}, {-3, 2}, {0, 3}, {1, 2}, {-1, 1}};
  int changed = 0;
  for (const Interval& of_a : ranges) {
    for (const Interval& of_b : ranges) {
      for (const double limit : {-2.5, -1.25, -0.75, -0.4, 0.4, 0.75, 1.25, 2.5}) {
        for (const bool up : {false, true}) {
          Ensemble model =
              binary_model(3, {stump(formula_column, limit, up ? -1 : 1, up ? 1 : -1)});
          model.input = Precision::float64;
          Query query = query_for(
              model, std::vector<double>{of_a.lower, of_b.lower == 0 ? 1 : of_b.lower, 0});
          for (const std::size_t d : {0U, 1U}) {
            query.features[d].kind = FeatureKind::integer;
            query.features[d].range = d == 0 ? of_a : of_b;
          }
          query.features[0].weight = 1.5;
          query.requirements = {{0, ScoreIn{{.lower = 1}}}};
          query.norm = Norm::l1;
          add_formula(query, Op::over);
          double least = infinity;
          for (double a = of_a.lower; a <= of_a.upper; ++a) {
            for (double b = of_b.lower; b <= of_b.upper; ++b) {
              if (b == 0 || (a / b >= limit) != up) continue;
              least = std::min(least, total_cost(query, std::vector<double>{a, b, 0}));
            }
          }
          const Answer answer = explain(model, query);
          ASSERT_EQ(answer.cost, least) << to_json(query) << limit;
          changed += least > 0 && least < infinity ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(changed, 50);
}

/// Two moves whose costs differ by less than the tolerance for continuous columns: whole numbers
/// have none.
TEST(DerivedExact, WholeNumbersHaveNoTolerance) {
  Ensemble model = binary_model(3, {stump(formula_column, 37.5, -1, 1)});
  model.input = Precision::float64;
  for (const bool continuous : {false, true}) {  // one continuous column has none either
    for (const Op op : {Op::plus, Op::times}) {
      for (const std::size_t dear : {0U, 1U}) {
        for (const double more : {1e-9, 1e-10, 1e-11}) {
          Query query = query_for(model, std::vector<double>{1, 1, 0});
          for (const std::size_t d : {0U, 1U}) {
            query.features[d].kind = FeatureKind::integer;
            query.features[d].range = {1, 20};
          }
          if (continuous) query.features[0].kind = FeatureKind::continuous;
          query.features[dear].weight = 1 + more;
          query.requirements = {{0, ScoreIn{{.lower = 1}}}};
          query.norm = Norm::l1;
          add_formula(query, op);
          double least = infinity;
          for (double b = 1; b <= 20; ++b) {
            double a = op == Op::plus ? 37.5 - b : 37.5 / b;
            if (!continuous) a = std::ceil(a);
            if (a < 1 || a > 20) continue;
            while (calculated(op, a, b, Precision::float64) < 37.5) a = std::nextafter(a, infinity);
            least = std::min(least, total_cost(query, std::vector<double>{a, b, 0}));
          }
          const Answer answer = explain(model, query);
          ASSERT_EQ(answer.status, Status::optimal);
          EXPECT_NEAR(answer.cost, least, 1e-14 * least);
        }
      }
    }
  }
}

}  // namespace derived_exact_test
