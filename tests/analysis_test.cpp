// What is made of several searches, against brute force from first principles on random small
// models: menus, wide regions, blocking rules, sweeps, robustness, paths, rounder points.
#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>
#include <boxwood/schema.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace analysis_test {

using namespace boxwood;

bool differs(double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

std::set<std::size_t> changed(const Query& query, const std::vector<double>& point) {
  std::set<std::size_t> features;
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (!differs(point[d], query.point[d])) continue;
    std::size_t owner = d;
    for (const OneHot& group : query.groups) {
      if (std::count(group.columns.begin(), group.columns.end(), d) > 0) owner = group.columns[0];
    }
    features.insert(owner);
  }
  return features;
}

bool reads_float32(const RandomProblem& problem) {
  return std::any_of(problem.ensembles.begin(), problem.ensembles.end(),
                     [](const Ensemble& ensemble) { return ensemble.input == Precision::float32; });
}

/// A range whose ends are what the models read.
Interval as_read(const RandomProblem& problem, Interval range) {
  if (!reads_float32(problem)) return range;
  range.lower = static_cast<float>(range.lower);
  range.upper = static_cast<float>(range.upper);
  return range;
}

/// The values nearest to `at` that are at least `far` away from it, among those that the models
/// read.
Interval nearest_ends(const RandomProblem& problem, double at, double far) {
  if (!reads_float32(problem)) return {at - far, at + far};
  const double low = static_cast<float>(at) - far, high = static_cast<float>(at) + far;
  const auto below = static_cast<float>(low), above = static_cast<float>(high);
  const float infinite = std::numeric_limits<float>::infinity();
  return {below > low ? std::nextafter(below, -infinite) : below,
          above < high ? std::nextafter(above, infinite) : above};
}

/// Whether a point may stand in a menu after these alternatives, straight from the definition.
bool is_apart(const RandomProblem& problem, const MenuOptions& menu,
              const std::vector<Solution>& before, const std::vector<double>& point) {
  const Query& query = problem.query;
  const auto read = [float32 = reads_float32(problem)](double value) {
    return float32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  for (const Solution& solution : before) {
    const std::vector<double>& earlier = solution.point;
    if (menu.apart == Apart::features) {
      const auto mine = changed(query, point), theirs = changed(query, earlier);
      if (std::includes(mine.begin(), mine.end(), theirs.begin(), theirs.end())) return false;
      continue;
    }
    bool apart = false;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const double value = read(point[d]);
      const double far = menu.distance * query.features[d].scale;
      const auto& codes = solution.codes[d];
      if (std::isnan(earlier[d]) || std::isnan(value)) {
        apart |= std::isnan(earlier[d]) != std::isnan(value);
      } else if (menu.apart == Apart::distance) {
        apart |= query.features[d].kind == FeatureKind::categorical
                     ? value != read(earlier[d])
                     : value != read(earlier[d]) &&
                           (value <= read(earlier[d]) - far || value >= read(earlier[d]) + far);
      } else if (!codes.empty()) {
        apart |= std::count(codes.begin(), codes.end(), std::trunc(value)) == 0;
      } else {
        apart |= !solution.region[d].contains(value);
      }
    }
    if (!apart) return false;
  }
  return true;
}

TEST(Menu, AnswersAreNeverNearerThanTheDistance) {
  const Ensemble model = binary_model(1, {stump(0, 0.1F, -1, 1)});
  Query query = query_for(model, std::vector{0.0});
  query.requirements = {require_class(1)};
  for (const double distance : {0.3, 0.7, 0.123456789}) {
    const Menu found = find_menu(Prepared(model), query,
                                 {.count = 3, .apart = Apart::distance, .distance = distance});
    ASSERT_EQ(found.answers.size(), 3u);
    const auto value = [&](std::size_t w) { return found.answers[w].solutions.front().point[0]; };
    EXPECT_GE(value(1) - value(0), distance);
    EXPECT_GE(value(2) - value(1), distance);
  }
}

