// The fast engine against the paper's where brute force is too slow, in every mode and with one
// thread and several, and in the corners by hand. The promises: same status, same cost, same
// points in the same order.
#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "search/engine_settings.hpp"
#include "search/fast/context.hpp"
#include "search/fast/start.hpp"
#include "search/guarded.hpp"
#include "search/prepared.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace fast_engine_test {

using namespace boxwood;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Options paper_options(std::size_t ties = 100'000) {
  Options options;
  options.engine = Engine::paper;
  options.threads = 1;
  options.ties = ties;
  return options;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_solution(const Solution& a, const Solution& b) {
  return std::equal(a.point.begin(), a.point.end(), b.point.begin(), b.point.end(), same_number) &&
         std::equal(a.region.begin(), a.region.end(), b.region.begin(), b.region.end(),
                    [](const Interval& u, const Interval& v) {
                      return same_number(u.lower, v.lower) && same_number(u.upper, v.upper);
                    });
}

void expect_same(const Answer& answer, const Answer& truth) {
  ASSERT_EQ(answer.status, truth.status);
  EXPECT_EQ(answer.cost, truth.cost);
  EXPECT_EQ(answer.lower_bound, truth.lower_bound);
  EXPECT_EQ(answer.more_ties, truth.more_ties);
  ASSERT_EQ(answer.solutions.size(), truth.solutions.size());
  for (std::size_t i = 0; i < truth.solutions.size(); ++i) {
    EXPECT_TRUE(same_solution(answer.solutions[i], truth.solutions[i]))
        << "solution " << i << ": " << testing::PrintToString(answer.solutions[i].point)
        << " instead of " << testing::PrintToString(truth.solutions[i].point);
  }
}

/// The fast engine with every choice of its parts, by turns with one thread and with four; of two
/// calls with turns 0 and 1 each choice has both.
void expect_same_in_every_mode(const Prepared& prepared, const Query& query, const Answer& truth,
                               int turn, std::size_t ties = 100'000) {
  const std::vector<double> known =
      truth.solutions.empty() ? std::vector<double>{} : truth.solutions.back().point;
  // Examples may be anything: the answer, the point itself, missing, far away, of another length.
  const std::size_t width = query.point.size();
  std::vector<std::vector<double>> examples{
      query.point, std::vector<double>(width, missing), std::vector<double>(width, 0.5), {1, 2}};
  if (!known.empty()) examples.push_back(known);
  for (int mode = 0; mode < 8; ++mode) {
    Options options;
    options.ties = ties;
    const FastParts parts{(mode & 1) != 0, (mode & 2) != 0, (mode & 4) != 0};
    set(options, parts);
    options.threads = (mode + turn) % 2 != 0 ? 4 : 1;
    if (turn % 3 == 0) options.examples = examples;
    SCOPED_TRACE(testing::Message()
                 << "start " << parts.start << ", probe " << parts.probe << ", dual " << parts.dual
                 << ", " << options.threads << " threads");
    expect_same(explain_guarded(prepared, query, options, known), truth);
  }
}

/// For a question small enough: brute force, the paper's engine and the fast one in every mode.
Answer expect_agreement(const std::vector<Ensemble>& ensembles, const Query& query,
                        std::size_t ties = 100'000) {
  const Prepared prepared(ensembles);
  const Answer truth = explain(prepared, query, paper_options(ties));
  if (const auto best = Oracle::solve(ensembles, query)) {
    EXPECT_EQ(truth.cost, best->cost);
  }
  for (const int turn : {0, 1}) expect_same_in_every_mode(prepared, query, truth, turn, ties);
  return truth;
}

TEST(FastEngine, AgreesWithThePapersOnMediumModels) {
  const int cases = test_cases(1000) / 5;  // each takes as long as many small ones
  ProblemMaker maker(test_seed(), {{3, 8}, {8, 30}, {4, 16}, 40, false});
  int drawn = 0, optimal = 0, infeasible = 0, tied = 0, missed = 0, several = 0, classes = 0;
  for (int done = 0; done < cases; ++drawn) {
    ASSERT_LT(drawn, 20 * cases) << "most problems are too much for the paper's engine";
    const RandomProblem problem = maker.make();
    const Prepared prepared(problem.ensembles);
    Options options = paper_options();
    options.limits.nodes = 3'000;
    const Answer truth = explain(prepared, problem.query, options);
    if (truth.stop != Stop::finished || truth.already_met) continue;
    ++done;
    SCOPED_TRACE(testing::Message() << "problem " << drawn << " of BOXWOOD_SEED=" << test_seed());
    expect_same_in_every_mode(prepared, problem.query, truth, done);
    if (testing::Test::HasFailure()) {
      report_smallest(problem, [&](const RandomProblem& smaller) {
        const Prepared models(smaller.ensembles);
        const Answer known = explain(models, smaller.query, options);
        if (known.stop != Stop::finished || known.already_met) return;
        expect_same_in_every_mode(models, smaller.query, known, done);
      });
      return;
    }
    optimal += truth.status == Status::optimal ? 1 : 0;
    infeasible += truth.status == Status::infeasible ? 1 : 0;
    tied += truth.solutions.size() > 1 ? 1 : 0;
    missed += std::any_of(problem.query.point.begin(), problem.query.point.end(),
                          [](double v) { return std::isnan(v); });
    several += problem.ensembles.size() > 1 ? 1 : 0;
    classes += problem.ensembles[0].class_count() > 2 ? 1 : 0;
  }
  std::cout << drawn << " drawn, " << optimal << " optimal (" << tied << " tied), " << infeasible
            << " infeasible, " << missed << " with missing values, " << several
            << " with two ensembles, " << classes << " with several classes\n";
  expect_share(infeasible, cases, 1.0 / 6);
  expect_share(tied, cases, 1.0 / 10);
  expect_share(missed, cases, 1.0 / 3);
  expect_share(several, cases, 1.0 / 7);
  expect_share(classes, cases, 1.0 / 6);
}

TEST(FastEngine, LeavesAreCutIntoPiecesOnlyNearby) {
  // Six trees, each glad if any of eight features has its bit: one feature with all bits will do.
  const Ensemble model = bits_model(1, -5);
  Query query = query_for(model, std::vector<double>(8, 0.0));
  query.requirements = {require_class(1)};
  for (FeatureRule& rule : query.features) rule.kind = FeatureKind::categorical;
  Options options;
  options.limits.bytes = 64 << 20;
  const Answer answer = explain(model, query, options);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, 1);
  EXPECT_EQ(answer.best().point.back(), 63);
}

