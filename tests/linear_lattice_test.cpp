// Linear rules decided on the numbers that a model can read, one by one: every sum is an exact
// whole number of a power of two. Ranges of a few neighbouring numbers are enumerated; in wide
// ranges a point is planted that the rules only just allow. No proof may exclude either. The oracle
// shares no code with the library.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "grid/axis.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

namespace linear_lattice_test {

using namespace boxwood;
using Of = LinearTerm::Of;
__extension__ typedef __int128 Whole;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double no_end = std::numeric_limits<double>::infinity();

double next(double value, bool up, Precision precision) {
  if (precision == Precision::float64) return std::nextafter(value, up ? no_end : -no_end);
  const float end = std::numeric_limits<float>::infinity();
  return static_cast<double>(std::nextafter(static_cast<float>(value), up ? end : -end));
}

double read(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// A feature whose numbers are multiples of 2^unit.
struct Column {
  int unit = 0;
  std::vector<double> values;  ///< that a change may lead to, ascending; empty: not enumerated
};

struct Case {
  Ensemble model;
  Query query;
  std::vector<Column> columns;
  int unit = 0;                 ///< sums are multiples of 2^unit
  std::vector<double> planted;  ///< a point that satisfies the rules; may lack the outcome
};

/// A multiple of 2^unit as the number of units.
Whole units(double value, int unit) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const auto mantissa = static_cast<Whole>(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  const int shift = exponent - 53 - unit;
  return shift >= 0 ? mantissa << shift : mantissa / (Whole{1} << std::min(-shift, 120));
}

/// Negative, 0 or positive, as a number of units minus a value is. The value may lie between units.
int compare(Whole count, double value, int unit) {
  const Whole towards_0 = units(value, unit);
  const double rounded = std::ldexp(static_cast<double>(towards_0), unit);
  if (count != towards_0) return count < towards_0 ? -1 : 1;
  return rounded == value ? 0 : rounded < value ? -1 : 1;
}

/// What a term adds to a sum; false if it has no value.
bool add(const Case& made, const LinearTerm& term, const std::vector<double>& point, Whole& sum) {
  const double value = point[term.feature], now = made.query.point[term.feature];
  if (std::isnan(value)) return false;
  const int unit = made.columns[term.feature].unit;
  Whole number = units(value, unit);
  if (term.of != Of::value) {
    if (std::isnan(now)) return false;
    number -= units(now, unit);
    if (term.of == Of::size && number < 0) number = -number;
  }
  sum += units(term.coefficient, made.unit - unit) * number;
  return true;
}

bool within(const Case& made, const LinearCondition& rule, const std::vector<double>& point) {
  Whole sum = 0;
  for (const LinearTerm& term : rule.terms) {
    if (!add(made, term, point, sum)) return false;
  }
  const Interval& range = rule.range;
  if (std::isfinite(range.lower)) {
    const int beyond = compare(sum, range.lower, made.unit);
    if (range.lower_closed ? beyond < 0 : beyond <= 0) return false;
  }
  if (!std::isfinite(range.upper)) return true;
  const int beyond = compare(sum, range.upper, made.unit);
  return range.upper_closed ? beyond <= 0 : beyond < 0;
}

bool is_good(const Case& made, const std::vector<double>& point) {
  for (const Clause& clause : made.query.clauses) {
    bool one = within(made, clause.linear[0], point);
    for (const Literal& literal : clause.any_of) {
      const double value = read(point[literal.feature], made.model.input);
      one = one || (!std::isnan(value) && value >= literal.range.lower);
    }
    if (!one) return false;
  }
  const auto& wanted = std::get<ScoreIn>(made.query.requirements[0].outcome);
  return wanted.range.contains(made.model.predict(point)[0]);
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  /// Ranges of a few neighbouring numbers.
  Case few_numbers() {
    Case made = empty();
    const std::size_t n = made.columns.size();
    const std::size_t most = n == 2 ? 30 : 9;
    std::vector<double> now;
    for (std::size_t d = 0; d < n; ++d) {
      const Precision precision = made.model.input;
      const bool single = precision == Precision::float32;
      const int lowest = single ? -140 : -1060, highest = single ? 120 : 900;
      // Near 0 there are both signs; elsewhere a power of two may lie inside.
      double value = below(3) == 0 ? 0 : std::ldexp(sign(), between(lowest, highest));
      for (std::size_t back = below(most); back > 0; --back) value = next(value, false, precision);
      Column& column = made.columns[d];
      double closest = no_end;
      for (std::size_t count = 2 + below(most - 1); count > 0; --count) {
        column.values.push_back(value + 0.0);
        closest = std::min(closest, next(value, true, precision) - value);
        value = next(value, true, precision);
      }
      column.unit = std::ilogb(closest);
      now.push_back(present(column, precision));
      if (single && std::ldexp(1.0, column.unit - 4) > 0) column.unit -= 4;  // see present()
      scales_.push_back(std::clamp(std::ldexp(1.0, column.unit + 6), 1e-30, 1e30));
    }
    finish(made, now);
    for (std::size_t d = 0; d < n; ++d) {
      FeatureRule& rule = made.query.features[d];
      rule.range = {made.columns[d].values.front(), made.columns[d].values.back()};
      if (std::isnan(now[d])) rule.missing_allowed = true;
    }
    return made;
  }

  /// Wide ranges, or none, and numbers of very different size.
  Case wide() {
    Case made = empty();
    digits_ = 1 << 6;
    const bool single = made.model.input == Precision::float32;
    std::vector<double> now;
    const int size = single ? between(-60, 40) : between(-300, 300);
    for (Column& column : made.columns) {
      column.unit = size - 30;
      // Few digits, so that sums of them are numbers, too.
      const auto number = [&] {
        return sign() * std::ldexp(static_cast<double>(below(1U << 10U)), size - between(0, 25));
      };
      for (int i = 0; i < 8; ++i) column.values.push_back(number());
      now.push_back(below(12) == 0 ? missing : number());
      scales_.push_back(std::clamp(std::ldexp(1.0, size), 1e-30, 1e30));
    }
    finish(made, now);
    for (std::size_t d = 0; d < now.size(); ++d) {
      FeatureRule& rule = made.query.features[d];
      const double x = made.planted[d];
      if (below(3) == 0) rule.range.lower = std::min(x, any(made.columns[d].values));
      if (below(3) == 0) rule.range.upper = std::max(x, any(made.columns[d].values));
      if (std::isnan(now[d])) rule.missing_allowed = true;
      // Equations of several discrete features are hard in themselves; linear_continuous_test.cpp
      // has easy ones.
      if (d > 0 || std::isnan(now[d]) || below(2) > 0) continue;
      rule.step = std::ldexp(1.0, size - 25);  // every number of the case is a multiple
      if (below(2) == 0 || size < 25) continue;
      rule.step = 0;
      rule.kind = FeatureKind::integer;
    }
    return made;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  int between(int first, int last) {
    return first + static_cast<int>(below(static_cast<std::size_t>(last - first + 1)));
  }
  double sign() { return below(2) == 0 ? 1 : -1; }
  double any(const std::vector<double>& values) { return values[below(values.size())]; }

  Case empty() {
    scales_.clear();
    Case made;
    const std::size_t n = 2 + below(2);
    made.model = binary_model(n, {});
    if (below(2) == 0) made.model.input = Precision::float32;
    made.columns.resize(n);
    return made;
  }

  /// One of the numbers, one beyond them, none, or a double that a float32 model reads as another.
  double present(const Column& column, Precision precision) {
    const std::size_t kind = below(8);
    if (kind == 0) return missing;
    if (kind == 1) return next(column.values.back(), true, precision);
    if (kind == 2) return next(column.values.front(), false, precision);
    const double value = any(column.values);
    if (kind > 3 || precision == Precision::float64) return value;
    return value + sign() * std::ldexp(1.0, column.unit - between(2, 4));
  }

  void finish(Case& made, const std::vector<double>& now) {
    const std::size_t n = now.size();
    made.unit = between(-100, -40);
    for (std::size_t t = 1 + below(4); t > 0; --t) {
      const std::size_t d = below(n);
      made.model.trees.push_back(
          stump(static_cast<std::int32_t>(d), any(made.columns[d].values) + 0.0, between(-2, 2),
                between(-2, 2), below(2) == 0 ? NodeKind::less : NodeKind::less_equal));
    }
    made.model.validate();
    made.query = query_for(made.model, now);
    Query& query = made.query;
    constexpr Norm norms[] = {Norm::squared_l2, Norm::l1, Norm::l0, Norm::mixture};
    query.norm = norms[below(4)];
    query.mixture = below(2) == 0 ? Mixture{.l1 = 1, .l0 = 0.1} : Mixture{.squared_l2 = 1, .l0 = 1};
    for (std::size_t d = 0; d < n; ++d) {
      query.features[d].scale = scales_[d];
      query.features[d].weight = between(1, 4);
      made.planted.push_back(any(made.columns[d].values));
      if (!std::isnan(now[d]) && below(4) == 0) made.planted[d] = now[d];
    }
    query.requirements = {{0, ScoreIn{{.lower = static_cast<double>(between(-2, 3))}}}};
    for (std::size_t c = 1 + below(3); c > 0; --c) query.clauses.push_back(clause(made));
  }

  /// A rule that the planted point satisfies, often only just.
  Clause clause(const Case& made) {
    LinearCondition rule;
    Whole sum = 0;
    std::size_t count = 0;
    for (std::size_t d = 0; d < made.columns.size() || count == 0; ++d) {
      if (d == made.columns.size()) d = 0;
      if (below(4) == 0) continue;
      ++count;
      for (std::size_t again = below(8) == 0 ? 2 : 1; again > 0; --again) {
        const double factor = below(2) == 0 ? between(1, 9) : between(1, digits_);
        constexpr Of kinds[] = {Of::value, Of::value, Of::value, Of::change, Of::size};
        const Of of = std::isnan(made.query.point[d]) ? Of::value : kinds[below(5)];
        const int unit = made.unit - made.columns[d].unit + between(0, 4);
        rule.terms.push_back(
            {.feature = d, .coefficient = sign() * std::ldexp(factor, unit), .of = of});
        add(made, rule.terms.back(), made.planted, sum);
      }
    }
    const auto end = [&](Whole at) { return std::ldexp(static_cast<double>(at), made.unit); };
    const double here = end(sum);
    const bool exact = units(here, made.unit) == sum;
    const std::size_t kind = below(5);
    if (exact && kind < 2) {
      rule.range = {here, here};
    } else if (kind < 4) {
      // The next double is far more than one unit where sums are long.
      const bool closed = exact && below(2) == 0;
      const double out = closed ? here : std::nextafter(here, no_end);
      rule.range = {.upper = out, .upper_closed = closed || units(out, made.unit) > sum};
    } else {
      const bool closed = exact && below(2) == 0;
      const double out = closed ? here : std::nextafter(here, -no_end);
      rule.range = {.lower = out, .lower_closed = closed || units(out, made.unit) < sum};
    }
    Clause clause{{}, {rule}};
    if (below(5) == 0) {
      const std::size_t d = below(made.columns.size());
      const double from = any(made.columns[d].values);
      clause.any_of.push_back({.feature = d, .range = {.lower = from}});
    }
    return clause;
  }

  std::mt19937_64 random_;
  std::vector<double> scales_;
  int digits_ = 1 << 20;  // the largest factor
};

/// The least cost among all combinations of numbers.
double enumerate(const Case& made) {
  const std::size_t n = made.columns.size();
  std::vector<std::vector<double>> values;
  for (std::size_t d = 0; d < n; ++d) {
    const double now = made.query.point[d];
    values.push_back({now});
    for (const double value : made.columns[d].values) {
      // A number that the model reads like the present one is no change.
      if (value != read(now, made.model.input)) values.back().push_back(value);
    }
  }
  std::vector<std::size_t> at(n, 0);
  double best = no_end;
  for (;;) {
    std::vector<double> point;
    for (std::size_t d = 0; d < n; ++d) point.push_back(values[d][at[d]]);
    const double cost = total_cost(made.query, point);
    if (cost < best && is_good(made, point)) best = cost;
    std::size_t d = 0;
    while (d < n && ++at[d] == values[d].size()) at[d++] = 0;
    if (d == n) return best;
  }
}

struct Tally {
  int feasible = 0, infeasible = 0, open = 0;
};

/// No proof excludes a point of this cost; `least`: no point costs less.
void check(const Case& made, double truth, bool least, Engine engine, Tally& tally) {
  Options options;
  options.engine = engine;
  options.limits.seconds = least ? no_end : 0.2;
  const Answer answer = explain(made.model, made.query, options);
  if (std::isfinite(truth)) {
    EXPECT_NE(answer.status, Status::infeasible);
    EXPECT_LE(answer.lower_bound, truth * (1 + 1e-12));
  } else if (least) {
    EXPECT_TRUE(answer.status == Status::infeasible || answer.stop == Stop::precision);
  }
  tally.feasible += answer.status == Status::optimal ? 1 : 0;
  tally.infeasible += answer.status == Status::infeasible ? 1 : 0;
  if (answer.status == Status::infeasible) return;
  if (answer.status != Status::optimal) {
    EXPECT_TRUE(answer.stop == Stop::precision || !least);
    ++tally.open;
    if (answer.solutions.empty()) return;
  }
  for (const Solution& solution : answer.solutions) {
    EXPECT_TRUE(!least || is_good(made, solution.point));  // else verify() decides
    for (const double value : solution.point) EXPECT_FALSE(std::isinf(value));
  }
  EXPECT_TRUE(verify(made.model, made.query, answer).passed());
  if (answer.status == Status::optimal) {
    // A part in 10^9, and 64 steps of the numbers.
    std::vector<double> farther = answer.best().point;
    for (std::size_t d = 0; d < farther.size(); ++d) {
      const bool up = farther[d] > made.query.point[d];
      const bool moves = farther[d] != made.query.point[d] && !std::isnan(made.query.point[d]);
      for (int step = 0; moves && step < 64; ++step) {
        farther[d] = next(farther[d], up, made.model.input);
      }
    }
    const double steps = total_cost(made.query, farther) - answer.cost;
    EXPECT_LE(answer.cost - answer.lower_bound, 1.1e-9 * answer.cost + 1.01 * steps);
  }
  if (least) {
    EXPECT_GE(answer.cost, truth * (1 - 1e-12));
  }
}

TEST(LinearLattice, NeighbouringNumbersAgreeWithEnumeration) {
  Maker maker(test_seed());
  const int cases = test_cases(300);
  Tally tally;
  int possible = 0;
  for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
    const Case made = maker.few_numbers();
    const double truth = enumerate(made);
    possible += std::isfinite(truth) ? 1 : 0;
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << " " << to_string(engine) << " "
                                      << to_json(made.query) << to_json(made.model));
      check(made, truth, true, engine, tally);
    }
  }
  std::cout << possible << " possible, " << tally.feasible << " solved, " << tally.infeasible
            << " infeasible, " << tally.open << " open\n";
  expect_share(possible, cases, 0.3);
  EXPECT_LE(tally.open, 2 + cases / 10);
}

