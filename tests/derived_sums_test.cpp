// Formulas of continuous columns together with clauses of several sums, of which one has to hold.
// The oracle walks to every corner that thresholds, rules and costs make in the plane of the two
// columns, and asks for rows beside it. It shares no code with the library.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace derived_sums_test {

using namespace boxwood;
using Op = Derived::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t whole_column = 2, formula_column = 3;

/// The column is (f0 + of_first) op (f1 + of_second).
struct Formula {
  Op op = Op::plus;
  double of_first = 0, of_second = 0;

  double value(double a, double b) const {
    const double x = a + of_first, y = b + of_second;
    if (op == Op::plus) return x + y;
    if (op == Op::minus) return x - y;
    if (op == Op::times) return x * y;
    if (op == Op::over) return y == 0 ? std::nan("") : x / y;
    return op == Op::least ? std::min(x, y) : std::max(x, y);
  }
  /// By f1, where the column has a value and f0 is known. Infinite or no number where there is
  /// none.
  double second_at(double a, double column) const {
    const double x = a + of_first;
    if (op == Op::plus) return column - x - of_second;
    if (op == Op::minus) return x - column - of_second;
    if (op == Op::times) return column / x - of_second;
    if (op == Op::over) return x / column - of_second;
    return column - of_second;
  }
};

/// The points of the plane with of_a a + of_b b = limit, or where the column has a value.
struct Curve {
  double of_a = 0, of_b = 0, limit = 0;
  bool of_column = false;
};