TEST(FastEngine, ThreadsDoNotChangeTheAnswer) {
  const int cases = test_cases(2000) / 10;
  ProblemMaker maker(test_seed(), {{3, 6}, {10, 30}, {4, 12}, 10, false});
  int compared = 0, tied = 0;
  const auto make = [&](int i) {
    RandomProblem problem = maker.make();
    if (i % 3 != 2) {  // equal costs of whole steps, or of any change at all, make ties
      problem.query.norm = i % 3 == 0 ? Norm::l1 : Norm::l0;
      for (FeatureRule& rule : problem.query.features) {
        rule = {.kind = FeatureKind::integer, .fixed = rule.fixed};
      }
    }
    return problem;
  };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const Prepared prepared(problem.ensembles);
    Options options;
    options.ties = i % 2 == 0 ? 2 : 100'000;
    set(options, FastParts{i % 3 != 0, i % 4 != 0, i % 5 != 0});
    options.limits.nodes = 100'000;
    options.threads = 1;
    const Answer one = explain(prepared, problem.query, options);
    if (one.stop != Stop::finished) return;
    options.limits.nodes = Limits{}.nodes;
    for (const int threads : {2, 3, 8}) {
      SCOPED_TRACE(testing::Message() << threads << " threads");
      options.threads = threads;
      expect_same(explain(prepared, problem.query, options), one);
    }
    ++compared;
    tied += one.more_ties || one.solutions.size() > 1 ? 1 : 0;
  });
  std::cout << compared << " compared, " << tied << " tied\n";
  expect_share(compared, cases, 0.8);
  expect_share(tied, cases, 1.0 / 10);
}

TEST(FastEngine, BoundsAreValidWhereverTheDualStops) {
  const int cases = test_cases(3000) / 5;
  ProblemMaker maker(test_seed(), {{3, 6}, {8, 20}, {4, 12}, 20, false});
  int stopped = 0, tight = 0;
  const auto make = [&](int) { return maker.make(); };
  for_random_problems(cases, make, [&](const RandomProblem& problem, int i) {
    const Prepared prepared(problem.ensembles);
    Options options;
    options.threads = i % 3 == 0 ? 3 : 1;
    options.limits.nodes = 100'000;
    const Answer truth = explain(prepared, problem.query, options);
    if (truth.stop != Stop::finished || truth.already_met) return;
    set(options, FastParts{i % 2 == 0, false, true});
    for (const std::uint64_t nodes : {3U, 6U, 10U, 20U, 50U}) {
      options.limits.nodes = nodes;
      const Answer answer = explain(prepared, problem.query, options);
      EXPECT_LE(answer.lower_bound, truth.cost);
      EXPECT_GE(answer.cost, truth.cost);
      if (answer.stop == Stop::finished) break;
      ++stopped;
      tight += answer.lower_bound > 0.999 * truth.cost ? 1 : 0;
    }
  });
  std::cout << stopped << " stopped, " << tight << " of them with a tight bound\n";
  expect_share(stopped, cases, 1.0 / 10);
}

