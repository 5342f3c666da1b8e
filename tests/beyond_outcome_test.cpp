// What is asked of an answer beyond one model's outcome, against brute force: an outcome of at
// least m of k requirements (Query::agree), and a region that holds rows of data (Query::live).
#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/question_file.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace beyond_outcome_test {

using namespace boxwood;

bool requirement_holds(const std::vector<Ensemble>& ensembles, const Query& query,
                       Requirement requirement, const std::vector<double>& point) {
  Query one = query;
  requirement.counted = false;
  one.requirements = {std::move(requirement)};
  return Oracle::works(ensembles, one, point);
}

bool works(const std::vector<Ensemble>& ensembles, const Query& query,
           const std::vector<double>& point) {
  std::size_t counted = 0;
  for (const Requirement& requirement : query.requirements) {
    const bool holds = requirement_holds(ensembles, query, requirement, point);
    if (!requirement.counted && !holds) return false;
    if (requirement.counted && holds) ++counted;
  }
  return counted >= query.agree.value_or(0);
}

bool reaches_same_leaves(const std::vector<Ensemble>& ensembles, const std::vector<double>& a,
                         const std::vector<double>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (std::isnan(a[d]) != std::isnan(b[d])) return false;
  }
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      if (reach_leaf(tree, a, ensemble.input) != reach_leaf(tree, b, ensemble.input)) return false;
    }
  }
  return true;
}

/// Otherwise points that reach the same leaves can lie in several regions.
bool all_leaves_are_boxes(const std::vector<Ensemble>& ensembles) {
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      for (const Node& node : tree.nodes) {
        const bool compares = node.kind == NodeKind::less || node.kind == NodeKind::less_equal;
        if (node.kind != NodeKind::leaf && (!compares || node.missing_at_zero)) return false;
      }
    }
  }
  return true;
}

/// The cheapest admissible points with the outcome of which also `allowed` holds.
template <typename Allowed>
std::optional<Oracle::Result> brute_force(const std::vector<Ensemble>& ensembles,
                                          const Query& query, Allowed allowed) {
  Oracle::Result result;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const bool tried = Oracle::visit(ensembles, query, 20'000, [&](const std::vector<double>& point) {
    const double cost = Oracle::cost_of(query, point);
    if (std::isinf(cost)) return;
    const std::size_t changes = query.fewest_first ? Oracle::changes_of(query, point) : 0;
    if (changes > fewest || (changes == fewest && cost > result.cost)) return;
    if (!Oracle::obeys(ensembles, query, point) || !works(ensembles, query, point)) return;
    if (!allowed(point)) return;
    if (changes < fewest || cost < result.cost) result = {cost, {}};
    fewest = changes;
    result.points.push_back(point);
  });
  if (!tried) return std::nullopt;
  if (query.norm == Norm::linf) Oracle::keep_least_sums(query, result.points);
  return result;
}

/// Further requirements that are like the first ones, and how many of all must hold.
void ask_several(RandomProblem& problem, std::mt19937_64& random) {
  std::vector<Requirement>& all = problem.query.requirements;
  const std::size_t count = 2 + random() % 3;
  while (all.size() < count) {
    Requirement more = all[random() % all.size()];
    if (auto* output = std::get_if<OutputIn>(&more.outcome)) {
      output->range.lower -= 0.25;
    } else if (auto* score = std::get_if<ScoreIn>(&more.outcome)) {
      score->range.lower -= 0.25;
    } else if (random() % 2 == 0) {
      more.negated = !more.negated;
    }
    all.push_back(more);
  }
  std::size_t counted = 0;
  for (Requirement& requirement : all) {
    requirement.counted = random() % 5 != 0;
    counted += requirement.counted ? 1U : 0U;
  }
  if (counted > 0) problem.query.agree = 1 + random() % counted;
}

void expect_same(const RandomProblem& problem, const Oracle::Result& expected,
                 const Answer& answer) {
  if (expected.points.empty()) {
    ASSERT_EQ(answer.status, Status::infeasible);
    return;
  }
  ASSERT_EQ(answer.status, Status::optimal);
  ASSERT_EQ(answer.cost, expected.cost);
  ASSERT_EQ(answer.lower_bound, expected.cost);
  ASSERT_NE(std::find(expected.points.begin(), expected.points.end(), answer.best().point),
            expected.points.end());
  const Verification verified = verify(problem.ensembles, problem.query, answer);
  ASSERT_TRUE(verified.faults.empty()) << verified.faults.front();
}

bool has_missing(const Oracle::Result& expected) {  // NaN is not equal to itself
  return std::any_of(expected.points.begin(), expected.points.end(), [](const auto& point) {
    return std::any_of(point.begin(), point.end(), [](double x) { return std::isnan(x); });
  });
}