struct Case {
  Ensemble model;
  Query query;
  Formula formula;
  double highest = 0;  // of the whole column
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Case make() {
    Case made;
    constexpr Op ops[] = {Op::plus, Op::minus, Op::times, Op::over, Op::over, Op::least, Op::most};
    made.formula.op = ops[below(std::size(ops))];
    const bool shortest = below(3) > 0;  // such formulas have bounds of their own
    made.formula.of_first = shortest ? 0 : 0.5;
    made.formula.of_second = shortest ? 0 : 0.25;
    std::vector<double> point{number(), number(), 0};
    made.highest = below(3) == 0 ? 2 : 0;
    point.push_back(made.formula.value(point[0], point[1]));
    std::vector<Tree> trees;
    for (std::size_t t = 1 + below(3); t > 0; --t) trees.push_back(tree(made.formula));
    made.model = binary_model(4, std::move(trees));
    made.model.input = Precision::float64;
    made.query = query_for(made.model, point);
    Query& query = made.query;
    for (const std::size_t d : {0U, 1U}) {
      // Divisors may come from both sides of 0.
      query.features[d].range = {below(4) == 0 ? -0.5 - number() : 0, 1.5 + number()};
      query.features[d].weight = 0.5 + number();
    }
    query.features[whole_column].kind = FeatureKind::integer;
    query.features[whole_column].range = {0, made.highest};
    query.features[whole_column].weight = 0.25;
    constexpr Norm norms[] = {Norm::squared_l2, Norm::l1, Norm::l1,
                              Norm::mixture,    Norm::l0, Norm::linf};
    query.norm = norms[below(std::size(norms))];
    query.mixture = {.l1 = 1, .l0 = 0.1};
    query.requirements = {{0, ScoreIn{{.lower = number() - 0.2}}}};
    for (std::size_t c = 1 + below(2); c > 0; --c) query.clauses.push_back(clause(made));
    Derived derived{formula_column,
                    {{.op = Op::column, .feature = 0},
                     {.op = Op::column, .feature = 1},
                     {.op = made.formula.op, .a = 0, .b = 1}}};
    if (!shortest) {
      derived.steps = {{.op = Op::column, .feature = 0},
                       {.op = Op::number, .number = made.formula.of_first},
                       {.op = Op::plus, .a = 0, .b = 1},
                       {.op = Op::column, .feature = 1},
                       {.op = Op::number, .number = made.formula.of_second},
                       {.op = Op::plus, .a = 3, .b = 4},
                       {.op = made.formula.op, .a = 2, .b = 5}};
    }
    add_derived(query, std::move(derived));
    return made;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  double number() { return std::uniform_real_distribution(0.0, 1.0)(random_); }

  Tree tree(const Formula& formula) {
    Tree made;
    made.nodes.resize(7);
    for (std::int32_t i = 0; i < 3; ++i) {
      const bool of_column = i == 0 || below(3) == 0;
      const auto feature = static_cast<std::int32_t>(of_column ? formula_column : below(3));
      const double other = feature == 2 ? 0.5 : 1.5 * number();
      const double threshold =
          of_column ? formula.value(1.5 * number(), 1.5 * number() + 0.1) : other;
      made.nodes[static_cast<std::size_t>(i)] = {
          .kind = below(2) == 0 ? NodeKind::less : NodeKind::less_equal,
          .feature = feature,
          .left = 2 * i + 1,
          .right = 2 * i + 2,
          .threshold = threshold};
    }
    for (std::int32_t i = 0; i < 4; ++i) {
      made.nodes[static_cast<std::size_t>(3 + i)].value = i;
      made.values.push_back(static_cast<double>(below(2049)) / 1024 - 1);
    }
    return made;
  }

  /// `sum or sum`, `sum != number`, `if f1 does not fall then sum or sum`.
  Clause clause(const Case& made) {
    Clause clause;
    const auto sum = [&] {
      LinearCondition one;
      for (const std::size_t d : {0U, 1U, 2U}) {
        if (d == 2 && below(2) == 0) continue;
        one.terms.push_back(
            {.feature = d, .coefficient = (below(3) == 0 ? -1 : 1) * (0.5 + number())});
      }
      return one;
    };
    LinearCondition first = sum(), second = sum();
    const double limit = limit_away(made, first);
    if (below(3) == 0) {  // one sum is not between two numbers
      second = first;
      first.range = {.upper = limit, .upper_closed = false};
      second.range = {.lower = limit + 0.2 * number(), .lower_closed = false};
    } else {
      limit_away(made, second);
    }
    clause.linear = {first, second};
    if (below(6) == 0) clause.any_of.push_back(falls(made.query, 1));
    if (below(6) == 0) {
      const double end = made.formula.value(number(), number() + 0.1);
      clause.any_of.push_back({.feature = formula_column, .range = {.upper = end}});
    }
    return clause;
  }

  /// Gives a sum one end between what it is now and what it is in some other row, so that only that
  /// row has it.
  double limit_away(const Case& made, LinearCondition& sum) {
    double now = 0, other = 0;
    for (const LinearTerm& term : sum.terms) {
      now += term.coefficient * made.query.point[term.feature];
      other += term.coefficient * (term.feature == whole_column ? 0 : 1.5 * number());
    }
    const double limit = now + (0.1 + 0.9 * number()) * (other - now);
    (other > now ? sum.range.lower : sum.range.upper) = limit;
    return limit;
  }

  std::mt19937_64 random_;
};

class Oracle {
 public:
  explicit Oracle(const Case& made) : made_(made), query_(made.query) {}

  /// The least cost of all rows that it asks for.
  double least() {
    for (whole_ = 0; whole_ <= made_.highest; ++whole_) {
      const std::vector<Curve> curves = list_curves();
      consider(query_.point[0], query_.point[1]);
      for (std::size_t i = 0; i < curves.size(); ++i) {
        walk_along(curves[i]);
        for (std::size_t j = i + 1; j < curves.size(); ++j) meet(curves[i], curves[j]);
      }
    }
    return best_;
  }

  /// Sums within `slack` of their ends count as allowed, or as not allowed if it is negative.
  bool allows(const std::vector<double>& row, double slack) const {
    for (const std::size_t d : {0U, 1U}) {
      const Interval& range = query_.features[d].range;
      if (row[d] != query_.point[d] && !(row[d] >= range.lower && row[d] <= range.upper))
        return false;
    }
    if (!std::isfinite(row[formula_column])) return false;
    for (const Clause& clause : query_.clauses) {
      bool held = false;
      for (const Literal& literal : clause.any_of) {
        held = held || (literal.feature == 1 ? row[1] < query_.point[1]
                                             : row[literal.feature] <= literal.range.upper);
      }
      for (const LinearCondition& one : clause.linear) {
        double sum = 0;
        for (const LinearTerm& term : one.terms) sum += term.coefficient * row[term.feature];
        held = held || (sum >= one.range.lower - slack && sum <= one.range.upper + slack);
      }
      if (!held) return false;
    }
    double score = 0;
    for (const Tree& tree : made_.model.trees) {
      std::size_t n = 0;
      while (n < 3) {
        const Node& node = tree.nodes[n];
        const double value = row[static_cast<std::size_t>(node.feature)];
        const bool left =
            node.kind == NodeKind::less ? value < node.threshold : value <= node.threshold;
        n = static_cast<std::size_t>(left ? node.left : node.right);
      }
      score += tree.values[static_cast<std::size_t>(tree.nodes[n].value)];
    }
    return score >= std::get<ScoreIn>(query_.requirements[0].outcome).range.lower;
  }