Query query_at(const Ensemble& model, std::vector<double> point, Requirement requirement) {
  Query query = query_for(model, point);
  query.requirements = {std::move(requirement)};
  return query;
}

Ensemble regression_model(std::size_t features, std::vector<Tree> trees) {
  Ensemble model = binary_model(features, std::move(trees));
  model.task = Task::regression;
  model.link = Link::identity;
  return model;
}

Tree constant_tree(double value) {
  Tree tree;
  tree.nodes.resize(1);
  tree.nodes[0].value = 0;
  tree.values = {value};
  return tree;
}

/// One feature cut at 1, 2, … into as many pieces as there are values.
Tree staircase(std::int32_t feature, const std::vector<double>& values) {
  Tree tree;
  tree.values = values;
  tree.nodes.resize(2 * values.size() - 1);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const auto at = static_cast<std::int32_t>(2 * i);
    tree.nodes[2 * i] = {.kind = NodeKind::less,
                         .feature = feature,
                         .left = at + 1,
                         .right = at + 2,
                         .threshold = static_cast<double>(i + 1)};
    tree.nodes[2 * i + 1].value = static_cast<std::int32_t>(i);
  }
  tree.nodes.back().value = static_cast<std::int32_t>(values.size() - 1);
  return tree;
}

/// A softmax of three classes over stumps.
Ensemble three_classes() {
  Ensemble model = binary_model(2, {stump(0, 1, 0.5, -1), stump(0, 2, 0, 2), stump(1, 1, 1, -0.5),
                                    stump(1, 2, 0.25, 1), stump(0, 3, 0, -2), stump(1, 3, 0, 1)});
  model.task = Task::multiclass;
  model.link = Link::softmax;
  model.base = {0.5, 0, 0};
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    model.trees[t].output = static_cast<std::int32_t>(t % 3);
  }
  model.validate();
  return model;
}

TEST(FastEngine, WithoutALinearCondition) {
  // An upper end of a softmax probability says nothing linear about scores.
  const Ensemble model = three_classes();
  for (const double upper : {0.3, 0.15, 0.1, 0.001}) {
    SCOPED_TRACE(upper);
    const Query query = query_at(model, {0, 0}, require_output({.upper = upper}, 0));
    const Answer answer = expect_agreement({model}, query);
    EXPECT_EQ(answer.status, upper == 0.001 ? Status::infeasible : Status::optimal);
  }
}

TEST(FastEngine, ConstantTreesOnly) {
  const Ensemble model = binary_model(2, {constant_tree(-1), constant_tree(0.25)});
  const Answer never = expect_agreement({model}, query_at(model, {0, 0}, require_class(1)));
  EXPECT_EQ(never.status, Status::infeasible);
  const Answer now = expect_agreement({model}, query_at(model, {0, 0}, require_class(0)));
  EXPECT_TRUE(now.already_met);
}

TEST(FastEngine, EqualLeafValuesEverywhere) {
  const Ensemble model = binary_model(2, {stump(0, 1, -1, -1), stump(1, 1, 0.5, 0.5)});
  EXPECT_EQ(expect_agreement({model}, query_at(model, {0, 0}, require_class(1))).status,
            Status::infeasible);
}

TEST(FastEngine, OneFeatureAndATreeOfManyLeaves) {
  std::vector<double> values;
  for (int i = 0; i < 150; ++i) values.push_back(i % 7 == 3 ? 0.5 : -1 - i % 5);
  values[90] = 3;
  const Ensemble model = regression_model(1, {staircase(0, values), stump(0, 80, 0, 0.25)});
  for (const double from : {0.0, 60.5, 89.5, 149.0, 200.0}) {
    SCOPED_TRACE(from);
    const Answer answer =
        expect_agreement({model}, query_at(model, {from}, require_output({.lower = 2})));
    EXPECT_TRUE(answer.best().point[0] >= 90 && answer.best().point[0] < 91);
    expect_agreement({model}, query_at(model, {from}, require_output({.lower = 0.6})));
  }
}

