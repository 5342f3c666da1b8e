// Both engines against brute force on random small models, in every mode and with one thread and
// several. The promises: same status, same cost, same set of cheapest points.
#include <boxwood/explain.hpp>
#include <boxwood/verify.hpp>

#include "agreement.hpp"
#include "oracle.hpp"
#include "random_problem.hpp"
#include "search/engine_settings.hpp"
#include "search/guarded.hpp"
#include "search/known_solution.hpp"
#include "seeds.hpp"
#include "shrink.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace engines_test {

using namespace boxwood;

Options with_engine(Engine engine, int threads = 0) {
  Options options;
  options.engine = engine;
  options.threads = threads;
  return options;
}

TEST(Engines, TheBaseAloneMayReachTheTarget) {
  // No leaf votes for class 1: moving away from the one that votes against it is enough.
  const Ensemble model = binary_model(1, {stump(0, 0.5, -2, 0)}, 1);
  Query query = query_for(model, std::vector{0.0});
  query.requirements = {require_class(1)};
  EXPECT_EQ(explain(model, query).best().point[0], 0.5);
  for (const bool additions : {true, false}) {
    Options options;
    options.engine = Engine::paper;
    options.published = !additions;
    EXPECT_EQ(explain(model, query, options).best().point[0], 0.5);
  }
}

TEST(Engines, ASumThatOverflowsMayMeetAnything) {
  constexpr double huge = 3e38F;
  Tree constant;
  constant.nodes.resize(1);
  constant.nodes[0].value = 0;
  constant.values = {-huge};
  Ensemble model = binary_model(1, {stump(0, 1, 0, huge), constant}, huge);
  model.task = Task::regression;
  model.link = Link::identity;
  Query query = query_for(model, std::vector{0.0});
  query.requirements = {require_output({.lower = 3.3e38})};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    const Answer answer = explain(model, query, with_engine(engine));
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.best().point[0], 1);
  }
}

TEST(Engines, AKnownSolutionThatIsLostIsNoticed) {
  // A point that does not meet the requirement is bound to be pruned.
  const Ensemble model = binary_model(2, {stump(0, 0.5, -1, 1), stump(1, 0.5, -0.25, 0.25)});
  Query query = query_for(model, std::vector{0.0, 0.0});
  query.requirements = {require_class(1)};
  const std::vector<double> wrong{0.0, 0.5};
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    Options options = with_engine(engine);
    // A start would find a better point, and then it would be right to lose this one.
    set(options, FastParts{.start = false});
    if (developer_build) {
      EXPECT_THROW(explain_guarded(Prepared(model), query, options, wrong), std::logic_error);
    } else {
      EXPECT_EQ(explain_guarded(Prepared(model), query, options, wrong).cost, 0.25);
    }
  }
}

TEST(Engines, APathMayAskForManyColumnsOfAGroup) {
  // Each test leaves two ranges of its column; only the last column leads to the class.
  constexpr int columns = 70;
  Ensemble model = binary_model(columns, {});
  Tree tree;
  for (std::int32_t d = 0; d < columns; ++d) {
    tree.nodes.push_back({.kind = NodeKind::equal,
                          .feature = d,
                          .left = 2 * d + 1,
                          .right = 2 * d + 2,
                          .threshold = 0.5});
    tree.nodes.push_back({.kind = NodeKind::leaf, .value = 0});
  }
  tree.nodes.push_back({.kind = NodeKind::less,
                        .feature = columns - 1,
                        .left = 2 * columns + 1,
                        .right = 2 * columns + 2,
                        .threshold = 0.5});
  tree.nodes.push_back({.kind = NodeKind::leaf, .value = 0});
  tree.nodes.push_back({.kind = NodeKind::leaf, .value = 1});
  tree.values = {-1, 1};
  model.trees = {tree};
  model.validate();
  std::vector<double> point(columns, 0.0);
  point[0] = 1;
  Query query = query_for(model, point);
  query.requirements = {require_class(1)};
  query.groups.resize(1);
  for (std::size_t d = 0; d < columns; ++d) query.groups[0].columns.push_back(d);
  for (const Engine engine : {Engine::fast, Engine::paper}) {
    const Answer answer = explain(model, query, with_engine(engine));
    ASSERT_EQ(answer.status, Status::optimal);
    EXPECT_EQ(answer.best().point.back(), 1);
  }
}

