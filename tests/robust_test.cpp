// Robust answers against brute force: the outer one tries every value at which the neighbours of a
// point can change, the inner one every neighbour that a split can tell apart.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace {

using namespace boxwood;

bool reads_float(const std::vector<Ensemble>& ensembles) {
  return std::any_of(ensembles.begin(), ensembles.end(),
                     [](const Ensemble& e) { return e.input == Precision::float32; });
}

/// A number of the precision, moved by so many steps.
double near(double value, int steps, bool single) {
  const double far = steps < 0 ? -std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::infinity();
  double found = single ? static_cast<double>(static_cast<float>(value)) : value;
  for (int i = 0; i < std::abs(steps); ++i) {
    found = single ? static_cast<double>(
                         std::nextafter(static_cast<float>(found), static_cast<float>(far)))
                   : std::nextafter(found, far);
  }
  return found;
}

std::vector<double> thresholds_of(const std::vector<Ensemble>& ensembles, std::size_t feature) {
  std::vector<double> found;
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind == NodeKind::leaf || node.feature != static_cast<int>(feature)) continue;
        if (node.kind != NodeKind::in_set) found.push_back(node.threshold);
      }
    }
  }
  return found;
}

/// The values of one feature that neighbours of `value` can have, one for each side of each split.
std::vector<double> neighbour_values(const std::vector<Ensemble>& ensembles, const Query& query,
                                     std::size_t feature, double value) {
  const FeatureRule& rule = query.features[feature];
  const bool single = reads_float(ensembles);
  const double from = near(value, 0, single);
  std::vector<double> values{from};
  for (const std::int32_t code : rule.robust_codes) values.push_back(code);
  if (rule.robust == 0 || !std::isfinite(from)) return values;
  const auto add = [&](double z) {
    const bool whole = rule.kind == FeatureKind::continuous || z == std::floor(z);
    if (whole && std::isfinite(z) && rule.domain.contains(z) &&
        Oracle::compare(from, z, rule.robust) <= 0) {
      values.push_back(z);
    }
  };
  for (const double t : thresholds_of(ensembles, feature)) {
    for (int step = -2; step <= 2; ++step) {
      add(near(t, step, single));
      add(std::floor(t) + step);
    }
  }
  return values;
}

bool is_robust_point(const std::vector<Ensemble>& ensembles, const Query& query,
                     const std::vector<double>& point) {
  std::vector<std::vector<double>> values;
  for (std::size_t d = 0; d < point.size(); ++d) {
    values.push_back(neighbour_values(ensembles, query, d, point[d]));
  }
  std::vector<double> row(point.size());
  const std::function<bool(std::size_t)> all_work = [&](std::size_t d) {
    if (d == point.size()) return Oracle::works(ensembles, query, row);
    return std::all_of(values[d].begin(), values[d].end(), [&](double z) {
      row[d] = z;
      return all_work(d + 1);
    });
  };
  return all_work(0);
}

/// The ensembles and one more, whose splits are where the neighbours of a value change.
std::vector<Ensemble> with_refined_grid(const std::vector<Ensemble>& ensembles,
                                        const Query& query) {
  std::vector<Ensemble> refined = ensembles;
  Ensemble grid = ensembles.front();
  grid.trees.clear();
  const bool single = reads_float(ensembles);
  for (std::size_t d = 0; d < query.features.size(); ++d) {
    const double size = query.features[d].robust;
    if (size == 0) continue;
    std::vector<double> ends = thresholds_of(ensembles, d);
    for (const double end : {query.features[d].domain.lower, query.features[d].domain.upper}) {
      if (std::isfinite(end)) ends.push_back(end);
    }
    for (const double t : ends) {
      if (!std::isfinite(t)) continue;
      for (const double base : {t, near(t, -1, single), near(t, 0, single), near(t, 1, single),
                                std::floor(t), std::floor(t) + 1}) {
        for (const double moved : {base - size, base + size}) {
          for (int step = -3; step <= 3; ++step) {
            Tree tree;
            tree.nodes.resize(3);
            tree.nodes[0] = {.kind = NodeKind::less,
                             .feature = static_cast<std::int32_t>(d),
                             .left = 1,
                             .right = 2,
                             .threshold = near(moved, step, single)};
            tree.nodes[1].value = tree.nodes[2].value = 0;
            tree.values = {0};
            grid.trees.push_back(tree);
          }
        }
      }
    }
  }
  refined.push_back(grid);
  return refined;
}