TEST(Agree, CheapestPointWithTheOutcomeOfEnoughModels) {
  const int cases = test_cases(400);
  int solved = 0, some = 0, infeasible = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 7000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {1, 3}, .overflows = false}).make();
    if (random() % 2 == 0) RuleMaker(seed).add_to(problem);
    ask_several(problem, random);
    if (!problem.query.agree) continue;
    const auto expected =
        brute_force(problem.ensembles, problem.query, [](const auto&) { return true; });
    if (!expected || has_missing(*expected)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(problem.query));
    Options options;
    options.threads = 1;
    options.engine = random() % 5 == 0 ? Engine::paper : Engine::fast;
    const Answer answer = explain(problem.ensembles, problem.query, options);
    ASSERT_NO_FATAL_FAILURE(expect_same(problem, *expected, answer));
    ++solved;
    if (expected->points.empty()) {
      ++infeasible;
      continue;
    }
    const std::size_t counted = agreeing(problem.query, problem.ensembles, answer.best().point);
    ASSERT_GE(counted, *problem.query.agree);
    Query all = problem.query;
    all.agree =
        static_cast<std::size_t>(std::count_if(all.requirements.begin(), all.requirements.end(),
                                               [](const Requirement& one) { return one.counted; }));
    if (!all.fewest_first && explain(problem.ensembles, all, options).cost > answer.cost) ++some;
    if (problem.query.norm != Norm::custom) {
      ASSERT_EQ(to_json(query_from_json(question_text(problem.query))), to_json(problem.query));
    }
  }
  std::cout << solved << " solved, " << some << " cheaper than all, " << infeasible
            << " infeasible\n";
  expect_share(solved, cases, 0.3);
  expect_share(some, cases, 0.03);
}

TEST(Live, CheapestPointInARegionWithEnoughRows) {
  const int cases = test_cases(400);
  int solved = 0, dearer = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 9000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {1, 3}, .overflows = false}).make();
    if (random() % 2 == 0) RuleMaker(seed).add_to(problem);
    if (random() % 4 == 0) ask_several(problem, random);
    if (!all_leaves_are_boxes(problem.ensembles)) continue;
    Query& query = problem.query;
    // Rows near the point, so that some share a region.
    std::vector<std::vector<double>> rows;
    for (int r = 0; r < 12; ++r) {
      std::vector<double> row = query.point;
      for (double& value : row) {
        if (random() % 3 != 0) value = std::floor(static_cast<double>(random() % 9)) / 2 - 1;
      }
      rows.push_back(std::move(row));
    }
    query.live = 1 + random() % 3;
    query.live_regions =
        std::make_shared<const LiveRegions>(find_live_regions(problem.ensembles, rows));
    const auto rows_at = [&](const std::vector<double>& point) {
      return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
        return reaches_same_leaves(problem.ensembles, point, row);
      }));
    };
    const auto expected =
        brute_force(problem.ensembles, query,
                    [&](const std::vector<double>& point) { return rows_at(point) >= query.live; });
    if (!expected || has_missing(*expected)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(query));
    Options options;
    options.threads = 1;
    const Answer answer = explain(problem.ensembles, query, options);
    ASSERT_NO_FATAL_FAILURE(expect_same(problem, *expected, answer));
    ++solved;
    if (expected->points.empty()) continue;
    ASSERT_EQ(rows_around(query, answer.best().point), rows_at(answer.best().point));
    Query plain = query;
    plain.live = 0;
    if (explain(problem.ensembles, plain, options).cost < answer.cost) ++dearer;
  }
  std::cout << solved << " solved, " << dearer << " dearer than without\n";
  expect_share(solved, cases, 0.3);
  expect_share(dearer, cases, 0.005);
}

TEST(Live, EndsOfRegionsBetweenFloatsKeepTheNumbersOnTheirSide) {
  // 3/7 in double lies below the float32 nearest to it: that number is in the region.
  const double limit = 3.0 / 7, nearest = static_cast<double>(3.0F / 7.0F);
  ASSERT_GT(nearest, limit);
  std::vector<Ensemble> models{binary_model(1, {stump(0, -5, -1, 1)}),
                               binary_model(1, {stump(0, 0.5, 0, 1)})};
  models[1].input = Precision::float64;
  models[1].trees[0].nodes[0].kind = NodeKind::less_equal;
  models[1].trees[0].nodes[0].threshold = limit;
  Query query = query_for(models[0], std::vector<double>{0});
  query.requirements = {require_class(1)};
  query.live = 1;
  query.live_regions = std::make_shared<const LiveRegions>(
      find_live_regions(models, std::vector<std::vector<double>>{{2.0}}));
  const Answer answer = explain(models, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point[0], nearest);
}

TEST(Live, FractionsBetweenCategoriesAreNotInTheirRegion) {
  // The model knows categories, but the query takes the feature as a number.
  Ensemble model = binary_model(1, {stump(0, 0.5, 1, -1)});
  model.features[0].categories = {{0, "a"}, {1, "b"}};
  Query query = query_for(model, std::vector<double>{2});
  query.features[0] = {};
  query.requirements = {require_class(1)};
  query.live = 1;
  const std::vector<std::vector<double>> rows{{-1}};
  query.live_regions = std::make_shared<const LiveRegions>(find_live_regions({{model}}, rows));
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point[0], std::nextafter(0.5F, 0.0F));
}

}  // namespace beyond_outcome_test
