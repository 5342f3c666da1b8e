// What an answer claims is true for its own question. Brute force lists the points that work and
// looks for one that contradicts the claim, for every cost, with and without fewest changes first,
// with rules, limits on changes, and searches that were stopped.
#include "oracle.hpp"
#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "shrink.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/render.hpp>

#include <gtest/gtest.h>

#include <set>

namespace claim_test {

using namespace boxwood;

struct Working {
  std::vector<double> point;
  double cost = 0;
  std::size_t changes = 0;
};

/// Every candidate that meets the requirements and obeys the rules; nothing where there are too
/// many combinations.
std::optional<std::vector<Working>> working_points(const RandomProblem& problem) {
  std::vector<Working> all;
  const Query& query = problem.query;
  const bool tried = Oracle::visit(problem.ensembles, query, 20'000, [&](const auto& point) {
    const double cost = Oracle::cost_of(query, point);
    if (std::isinf(cost) || !Oracle::works(problem.ensembles, query, point) ||
        !Oracle::obeys(problem.ensembles, query, point)) {
      return;
    }
    all.push_back({point, cost, Oracle::changes_of(query, point)});
  });
  return tried ? std::optional(all) : std::nullopt;
}

/// What the claim says about each point that works.
void expect_true(const Claim& claim, const std::vector<Working>& allowed) {
  if (claim.status == Status::infeasible) {
    EXPECT_TRUE(allowed.empty()) << "an allowed change works";
  }
  for (const Working& other : allowed) {
    EXPECT_GE(other.changes, claim.least_changes) << "fewer changes work";
    if (claim.among_changes && other.changes > *claim.among_changes) continue;
    EXPECT_GE(other.cost, claim.lower_bound) << "something is cheaper";
  }
}

/// A claim of a proven optimum leaves nothing open, and the words name the cost.
void expect_complete(const Claim& claim, const Query& query) {
  EXPECT_EQ(claim.fewest_first, query.fewest_first);
  EXPECT_FALSE(claim.cost_name.empty());
  EXPECT_FALSE(claim_text(claim).empty());
  if (claim.status == Status::optimal) {
    EXPECT_EQ(claim.lower_bound, claim.cost);
    EXPECT_EQ(claim.least_changes, claim.fewest_first ? claim.changes : 0);
    EXPECT_EQ(claim.among_changes.has_value(), claim.fewest_first);
  }
}

void choose_cost(Query& query, std::uint64_t pick) {
  constexpr Norm norms[] = {Norm::l0,   Norm::l1,      Norm::squared_l2,
                            Norm::linf, Norm::mixture, Norm::mixture};
  if (pick % 7 == 6) return;  // as it was drawn, a custom cost say
  query.norm = norms[pick % 7];
  query.mixture = pick % 7 == 4 ? Mixture{0, 1, 0.1} : Mixture{0.5, 0, 0.25};
}

TEST(Claims, HoldForEveryCostRuleAndLimit) {
  int cases = 0, fewest = 0, proven_fewest = 0, counted_only = 0, stopped = 0, impossible = 0;
  const int wanted = test_cases(3000);
  std::mt19937_64 random(test_seed());
  Options options;
  options.threads = 1;
  std::uint64_t few_nodes = 0;
  const auto make = [&](int k) {
    const std::uint64_t seed = random();
    ProblemSize size;
    if (k % 3 == 0) size = {{3, 6}, {3, 8}, {2, 5}, 4, false};
    RandomProblem problem = ProblemMaker(seed, size).make();
    RuleMaker(seed).add_to(problem);
    choose_cost(problem.query, random());
    problem.query.fewest_first = random() % 2 == 0;
    options.ties = 1 + random() % 3;
    options.engine = random() % 3 == 0 ? Engine::paper : Engine::fast;
    few_nodes = 2 + random() % 100;
    return problem;
  };
  for_random_problems(wanted, make, [&](const RandomProblem& problem, int) {
    const auto allowed = working_points(problem);
    if (!allowed) return;
    const Prepared prepared(problem.ensembles);
    for (const std::uint64_t nodes : {std::uint64_t{1}, few_nodes, ~std::uint64_t{0}}) {
      options.limits.nodes = nodes;
      const Answer answer = explain(prepared, problem.query, options);
      const Claim claim = claim_of(problem.query, answer);
      expect_true(claim, *allowed);
      expect_complete(claim, problem.query);
      if (!answer.solutions.empty()) {
        EXPECT_EQ(claim.cost, Oracle::cost_of(problem.query, answer.best().point));
        EXPECT_EQ(claim.changes, Oracle::changes_of(problem.query, answer.best().point));
      }
      const bool open = answer.status == Status::feasible || answer.status == Status::unknown;
      ++cases;
      fewest += claim.fewest_first ? 1 : 0;
      proven_fewest += claim.fewest_first && claim.status == Status::optimal ? 1 : 0;
      counted_only += claim.fewest_first && open && claim.least_changes > 0 ? 1 : 0;
      stopped += open ? 1 : 0;
      impossible += claim.status == Status::infeasible ? 1 : 0;
    }
  });
  std::cout << cases << " claims: " << fewest << " with fewest changes first (" << proven_fewest
            << " proven, " << counted_only << " stopped with a count), " << stopped << " stopped, "
            << impossible << " impossible\n";
  expect_share(proven_fewest, cases, 1.0 / 10);
  expect_share(counted_only, cases, 1.0 / 800);
  expect_share(stopped, cases, 1.0 / 20);
  expect_share(impossible, cases, 1.0 / 20);
}