TEST(LinearLattice, PlantedPointsAreNeverExcluded) {
  Maker maker(test_seed() + 1);
  const int cases = test_cases(50);
  Tally tally;
  int possible = 0;
  for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
    const Case made = maker.wide();
    const bool good = is_good(made, made.planted);
    possible += good ? 1 : 0;
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << " " << to_string(engine) << " "
                                      << to_json(made.query) << to_json(made.model));
      check(made, good ? total_cost(made.query, made.planted) : no_end, false, engine, tally);
    }
  }
  std::cout << possible << " possible, " << tally.feasible << " solved, " << tally.infeasible
            << " infeasible, " << tally.open << " open\n";
  expect_share(possible, cases, 0.3);
  EXPECT_LE(tally.open, 2 + cases);  // of two engines: equations in few digits may be hard
}

/// The only number that satisfies the equation is far smaller than the numbers that the search
/// starts from: what is left of their difference does not tell it.
TEST(LinearLattice, AnEquationMayAskForAMuchSmallerNumber) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Ensemble model = binary_model(2, {stump(0, 1e16, 2, 0)});
    model.input = precision;
    const double small = read(0.1, precision);
    Query query = query_for(model, std::vector<double>{1e17, small});
    query.requirements = {{0, ScoreIn{{.lower = 1}}}};
    query.norm = Norm::l1;
    query.features[1].fixed = true;
    query.clauses = {{{}, {{{{0, 1}, {1, -1}}, {0, 0}}}}};
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      Options options;
      options.engine = engine;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, Status::optimal);
      EXPECT_EQ(answer.best().point, (std::vector<double>{small, small}));
    }
  }
}