TEST(FastEngine, NothingMayChange) {
  const Ensemble model = binary_model(2, {stump(0, 1, -1, 1), stump(1, 1, -1, 1)});
  Query query = query_at(model, {0, 0}, require_class(1));
  for (FeatureRule& rule : query.features) rule.fixed = true;
  EXPECT_EQ(expect_agreement({model}, query).status, Status::infeasible);
  query = query_at(model, {missing, missing}, require_class(0));
  EXPECT_EQ(expect_agreement({model}, query).status, Status::infeasible);
  query = query_at(model, {missing, 3}, require_class(0, 0.6));
  EXPECT_EQ(expect_agreement({model}, query).status, Status::infeasible);
}

TEST(FastEngine, ScoresOutOfReach) {
  const Ensemble model = regression_model(2, {stump(0, 1, -1, 1), stump(1, 1, -1, 1)});
  for (const Interval range :
       {Interval{.lower = 2.5}, Interval{.upper = -2.5}, Interval{.lower = 0.5, .upper = 1.5}}) {
    EXPECT_EQ(expect_agreement({model}, query_at(model, {0, 0}, require_output(range))).status,
              Status::infeasible);
  }
}

TEST(FastEngine, WeightsOfAnySize) {
  const Ensemble model =
      binary_model(3, {stump(0, 1, -1, 1), stump(1, 1, -1, 1), stump(2, 1, -1, 1),
                       stump(0, 3, 0, 2), stump(1, 2, 0, 0.5), stump(2, 4, 0, 1.5)});
  constexpr double sizes[] = {1e-30, 1, 1e30};
  for (int i = 0; i < 27; ++i) {
    SCOPED_TRACE(i);
    Query query = query_at(model, {0, 0, 0}, require_class(1, 0.9));
    query.norm = i % 2 == 0 ? Norm::squared_l2 : Norm::l1;
    for (int d = 0, rest = i; d < 3; ++d, rest /= 3) {
      query.features[static_cast<std::size_t>(d)].weight = sizes[rest % 3];
    }
    EXPECT_EQ(expect_agreement({model}, query).status, Status::optimal);
    query.features[1].scale = 1e30;
    EXPECT_EQ(expect_agreement({model}, query).status, Status::optimal);
  }
}

TEST(FastEngine, CostsThatUnderflow) {
  // The squares of such small steps are 0: points differ, their costs do not.
  Ensemble model = binary_model(
      3, {stump(0, 1, -1, 1), stump(1, 1, -1, 1), stump(2, 1, -1, 1), stump(0, 2, 0, 1)});
  model.input = model.accumulator = Precision::float64;
  for (Tree& tree : model.trees) tree.nodes[0].threshold *= 1e-170;
  const Query query = query_at(model, {0, 0, 0}, require_class(1));
  EXPECT_EQ(expect_agreement({model}, query).cost, 0);
  Query smallest = query;
  smallest.norm = Norm::custom;
  smallest.term = [](std::size_t, double from, double to) { return to == from ? 0.0 : 5e-324; };
  EXPECT_EQ(expect_agreement({model}, smallest).cost, 1e-323);
}

TEST(FastEngine, TreesOfEveryOutput) {
  Ensemble model = three_classes();
  for (const std::int32_t feature : {0, 1}) {
    Tree tree = stump(feature, 1.5, 0, 0);
    tree.output = Tree::every_output;
    tree.nodes[2].value = 3;
    tree.values = {0.5, -1, 0.25, -0.5, 1, 0};
    model.trees.push_back(tree);
  }
  model.validate();
  for (std::size_t target = 0; target < 3; ++target) {
    SCOPED_TRACE(target);
    expect_agreement({model}, query_at(model, {0, 0}, require_class(target)));
    expect_agreement({model}, query_at(model, {3, 2}, require_class(target, 0.6)));
    expect_agreement({model}, query_at(model, {5, 5}, require_output({0.2, 0.5}, target)));
  }
}

TEST(FastEngine, TiesOfManyCategoriesAreCappedAlike) {
  // Two of three features must change, each to one of four categories, all of equal cost.
  std::vector<Tree> trees;
  for (const std::int32_t d : {0, 1, 2}) trees.push_back(staircase(d, {0, 1, 1, 0.5, 1, 1}));
  const Ensemble model = regression_model(3, trees);
  Query query = query_at(model, {0, 0, 0}, require_output({.lower = 2}));
  for (FeatureRule& rule : query.features) {
    rule.kind = FeatureKind::categorical;
    rule.range = {0, 5};
  }
  const Answer all = expect_agreement({model}, query);
  EXPECT_EQ(all.solutions.size(), 48U);
  EXPECT_EQ(all.cost, 2);
  for (const std::size_t ties : {1U, 2U, 16U, 47U, 48U}) {
    SCOPED_TRACE(ties);
    const Answer first = expect_agreement({model}, query, ties);
    EXPECT_EQ(first.more_ties, ties < 48);
    ASSERT_EQ(first.solutions.size(), ties);
    for (std::size_t i = 0; i < ties; ++i) {
      EXPECT_TRUE(same_solution(first.solutions[i], all.solutions[i])) << i;
    }
  }
}

