// Derived columns against brute force from first principles: all arguments are discrete, so every
// row can be listed, calculated and asked.
#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "query/reach.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace derived_test {

using namespace boxwood;
using Op = Derived::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A random formula, and its value by the oracle's own recursion.
struct Oracle {
  std::vector<Derived::Step> steps;
  Precision precision = Precision::float64;

  double value(std::size_t step, const std::vector<double>& row) const {
    const Derived::Step& one = steps[step];
    const bool single = precision == Precision::float32;
    const auto read = [&](double number) {
      return single ? static_cast<double>(static_cast<float>(number)) : number;
    };
    if (one.op == Op::column) return read(row[one.feature]);
    if (one.op == Op::number) return read(one.number);
    const double a = value(one.a, row), b = value(one.b, row);
    if (std::isnan(a) || std::isnan(b)) return std::nan("");
    if (one.op == Op::least) return std::min(a, b);
    if (one.op == Op::most) return std::max(a, b);
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    if (one.op == Op::plus) return single ? static_cast<double>(x + y) : a + b;
    if (one.op == Op::minus) return single ? static_cast<double>(x - y) : a - b;
    if (one.op == Op::times) return single ? static_cast<double>(x * y) : a * b;
    if (b == 0) return std::nan("");
    return single ? static_cast<double>(x / y) : a / b;
  }
  double value(const std::vector<double>& row) const { return value(steps.size() - 1, row); }
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::size_t formula(std::size_t columns, std::size_t depth, std::vector<Derived::Step>& steps) {
    if (depth == 0 || below(6) == 0) {
      constexpr double numbers[] = {0.5, 2, 3, -1, 0.1, 10};
      if (below(5) == 0) {
        steps.push_back({.op = Op::number, .number = numbers[below(std::size(numbers))]});
      } else {
        steps.push_back({.op = Op::column, .feature = below(columns)});
      }
      return steps.size() - 1;
    }
    constexpr Op ops[] = {Op::plus, Op::minus, Op::times, Op::over, Op::over, Op::least, Op::most};
    const Op op = ops[below(std::size(ops))];
    const std::size_t a = formula(columns, depth - 1, steps);
    const std::size_t b = formula(columns, depth - 1, steps);
    steps.push_back({.op = op, .a = a, .b = b});
    return steps.size() - 1;
  }

 private:
  std::mt19937_64 random_;
};

struct Problem {
  Ensemble ensemble;
  Query query;
  std::vector<Oracle> oracles;
  std::vector<std::vector<double>> values;  // of an argument
};