TEST(Menu, EachAlternativeIsTheCheapestThatDiffersFromThoseBefore) {
  ProblemMaker maker(test_seed(), small_size());
  RuleMaker rules(test_seed() + 1);
  int several = 0, complete = 0;
  const int cases = test_cases(900);
  const auto make = [&](int i) {
    RandomProblem problem = maker.make();
    if (i % 3 == 0) rules.add_to(problem);
    problem.query.fewest_first = false;
    if (problem.query.norm == Norm::linf) problem.query.norm = Norm::l1;
    problem.query.groups.clear();
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    MenuOptions menu;
    menu.apart = i % 3 == 0 ? Apart::features : i % 3 == 1 ? Apart::regions : Apart::distance;
    menu.count = 4;
    menu.distance = 0.4;
    const Prepared prepared(problem.ensembles);
    const Menu found = find_menu(prepared, problem.query, menu);
    std::vector<Solution> before;
    Query marked = problem.query;  // so that the candidates next to the ends are tried
    for (std::size_t w = 0; w <= found.answers.size() && w < menu.count; ++w) {
      double least = std::numeric_limits<double>::infinity();
      std::vector<double> cheapest;
      const bool tried = Oracle::visit(problem.ensembles, marked, 100'000, [&](const auto& point) {
        const double cost = total_cost(problem.query, point);
        if (!(cost < least) || !is_apart(problem, menu, before, point)) return;
        if (!Oracle::works(problem.ensembles, problem.query, point) ||
            !Oracle::obeys(problem.ensembles, problem.query, point)) {
          return;
        }
        least = cost;
        cheapest = point;
      });
      if (!tried) break;
      if (w == found.answers.size()) {
        EXPECT_TRUE(found.complete);
        EXPECT_TRUE(std::isinf(least)) << "an alternative of cost " << least << " was not found";
        ++complete;
        break;
      }
      const Answer& earlier = found.answers[w];
      ASSERT_EQ(earlier.status, Status::optimal);
      EXPECT_EQ(earlier.cost, least)
          << "alternative " << w << ", brute force has " << testing::PrintToString(cheapest);
      EXPECT_TRUE(is_apart(problem, menu, before, earlier.best().point));
      before.push_back(earlier.best());
      if (changed(problem.query, before.back().point).empty() && menu.apart == Apart::features)
        break;
      for (std::size_t d = 0; d < marked.point.size(); ++d) {
        const double far = menu.distance * marked.features[d].scale;
        const double at = before.back().point[d];
        // Statements that always hold: the ends that they name are candidates then.
        marked.clauses.push_back({{{d, nearest_ends(problem, at, far), true, true, {}},
                                   {d, before.back().region[d], true, true, {}},
                                   {d, {}, true, true, {}}}});
        if (!before.back().codes[d].empty()) {
          marked.clauses.push_back(
              {{{d, {}, true, true, before.back().codes[d]}, {d, {}, true, true, {}}}});
        }
      }
      several += w > 0 ? 1 : 0;
    }
  });
  std::cout << several << " further alternatives, " << complete << " complete menus\n";
  expect_share(several, cases, 0.6);
  expect_share(complete, cases, 0.4);
}

/// Every admissible value of the region, or enough of them to tell: the oracle's candidates.
std::vector<std::vector<double>> values_in(const RandomProblem& problem, const WideRegion& wide,
                                           const std::vector<double>& point) {
  Query free = problem.query;
  free.point = point;
  std::vector<std::set<double>> seen(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    FeatureRule& rule = free.features[d];
    const FeatureRule& own = problem.query.features[d];
    if (own.direction != Direction::both || std::isfinite(own.most_change)) rule.range = {};
    rule.direction = Direction::both;
    rule.least_change = 0;
    rule.most_change = std::numeric_limits<double>::infinity();
    rule.missing_allowed = false;
  }
  Oracle::visit(problem.ensembles, free, 100'000, [&](const auto& candidate) {
    for (std::size_t d = 0; d < point.size(); ++d) {
      if (!std::isnan(candidate[d])) seen[d].insert(candidate[d]);
    }
  });
  std::vector<std::vector<double>> values(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) {
    // The present value is always admissible, also where it is not a whole number.
    if (!std::isnan(problem.query.point[d])) seen[d].insert(problem.query.point[d]);
    if (std::isnan(point[d]) || problem.query.features[d].fixed) {
      values[d] = {point[d]};
      continue;
    }
    for (const double value : seen[d]) {
      const bool listed = !wide.values[d].empty();
      const bool in = listed ? std::count(wide.values[d].begin(), wide.values[d].end(), value) > 0
                             : wide.region[d].contains(value);
      if (in) values[d].push_back(value);
    }
  }
  return values;
}

