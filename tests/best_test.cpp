// The most for a budget against brute force: every point within the budget, and the best of them.
#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>
#include <boxwood/reasons.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace best_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a point reaches of the first requirement, and whether more of it is less.
struct Goal {
  const Ensemble& ensemble;
  Requirement first;
  bool falls = false;

  double value(const std::vector<double>& point) const {
    const std::vector<double> scores = ensemble.predict(point);
    if (const auto* score = std::get_if<ScoreIn>(&first.outcome)) {
      return scores[score->output] - (score->rival ? scores[*score->rival] : 0);
    }
    const std::vector<double> outputs = ensemble.transform(scores);
    if (const auto* output = std::get_if<OutputIn>(&first.outcome)) return outputs[output->output];
    return ensemble.probability(outputs, std::get<ClassIs>(first.outcome).target);
  }
  bool better(double a, double b) const { return falls ? a < b : a > b; }
};

struct Reached {
  double cost = 0;
  double value = 0;
};

/// Cost and value of every allowed point that meets the other requirements.
std::optional<std::vector<Reached>> all_points(const RandomProblem& problem, const Goal& goal) {
  Query others = problem.query;
  others.requirements.erase(others.requirements.begin());
  std::vector<Reached> all;
  const bool complete = Oracle::visit(problem.ensembles, problem.query, 20'000,
                                      [&](const std::vector<double>& point) {
                                        if (!Oracle::obeys(problem.ensembles, problem.query, point))
                                          return;
                                        if (!Oracle::works(problem.ensembles, others, point))
                                          return;
                                        const double cost = Oracle::cost_of(problem.query, point);
                                        if (std::isfinite(cost))
                                          all.push_back({cost, goal.value(point)});
                                      });
  if (!complete) return std::nullopt;
  return all;
}

/// Random leaves of a forest need not be shares of votes.
bool has_odd_value(const std::vector<Reached>& all, bool is_probability) {
  return std::any_of(all.begin(), all.end(), [&](const Reached& one) {
    return std::isnan(one.value) || (is_probability && !(one.value >= 0 && one.value <= 1));
  });
}

/// Asks for a class, an output or a score of the first model, up or down.
Requirement random_goal(const Ensemble& ensemble, bool falls, std::mt19937_64& random) {
  const Interval range = falls ? Interval{.upper = 1} : Interval{.lower = -3};
  const std::size_t kind = random() % 3;
  const bool has_classes = ensemble.task != Task::regression;
  if (kind == 0 && has_classes && ensemble.has_probabilities()) {
    return require_class(random() % ensemble.class_count(), 0.5);
  }
  // The output of some models is the number of a class.
  if (kind == 1 || has_classes) {
    return {0, ScoreIn{range, random() % ensemble.base.size()}};
  }
  return require_output(range, random() % ensemble.transform(ensemble.base).size());
}

TEST(Best, TheMostOfAllPointsWithinTheBudget) {
  const int cases = test_cases(500);
  int solved = 0, improved = 0, infeasible = 0, curves = 0, with_rules = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 7000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {1, 3}, .overflows = false}).make();
    if (problem.query.requirements.empty()) continue;
    Query& query = problem.query;
    query.fewest_first = false;
    if (random() % 3 == 0 && query.requirements.size() == 1) {
      // Others that have to be met as well.
      query.requirements.push_back(query.requirements.front());
    }
    const bool down = random() % 2 == 0;
    query.requirements.front() = random_goal(problem.ensembles.front(), down, random);
    if (random() % 3 == 0) query.max_changes = random() % 3;
    const bool is_class = std::holds_alternative<ClassIs>(query.requirements.front().outcome);
    const Goal goal{problem.ensembles.front(), query.requirements.front(), down && !is_class};
    const auto all = all_points(problem, goal);
    if (!all) continue;
    if (has_odd_value(*all, is_class)) continue;
    double budget = random() % 6 == 0 ? infinity : random() % 6 == 0 ? 0 : 1.3;
    // Mostly the very cost of some point: that is still within the budget.
    if (!all->empty() && random() % 2 == 0) budget = (*all)[random() % all->size()].cost;
    Options options;
    options.threads = 1;
    options.engine = random() % 5 == 0 ? Engine::paper : Engine::fast;
    const Prepared prepared(problem.ensembles);
    SCOPED_TRACE("seed " + std::to_string(seed) + " budget " + std::to_string(budget) + "\n" +
                 to_json(query));
    std::optional<Reached> expected;
    for (const Reached& one : *all) {
      if (one.cost > budget) continue;
      const bool cheaper = expected && one.value == expected->value && one.cost < expected->cost;
      if (!expected || goal.better(one.value, expected->value) || cheaper) expected = one;
    }
    ++solved;
    if (!query.clauses.empty() || query.max_changes) ++with_rules;
    const Best best = find_best(prepared, query, budget, options);
    ASSERT_EQ(best.before, goal.value(query.point));
    if (!expected) {
      ++infeasible;
      ASSERT_EQ(best.status, Status::infeasible);
      continue;
    }
    ASSERT_EQ(best.status, Status::optimal);
    ASSERT_EQ(best.value, expected->value);
    ASSERT_EQ(best.bound, expected->value);
    ASSERT_EQ(best.answer.status, Status::optimal);
    ASSERT_EQ(best.answer.cost, expected->cost);
    ASSERT_LE(best.answer.cost, budget);
    ASSERT_EQ(goal.value(best.answer.best().point), best.value);
    if (goal.better(best.value, best.before)) ++improved;
    if (i % 3 != 0) continue;
    ++curves;
    const BestCurve curve = find_best_curve(prepared, query, budget, {}, options);
    ASSERT_TRUE(curve.complete);
    ASSERT_FALSE(curve.steps.empty());
    ASSERT_EQ(curve.steps.back().value, best.value);
    for (std::size_t k = 0; k < curve.steps.size(); ++k) {
      const BestStep& step = curve.steps[k];
      // Of all points below the next step none reaches more, and none cheaper as much.
      const double next = k + 1 < curve.steps.size() ? curve.steps[k + 1].answer.cost : infinity;
      for (const Reached& one : *all) {
        if (one.cost > budget) continue;
        ASSERT_FALSE(one.cost < next && goal.better(one.value, step.value));
        ASSERT_TRUE(one.cost >= step.answer.cost || goal.better(step.value, one.value));
      }
      ASSERT_EQ(goal.value(step.answer.best().point), step.value);
    }
  }
  std::cout << solved << " solved, " << improved << " improved, " << infeasible << " infeasible, "
            << curves << " curves, " << with_rules << " with rules\n";
  expect_share(solved, cases, 0.5);
  expect_share(improved, cases, 0.2);
  expect_share(infeasible, cases, 0.01);
}

