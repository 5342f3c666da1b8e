// Linear rules between features: decided exactly, searched exactly, checked independently.
#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "agreement.hpp"
#include "error_of.hpp"
#include "random_rules.hpp"
#include "search/guarded.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"
#include "verify/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <random>

namespace linear_test {

using namespace boxwood;
using Of = LinearTerm::Of;

/// Makes every feature of a random problem discrete and adds linear rules.
class SumMaker {
 public:
  explicit SumMaker(std::uint64_t seed, bool many_values = false)
      : random_(seed), many_values_(many_values) {}

  void add_to(RandomProblem& problem) {
    Query& query = problem.query;
    std::vector<bool> grouped(query.point.size(), false);
    for (const OneHot& group : query.groups) {
      for (const std::size_t column : group.columns) grouped[column] = true;
    }
    for (std::size_t d = 0; d < query.point.size(); ++d) {
      FeatureRule& rule = query.features[d];
      // The oracle's sums have 128 bits.
      const double size = std::abs(query.point[d]);
      if (size > 1e6 || (size > 0 && size < 1e-6)) query.point[d] = 1;
      if (grouped[d] || rule.kind == FeatureKind::categorical) continue;
      rule.allowed.clear();
      rule.changes.clear();
      if (below(3) == 0) {
        constexpr double steps[] = {0.25, 0.1, 0.2};
        rule.kind = FeatureKind::continuous;
        rule.step = steps[below(std::size(steps))];
        rule.range = {-0.3, 1.1};
      } else {
        rule.kind = FeatureKind::integer;
        rule.step = below(5) == 0 ? 2 : 0;
        rule.range = {-1.0 - static_cast<double>(below(3)), 2.0 + static_cast<double>(below(4))};
        // Enough for cells of several values, and few enough for the oracle.
        const double more = query.point.size() < 3 ? 30 : 12;
        if (many_values_) rule.range = {rule.range.lower - more, rule.range.upper + more};
      }
    }
    for (std::size_t c = 1 + below(2); c > 0; --c) query.clauses.push_back(clause(query, grouped));
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  Clause clause(const Query& query, const std::vector<bool>& grouped) {
    LinearCondition sum;
    for (std::size_t t = 0; t < 1 + below(4); ++t) {
      LinearTerm term;
      term.feature = below(query.point.size());
      term.coefficient = static_cast<double>(1 + below(4)) * (below(2) == 0 ? 1 : -1);
      if (query.features[term.feature].kind == FeatureKind::categorical) {
        term.of = Of::codes;
        for (std::int32_t code = 0; code < 4; ++code) {
          if (below(2) == 0 || (code == 3 && term.codes.empty())) term.codes.push_back(code);
        }
      } else if (!grouped[term.feature]) {
        constexpr Of kinds[] = {Of::value, Of::value, Of::change, Of::size};
        term.of = kinds[below(std::size(kinds))];
      }
      sum.terms.push_back(term);
    }
    constexpr double limits[] = {-3, -1, -0.5, 0, 0.3, 1, 2, 4};
    double limit = limits[below(std::size(limits))];
    if (below(4) != 0) {  // that of some row, so that the rule can hold
      limit = 0;
      for (const LinearTerm& term : sum.terms) {
        const double now = std::isnan(query.point[term.feature]) ? 0 : query.point[term.feature];
        const bool whole = query.features[term.feature].kind == FeatureKind::integer;
        const double other =
            many_values_ ? static_cast<double>(below(25)) - 12 : static_cast<double>(below(4)) - 1;
        const double value = !whole || below(2) == 0 ? now : other;
        if (term.of == Of::value) limit += term.coefficient * value;
        if (term.of == Of::change) limit += term.coefficient * (value - now);
        if (term.of == Of::size) limit += term.coefficient * std::abs(value - now);
        if (term.of == Of::codes) limit += below(2) == 0 ? term.coefficient : 0;
      }
    }
    switch (below(4)) {
      case 0:
        sum.range = {limit, limit};
        break;
      case 1:
        sum.range = {.lower = limit, .lower_closed = below(2) == 0};
        break;
      case 2:
        sum.range = {.lower = limit - 2, .upper = limit};
        break;
      default:
        sum.range = {.upper = limit, .upper_closed = below(2) == 0};
    }
    Clause made{{}, {sum}};
    if (below(3) == 0) {
      const std::size_t d = below(query.point.size());
      made.any_of.push_back(below(2) == 0 ? stays(query, d) : rises(query, d));
      if (below(3) == 0) made.any_of.push_back(falls(query, below(query.point.size())));
    }
    if (below(6) == 0) made.linear.push_back(clause(query, grouped).linear.front());
    return made;
  }

  std::mt19937_64 random_;
  bool many_values_;
};

TEST(Linear, SumsOfInfiniteValuesAreNotWithinLimits) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> now{1, 2};
  for (const Of of : {Of::value, Of::change, Of::size}) {
    const LinearCondition sum{{{.feature = 0, .coefficient = 1, .of = of}}, {.upper = 5}};
    for (const double value : {infinite, -infinite}) {
      const std::vector<double> point{value, 2};
      EXPECT_FALSE(holds(sum, now, point));
      EXPECT_FALSE(verifying::sum_is_within(sum, now, point));
    }
    EXPECT_TRUE(holds(sum, now, now));
    EXPECT_TRUE(verifying::sum_is_within(sum, now, now));
  }
}

/// Both engines against a list of all rows.
void expect_agreement_with_brute_force(bool many_values, int cases) {
  const std::size_t most_features = many_values ? 3 : 4;
  ProblemMaker maker(test_seed(),
                     {.features = {2, most_features}, .rounds = {2, 4}, .overflows = false});
  RuleMaker rules(test_seed() + 1);
  SumMaker sums(test_seed() + 2, many_values);
  int tried = 0, changed = 0, infeasible = 0;
  const auto make = [&](int i) {
    RandomProblem problem = maker.make();
    const bool with_ties = many_values && i % 4 == 1;
    for (std::size_t d = 0; with_ties && d < problem.query.point.size(); ++d) {
      problem.query.point[d] = std::round(problem.query.point[d]);
      FeatureRule& rule = problem.query.features[d];
      rule.weight = rule.scale = rule.up = rule.down = 1;
      rule.quantiles.clear();
    }
    if (i % 2 == 0) rules.add_to(problem);
    sums.add_to(problem);
    if (with_ties) {  // whole numbers: many points cost the same
      problem.query.norm = i % 8 == 1 ? Norm::l1 : Norm::l0;
      problem.query.fewest_first = false;
    } else if (many_values && i % 4 != 3) {
      problem.query.norm = Norm::squared_l2;
      problem.query.fewest_first = false;
    }
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const auto truth = Oracle::solve(problem.ensembles, problem.query, 30'000);
    if (!truth) return;
    ++tried;
    const Prepared prepared(problem.ensembles);
    std::vector<double> first_point;
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << to_string(engine));
      Options options;
      options.engine = engine;
      options.threads = 1 + 2 * (i % 2);
      options.ties = 100'000;
      try {
        expect_agreeing_answer(prepared, problem.ensembles, problem.query, options, *truth,
                               first_point);
      } catch (const Error&) {  // only while a failure is made smaller: no longer discrete
        return;
      } catch (const std::logic_error& lost) {  // a developer build's guard
        ADD_FAILURE() << lost.what();
      }
    }
    changed += truth->points.empty() || truth->cost == 0 ? 0 : 1;
    infeasible += truth->points.empty() ? 1 : 0;
  });
  std::cout << tried << " tried, " << changed << " with a change, " << infeasible
            << " infeasible\n";
  expect_share(tried, cases, 0.4);
  expect_share(changed, cases, 1.0 / 20);
  expect_share(infeasible, cases, 1.0 / 20);
}