/// Trees of depth two over arguments and derived columns, with thresholds at values that occur.
Problem make_problem(Maker& maker) {
  Problem problem;
  const std::size_t arguments = 2 + maker.below(2), derived = 1 + maker.below(2);
  Ensemble& ensemble = problem.ensemble;
  const bool single = maker.below(2) == 0;
  ensemble.input = single ? Precision::float32 : Precision::float64;
  ensemble.task = Task::regression;
  ensemble.link = Link::identity;
  ensemble.base = {0};
  std::vector<double> row;
  Query& query = problem.query;
  query.features.resize(arguments + derived);
  for (std::size_t d = 0; d < arguments + derived; ++d) {
    ensemble.features.push_back({"f" + std::to_string(d)});
  }
  for (std::size_t d = 0; d < arguments; ++d) {
    FeatureRule& rule = query.features[d];
    const double low = static_cast<double>(maker.below(5)) - 2;
    if (maker.below(3) == 0) {
      rule.step = maker.below(2) == 0 ? 0.1 : 0.25;
      rule.range = {low, low + 1};
    } else {
      rule.kind = FeatureKind::integer;
      rule.range = {low, low + 1 + static_cast<double>(maker.below(6))};
    }
    if (maker.below(6) == 0) rule.direction = maker.below(2) == 0 ? Direction::up : Direction::down;
    if (rule.step == 0 && maker.below(6) == 0) rule.least_change = 2;
    // Costs of whole numbers and steps are compared exactly, however close they are.
    rule.weight = (0.5 + static_cast<double>(maker.below(4)) / 4) *
                  (1 + 1e-10 * static_cast<double>(maker.below(3)));
    double now = std::round(maker.number(rule.range.lower, rule.range.upper));
    if (maker.below(6) == 0) now += 0.3;
    if (single) now = static_cast<float>(now);
    row.push_back(now + 0.0);
    std::vector<double> values;
    const double parts = rule.step > 0 ? std::round(1 / rule.step) : 1;
    for (double times = std::ceil(low * parts); times / parts <= rule.range.upper; ++times) {
      const double value = times / parts;
      const double read = single ? static_cast<double>(static_cast<float>(value)) : value;
      if (rule.direction == Direction::up && read < now) continue;
      if (rule.direction == Direction::down && read > now) continue;
      if (read != now && std::abs(read - now) < rule.least_change) continue;
      values.push_back(read + 0.0);
    }
    values.push_back(now);
    problem.values.push_back(std::move(values));
  }
  query.point = row;
  query.point.resize(arguments + derived, 0);
  for (std::size_t i = 0; i < derived; ++i) {
    Oracle oracle;
    maker.formula(arguments, 1 + maker.below(2), oracle.steps);
    oracle.precision = maker.below(3) == 0 ? Precision::float32 : Precision::float64;
    query.point[arguments + i] = oracle.value(query.point);
    problem.oracles.push_back(oracle);
  }
  for (std::size_t t = 0; t < 2 + maker.below(3); ++t) {
    Tree tree;
    tree.nodes.resize(7);
    for (std::int32_t n = 0; n < 3; ++n) {
      Node& node = tree.nodes[static_cast<std::size_t>(n)];
      node.kind = maker.below(2) == 0 ? NodeKind::less : NodeKind::less_equal;
      const std::size_t d =
          maker.below(3) > 0 ? arguments + maker.below(derived) : maker.below(arguments + derived);
      node.feature = static_cast<std::int32_t>(d);
      std::vector<double> some = query.point;
      for (std::size_t a = 0; a < arguments; ++a) {
        some[a] = problem.values[a][maker.below(problem.values[a].size())];
      }
      double threshold = d < arguments ? some[d] : problem.oracles[d - arguments].value(some);
      if (!std::isfinite(threshold)) threshold = 1;
      if (single) threshold = static_cast<float>(threshold);
      if (!std::isfinite(threshold)) threshold = 1;
      node.threshold = threshold + 0.0;
      node.left = 2 * n + 1;
      node.right = 2 * n + 2;
    }
    for (std::size_t leaf = 3; leaf < 7; ++leaf) {
      tree.nodes[leaf].value = static_cast<std::int32_t>(tree.values.size());
      tree.values.push_back(static_cast<double>(maker.below(9)) - 4);
    }
    ensemble.trees.push_back(std::move(tree));
  }
  constexpr Norm norms[] = {Norm::l1, Norm::squared_l2, Norm::mixture, Norm::l0, Norm::linf};
  query.norm = norms[maker.below(std::size(norms))];
  query.mixture = default_mixture;
  query.requirements = {{.outcome = OutputIn{{.lower = static_cast<double>(maker.below(6))}, 0}}};
  if (maker.below(4) == 0) query.max_changes = 1;
  if (maker.below(6) == 0) query.fewest_first = true;
  if (maker.below(4) == 0) {
    const std::size_t d = arguments + maker.below(derived);
    const double end = std::isfinite(query.point[d]) ? query.point[d] : 1;
    query.clauses.push_back({{{.feature = d,
                               .range = {.upper = end + static_cast<double>(maker.below(3)) - 1,
                                         .upper_closed = maker.below(2) == 0}}}});
  }
  for (std::size_t i = 0; i < derived; ++i) {
    add_derived(query, {arguments + i, problem.oracles[i].steps, problem.oracles[i].precision});
  }
  return problem;
}