  double cost(double a, double b, double whole) const {
    double total = 0;
    const std::array<double, 3> row{a, b, whole};
    for (std::size_t d = 0; d < 3; ++d) {
      const double size = std::abs(row[d] - query_.point[d]), weight = query_.features[d].weight;
      if (size == 0) continue;
      if (query_.norm == Norm::squared_l2) total += weight * size * size;
      if (query_.norm == Norm::l1) total += weight * size;
      if (query_.norm == Norm::l0) total += weight;
      if (query_.norm == Norm::mixture) total += weight * (size + 0.1);
      if (query_.norm == Norm::linf) total = std::max(total, weight * size);
    }
    return total;
  }

 private:
  std::vector<Curve> list_curves() const {
    std::vector<Curve> curves;
    const auto at = [&](std::size_t feature, double value) {
      if (feature == 0) curves.push_back({1, 0, value});
      if (feature == 1) curves.push_back({0, 1, value});
      if (feature != formula_column) return;
      const Formula& formula = made_.formula;
      if (formula.op == Op::least || formula.op == Op::most) {
        curves.push_back({1, 0, value - formula.of_first});
        curves.push_back({0, 1, value - formula.of_second});
      } else {
        curves.push_back({0, 0, value, true});
      }
    };
    for (const std::size_t d : {0U, 1U}) {
      at(d, query_.point[d]);
      at(d, query_.features[d].range.lower);
      at(d, query_.features[d].range.upper);
    }
    for (const Tree& tree : made_.model.trees) {
      for (std::size_t n = 0; n < 3; ++n) {
        at(static_cast<std::size_t>(tree.nodes[n].feature), tree.nodes[n].threshold);
      }
    }
    for (const Clause& clause : query_.clauses) {
      for (const Literal& literal : clause.any_of) {
        if (literal.feature == formula_column) at(formula_column, literal.range.upper);
      }
      for (const LinearCondition& one : clause.linear) {
        Curve line;
        line.limit = std::isfinite(one.range.lower) ? one.range.lower : one.range.upper;
        for (const LinearTerm& term : one.terms) {
          if (term.feature == 0) line.of_a = term.coefficient;
          if (term.feature == 1) line.of_b = term.coefficient;
          if (term.feature == whole_column) line.limit -= term.coefficient * whole_;
        }
        curves.push_back(line);
      }
    }
    if (query_.norm == Norm::linf) {  // where both moves cost the same, or as much as the third
      const double u = query_.features[0].weight, v = query_.features[1].weight;
      curves.push_back({u, v, u * query_.point[0] + v * query_.point[1]});
      curves.push_back({u, -v, u * query_.point[0] - v * query_.point[1]});
    }
    return curves;
  }

  double second_on(const Curve& curve, double a) const {
    if (curve.of_column) return made_.formula.second_at(a, curve.limit);
    return (curve.limit - curve.of_a * a) / curve.of_b;
  }

  /// Every change of sign of what keeps a point of one curve off the other, between 80 numbers.
  void meet(const Curve& one, const Curve& other) {
    if (!one.of_column && one.of_b == 0) return meet_at(one.limit / one.of_a, other);
    if (!other.of_column && other.of_b == 0) return meet_at(other.limit / other.of_a, one);
    each_root([&](double a) { return second_on(one, a) - second_on(other, a); },
              [&](double a) { consider(a, second_on(one, a)); });
  }
  void meet_at(double a, const Curve& curve) {
    if (curve.of_column || curve.of_b != 0) consider(a, second_on(curve, a));
  }