TEST(Linear, RandomRulesAgreeWithBruteForce) {
  expect_agreement_with_brute_force(false, test_cases(2000));
}

TEST(Linear, RulesOverManyValuesAgreeWithBruteForce) {
  expect_agreement_with_brute_force(true, test_cases(400));
}

/// 0.1 + 0.2 as doubles is more than 0.3 as a double, and the sum of doubles is rounded.
TEST(Linear, IsDecidedWithoutRounding) {
  const std::vector<double> from{0, 0, 0};
  const auto at_most = [](std::vector<LinearTerm> terms, double limit) {
    return LinearCondition{std::move(terms), {.upper = limit}};
  };
  const auto both = [&](const LinearCondition& sum, const std::vector<double>& point) {
    const bool held = holds(sum, from, point);
    EXPECT_EQ(held, verifying::sum_is_within(sum, from, point));
    return held;
  };
  const std::vector<LinearTerm> sum{{.feature = 0}, {.feature = 1}};
  EXPECT_FALSE(both(at_most(sum, 0.3), {0.1, 0.2, 0}));
  EXPECT_TRUE(both(at_most(sum, 0.5), {0.25, 0.25, 0}));
  // 2^53 + 1 is no double: the sum would be rounded to 2^53.
  EXPECT_FALSE(both(at_most(sum, 0x1p53), {0x1p53, 1, 0}));
  EXPECT_TRUE(both(at_most({{.feature = 0}, {.feature = 1, .coefficient = -1}}, 0x1p53 - 1),
                   {0x1p53, 1, 0}));
  EXPECT_FALSE(
      both(at_most({{.feature = 0}, {.feature = 1}, {.feature = 2}}, 0), {1e300, 1e-300, -1e300}));
  EXPECT_TRUE(
      both(at_most({{.feature = 0}, {.feature = 1}, {.feature = 2}}, 0), {1e300, -5e-324, -1e300}));
  EXPECT_FALSE(both(at_most(sum, 0), {std::numeric_limits<double>::quiet_NaN(), -5, 0}));
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 20'000; ++i) {
    LinearCondition any;
    std::vector<double> point;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto draw = [&] {
        const double size = std::ldexp(1.0 + static_cast<double>(random() % 7) / 7,
                                       static_cast<int>(random() % 120) - 60);
        return random() % 2 == 0 ? size : -size;
      };
      point.push_back(random() % 3 == 0 && d > 0 ? -point.back() : draw());
      any.terms.push_back({.feature = d, .coefficient = random() % 2 == 0 ? 1.0 : draw()});
    }
    any.range.upper = random() % 2 == 0 ? 0 : point[random() % 3];
    any.range.upper_closed = random() % 2 == 0;
    both(any, point);
  }
}