bool all_meet(const RandomProblem& problem, const std::vector<std::vector<double>>& values) {
  std::vector<std::size_t> at(values.size(), 0);
  std::vector<double> point(values.size());
  for (;;) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (values[d].empty()) return true;
      point[d] = values[d][at[d]];
    }
    if (!Oracle::works(problem.ensembles, problem.query, point)) return false;
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == values[d].size()) at[d++] = 0;
    if (d == at.size()) return true;
  }
}

TEST(Widen, EverythingInsideHasTheOutcomeAndNoSideCanMove) {
  ProblemMaker maker(test_seed(), small_size());
  RuleMaker rules(test_seed() + 1);
  int checked = 0, wider = 0;
  const int cases = test_cases(900);
  const auto make = [&](int i) {
    RandomProblem problem = maker.make();
    if (i % 2 == 0) rules.add_to(problem);
    problem.query.groups.clear();
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int) {
    const Prepared prepared(problem.ensembles);
    const Answer answer = explain(prepared, problem.query);
    if (answer.solutions.empty()) return;
    const std::vector<double>& point = answer.best().point;
    const WideRegion wide = find_wide_region(prepared, problem.query, point);
    // Of categories without a list and without ends not all can be tried.
    const bool endless = std::any_of(
        problem.query.features.begin(), problem.query.features.end(), [](const FeatureRule& rule) {
          return rule.kind == FeatureKind::categorical && !rule.fixed && rule.allowed.empty() &&
                 !(rule.range.upper - rule.range.lower < 1000);
        });
    // An interval of whole numbers ends at a present value that is not one of them.
    const auto ends_at_present = [&](std::size_t d) {
      const double now = problem.query.point[d];
      const FeatureKind kind = problem.query.features[d].kind;
      return (kind == FeatureKind::integer || kind == FeatureKind::ordinal) &&
             now != std::floor(now) && now != point[d];
    };
    bool broken = false;
    for (std::size_t d = 0; d < point.size(); ++d) broken = broken || ends_at_present(d);
    ASSERT_TRUE(wide.maximal || endless || broken);
    // It holds for all values, whatever steps and lists say of what to change to.
    RandomProblem free = problem;
    for (FeatureRule& rule : free.query.features) {
      if (rule.kind == FeatureKind::categorical) continue;
      rule.step = 0;
      rule.allowed.clear();
    }
    const auto inside = values_in(free, wide, point);
    EXPECT_TRUE(all_meet(problem, inside)) << testing::PrintToString(inside);
    ++checked;
    for (std::size_t d = 0; d < point.size(); ++d) {
      if (!wide.values[d].empty() || inside[d].size() < 2) continue;
      const FeatureRule& rule = problem.query.features[d];
      const double now = problem.query.point[d];
      // What is beyond a gap in what the rules allow is not part of the same interval.
      if (rule.least_change > 0 || (point[d] == now && !rule.range.contains(now))) continue;
      if (ends_at_present(d)) continue;
      wider += wide.region[d] != answer.best().region[d] ? 1 : 0;
      // One admissible value more on either side, and something in the box has not the outcome.
      WideRegion whole = wide;
      whole.region[d] = as_read(problem, rule.range);
      const auto more = values_in(free, whole, point)[d];
      for (const bool up : {false, true}) {
        const auto next = up ? std::upper_bound(more.begin(), more.end(), inside[d].back())
                             : std::lower_bound(more.begin(), more.end(), inside[d].front());
        if (up ? next == more.end() : next == more.begin()) continue;
        const double beyond = up ? *next : *std::prev(next);
        if ((rule.direction == Direction::up && beyond < now) ||
            (rule.direction == Direction::down && beyond > now) ||
            Oracle::compare(beyond, now, rule.most_change) > 0) {
          continue;
        }
        auto extended = inside;
        extended[d] = {beyond};
        EXPECT_FALSE(all_meet(problem, extended)) << "feature " << d << " could reach " << beyond;
      }
    }
  });
  std::cout << checked << " regions, " << wider << " sides wider than the pure box\n";
  expect_share(checked, cases, 0.4);
  expect_share(wider, cases, 0.4);
}