/// Two rules' ends meet in one corner of the ranges, and no other point satisfies them.
TEST(LinearLattice, ACornerMayBeTheOnlyPoint) {
  std::mt19937_64 random(test_seed());
  const auto quarters = [&](std::size_t count) {
    return static_cast<double>(random() % count) / 4;
  };
  for (int i = 0; i < 100; ++i) {
    const std::size_t n = 2 + random() % 3;
    Ensemble model = binary_model(n, {stump(0, 15, 0, 2)});
    if (i % 2 == 0) model.input = Precision::float64;
    Query query = query_for(model, std::vector<double>(n, 10));
    query.requirements = {{0, ScoreIn{{.lower = 1}}}};
    constexpr Norm norms[] = {Norm::squared_l2, Norm::l1, Norm::mixture, Norm::linf};
    query.norm = norms[i % 4];
    query.mixture = {.squared_l2 = 1, .l0 = 1};
    LinearCondition sum;
    std::vector<double> corner;
    double limit = 0;
    for (std::size_t d = 0; d < n; ++d) {
      corner.push_back(20 + quarters(200));
      query.features[d].range = {-5, corner[d]};
      if (d > 0 && random() % 3 == 0) {
        corner[d] = quarters(40) - 10;
        query.features[d].range = {corner[d], 60};
      }
      const double factor = (corner[d] > 10 ? 1 : -1) * (1 + quarters(8));
      sum.terms.push_back({.feature = d, .coefficient = factor});
      limit += factor * corner[d];
    }
    sum.range = {.lower = limit, .upper = i % 3 == 0 ? limit : no_end};
    query.clauses = {{{}, {sum}}};
    const Answer answer = explain(model, query);
    ASSERT_EQ(answer.status, Status::optimal) << i << to_json(query);
    EXPECT_EQ(answer.best().point, corner);
  }
}