/// The features and groups that a point changes.
std::set<std::size_t> changed(const Query& query, const std::vector<double>& point) {
  std::set<std::size_t> all;
  for (const std::size_t d : changed_features(query, point)) all.insert(d);
  return all;
}

TEST(Claims, OfLaterAlternativesAreAboutWhatDiffers) {
  int later = 0;
  const int wanted = test_cases(1000);
  std::mt19937_64 random(test_seed());
  const auto make = [&](int k) {
    RandomProblem problem = ProblemMaker(random(), {{2, 4}, {2, 5}, {2, 4}, 5, false}).make();
    problem.query.fewest_first = k % 2 == 0;
    return problem;
  };
  for_random_problems(wanted, make, [&](const RandomProblem& problem, int) {
    const auto allowed = working_points(problem);
    if (!allowed || !problem.query.groups.empty()) return;
    const Menu menu = find_menu(Prepared(problem.ensembles), problem.query);
    std::vector<Working> left = *allowed;
    for (std::size_t place = 0; place < menu.answers.size(); ++place) {
      const Claim claim = claim_of(problem.query, menu.answers[place], place);
      EXPECT_EQ(claim.earlier_alternatives, place);
      expect_true(claim, left);
      later += place > 0 ? 1 : 0;
      const auto taken = changed(problem.query, menu.answers[place].best().point);
      std::erase_if(left, [&](const Working& other) {
        const auto has = changed(problem.query, other.point);
        return std::includes(has.begin(), has.end(), taken.begin(), taken.end());
      });
    }
  });
  std::cout << later << " later alternatives\n";
  expect_share(later, wanted, 1.0 / 60);
}

Claim proven(std::size_t changes, bool fewest_first) {
  Claim claim;
  claim.status = Status::optimal;
  claim.cost_name = "L1 by scale";
  claim.changes = changes;
  claim.fewest_first = fewest_first;
  if (fewest_first) claim.least_changes = changes;
  return claim;
}

TEST(Claims, SayWhatIsProven) {
  EXPECT_EQ(claim_text(proven(2, false)), "proven: no allowed change costs less (L1 by scale)");
  EXPECT_EQ(claim_text(proven(1, true)), "proven: no other single change is cheaper (L1 by scale)");
  EXPECT_EQ(claim_text(proven(2, true)),
            "proven: no single change works; no other pair of changes is cheaper (L1 by scale)");
  Claim limited = proven(4, true);
  limited.limited = true;
  EXPECT_EQ(claim_text(limited),
            "proven: no allowed change of fewer than 4 features works; no other allowed set of 4 "
            "changes is cheaper (L1 by scale)");
  Claim later = proven(1, false);
  later.earlier_alternatives = 1;
  EXPECT_EQ(
      claim_text(later),
      "proven: no allowed change that differs enough from the alternative before costs less (L1 by "
      "scale)");
}

TEST(Claims, SayWhatAStoppedSearchLeavesOpen) {
  Claim claim = proven(2, false);
  claim.status = Status::feasible;
  claim.stop = Stop::time;
  claim.cost = 0.0731;
  claim.lower_bound = 0.070799;
  claim.gap = 0.0314;
  // Bounds are rounded down: nothing cheaper than the printed number exists either.
  EXPECT_EQ(claim_text(claim),
            "best found; nothing cheaper than 0.07079 exists (gap 3.1 %, L1 by scale)");
  claim.lower_bound = 0;
  EXPECT_EQ(claim_text(claim), "best found; no useful lower bound yet (L1 by scale)");
  claim.fewest_first = true;
  claim.least_changes = 2;
  claim.lower_bound = 0.07;
  EXPECT_EQ(claim_text(claim),
            "best found; proven: no single change works; no pair of changes costs less than 0.07 "
            "(gap 3.1 %, L1 by scale)");
  claim.lower_bound = 0;
  EXPECT_EQ(claim_text(claim),
            "best found; proven: no single change works; another pair of changes may be cheaper "
            "(L1 by scale)");
  claim.changes = 3;
  EXPECT_EQ(claim_text(claim),
            "best found; proven: no single change works; fewer than 3 changes may work (L1 by "
            "scale)");
  claim.status = Status::unknown;
  EXPECT_EQ(claim_text(claim),
            "proven: no single change works; it is unknown whether more changes work");
  claim.least_changes = 0;
  EXPECT_EQ(claim_text(claim), "it is unknown whether an allowed change works");
  claim.status = Status::infeasible;
  EXPECT_EQ(claim_text(claim), "proven: no allowed change works");
}

TEST(Claims, NameTheCost) {
  Query query;
  query.point = {0, 0};
  query.features.resize(2);
  const auto name = [&] { return claim_of(query, {}).cost_name; };
  EXPECT_EQ(name(), "squared L2 in raw units");
  query.features[0].scale = 3;
  query.norm = Norm::mixture;
  query.mixture = {0, 1, 0.1};
  EXPECT_EQ(name(), "L1 by scale + 0.1 per changed feature");
  query.features[1].weight = 2;
  query.norm = Norm::linf;
  EXPECT_EQ(name(), "weighted largest change by scale");
  query.features[1].quantiles = {0, 1};
  query.norm = Norm::l1;
  EXPECT_EQ(name(), "weighted L1 by quantile");
  query.features[1].weight = 1;
  query.norm = Norm::l0;
  EXPECT_EQ(name(), "number of changed features");
  query.norm = Norm::custom;
  EXPECT_EQ(name(), "custom cost");
}

}  // namespace claim_test