/// Lists all rows.
struct Truth {
  double cost = infinity;
  std::size_t changes = 100;
};
Truth brute_force(const Problem& problem) {
  const Query& query = problem.query;
  const std::size_t arguments = problem.values.size();
  std::vector<std::size_t> at(arguments, 0);
  Truth truth;
  for (;;) {
    std::vector<double> row = query.point;
    for (std::size_t a = 0; a < arguments; ++a) row[a] = problem.values[a][at[a]];
    bool good = true;
    double cost = 0;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < problem.oracles.size(); ++i) {
      double& result = row[arguments + i];
      result = problem.oracles[i].value(row);
      good = good && std::isfinite(result);
      if (problem.ensemble.input == Precision::float32) {
        good = good && std::isfinite(static_cast<float>(result));
      }
    }
    for (std::size_t a = 0; a < arguments; ++a) {
      const double size = std::abs(row[a] - query.point[a]), weight = query.features[a].weight;
      if (size == 0) continue;
      ++changes;
      if (query.norm == Norm::l1) cost += weight * size;
      if (query.norm == Norm::squared_l2) cost += weight * (size * size);
      if (query.norm == Norm::l0) cost += weight;
      if (query.norm == Norm::mixture) cost += weight * (size + 0.1);
      if (query.norm == Norm::linf) cost = std::max(cost, weight * size);
    }
    good = good && (!query.max_changes || changes <= *query.max_changes);
    for (const Clause& clause : query.clauses) {
      const Literal& literal = clause.any_of.front();
      double value = row[literal.feature], end = literal.range.upper;
      if (problem.ensemble.input == Precision::float32) {
        value = static_cast<float>(value);
        end = static_cast<float>(end);
      }
      good = good && (literal.range.upper_closed ? value <= end : value < end);
    }
    if (good) {
      double sum = 0;
      for (const Tree& tree : problem.ensemble.trees) {
        std::size_t n = 0;
        while (n < 3) {
          const Node& node = tree.nodes[n];
          double value = row[static_cast<std::size_t>(node.feature)];
          if (problem.ensemble.input == Precision::float32) value = static_cast<float>(value);
          const bool left =
              node.kind == NodeKind::less ? value < node.threshold : value <= node.threshold;
          n = static_cast<std::size_t>(left ? node.left : node.right);
        }
        sum += tree.values[static_cast<std::size_t>(tree.nodes[n].value)];
      }
      const auto& wanted = std::get<OutputIn>(query.requirements.front().outcome);
      const bool fewer = query.fewest_first && changes < truth.changes;
      const bool more = query.fewest_first && changes > truth.changes;
      if (sum >= wanted.range.lower && !more && (fewer || cost < truth.cost)) {
        truth = {cost, changes};
      }
    }
    std::size_t a = 0;
    while (a < arguments && ++at[a] == problem.values[a].size()) at[a++] = 0;
    if (a == arguments) return truth;
  }
}

TEST(Derived, RandomFormulasAgreeWithBruteForce) {
  Maker maker(test_seed());
  const int cases = test_cases(1000);
  int feasible = 0, changed = 0;
  for (int i = 0; i < cases; ++i) {
    const Problem problem = make_problem(maker);
    const bool finite =
        std::all_of(problem.query.point.begin(), problem.query.point.end(),
                    [](double value) { return std::isfinite(static_cast<float>(value)); });
    if (!finite) continue;
    const Truth truth = brute_force(problem);
    Options options;
    options.threads = 1;
    options.engine = i % 8 == 0 ? Engine::paper : Engine::fast;
    const Answer answer = explain(problem.ensemble, problem.query, options);
    ASSERT_EQ(answer.status, truth.cost < infinity ? Status::optimal : Status::infeasible)
        << "case " << i << " " << to_json(problem.query);
    if (truth.cost == infinity) continue;
    ++feasible;
    changed += truth.cost > 0 ? 1 : 0;
    ASSERT_NEAR(answer.cost, truth.cost, 1e-12 * truth.cost)
        << "case " << i << " " << to_json(problem.query);
    const Verification checked = verify(problem.ensemble, problem.query, answer);
    ASSERT_TRUE(checked.faults.empty()) << "case " << i << ": " << checked.faults.front();
  }
  EXPECT_GT(feasible, cases / 3);
  EXPECT_GT(changed, cases / 6);
}