/// An order pair on a model that wants the first feature high and the second low.
TEST(Linear, AnOrderPairIsKept) {
  const Ensemble model = binary_model(2, {stump(0, 5, -1, 1), stump(1, 3, 1, -1)}, -1);
  Query query = query_for(model, std::vector{2.0, 6.0});
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::integer;
    rule.range = {0, 10};
  }
  query.norm = Norm::l1;
  query.requirements = {require_class(1)};
  const Answer free = explain(model, query);
  ASSERT_EQ(free.status, Status::optimal);
  // The model wants x0 >= 5 and x1 < 3.
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = -1}}, {.upper = 0}}}}};
  const Answer kept = explain(model, query);
  ASSERT_EQ(kept.status, Status::infeasible);
  query.clauses[0].linear[0].range.upper = 3;
  const Answer looser = explain(model, query);
  ASSERT_EQ(looser.status, Status::optimal);
  EXPECT_EQ(looser.best().point, (std::vector<double>{5, 2}));
}

TEST(Linear, RefusesByNameWhatItDoesNotSupport) {
  const Ensemble model = binary_model(2, {stump(0, 5, -1, 1), stump(1, 3, 1, -1)}, -1);
  Query query = query_for(model, std::vector{2.0, 6.0});
  query.requirements = {require_class(1)};
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = -1}}, {.upper = 0}}}}};
  const auto complaint = [&](auto ask) -> std::string { return error_of([&] { ask(); }); };
  const auto explained = [&] { explain(model, query); };
  query.norm = Norm::custom;
  query.term = [](std::size_t, double from, double to) { return std::abs(to - from); };
  const std::string refused =
      "feature \"f0\": it is in a linear rule, and a custom cost supports only features with at "
      "most 50000 discrete values there. Give it a kind (integer) or a step, and a range; or "
      "choose "
      "another cost";
  EXPECT_EQ(complaint(explained), refused);
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::integer;
  EXPECT_EQ(complaint(explained), refused);
  for (FeatureRule& rule : query.features) rule.range = {0, 1e6};
  EXPECT_EQ(complaint(explained), refused);
  query.norm = Norm::l1;
  for (FeatureRule& rule : query.features) rule.range = {0, 10};
  EXPECT_EQ(complaint([&] { prove(std::span(&model, 1), query, explain(model, query)); }),
            "proof: proofs do not cover linear rules. Ask without a proof");
  query.clauses[0].linear.push_back(query.clauses[0].linear[0]);
  query.clauses.resize(7, query.clauses[0]);
  EXPECT_EQ(complaint(explained),
            "clauses: their sums leave more than 64 choices. Give fewer clauses with several sums, "
            "of which one has to hold");
}