/// Staircases of ten steps over six features, two a feature, with values in eighths.
std::vector<Tree> many_stairs(std::uint64_t seed, double scale) {
  std::mt19937_64 random(seed);
  std::vector<Tree> trees;
  for (std::int32_t t = 0; t < 12; ++t) {
    std::vector<double> values;
    for (int i = 0; i < 10; ++i) values.push_back(scale * static_cast<double>(random() % 17) / 8);
    trees.push_back(staircase(t % 6, values));
  }
  return trees;
}

TEST(FastEngine, SmallValuesAreNoHarder) {
  // The sums of a model without a link are compared as they are: no absolute allowance may blur
  // them.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Options options;
    options.threads = 1;
    set(options, FastParts{.dual = false});
    const auto ask = [&](double scale) {
      const Ensemble model = regression_model(6, many_stairs(seed, scale));
      const std::vector<double> point(6, 4.5);
      const double now = model.predict(point)[0];
      const double wanted = now + 6 * scale;
      return explain(model, query_at(model, point, require_output({.lower = wanted})), options);
    };
    const Answer usual = ask(1), small = ask(0x1p-30);
    EXPECT_EQ(small.status, usual.status);
    EXPECT_EQ(small.cost, usual.cost);
    EXPECT_LT(small.statistics.nodes, 2 * usual.statistics.nodes + 100);
  }
}

TEST(FastEngine, AProbabilityAmongSeveralClassesIsFoundAndProven) {
  // Each lead by itself is not enough: the start must look for what softmax needs.
  int possible = 0, started = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Ensemble model = binary_model(6, many_stairs(seed, 1));
    model.task = Task::multiclass;
    model.link = Link::softmax;
    model.base = {0, 0, 0, 0};
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      model.trees[t].output = static_cast<std::int32_t>((t + t / 6) % 4);
    }
    model.validate();
    for (const double probability : {0.5, 0.8}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", probability " << probability);
      const Query query =
          query_at(model, std::vector<double>(6, 4.5), require_class(seed % 4, probability));
      const Answer truth = explain(model, query, paper_options());
      Options quick;
      quick.limits.nodes = 20'000;
      expect_same(explain(model, query, quick), truth);
      if (truth.status != Status::optimal) continue;
      ++possible;
      Options start_only;
      start_only.limits.nodes = 50;
      const Answer first = explain(model, query, start_only);
      started += !first.solutions.empty() && first.cost <= 4 * truth.cost ? 1 : 0;
    }
  }
  EXPECT_GT(possible, 5);
  EXPECT_GE(started, possible - 2) << "of " << possible;
}

TEST(FastEngine, AnExampleOfOneHotColumnsIsStartedFrom) {
  // Three columns stand for one feature, and a fourth is a number.
  const Ensemble model = binary_model(4, {stump(2, 0.5, -1, 1), stump(3, 5, -1, 1)});
  Query query = query_at(model, {1, 0, 0, 2}, require_class(1, 0.8));
  query.groups = {{{0, 1, 2}, 4}};
  const std::vector<Ensemble> ensembles{model};
  const Prepared prepared(ensembles);
  const std::vector<Condition> conditions = make_conditions(ensembles, query);
  Incumbent incumbent(query, 1);
  Watch watch(Limits{});
  const fast::Context context(ensembles, query, leaves_of(prepared), leaf_table_of(prepared),
                              conditions, {}, {}, incumbent, watch);
  // One without the outcome, one that is of another group alone, one that has both.
  const std::vector<std::vector<double>> examples{{0, 1, 0, 9}, {0, 0, 1, 3}, {0, 0, 1, 9}};
  fast::start_from_examples(context, examples);
  ASSERT_FALSE(incumbent.best_point().empty());
  EXPECT_EQ(incumbent.best_point(), (std::vector<double>{0, 0, 1, 5}));
  EXPECT_EQ(incumbent.cost(), 4 + 9);
}

}  // namespace fast_engine_test
