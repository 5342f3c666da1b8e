// Robust answers against brute force: the outer one tries every value at which the neighbours of a
// point can change, the inner one every neighbour that a split can tell apart.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>

#include "error_of.hpp"
#include "query/neighbours.hpp"
#include "search/cases.hpp"
#include "search/engine_settings.hpp"

#include "oracle.hpp"
#include "random_composition.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace robust_test {

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
        if (node.missing_at_zero) found.insert(found.end(), {-zero_size, zero_size});
        if (node.kind != NodeKind::in_set) {
          found.push_back(node.threshold);
          continue;
        }
        found.insert(found.end(), {-1, 0});
        for (const std::int32_t code : tree.sets[static_cast<std::size_t>(node.value)]) {
          found.insert(found.end(), {static_cast<double>(code), static_cast<double>(code) + 1});
        }
      }
    }
  }
  return found;
}

/// The double farthest from `value` towards `far` that a float32 model reads as the same number.
double farthest_alike(double value, double far) {
  const double beside = near(value, far > value ? 1 : -1, true);
  double middle = value / 2 + beside / 2;
  while (near(middle, 0, true) != value) middle = std::nextafter(middle, value);
  return middle;
}

/// Whether some double within the distance of some double that is read as `from` is read as `z`.
bool is_read_within(const FeatureRule& rule, double from, double z, bool single) {
  if (!single || rule.kind != FeatureKind::continuous || from == z) {
    return Oracle::compare(from, z, rule.robust) <= 0;
  }
  return Oracle::compare(farthest_alike(from, z), farthest_alike(z, from), rule.robust) <= 0;
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
    if (whole && std::isfinite(z) && near(z, 0, single) == z && rule.domain.contains(z) &&
        is_read_within(rule, from, z, single)) {
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

using Works = std::function<bool(const std::vector<double>& row)>;

bool is_robust_point(const std::vector<Ensemble>& ensembles, const Query& query,
                     const std::vector<double>& point, const Works& works) {
  std::vector<std::vector<double>> values;
  for (std::size_t d = 0; d < point.size(); ++d) {
    values.push_back(neighbour_values(ensembles, query, d, point[d]));
  }
  std::vector<double> row(point.size());
  const std::function<bool(std::size_t)> groups_work = [&](std::size_t g) {
    if (g == query.groups.size()) return works(row);
    if (!groups_work(g + 1)) return false;
    const OneHot& group = query.groups[g];
    const std::vector<double> before = row;
    const bool all = std::all_of(group.robust.begin(), group.robust.end(), [&](std::size_t hot) {
      for (std::size_t k = 0; k < group.columns.size(); ++k) {
        row[group.columns[k]] = k == hot ? 1 : 0;
      }
      return groups_work(g + 1);
    });
    row = before;
    return all;
  };
  const std::function<bool(std::size_t)> all_work = [&](std::size_t d) {
    if (d == point.size()) return groups_work(0);
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
      // Doubles are read as another float32 from the middle between two of them on.
      const double left = near(t, -1, single), at = near(t, 0, single), right = near(t, 1, single);
      for (const double base : {t, left, at, right, left / 2 + at / 2, at / 2 + right / 2,
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

std::optional<Cheapest> brute_force(const std::vector<Ensemble>& ensembles, const Query& query,
                                    const Works& works) {
  struct Candidate {
    double cost;
    std::vector<double> point;
  };
  std::vector<Candidate> candidates;
  const bool all = Oracle::visit(with_refined_grid(ensembles, query), query, 60'000,
                                 [&](const std::vector<double>& point) {
                                   if (!works(point)) return;
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
    if (!is_robust_point(ensembles, query, candidate.point, works)) continue;
    found.cost = candidate.cost;
    found.points.push_back(candidate.point);
  }
  return found;
}

void ask_for_robustness(RandomProblem& problem, std::mt19937_64& random) {
  const std::vector<double> sizes{0.05, 0.1, 1.0 / 7, 0.3, 1, 2.5};
  std::vector<bool> grouped(problem.query.point.size(), false);
  for (OneHot& group : problem.query.groups) {
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      grouped[group.columns[k]] = true;
      if (random() % 3 == 0) group.robust.push_back(k);
    }
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

/// Of models with several classes: one of two classes, or another than one, so that the outcome has
/// several cases.
void ask_for_several_classes(RandomProblem& problem, std::mt19937_64& random) {
  for (Requirement& requirement : problem.query.requirements) {
    const std::size_t classes = problem.ensembles[requirement.ensemble].class_count();
    if (classes < 3 || random() % 2 == 0) continue;
    const std::size_t one = random() % (classes - 1);
    requirement.negated = random() % 2 == 0;
    if (requirement.negated) requirement.outcome = ClassIs{one};
    if (!requirement.negated) requirement.outcome = ClassIn{{one, classes - 1}};
  }
}

bool has_several_cases(const RandomProblem& problem) {
  return split_into_cases(problem.ensembles, problem.query).size() > 1;
}

enum class Outcome { not_tried, infeasible, as_plain, dearer };

/// Compares the answer to a robust query with brute force. With an effort that ends searches soon,
/// small problems take the ways of large ones.
Outcome agree(const RandomProblem& problem, const Works& works, Engine engine,
              const RobustEffort& effort = {}) {
  const auto expected = brute_force(problem.ensembles, problem.query, works);
  if (!expected) return Outcome::not_tried;
  Options options;
  options.threads = 1;
  options.engine = engine;
  set(options, effort);
  const Prepared prepared(problem.ensembles);
  const Answer answer = explain(prepared, problem.query, options);
  if (expected->points.empty()) {
    EXPECT_EQ(answer.status, Status::infeasible);
    return Outcome::infeasible;
  }
  EXPECT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, expected->cost)
      << "answer " << testing::PrintToString(answer.best().point) << ", brute force "
      << testing::PrintToString(expected->points.front());
  for (const Solution& solution : answer.solutions) {
    EXPECT_TRUE(is_robust_point(problem.ensembles, problem.query, solution.point, works));
  }
  const Query plain = without_robustness(problem.query);
  return explain(prepared, plain, options).cost < answer.cost ? Outcome::dearer : Outcome::as_plain;
}

/// Searches that end after few boxes and few refutations, or none that do.
RobustEffort soon(std::mt19937_64& random, std::atomic<std::uint64_t>& refuted) {
  RobustEffort effort;
  effort.refuted = &refuted;
  if (random() % 3 == 0) return effort;
  effort.quick_nodes = random() % 8;
  effort.refutations = 1 + random() % 3;
  if (random() % 2 == 0) effort.judged_nodes = 1 + random() % 40;
  return effort;
}

TEST(Robust, CheapestPointWhoseNeighboursAllHaveTheOutcome) {
  const int cases = test_cases(400);
  int solved = 0, dearer = 0, infeasible = 0, several = 0, grouped = 0, with_rules = 0;
  std::atomic<std::uint64_t> refuted{0};  // few: most of these problems are small
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 5000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    RandomProblem problem = ProblemMaker(seed, {.features = {1, 3}, .overflows = false}).make();
    const bool ruled = random() % 3 == 0;
    if (ruled) RuleMaker(seed).add_to(problem);
    ask_for_robustness(problem, random);
    ask_for_several_classes(problem, random);
    if (!is_robust(problem.query)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(problem.query));
    const Outcome outcome = agree(
        problem,
        [&](const auto& row) { return Oracle::works(problem.ensembles, problem.query, row); },
        random() % 5 == 0 ? Engine::paper : Engine::fast, soon(random, refuted));
    if (testing::Test::HasFailure()) return;
    if (outcome == Outcome::not_tried) continue;
    ++solved;
    infeasible += outcome == Outcome::infeasible ? 1 : 0;
    dearer += outcome == Outcome::dearer ? 1 : 0;
    with_rules += ruled ? 1 : 0;
    several += split_into_cases(problem.ensembles, problem.query).size() > 1 ? 1 : 0;
    grouped += std::any_of(problem.query.groups.begin(), problem.query.groups.end(),
                           [](const OneHot& group) { return !group.robust.empty(); })
                   ? 1
                   : 0;
  }
  std::cout << solved << " solved, " << dearer << " dearer than without, " << infeasible
            << " infeasible, " << several << " with several cases, " << grouped
            << " with one-hot groups, " << with_rules << " with rules\n";
  expect_share(solved, cases, 0.3);
  expect_share(dearer, cases, 0.05);
  expect_share(several, cases, 0.03);
  expect_share(grouped, cases, 0.03);
  expect_share(with_rules, cases, 0.05);
}

/// Random trees of depth 2 over two features; numbers are multiples of 1/64, so that all sums of
/// distances are exact in doubles.
Ensemble many_trees(std::mt19937_64& random, std::size_t count) {
  const auto multiple = [&](std::uint64_t most) {
    return static_cast<double>(random() % most) / 64;
  };
  std::vector<Tree> trees;
  for (std::size_t t = 0; t < count; ++t) {
    Tree tree;
    tree.nodes.resize(7);
    for (std::int32_t i = 0; i < 3; ++i) {
      tree.nodes[static_cast<std::size_t>(i)] = {
          .kind = random() % 2 == 0 ? NodeKind::less : NodeKind::less_equal,
          .feature = static_cast<std::int32_t>(random() % 2),
          .left = 2 * i + 1,
          .right = 2 * i + 2,
          .threshold = multiple(65)};
    }
    for (std::int32_t i = 0; i < 4; ++i) {
      tree.nodes[static_cast<std::size_t>(i) + 3].value = i;
      tree.values.push_back(multiple(129) - 1);
    }
    trees.push_back(tree);
  }
  Ensemble model = binary_model(2, std::move(trees));
  model.input = model.accumulator = Precision::float64;
  return model;
}

/// The doubles at which one of the first or last numbers of the sides of a split begins or ends to
/// be a neighbour's value: the last ones that do not reach it and the first ones that do. Next to
/// a threshold numbers may lie closer to each other than at the threshold.
std::vector<double> turning_points(const Ensemble& model, std::size_t feature, double distance) {
  std::vector<double> ends;
  for (const double t : thresholds_of({model}, feature)) {
    for (int step = -1; step <= 1; ++step) ends.push_back(near(t, step, false));
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<double> found;
  for (const double end : ends) {
    const auto reaches = [&](double x) { return Oracle::compare(x, end, distance) <= 0; };
    for (const double base : {end - distance, end + distance}) {
      for (int step = -2; step <= 2; ++step) {
        const double x = near(base, step, false), right = near(base, step + 1, false);
        if (reaches(x) != reaches(right)) found.insert(found.end(), {x, right});
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// The least cost of a robust point. Between two turning points the neighbours of a feature have
/// the same leaves, so one of the cheapest points has in each feature the query's value or a
/// turning point.
double least_robust_cost(const Ensemble& model, const Query& query, const Works& works) {
  std::vector<std::vector<double>> values;
  for (std::size_t d = 0; d < 2; ++d) {
    values.push_back(turning_points(model, d, query.features[d].robust));
    values.back().push_back(query.point[d]);
  }
  std::vector<std::pair<double, std::vector<double>>> points;
  for (const double a : values[0]) {
    for (const double b : values[1]) {
      points.emplace_back(std::abs(a - query.point[0]) + std::abs(b - query.point[1]),
                          std::vector<double>{a, b});
    }
  }
  std::sort(points.begin(), points.end());
  for (const auto& [cost, point] : points) {
    if (works(point) && is_robust_point({model}, query, point, works)) return cost;
  }
  return std::numeric_limits<double>::infinity();
}

TEST(Robust, PointsThatAreRefutedInsideOfASearch) {
  const int cases = test_cases(40);
  int infeasible = 0;
  std::atomic<std::uint64_t> refuted{0};
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 12000 + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Ensemble model = many_trees(random, 6 + random() % 15);
    const std::vector<double> point{static_cast<double>(random() % 65) / 64,
                                    static_cast<double>(random() % 65) / 64};
    Query query = query_for(model, point);
    query.norm = Norm::l1;
    query.requirements = {require_class(random() % 2)};
    for (FeatureRule& rule : query.features) {
      rule.robust = static_cast<double>(1 + random() % 5) / 64;
    }
    const Works works = [&](const std::vector<double>& row) {
      return Oracle::works({model}, query, row);
    };
    const double least = least_robust_cost(model, query, works);
    Options options;
    options.threads = 1;
    options.limits.seconds = 20;  // an endless search is to fail, not to hang
    RobustEffort effort = soon(random, refuted);
    effort.quick_nodes = random() % 4 == 0 ? 1 + random() % 3 : 0;
    if (random() % 2 == 0) effort.judged_nodes = RobustEffort{}.judged_nodes;
    set(options, effort);
    const auto check = [&](const Answer& answer) {
      EXPECT_LE(answer.lower_bound, least);
      EXPECT_GE(answer.cost, least);
      for (const Solution& solution : answer.solutions) {
        EXPECT_TRUE(works(solution.point));
        EXPECT_TRUE(is_robust_point({model}, query, solution.point, works));
      }
    };
    const Answer answer = explain(model, query, options);
    EXPECT_EQ(answer.stop, Stop::finished);
    EXPECT_EQ(answer.status, std::isinf(least) ? Status::infeasible : Status::optimal);
    EXPECT_EQ(answer.cost, least);
    check(answer);
    options.threads = 3;
    const Answer other = explain(model, query, options);
    EXPECT_EQ(other.status, answer.status);
    EXPECT_EQ(other.cost, answer.cost);
    ASSERT_EQ(other.solutions.size(), answer.solutions.size());
    if (!answer.solutions.empty()) {
      EXPECT_EQ(other.best().point, answer.best().point);
    }
    options.threads = 1;
    double known = 0;
    const std::uint64_t most = answer.statistics.nodes;
    for (std::uint64_t part = 1; part < 12; ++part) {
      options.limits.nodes = 1 + most * part / 12;
      const Answer stopped = explain(model, query, options);
      check(stopped);
      EXPECT_GE(stopped.lower_bound, std::min(known, stopped.cost));  // more boxes prove no less
      known = stopped.lower_bound;
    }
    infeasible += std::isinf(least) ? 1 : 0;
    if (testing::Test::HasFailure()) return;
  }
  std::cout << infeasible << " infeasible, " << refuted << " points refuted inside of a search\n";
  EXPECT_GT(refuted.load(), 0U);
  expect_share(cases - infeasible, cases, 0.3);
}

TEST(Robust, CompositionsAgreeWithBruteForce) {
  const int cases = test_cases(120);
  int solved = 0, dearer = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + 9000 + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const RandomComposition composition(seed);
    RandomProblem problem{{composition.ensemble()}, composition.query()};
    ask_for_robustness(problem, random);
    if (!is_robust(problem.query)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(problem.query));
    const Outcome outcome = agree(
        problem, [&](const auto& row) { return composition.works(row); },
        random() % 5 == 0 ? Engine::paper : Engine::fast);
    if (testing::Test::HasFailure()) return;
    solved += outcome == Outcome::not_tried ? 0 : 1;
    dearer += outcome == Outcome::dearer ? 1 : 0;
  }
  std::cout << solved << " solved, " << dearer << " dearer than without\n";
  expect_share(solved, cases, 0.3);
  expect_share(dearer, cases, 0.03);
}

TEST(Robust, StacksAreRefusedByName) {
  RandomProblem problem;
  for (std::uint64_t seed = test_seed();
       !is_robust(problem.query) || problem.ensembles[0].task != Task::regression; ++seed) {
    std::mt19937_64 random(seed);
    const RandomComposition composition(seed);
    problem = {{composition.ensemble()}, composition.query()};
    problem.ensembles[0].composition.linear = {.shift = 0, .size = 1, .error = 0x1p-40};
    ask_for_robustness(problem, random);
  }
  const std::string error = error_of([&] { explain(problem.ensembles[0], problem.query); });
  EXPECT_NE(error.find("stacked models"), std::string::npos);
  EXPECT_NE(error.find("Leave out the robustness"), std::string::npos);
}

}  // namespace robust_test