/// Three rules of which the cheapest change breaks one; the answer satisfies all of them, and the
/// search says nothing of points that break one.
TEST(Linear, RulesThatAreLeftOutAtFirstHold) {
  const Ensemble model = binary_model(3, {stump(0, 5, -1, 1), stump(1, 5, -1, 1)}, 0.5);
  Query query = query_for(model, std::vector{2.0, 1.0, 3.0});
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::integer;
    rule.range = {0, 100};
  }
  query.requirements = {require_class(1)};
  // The model wants x0 >= 5 or x1 >= 5. x0 <= x2, x1 <= x2 + 90, x0 + x1 >= -5.
  const auto rule = [](double a, double b, double c, double limit) {
    LinearCondition sum{{}, {.upper = limit}};
    for (std::size_t d = 0; d < 3; ++d) {
      const double factors[] = {a, b, c};
      if (factors[d] != 0) sum.terms.push_back({.feature = d, .coefficient = factors[d]});
    }
    return Clause{{}, {sum}};
  };
  query.clauses = {rule(1, 0, -1, 0), rule(0, 1, -1, 90), rule(-1, -1, 0, 5)};
  Options options;
  double reported = 0;
  options.progress = [&](const Progress& progress) {
    EXPECT_TRUE(progress.best_cost == 9 + 4 || std::isinf(progress.best_cost));
    reported = std::max(reported, progress.lower_bound);
  };
  const Answer answer = explain(model, query, options);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, (std::vector<double>{5, 1, 5}));
  EXPECT_EQ(answer.cost, 9 + 4);
  EXPECT_LE(reported, answer.cost);
  options.limits.nodes = 1;
  const Answer stopped = explain(model, query, options);
  EXPECT_LE(stopped.lower_bound, 9 + 4);
  for (const Solution& solution : stopped.solutions) {
    EXPECT_LE(solution.point[0], solution.point[2]);
  }
}

/// Where every change costs the same, all values that the rule allows are cheapest, whatever cells
/// the search has, and the smallest one comes first.
TEST(Linear, AllCheapestValuesAreFound) {
  const Ensemble model = binary_model(1, {stump(0, 200, 1, -1)});
  Query query = query_for(model, std::vector{50.0});
  query.features[0].kind = FeatureKind::integer;
  query.features[0].range = {0, 100};
  query.requirements = {require_class(1)};
  query.norm = Norm::l0;
  query.clauses = {{{}, {{{{.feature = 0}}, {.upper = 40}}}}};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    Options options;
    options.engine = engine;
    EXPECT_EQ(explain(model, query, options).best().point[0], 0);
    options.ties = 1000;
    EXPECT_EQ(explain(model, query, options).solutions.size(), 41U);
  }
}

/// A statement about codes divides the cells of a feature with many values.
TEST(Linear, StatementsAboutCodesKeepTheirCells) {
  const Ensemble model = binary_model(2, {stump(0, 200, 1, -1)});
  Query query = query_for(model, std::vector{0.7, 1.0});
  query.features[0].kind = FeatureKind::integer;
  query.features[0].range = {-14, 15};
  query.features[1].fixed = true;
  query.requirements = {require_class(1)};
  Clause codes;
  codes.any_of = {{.feature = 0, .codes = {0, 1, 3}}, {.feature = 1, .range = {.lower = 0}}};
  query.clauses = {codes,
                   {{}, {{{{.feature = 0, .coefficient = -1, .of = Of::size}}, {.upper = -5}}}}};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    Options options;
    options.engine = engine;
    for (const bool limited : {false, true}) {
      if (limited) query.max_changes = 1;
      EXPECT_EQ(explain(model, query, options).best().point[0], 6);
    }
    query.max_changes.reset();
  }
}