TEST(WhyNot, BlockersAreTheSmallestSetThatBlocks) {
  ProblemMaker maker(test_seed(), small_size());
  RuleMaker rules(test_seed() + 1);
  int blocked = 0, impossible = 0, pairs = 0;
  const int cases = test_cases(2500);
  const auto make = [&](int) {
    RandomProblem problem = maker.make();
    rules.add_to(problem);
    problem.query.fewest_first = false;
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const std::vector<Rule> all = rules_of(problem.query);
    if (all.size() > 7) return;
    const Prepared prepared(problem.ensembles);
    const bool smallest = i % 4 != 0;
    const WhyNot why = find_why_not(prepared, problem.query, {.rounds = smallest ? 200U : 0U});
    if (why.answer.status != Status::infeasible) return;
    const auto blocks = [&](unsigned held) {
      std::vector<Rule> without;
      for (std::size_t r = 0; r < all.size(); ++r) {
        if (!(held >> r & 1)) without.push_back(all[r]);
      }
      return explain(prepared, lifted(problem.query, without)).status == Status::infeasible;
    };
    if (why.impossible) {
      EXPECT_TRUE(blocks(0));
      EXPECT_TRUE(why.blockers.empty());
      ++impossible;
      return;
    }
    ++blocked;
    pairs += why.blockers.size() > 1 ? 1 : 0;
    EXPECT_EQ(why.smallest, smallest);
    unsigned mine = 0;
    for (const Blocker& blocker : why.blockers) {
      const auto place = std::find(all.begin(), all.end(), blocker.rule) - all.begin();
      mine |= 1U << place;
      const Rule one[] = {blocker.rule};
      const Answer without = explain(prepared, lifted(problem.query, one));
      EXPECT_EQ(without.status, blocker.without.status);
      EXPECT_EQ(without.cost, blocker.without.cost);
    }
    EXPECT_TRUE(blocks(mine));
    const auto size = [](unsigned set) { return __builtin_popcount(set); };
    for (unsigned set = 0; set < 1U << all.size(); ++set) {
      const bool part = (set & mine) == set && set != mine;
      const bool smaller = part || (smallest && size(set) < size(mine));
      EXPECT_FALSE(smaller && blocks(set)) << "a smaller set blocks";
    }
  });
  std::cout << blocked << " blocked (" << pairs << " by several rules), " << impossible
            << " impossible\n";
  expect_share(blocked, cases, 1.0 / 25);
  expect_share(pairs, cases, 1.0 / 50);
  expect_share(impossible, cases, 0.2);
}

TEST(Sweep, EveryLevelHasTheAnswerOfItsOwnQuestion) {
  ProblemMaker maker(test_seed(), small_size());
  int swept = 0;
  const int cases = test_cases(600);
  const auto make = [&](int) { return maker.make(); };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int) {
    Query query = problem.query;
    const Ensemble& model = problem.ensembles[query.requirements[0].ensemble];
    std::vector<double> levels;
    if (auto* wanted = std::get_if<ClassIs>(&query.requirements[0].outcome)) {
      if (!model.has_probabilities()) return;
      wanted->probability = 0.3;
      levels = {0.3, 0.45, 0.5, 0.6, 0.7, 0.9};
    } else {
      auto& range = std::get<OutputIn>(query.requirements[0].outcome).range;
      if (!std::isfinite(range.lower)) range = {.lower = 0};
      range.upper = std::numeric_limits<double>::infinity();
      levels = {-1, -0.5, 0, 0.25, 0.5, 1, 2};
    }
    const Prepared prepared(problem.ensembles);
    const std::vector<SweepPoint> points = find_sweep(prepared, query, levels);
    ASSERT_EQ(points.size(), levels.size());
    for (const SweepPoint& point : points) {
      Query at = query;
      if (auto* wanted = std::get_if<ClassIs>(&at.requirements[0].outcome)) {
        wanted->probability = point.level;
      } else {
        std::get<OutputIn>(at.requirements[0].outcome).range.lower = point.level;
      }
      const Answer alone = explain(prepared, at);
      EXPECT_EQ(alone.status, point.answer.status) << point.level;
      EXPECT_EQ(alone.cost, point.answer.cost) << point.level;
      const Verification check = verify(problem.ensembles, at, point.answer, 16, 7);
      EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
    }
    ++swept;
  });
  expect_share(swept, cases, 1.0 / 3);
}