  /// Where the cost along a curve is least.
  void walk_along(const Curve& curve) {
    if (!curve.of_column && curve.of_b == 0)
      return consider(curve.limit / curve.of_a, query_.point[1]);
    const auto cost_at = [&](double a) { return cost(a, second_on(curve, a), whole_); };
    constexpr double step = 1e-6;
    each_root([&](double a) { return cost_at(a + step) - cost_at(a - step); },
              [&](double a) { consider(a, second_on(curve, a)); });
  }

  template <typename Function, typename Visit>
  void each_root(Function function, Visit visit) {
    constexpr double first = -1.6, last = 2.6;
    constexpr int parts = 80;
    double before = function(first);
    for (int i = 1; i <= parts; ++i) {
      double low = first + (last - first) * (i - 1) / parts;
      double high = first + (last - first) * i / parts;
      const double after = function(high);
      const double at_low = std::exchange(before, after);
      if (!((at_low <= 0) != (after <= 0))) continue;
      for (int half = 0; half < 50; ++half) {
        const double middle = low + (high - low) / 2;
        ((function(middle) <= 0) == (at_low <= 0) ? low : high) = middle;
      }
      visit(low);
    }
  }

  /// A corner may itself be excluded: rows beside it count.
  void consider(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    constexpr double near = 1e-7;
    for (int direction = -1; direction < 16; ++direction) {
      const double angle = direction * std::acos(-1.0) / 8;
      double x = a, y = b;
      if (direction >= 0 && direction % 8 != 4) x += near * std::cos(angle);
      if (direction >= 0 && direction % 8 != 0) y += near * std::sin(angle);
      const double costs = cost(x, y, whole_);
      if (costs >= best_) continue;
      const std::vector<double> row{x, y, whole_, made_.formula.value(x, y)};
      if (allows(row, -1e-12)) best_ = costs;
    }
  }

  const Case& made_;
  const Query& query_;
  double whole_ = 0;
  double best_ = infinity;
};

/// Every row that the oracle finds is one, so no bound may exceed its cost, and no answer by more
/// than the distance at which it looks.
TEST(DerivedSums, RandomChoicesOfSumsAgreeWithAllCorners) {
  Maker maker(test_seed());
  const int cases = test_cases(250);
  int changed = 0, dearer = 0, infeasible = 0, open = 0;
  for (int i = 0; i < cases; ++i) {
    const Case made = maker.make();
    SCOPED_TRACE(testing::Message()
                 << "case " << i << " " << to_json(made.query) << to_json(made.model));
    Oracle oracle(made);
    const double truth = oracle.least();
    Options options;
    options.threads = 1;
    options.engine = i % 8 == 0 ? Engine::paper : Engine::fast;
    options.limits.nodes = 1000;
    const Answer answer = explain(made.model, made.query, options);
    EXPECT_LE(answer.lower_bound, truth * (1 + 1e-12));
    if (!answer.solutions.empty()) {
      const std::vector<double>& row = answer.best().point;
      EXPECT_EQ(row[formula_column], made.formula.value(row[0], row[1]));
      EXPECT_TRUE(oracle.allows(row, 1e-12));
      EXPECT_NEAR(oracle.cost(row[0], row[1], row[2]), answer.cost, 1e-12);
      EXPECT_TRUE(verify(made.model, made.query, answer).passed());
    }
    if (answer.status == Status::optimal) {
      EXPECT_LE(answer.cost, truth + 1e-5);
      EXPECT_GE(answer.lower_bound, answer.cost * (1 - 1e-8) - 1e-12);
      changed += answer.cost > 0 ? 1 : 0;
      Query without = made.query;
      without.clauses.clear();
      dearer += i % 4 == 0 && explain(made.model, without, options).cost < answer.cost ? 1 : 0;
    } else if (answer.status == Status::infeasible) {
      EXPECT_EQ(truth, infinity);
      ++infeasible;
    } else {
      ++open;
    }
  }
  std::cout << changed << " with a change, " << dearer << " dearer than without sums, "
            << infeasible << " infeasible, " << open << " open\n";
  expect_share(changed, cases, 0.3);
  expect_share(dearer, cases, 0.05);
  EXPECT_LE(open, 1 + cases / 5);
}

}  // namespace derived_sums_test