/// From a missing value every number costs the same, and the range of numbers may have no end.
TEST(LinearLattice, AMissingValueBecomesANumberThatTheRulesAllow) {
  const Ensemble model = binary_model(2, {stump(1, 5, 0, 2)});
  Query query = query_for(model, std::vector<double>{missing, 0});
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.norm = Norm::l1;
  query.features[0].missing_allowed = true;
  for (const double lower : {-no_end, -1000.0}) {
    query.features[0].range = {lower, 3};
    query.clauses = {{{}, {{{{0, 1}, {1, 1}}, {.upper = -90}}}}};
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      Options options;
      options.engine = engine;
      const Answer answer = explain(model, query, options);
      ASSERT_EQ(answer.status, Status::optimal);
      EXPECT_EQ(answer.cost, 6);
      EXPECT_LE(answer.best().point[0], -95);
      EXPECT_TRUE(verify(model, query, answer).passed());
    }
  }
}

/// Multiples of a step, and whole numbers, that a float32 model can read.
TEST(LinearLattice, SteppedNumbersAreNumbersOfTheModel) {
  const double large = 0x1p24, huge = 0x1p100;
  FeatureRule rule;
  rule.kind = FeatureKind::integer;
  EXPECT_EQ(Axis(rule, 0, Precision::float32).rounded(large + 0.5, true), large + 2);
  EXPECT_EQ(Axis(rule, 0, Precision::float32).rounded(large + 1.5, false), large);
  rule.kind = FeatureKind::continuous;
  rule.step = 0.01;
  // 2^107 multiples lie between two neighbours there; none of them is tried one by one.
  const double above = next(huge, true, Precision::float32);
  EXPECT_EQ(Axis(rule, 0, Precision::float32).rounded(std::nextafter(huge, no_end), true), above);
  EXPECT_EQ(Axis(rule, 0, Precision::float32).rounded(std::nextafter(above, 0), false), huge);
}

}  // namespace linear_lattice_test