TEST(Robustness, IsTheDistanceToTheNearestOtherOutcome) {
  ProblemMaker maker(test_seed(), small_size());
  int checked = 0;
  const int cases = test_cases(1500);
  const auto make = [&](int) { return maker.make(); };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const Ensemble& model = problem.ensembles[0];
    const double tolerance = i % 2 == 0 ? 0 : 0.3;
    const auto label = [&](const std::vector<double>& point) {
      const std::vector<double> scores = model.predict(point);
      return model.task == Task::regression ? model.transform(scores)[0]
                                            : static_cast<double>(model.classify(scores));
    };
    const double now = label(problem.query.point);
    if (!std::isfinite(now)) return;
    double least = std::numeric_limits<double>::infinity();
    if (!Oracle::visit(problem.ensembles, problem.query, 60'000, [&](const auto& point) {
          const double there = label(point);
          const bool other = model.task == Task::regression
                                 ? there < now - tolerance || there > now + tolerance
                                 : there != now;
          if (other) least = std::min(least, total_cost(problem.query, point));
        })) {
      return;
    }
    const Answer answer = find_robustness(Prepared(problem.ensembles), problem.query, tolerance);
    EXPECT_EQ(answer.cost, least);
    EXPECT_EQ(answer.status, std::isinf(least) ? Status::infeasible : Status::optimal);
    checked += std::isinf(least) ? 0 : 1;
  });
  expect_share(checked, cases, 1.0 / 4);
}

TEST(Budget, ReportsProgressAlsoWhereEverySearchIsShort) {
  std::vector<std::uint64_t> reported;
  Options options;
  options.progress = [&](const Progress& progress) { reported.push_back(progress.nodes); };
  Budget budget(options);
  Answer answer;
  answer.statistics.nodes = 1;
  while (budget.seconds() < 0.25) {
    static_cast<void>(budget.rest());
    budget.note(answer);
  }
  EXPECT_GE(reported.size(), 1U);
  EXPECT_LE(reported.size(), 2U);
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
}

TEST(Path, TakesTheChangeThatHelpsMostFirst) {
  const Ensemble model =
      binary_model(3, {stump(0, 0.5, -1, 1), stump(1, 0.5, -2, 2), stump(2, 0.5, -0.125, 0)}, -2);
  Query query = query_for(model, std::vector{0.0, 0.0, 0.0});
  query.requirements = {require_class(1)};
  const Prepared prepared(model);
  const Answer answer = explain(prepared, query);
  const std::vector<PathStep> path = find_path(prepared, query, answer.best().point);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].features, std::vector<std::size_t>{1});
  EXPECT_EQ(path[1].features, std::vector<std::size_t>{0});
  EXPECT_EQ(path[1].point, answer.best().point);
  EXPECT_EQ(path[1].outputs[0], answer.output_after[0]);
  EXPECT_LT(path[0].outputs[0][0], path[1].outputs[0][0]);
  for (const PathStep& step : path) {
    EXPECT_EQ(step.without->status, Status::infeasible);  // both are needed
  }
  EXPECT_FALSE(find_path(prepared, query, answer.best().point, false)[0].without);
}

double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

TEST(Rounded, PrefersRoundNumbersWithinTheTolerance) {
  const Ensemble model = binary_model(1, {stump(0, 17.3, -1, 1), stump(0, 40, 0, -3)});
  Query query = query_for(model, std::vector{3.0});
  query.requirements = {require_class(1)};
  query.norm = Norm::l1;
  const Prepared prepared(model);
  const Answer answer = explain(prepared, query);
  const std::vector<double>& exact = answer.best().point;
  EXPECT_EQ(find_rounded(prepared, query, exact, 0), exact);
  EXPECT_EQ(find_rounded(prepared, query, exact, 0.01), std::vector{as_float(17.4)});
  EXPECT_EQ(find_rounded(prepared, query, exact, 0.06), std::vector{18.0});
  EXPECT_EQ(find_rounded(prepared, query, exact, 0.2), std::vector{20.0});
  query.features[0].most_change = 15.5;  // no farther than 18.5
  EXPECT_EQ(find_rounded(prepared, query, exact, 0.2), std::vector{18.0});
}

}  // namespace analysis_test