/// Every row of a small grid against the list of regions: it lies in one if some row of that region
/// that satisfies the rules is near enough, and the cheapest such row stands for the region.
TEST(Linear, RegionsAreThoseWithAnAllowedRow) {
  std::mt19937_64 random(test_seed());
  int listed = 0, dropped = 0;
  for (int i = 0; i < test_cases(40); ++i) {
    const auto at = [&] { return 0.5 + static_cast<double>(random() % 6); };
    const Ensemble model = binary_model(
        2, {stump(0, at(), -1, 1), stump(0, at(), 1, -0.5), stump(1, at(), -1, 1)}, 0.25);
    Query query = query_for(model, std::vector{3.0, 2.0});
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.range = {0, 6};
    }
    query.norm = i % 2 == 0 ? Norm::l1 : Norm::squared_l2;
    if (i % 3 != 0) query.requirements = {require_class(1)};
    if (i % 5 == 0) query.clauses.push_back({{negated(falls(query, 1))}});
    const double factor = static_cast<double>(random() % 3) - 3;
    const double limit = static_cast<double>(random() % 7) - 4;
    query.clauses.push_back(
        {{}, {{{{.feature = 0}, {.feature = 1, .coefficient = factor}}, {.upper = limit}}}});
    const double radius = i % 4 == 0 ? 3 : 100;
    std::vector<Region> regions;
    visit_regions(model, query, radius, [&](const Region& region) {
      regions.push_back(region);
      return true;
    });
    std::vector<double> least(regions.size(), std::numeric_limits<double>::infinity());
    for (double a = 0; a <= 6; ++a) {
      for (double b = 0; b <= 6; ++b) {
        const std::vector<double> row{a, b};
        const bool works = (i % 3 == 0 || model.predict(row)[0] > 0) && (i % 5 != 0 || b >= 2);
        const bool allowed = works && a + factor * b <= limit;
        const double cost = total_cost(query, row);
        const bool near = distance(query.norm, cost) <= radius;
        std::size_t inside = 0;
        for (std::size_t r = 0; r < regions.size(); ++r) {
          const std::vector<Interval>& box = regions[r].nearest.region;
          if (!box[0].contains(a) || !box[1].contains(b)) continue;
          ++inside;
          if (allowed) least[r] = std::min(least[r], cost);
        }
        EXPECT_LE(inside, works ? 1U : 0U);
        EXPECT_GE(inside, allowed && near ? 1U : 0U);
        dropped += works && near && inside == 0 ? 1 : 0;
      }
    }
    for (std::size_t r = 0; r < regions.size(); ++r) {
      EXPECT_EQ(regions[r].cost, least[r]);
      EXPECT_EQ(total_cost(query, regions[r].nearest.point), least[r]);
      ++listed;
    }
  }
  EXPECT_GT(listed, 0);
  EXPECT_GT(dropped, 0);
}

/// The model wants x0 >= 5 and x1 < 3. One of these rules has to go: x0 <= x1, x0 <= 4.
TEST(Linear, CanBeAmongTheBlockers) {
  const Ensemble model = binary_model(2, {stump(0, 5, -1, 1), stump(1, 3, 1, -1)}, -1);
  Query query = query_for(model, std::vector{2.0, 6.0});
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::integer;
    rule.range = {0, 10};
  }
  query.norm = Norm::l1;
  query.requirements = {require_class(1)};
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1, .coefficient = -1}}, {.upper = 0}}}}};
  const WhyNot alone = find_why_not(Prepared(model), query);
  ASSERT_EQ(alone.blockers.size(), 1U);
  EXPECT_EQ(alone.blockers[0].rule, (Rule{Rule::Kind::clause, 0}));
  EXPECT_TRUE(alone.smallest);
  EXPECT_EQ(alone.blockers[0].without.best().point, (std::vector<double>{5, 2}));
  // With a looser rule, x0 = 5 needs x1 >= 2 and x0 may not rise beyond 4.
  query.clauses[0].linear[0].range.upper = 3;
  query.features[0].range.upper = 4;
  const WhyNot range = find_why_not(Prepared(model), query);
  ASSERT_EQ(range.blockers.size(), 1U);
  EXPECT_EQ(range.blockers[0].rule, (Rule{Rule::Kind::range_upper, 0}));
  EXPECT_EQ(range.blockers[0].without.best().point, (std::vector<double>{5, 2}));
  // Whole numbers without limits still satisfy the rule that is left, and continuous ones too.
  query.features[0].kind = FeatureKind::continuous;
  EXPECT_EQ(find_why_not(Prepared(model), query).blockers[0].without.best().point,
            (std::vector<double>{5, 2}));
  query.norm = Norm::linf;
  EXPECT_EQ(find_why_not(Prepared(model), query).blockers[0].without.best().point,
            (std::vector<double>{5, 2}));
}

}  // namespace linear_test