struct Mode {
  const char* name;
  Options options;
};

std::vector<Mode> modes() {
  const auto paper = [](bool score, bool leaf, int threads) {
    Options options = with_engine(Engine::paper, threads);
    set(options, PaperAdditions{score, leaf});
    return options;
  };
  const auto fast = [](bool start, bool probe, bool dual, int threads) {
    Options options = with_engine(Engine::fast, threads);
    set(options, FastParts{start, probe, dual});
    return options;
  };
  return {{"fast", fast(true, true, true, 1)},
          {"fast, several threads", fast(true, true, true, 4)},
          {"fast, the dual at every node", fast(true, false, true, 1)},
          {"fast, the dual alone", fast(false, false, true, 1)},
          {"fast, the dual alone, several threads", fast(false, false, true, 3)},
          {"fast, without the dual", fast(false, true, false, 2)},
          {"fast, branching alone", fast(false, false, false, 1)},
          {"paper", paper(true, true, 1)},
          {"paper, several threads", paper(true, true, 4)},
          {"paper, as published", paper(false, false, 1)},
          {"paper, score pruning", paper(true, false, 1)},
          {"paper, leaf pruning", paper(false, true, 2)}};
}

void expect_agreement_in_every_mode(const RandomProblem& problem, const Oracle::Result& truth) {
  static const std::vector<Mode> all_modes = modes();
  const Prepared prepared(problem.ensembles);
  std::vector<double> first_point;
  for (const Mode& mode : all_modes) {
    SCOPED_TRACE(mode.name);
    Options options = mode.options;
    options.ties = 100'000;
    expect_agreeing_answer(prepared, problem.ensembles, problem.query, options, truth, first_point);
  }
}

TEST(Engines, AgreesWithBruteForceInEveryMode) {
  const int cases = test_cases(8000);
  int optimal = 0, infeasible = 0, tied = 0, met = 0, missing = 0, several = 0;
  ProblemMaker maker(test_seed());
  for (int i = 0; i < cases; ++i) {
    const RandomProblem problem = maker.make();
    const auto truth = Oracle::solve(problem.ensembles, problem.query);
    if (!truth) continue;
    SCOPED_TRACE(testing::Message() << "case " << i << " of BOXWOOD_SEED=" << test_seed());
    expect_agreement_in_every_mode(problem, *truth);
    if (testing::Test::HasFailure()) {
      report_smallest(problem, [](const RandomProblem& smaller) {
        const auto known = Oracle::solve(smaller.ensembles, smaller.query);
        if (known) expect_agreement_in_every_mode(smaller, *known);
      });
      return;
    }
    optimal += truth->points.empty() ? 0 : 1;
    infeasible += truth->points.empty() ? 1 : 0;
    tied += truth->points.size() > 1 ? 1 : 0;
    met += truth->cost == 0 ? 1 : 0;
    missing += std::any_of(problem.query.point.begin(), problem.query.point.end(),
                           [](double v) { return std::isnan(v); });
    several += problem.query.requirements.size() > 1 ? 1 : 0;
  }
  std::cout << optimal << " optimal (" << met << " of them already met, " << tied << " tied), "
            << infeasible << " infeasible, " << missing << " with missing values, " << several
            << " with two ensembles\n";
  // The cases are worth something only if they cover what they are meant to cover.
  EXPECT_GT(optimal + infeasible, cases * 8 / 10) << "too many were too large for brute force";
  expect_share(optimal - met, cases, 1.0 / 14);
  expect_share(infeasible, cases, 1.0 / 20);
  expect_share(tied, cases, 1.0 / 100);
  expect_share(missing, cases, 1.0 / 20);
  expect_share(several, cases, 1.0 / 40);
}

}  // namespace engines_test