struct Cheapest {
  double cost = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> points;
};

std::optional<Cheapest> brute_force(const std::vector<Ensemble>& ensembles, const Query& query) {
  struct Candidate {
    double cost;
    std::vector<double> point;
  };
  std::vector<Candidate> candidates;
  const bool all = Oracle::visit(with_refined_grid(ensembles, query), query, 60'000,
                                 [&](const std::vector<double>& point) {
                                   if (!Oracle::works(ensembles, query, point)) return;
                                   if (!Oracle::obeys(ensembles, query, point)) return;
                                   const double cost = Oracle::cost_of(query, point);
                                   if (std::isfinite(cost)) candidates.push_back({cost, point});
                                 });
  if (!all) return std::nullopt;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  Cheapest found;
  for (const Candidate& candidate : candidates) {
    if (candidate.cost > found.cost) break;
    if (!is_robust_point(ensembles, query, candidate.point)) continue;
    found.cost = candidate.cost;
    found.points.push_back(candidate.point);
  }
  return found;
}

void ask_for_robustness(RandomProblem& problem, std::mt19937_64& random) {
  const std::vector<double> sizes{0.05, 0.1, 1.0 / 7, 0.3, 1, 2.5};
  std::vector<bool> grouped(problem.query.point.size(), false);
  for (const OneHot& group : problem.query.groups) {
    for (const std::size_t column : group.columns) grouped[column] = true;
  }
  for (std::size_t d = 0; d < problem.query.features.size(); ++d) {
    FeatureRule& rule = problem.query.features[d];
    if (grouped[d] || random() % 4 == 0) continue;
    if (rule.kind != FeatureKind::categorical) {
      rule.robust = sizes[random() % sizes.size()];
    } else if (!rule.missing_allowed && !std::isnan(problem.query.point[d])) {
      rule.robust_codes = {static_cast<std::int32_t>(random() % 3), 4};
    }
  }
  problem.query.fewest_first = false;
}

TEST(Robust, CheapestPointWhoseNeighboursAllHaveTheOutcome) {
  const int cases = test_cases(400);
  int solved = 0, dearer = 0, infeasible = 0, refused = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 5000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {1, 3}, .overflows = false}).make();
    ask_for_robustness(problem, random);
    if (!is_robust(problem.query)) continue;
    const auto expected = brute_force(problem.ensembles, problem.query);
    if (!expected) continue;
    Options options;
    options.threads = 1;
    options.engine = random() % 5 == 0 ? Engine::paper : Engine::fast;
    const Prepared prepared(problem.ensembles);
    Answer answer;
    try {
      answer = explain(prepared, problem.query, options);
    } catch (const Error& error) {
      // Splits that ask for single values, and one of several classes; nothing else is refused.
      ASSERT_TRUE(error.reason().find("single values") != std::string::npos ||
                  error.reason().find("several cases") != std::string::npos)
          << error.what();
      ++refused;
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(problem.query));
    ++solved;
    if (expected->points.empty()) {
      ++infeasible;
      ASSERT_EQ(answer.status, Status::infeasible);
      continue;
    }
    ASSERT_EQ(answer.status, Status::optimal);
    ASSERT_EQ(answer.cost, expected->cost);
    for (const Solution& solution : answer.solutions) {
      ASSERT_TRUE(is_robust_point(problem.ensembles, problem.query, solution.point));
    }
    Query plain = problem.query;
    for (FeatureRule& rule : plain.features) {
      rule.robust = 0;
      rule.robust_codes.clear();
    }
    if (explain(prepared, plain, options).cost < answer.cost) ++dearer;
  }
  std::cout << solved << " solved, " << dearer << " dearer than without, " << infeasible
            << " infeasible, " << refused << " refused\n";
  expect_share(solved, cases, 0.3);
  expect_share(dearer, cases, 0.05);
}

}  // namespace
