// The decomposition into pure boxes and the counterfactual set within a radius, checked on points:
// every admissible point that belongs lies in exactly one region, and no region is made up.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace regions_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A point lies in a region when the models read it so: unchanged values count as they are read.
bool holds(const Region& region, const std::vector<double>& point, Precision read) {
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (std::isnan(point[d])) continue;
    const double value =
        read == Precision::float32 ? static_cast<double>(static_cast<float>(point[d])) : point[d];
    if (!region.nearest.region[d].contains(value)) return false;
  }
  return true;
}

Precision read_precision(const std::vector<Ensemble>& ensembles) {
  for (const Ensemble& ensemble : ensembles) {
    if (ensemble.input == Precision::float32) return Precision::float32;
  }
  return Precision::float64;
}

std::vector<Region> collect(const RandomProblem& problem, double radius) {
  std::vector<Region> regions;
  const Stop stop = visit_regions(problem.ensembles, problem.query, radius, [&](const Region& r) {
    regions.push_back(r);
    return true;
  });
  EXPECT_EQ(stop, Stop::finished);
  return regions;
}

/// Everything that the query admits, next to thresholds, as the oracle lists it.
std::vector<std::vector<double>> admissible_points(const RandomProblem& problem) {
  std::vector<std::vector<double>> points;
  Query free = problem.query;
  free.requirements.clear();
  Oracle::visit(problem.ensembles, free, 5'000,
                [&](const std::vector<double>& point) { points.push_back(point); });
  return points;
}

/// Whether some value is another number than now but the same to the models.
bool is_read_as_now(const Query& query, const std::vector<double>& point, Precision read) {
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (read == Precision::float32 && point[d] != query.point[d] &&
        static_cast<float>(point[d]) == static_cast<float>(query.point[d])) {
      return true;
    }
  }
  return false;
}

TEST(Regions, EveryPointLiesInExactlyOne) {
  ProblemMaker maker(test_seed());
  RuleMaker rules(test_seed() + 1);
  std::mt19937_64 random(test_seed());
  int checked = 0;
  for (int i = 0; i < test_cases(900); ++i) {
    RandomProblem problem = maker.make();
    if (i % 5 < 2) rules.add_to(problem);
    problem.query.fewest_first = false;
    for (FeatureRule& rule : problem.query.features) rule.missing_allowed = false;
    const std::vector<std::vector<double>> points = admissible_points(problem);
    if (points.empty()) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    if (i % 3 == 0) problem.query.requirements.clear();  // the whole decomposition
    const double radius =
        i % 2 == 0 ? infinity : std::uniform_real_distribution<double>(0, 2)(random);
    const std::vector<Region> regions = collect(problem, radius);
    const Precision read = read_precision(problem.ensembles);
    std::vector<char> seen(regions.size(), 0);
    for (const std::vector<double>& point : points) {
      if (is_read_as_now(problem.query, point, read)) continue;  // changed, but nobody can tell
      std::size_t inside = 0;
      for (std::size_t r = 0; r < regions.size(); ++r) {
        if (!holds(regions[r], point, read)) continue;
        ++inside;
        seen[r] = 1;
        EXPECT_LE(regions[r].cost, total_cost(problem.query, point));
        for (std::size_t e = 0; e < problem.ensembles.size(); ++e) {
          EXPECT_EQ(regions[r].scores[e], problem.ensembles[e].predict(point));
        }
      }
      const bool works = Oracle::works(problem.ensembles, problem.query, point) &&
                         Oracle::obeys(problem.ensembles, problem.query, point);
      const double cost = total_cost(problem.query, point);  // infinite: not allowed
      const bool near = std::isfinite(cost) && distance(problem.query.norm, cost) <= radius;
      EXPECT_LE(inside, works ? 1U : 0U);
      EXPECT_GE(inside, works && near ? 1U : 0U);
      ++checked;
    }
    for (std::size_t r = 0; r < regions.size(); ++r) {
      EXPECT_TRUE(seen[r]) << "a region without any admissible point";
      EXPECT_LE(distance(problem.query.norm, regions[r].cost), radius);
    }
    if (testing::Test::HasFailure()) return;
  }
  expect_share(checked, test_cases(900), 1);
}

TEST(Regions, StopsWhenTheVisitorHasEnough) {
  ProblemMaker maker(test_seed());
  for (int i = 0; i < 200; ++i) {
    RandomProblem problem = maker.make();
    problem.query.requirements.clear();
    if (collect(problem, infinity).size() < 3) continue;
    int calls = 0;
    const Stop stop = visit_regions(problem.ensembles, problem.query, infinity,
                                    [&](const Region&) { return ++calls < 2; });
    EXPECT_EQ(stop, Stop::visitor);
    EXPECT_EQ(calls, 2);
    return;
  }
  FAIL() << "no model with three regions in 200";
}

TEST(Regions, RefusesARadiusThatIsNone) {
  const RandomProblem problem = ProblemMaker(1).make();
  EXPECT_THROW(
      visit_regions(problem.ensembles, problem.query, -1, [](const Region&) { return true; }),
      Error);
  EXPECT_THROW(visit_regions(problem.ensembles, problem.query, std::nan(""),
                             [](const Region&) { return true; }),
               Error);
}

}  // namespace regions_test