/// One tree: good where the third feature, a formula of the other two, is below 0.3.
Query below_three_tenths(Ensemble& ensemble, Op op, Precision precision) {
  ensemble.input = precision;
  ensemble.base = {0};
  for (const char* name : {"a", "b", "c"}) ensemble.features.push_back({name});
  Tree tree;
  tree.nodes.resize(3);
  Node& root = tree.nodes[0];
  root.kind = NodeKind::less;
  root.feature = 2;
  root.threshold = precision == Precision::float32 ? static_cast<double>(0.3F) : 0.3;
  root.left = 1;
  root.right = 2;
  tree.nodes[1].value = 0;
  tree.nodes[2].value = 1;
  tree.values = {1, 0};
  ensemble.trees = {tree};
  Query query;
  query.point = {90, 200, 0};
  query.features.resize(3);
  for (const std::size_t d : {0U, 1U}) query.features[d].range = {.lower = 1, .upper = 1e6};
  Derived derived{2,
                  {{.op = Op::column, .feature = 0},
                   {.op = Op::column, .feature = 1},
                   {.op = op, .a = 0, .b = 1}}};
  query.point[2] = derived_value(derived, query.point);
  query.requirements = {{.outcome = OutputIn{{.lower = 0.5}, 0}}};
  add_derived(query, std::move(derived));
  return query;
}

TEST(Derived, ContinuousColumnsReachTheOptimumWithinTheTolerance) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    for (const Norm norm : {Norm::l1, Norm::squared_l2, Norm::l0}) {
      if (precision == Precision::float32 && norm == Norm::squared_l2) continue;  // takes seconds
      Ensemble ensemble;
      Query query = below_three_tenths(ensemble, Op::over, precision);
      query.norm = norm;
      const Answer answer = explain(ensemble, query);
      ASSERT_EQ(answer.status, Status::optimal);
      // a must fall to 0.3 b: by 30; or to the foot of the perpendicular from (90, 200).
      const double expected = norm == Norm::l1 ? 30 : norm == Norm::l0 ? 1 : 900 / 1.09;
      const double steps = precision == Precision::float32 ? 1e-6 : 0;
      EXPECT_NEAR(answer.cost, expected, (4e-9 + steps) * expected);
      EXPECT_LE(answer.lower_bound, expected * (1 + steps));
      EXPECT_GE(answer.lower_bound, answer.cost * (1 - 4e-9));
      EXPECT_TRUE(verify(ensemble, query, answer).faults.empty());
    }
  }
  // a - b below 0.3 holds now; a * b does not: b falls to 1 and a below 0.3 is not admissible.
  Ensemble ensemble;
  const Query difference = below_three_tenths(ensemble, Op::minus, Precision::float64);
  EXPECT_TRUE(explain(ensemble, difference).already_met);
  Ensemble other;
  const Query product = below_three_tenths(other, Op::times, Precision::float64);
  EXPECT_EQ(explain(other, product).status, Status::infeasible);
}

TEST(Derived, AnythingInKeepsTheRegionAndTheRulesOfTheColumn) {
  Ensemble ensemble;
  Query query = below_three_tenths(ensemble, Op::over, Precision::float64);
  query.norm = Norm::l1;
  query.features[1].fixed = true;
  const auto allowed = [&] {
    const Answer answer = explain(ensemble, query);
    const Solution& best = answer.best();
    return part_with_derived(query, best.point, 0, {}, best.region, Precision::float64);
  };
  const Interval free = allowed();
  EXPECT_LT(free.upper / 200, 0.3);
  EXPECT_GE(std::nextafter(free.upper, infinity) / 200, 0.3);
  query.clauses.push_back({{{.feature = 2, .range = {.upper = 0.2}}}});
  EXPECT_EQ(allowed().upper, 40);
}

TEST(Derived, RounderAnswersFollowTheFormula) {
  Ensemble ensemble;
  Query query = below_three_tenths(ensemble, Op::over, Precision::float64);
  query.norm = Norm::l1;
  const Prepared prepared(ensemble);
  const Answer exact = explain(prepared, query);
  const Answer rounder = rounded_answer(prepared, query, exact, 0.1);
  EXPECT_NE(rounder.best().point, exact.best().point);
  EXPECT_EQ(rounder.best().point[2], rounder.best().point[0] / rounder.best().point[1]);
  EXPECT_TRUE(verify(ensemble, query, rounder).faults.empty());
}

TEST(Derived, AnswersThatDoNotFollowTheirFormulaAreFaults) {
  Ensemble ensemble;
  const Query query = below_three_tenths(ensemble, Op::over, Precision::float64);
  Answer answer = explain(ensemble, query);
  ASSERT_TRUE(verify(ensemble, query, answer).faults.empty());
  double& value = answer.solutions.front().point[2];
  value = std::nextafter(value, -infinity);
  ASSERT_FALSE(verify(ensemble, query, answer).faults.empty());
}

}  // namespace derived_test