/// The query in which only some features may change, which is how reasons are defined.
RandomProblem with_fixed(RandomProblem problem, const std::vector<std::size_t>& some, bool others) {
  for (std::size_t d = 0; d < problem.query.features.size(); ++d) {
    const bool is_one = std::count(some.begin(), some.end(), d) > 0;
    if (is_one != others) problem.query.features[d].fixed = true;
  }
  return problem;
}

TEST(Reasons, NecessitySufficiencyAndGainAreThoseOfAllPoints) {
  const int cases = test_cases(150);
  int solved = 0, necessary = 0, sufficient = 0, with_gain = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 11'000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {2, 3}, .overflows = false}).make();
    if (problem.query.requirements.empty()) continue;
    Query& query = problem.query;
    query.fewest_first = false;
    const bool down = random() % 2 == 0;
    query.requirements.front() = random_goal(problem.ensembles.front(), down, random);
    const bool is_class = std::holds_alternative<ClassIs>(query.requirements.front().outcome);
    const Goal goal{problem.ensembles.front(), query.requirements.front(), down && !is_class};
    const auto every = all_points(problem, goal);
    if (!every || has_odd_value(*every, is_class)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(query));
    const auto least = [&](const RandomProblem& one) -> std::optional<double> {
      const auto found = Oracle::solve(one.ensembles, one.query, 20'000);
      return found ? std::optional(found->cost) : std::nullopt;
    };
    const auto whole = least(problem);
    if (!whole) continue;
    Options options;
    options.threads = 1;
    const Reasons found = find_reasons(Prepared(problem.ensembles), query, options);
    if (found.answer.already_met) continue;
    ++solved;
    for (const Reason& reason : found.reasons) {
      ASSERT_TRUE(reason.proven());
      const auto without = least(with_fixed(problem, reason.features, false));
      const RandomProblem alone = with_fixed(problem, reason.features, true);
      if (!without || !least(alone)) continue;
      ASSERT_EQ(found.necessity(reason), std::isinf(*without) ? infinity : *without - *whole);
      ASSERT_EQ(reason.sufficiency(), *least(alone));
      necessary += *without > *whole ? 1 : 0;
      sufficient += std::isfinite(*least(alone)) ? 1 : 0;
      const auto all = all_points(alone, goal);
      if (!reason.most || !all) continue;
      double gain = 0;
      for (const Reached& one : *all) {
        const double more = one.value - goal.value(query.point);
        gain = std::max(gain, goal.falls ? -more : more);
      }
      ASSERT_EQ(reason.gain(), gain);
      with_gain += gain > 0 ? 1 : 0;
    }
  }
  std::cout << solved << " solved, " << necessary << " necessary, " << sufficient << " sufficient, "
            << with_gain << " with gain\n";
  expect_share(solved, cases, 0.2);
  EXPECT_GT(necessary, 0);
  EXPECT_GT(sufficient, 0);
  EXPECT_GT(with_gain, 0);
}

TEST(Best, AProbabilityThatIsAlwaysZeroIsOneStep) {
  Ensemble model = binary_model(1, {});
  model.task = Task::multiclass;
  model.link = Link::votes;
  model.base = {0, 0};
  model.classes = {"never", "always"};
  model.trees.push_back({{Node{.value = 0}}, {0, 1}});
  model.validate();
  Query query = query_for(model, std::vector<double>{0.5});
  query.requirements = {require_class(0, 0.5)};
  const BestCurve curve = find_best_curve(Prepared(model), query, 1.0);
  EXPECT_TRUE(curve.complete);
  ASSERT_EQ(curve.steps.size(), 1U);
  EXPECT_EQ(curve.steps[0].value, 0);
  EXPECT_EQ(curve.steps[0].answer.best().point, query.point);
}

}  // namespace best_test
