// Certificates: made for random questions, accepted by the checkers, which share no code with the
// library; and rejected as soon as they claim something false.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/question_file.hpp>

#include "error_of.hpp"
#include "proof/problem.hpp"
#include "proof/search.hpp"
#include "proof/sha256.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <variant>

#include "random_problem.hpp"
#include "random_rules.hpp"
#include "seeds.hpp"
#include "small_models.hpp"
#include "this_build.hpp"

namespace boxwood {
namespace proof_test {

using Json = nlohmann::ordered_json;

RandomProblem drawn(std::uint64_t seed) {
  RandomProblem problem = ProblemMaker(seed).make();
  if (seed % 2 == 0) RuleMaker(seed).add_to(problem);
  if (problem.query.norm == Norm::custom) problem.query.norm = Norm::l1;
  problem.query.term = nullptr;
  for (Ensemble& ensemble : problem.ensembles) {
    const bool known = ensemble.link == Link::sigmoid || ensemble.link == Link::softmax;
    if (seed % 5 == 0 && known && ensemble.accumulator == Precision::float32) {
      ensemble.link_form = LinkForm::onnxruntime;
    }
  }
  return problem;
}

/// What a question is about, for the list of what was covered.
std::vector<std::string> kinds_of(const RandomProblem& problem) {
  const Query& query = problem.query;
  std::vector<std::string> kinds{"norm " + std::to_string(static_cast<int>(query.norm))};
  const auto add = [&](bool is, const std::string& name) {
    if (is) kinds.push_back(name);
  };
  add(problem.ensembles.size() > 1, "several models");
  add(query.fewest_first, "fewest changes first");
  add(query.max_changes.has_value(), "limit on changes");
  add(!query.clauses.empty(), "clauses");
  add(!query.groups.empty(), "groups");
  for (const double value : query.point) add(std::isnan(value), "missing values");
  for (const FeatureRule& rule : query.features) {
    add(rule.kind == FeatureKind::categorical, "categories");
    add(rule.missing_allowed, "may become missing");
  }
  for (const Ensemble& ensemble : problem.ensembles) {
    kinds.push_back("link " + std::to_string(static_cast<int>(ensemble.link)));
    add(ensemble.link_form == LinkForm::onnxruntime, "onnxruntime");
  }
  for (const Requirement& one : query.requirements) {
    add(one.negated, "negated");
    kinds.push_back("outcome " + std::to_string(one.outcome.index()));
  }
  return kinds;
}

/// Cases for tests/check_proofs.py, one on each line.
class Cases {
 public:
  Cases() {
    folder_ =
        std::filesystem::temp_directory_path() / ("boxwood_proofs_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    file_.open(folder_ / "cases.jsonl");
  }
  ~Cases() { std::filesystem::remove_all(folder_); }

  /// `expected`: "accepted", or "rejected" for a false claim.
  void add(const RandomProblem& problem, const Answer& truth, const std::string& proof,
           const std::string& expected, std::uint64_t seed) {
    Json line;
    for (const Ensemble& ensemble : problem.ensembles) {
      line["models"].push_back(Json::parse(to_json(ensemble)));
    }
    line["question"] = question_text(problem.query);
    line["proof"] = Json::parse(proof);
    line["expected"] = expected;
    line["seed"] = seed;
    line["feasible"] = truth.status != Status::infeasible;
    if (truth.status == Status::optimal) {
      line["cost"] = truth.cost;
      line["changes"] = change_count(problem.query, truth.best().point);
    }
    file_ << line.dump() << "\n";
    ++count_;
  }

  /// Runs the checkers on all cases, with so many mutations of each.
  int check(int mutations) {
    file_.close();
    // The fast checker is beside the command.
    const auto fast =
        std::filesystem::path(boxwood_test::command()).parent_path() / "boxwood_check";
    const std::string command = "python3 " BOXWOOD_SOURCE_DIR "/tests/check_proofs.py " +
                                (folder_ / "cases.jsonl").string() + " " +
                                std::to_string(mutations) + " " + std::to_string(test_seed()) +
                                " " + fast.string();
    return std::system(command.c_str());
  }
  int count() const { return count_; }

 private:
  std::filesystem::path folder_;
  std::ofstream file_;
  int count_ = 0;
};

TEST(Proof, HashIsSha256) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(std::string(200, 'a')),
            "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5");
}

/// What an engine with a wrong prune would claim: that a point is optimal although one is cheaper.
/// It never changes one feature that the optimum changes, and the certificate proves just that.
void add_suboptimal(const RandomProblem& problem, const Answer& truth, Cases& list,
                    std::uint64_t seed) {
  for (std::size_t d = 0; d < problem.query.point.size(); ++d) {
    const double now = problem.query.point[d], then = truth.best().point[d];
    if (now == then || (std::isnan(now) && std::isnan(then))) continue;
    Query narrow = problem.query;
    narrow.features[d].fixed = true;
    try {
      const Answer wrong = explain(problem.ensembles, narrow);
      if (wrong.status != Status::optimal || !(wrong.cost > truth.cost)) return;
      EXPECT_THROW(prove(problem.ensembles, problem.query, wrong), Error);
      Json json = Json::parse(prove(problem.ensembles, narrow, wrong, {.plain_boxes = 0}).text);
      json["question"] = sha256(question_text(problem.query));
      list.add(problem, truth, json.dump(), "rejected", seed);
    } catch (const Error&) {  // the narrow question is not valid, or has no proof
    }
    return;
  }
}

/// The certificate of a model that has another number in one leaf, as if it were about this model.
void add_neighbour(const RandomProblem& problem, const Answer& truth, Cases& list,
                   std::uint64_t seed) {
  RandomProblem near = problem;
  std::vector<Tree>& trees = near.ensembles[seed % near.ensembles.size()].trees;
  if (trees.empty() || trees[0].values.empty()) return;
  trees[0].values[seed % trees[0].values.size()] = seed % 2 == 0 ? -2 : 2;
  try {
    const Answer answer = explain(near.ensembles, near.query);
    if (answer.status == Status::optimal && !(answer.cost > truth.cost)) return;
    Json json = Json::parse(prove(near.ensembles, near.query, answer, {.plain_boxes = 0}).text);
    json["models"] = Json::array();
    for (const Ensemble& one : problem.ensembles) json["models"].push_back(model_digest(one));
    list.add(problem, truth, json.dump(), "rejected", seed);
  } catch (const Error&) {  // it has no proof
  }
}

/// A model of one tree whose output is `low` below 1 and `high` from 1 on, and a point below 1.
RandomProblem overflowing(Link link, double low, double high, const Requirement& wanted) {
  RandomProblem problem;
  problem.ensembles = {binary_model(1, {stump(0, 1, low, high)})};
  problem.ensembles[0].task = Task::regression;
  problem.ensembles[0].link = link;
  problem.query.point = {0};
  problem.query.features.resize(1);
  problem.query.norm = Norm::l1;
  problem.query.requirements = {wanted};
  return problem;
}

TEST(Proof, OutputsThatOverflowAreOutsideOfIntervalsOpenAtInfinity) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Interval finite{-inf, inf, false, false};
  Cases list;
  for (const bool by_score : {false, true}) {
    const Link link = by_score ? Link::identity : Link::exponential;
    // exp(100) overflows in float32; so does twice 2^127.
    const double high = by_score ? 0x1p127 : 100, low = by_score ? 0x1p120 : 50;
    Requirement wanted{0, OutputIn{finite}, true};
    if (by_score) wanted.outcome = ScoreIn{finite};
    RandomProblem overflows = overflowing(link, 0, high, wanted);
    RandomProblem does_not = overflowing(link, 0, low, wanted);
    for (RandomProblem* problem : {&overflows, &does_not}) {
      if (by_score) problem->ensembles[0].trees.push_back(problem->ensembles[0].trees[0]);
    }
    const Answer found = explain(overflows.ensembles, overflows.query);
    ASSERT_EQ(found.status, Status::optimal);
    EXPECT_EQ(found.cost, 1);
    const Answer none = explain(does_not.ensembles, does_not.query);
    ASSERT_EQ(none.status, Status::infeasible);
    const std::string proof = prove(does_not.ensembles, does_not.query, none).text;
    list.add(does_not, none, proof, "accepted", 0);

    // "It never overflows" is false, and no certificate shows it.
    Answer missed = found;
    missed.status = Status::infeasible;
    missed.solutions.clear();
    EXPECT_THROW(prove(overflows.ensembles, overflows.query, missed), Error);
    const auto forged = [&](const RandomProblem& problem) {
      Json json = Json::parse(proof);
      json["models"] = {model_digest(problem.ensembles[0])};
      json["question"] = sha256(question_text(problem.query));
      return json;
    };
    list.add(overflows, found, forged(overflows).dump(), "rejected", 0);

    // "It is finite and at least 3" does not hold where it overflows.
    RandomProblem bounded = overflows;
    Requirement& least = bounded.query.requirements[0];
    least.negated = false;
    const Interval from_3{3, inf, true, false};
    if (by_score) {
      least.outcome = ScoreIn{from_3};
    } else {
      least.outcome = OutputIn{from_3};
    }
    const Answer nothing = explain(bounded.ensembles, bounded.query);
    ASSERT_EQ(nothing.status, Status::infeasible);
    Json json = forged(bounded);
    json["claim"] = "optimal";
    json["cost"] = 1;
    json["point"] = {1};
    json["tree"] = {-2};
    list.add(bounded, nothing, json.dump(), "rejected", 0);
  }
  EXPECT_EQ(list.count(), 6);
  EXPECT_EQ(list.check(2), 0);
}

/// A threshold of -inf separates no admissible values; the point has the value of the cell below 1.
TEST(Proof, InfiniteThresholdsAreNoCuts) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  RandomProblem problem = overflowing(Link::identity, 1, 0, {0, OutputIn{{1, inf, true, true}}});
  problem.ensembles[0].trees.push_back(stump(0, -inf, 0, 0));
  problem.ensembles[0].trees[1].nodes[0].kind = NodeKind::less_equal;
  problem.query.point = {std::numeric_limits<double>::quiet_NaN()};
  problem.query.features[0].missing_allowed = true;
  const Answer answer = explain(problem.ensembles, problem.query);
  ASSERT_EQ(answer.status, Status::optimal);
  Cases list;
  list.add(problem, answer, prove(problem.ensembles, problem.query, answer).text, "accepted", 0);
  EXPECT_EQ(list.check(0), 0);
}

/// In float32, 2^25 + 3 - 2^25 is 4. The numbers of one leaf begin within those of the other one.
/// The allowance for rounding counts them all, so boxes are cut until the scores are known.
TEST(Proof, NumbersOfLeavesMayOverlap) {
  RandomProblem problem;
  std::vector<Tree> trees;
  for (const double value : {0x1p25, 3.0, -0x1p25}) {
    Tree tree = stump(0, 1, 0, 0);
    tree.output = Tree::every_output;
    tree.values = {0, value, 0, 0};
    tree.nodes[1].value = 2;
    tree.nodes[2].value = 1;
    trees.push_back(tree);
  }
  trees.push_back(stump(1, 1, 0, 0.25));
  problem.ensembles = {binary_model(2, trees)};
  problem.ensembles[0].task = Task::regression;
  problem.ensembles[0].link = Link::identity;
  problem.ensembles[0].base = {0, 0};
  problem.query = query_for(problem.ensembles[0], std::vector<double>{0, 0});
  constexpr double inf = std::numeric_limits<double>::infinity();
  problem.query.requirements = {{0, ScoreIn{{4.5, inf, true, true}}}};
  const Answer answer = explain(problem.ensembles, problem.query);
  ASSERT_EQ(answer.status, Status::infeasible);
  Cases list;
  list.add(problem, answer, prove(problem.ensembles, problem.query, answer).text, "accepted", 0);
  EXPECT_EQ(list.check(0), 0);
}

/// Where the row itself has the outcome, nothing is cheaper: the whole box is dead, also if no tree
/// has a split.
TEST(Proof, BothCheckersKnowThatAnExcludedBoxIsDead) {
  RandomProblem problem;
  problem.ensembles = {binary_model(1, {Tree{{{.value = 0}}, {1.0}}})};
  problem.query = query_for(problem.ensembles[0], std::vector<double>{0.5});
  problem.query.requirements = {require_class(1)};
  const Answer answer = explain(problem.ensembles, problem.query);
  ASSERT_EQ(answer.cost, 0);
  Json json = Json::parse(prove(problem.ensembles, problem.query, answer).text);
  EXPECT_EQ(json["tree"], Json::array({-2}));
  Cases list;
  list.add(problem, answer, json.dump(), "accepted", 0);
  EXPECT_EQ(list.check(0), 0);
}

/// The score of the row is at the threshold up to the allowance for rounding, so that a box is
/// closed only once every tree has one live leaf. The splits of the 30 other features lie in leaves
/// that cost too much: cutting there would decide nothing and double the boxes each time.
TEST(Proof, BoxesWithinRoundingAreCutWhereLeavesDiffer) {
  RandomProblem problem;
  std::vector<Tree> trees{stump(0, 1, 0.5, 0.5), stump(0, 1, -0.5, -0.5), stump(2, 9, 0, -2)};
  for (std::int32_t d = 3; d < 33; ++d) {
    Tree tree = stump(1, 10, 0, 0);
    tree.nodes.resize(5);
    tree.nodes[2] = {.kind = NodeKind::less, .feature = d, .left = 3, .right = 4, .threshold = 0.5};
    tree.nodes[3].value = 1;
    tree.nodes[4].value = 2;
    tree.values = {0, 1, 2};
    trees.push_back(tree);
  }
  problem.ensembles = {binary_model(33, trees)};
  problem.query = query_for(problem.ensembles[0], std::vector<double>(33, 0.0));
  problem.query.requirements = {require_class(1)};
  const Answer answer = explain(problem.ensembles, problem.query);
  ASSERT_EQ(answer.status, Status::optimal);
  ASSERT_EQ(answer.cost, 100);
  const Proof proof = prove(problem.ensembles, problem.query, answer);
  ASSERT_EQ(proof.stop, Stop::finished);
  EXPECT_LT(proof.boxes, 20U);
  Cases list;
  list.add(problem, answer, proof.text, "accepted", 0);
  EXPECT_EQ(list.check(0), 0);
}

/// Where the last digits of a link decide far from a tie, no certificate is made. Tests of robust
/// answers, linear rules, derived columns and compositions say so of these.
TEST(Proof, WhatIsNotCoveredIsRefusedByName) {
  const auto complaint = [](const Ensemble& model, const Requirement& wanted,
                            Norm norm = Norm::l1) {
    Query query = query_for(model, std::vector<double>{0});
    query.requirements = {wanted};
    query.norm = norm;
    if (norm == Norm::custom) query.term = [](std::size_t, double a, double b) { return a - b; };
    Answer answer;
    answer.status = Status::infeasible;
    return error_of([&] { prove(std::span(&model, 1), query, answer); }, "made");
  };
  const Ensemble plain = binary_model(1, {stump(0, 1, -1, -0.5)});
  EXPECT_EQ(complaint(plain, require_class(1)), "made");
  EXPECT_EQ(complaint(plain, require_class(1), Norm::custom),
            "proof: proofs do not cover a cost function of one's own. Use a norm or a mixture, or "
            "ask without a proof");
  Ensemble in_double = plain;
  in_double.link_form = LinkForm::onnxruntime;
  in_double.accumulator = Precision::float64;
  EXPECT_EQ(complaint(in_double, require_class(1)),
            "proof: proofs do not cover models with the link \"sigmoid\" in the form "
            "\"onnxruntime\". Ask without a proof");
  Ensemble several = plain;
  several.task = Task::multiclass;
  several.base = {0, 0, 0};
  EXPECT_EQ(complaint(several, require_class(1)),
            "proof: proofs do not cover classes of several outputs with the link \"sigmoid\" in "
            "the form \"plain\". Ask without a proof");
}

TEST(Proof, LimitsAreResultsAndLeaveNoText) {
  const RandomProblem problem = drawn(1);
  const Answer answer = explain(problem.ensembles, problem.query);
  const std::atomic<bool> stop = true;
  for (const auto& [limits, reason] :
       {std::pair{ProofLimits{.seconds = 0}, Stop::time},
        std::pair{ProofLimits{.interrupt = &stop}, Stop::interrupt}}) {
    const Proof proof = prove(problem.ensembles, problem.query, answer, limits);
    EXPECT_EQ(proof.stop, reason);
    EXPECT_EQ(proof.text, "");
  }
  EXPECT_EQ(prove(problem.ensembles, problem.query, answer).stop, Stop::finished);
}

/// A search that reached a limit knows a lower bound, of the largest change too, whose search
/// bisects.
TEST(Proof, BoundsOfSearchesThatReachedALimitAreProven) {
  Cases list;
  const int cases = std::min(test_cases(240), 2000);
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(seed);
    RandomProblem problem = drawn(seed);
    problem.query.fewest_first = false;
    if (i % 2 == 0) problem.query.norm = Norm::linf;
    Options options;
    options.limits.nodes = 1;
    const Answer answer = explain(problem.ensembles, problem.query, options);
    if (answer.status != Status::feasible && answer.status != Status::unknown) continue;
    try {
      const Proof proof = prove(problem.ensembles, problem.query, answer);
      ASSERT_EQ(proof.stop, Stop::finished);
      const Answer truth = explain(problem.ensembles, problem.query);
      list.add(problem, truth, proof.text, "accepted", seed);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("do not cover"), std::string::npos) << error.what();
    }
  }
  expect_share(list.count(), cases, 0.1);
  EXPECT_EQ(list.check(1), 0);
}

TEST(Proof, RandomAnswersAreProvenAndFalseClaimsAreNot) {
  // 10,000 cases have more than 30,000 mutations; they take minutes.
  const int cases = std::min(test_cases(300), 10000);
  Cases list;
  int refused = 0;
  std::map<std::string, int> covered;
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = test_seed() + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(seed);
    const RandomProblem problem = drawn(seed);
    const Answer answer = explain(problem.ensembles, problem.query);
    std::string text;
    try {
      // Every third certificate uses dual bounds wherever they exclude anything.
      const ProofLimits limits{.plain_boxes = i % 3 == 0 ? 0U : 2000U};
      text = prove(problem.ensembles, problem.query, answer, limits).text;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.find("last digits") != std::string::npos ||
                  what.find("do not cover") != std::string::npos)
          << what;
      ++refused;
      continue;
    }
    list.add(problem, answer, text, "accepted", seed);
    for (const std::string& kind : kinds_of(problem)) ++covered[kind];
    if (answer.status != Status::optimal || answer.cost == 0) continue;

    // What a search that was stopped knows: a bound below the optimum, or the optimum's own cost.
    if (i % 4 == 0) {
      Answer stopped = answer;
      stopped.status = Status::feasible;
      stopped.lower_bound = i % 8 == 0 ? answer.cost : answer.cost * 0.7;
      if (problem.query.fewest_first) {
        stopped.least_changes = change_count(problem.query, answer.best().point);
      }
      list.add(problem, answer, prove(problem.ensembles, problem.query, stopped).text, "accepted",
               seed);
    }

    // An engine that had missed the optimum would claim something dearer. No honest proof exists.
    Answer missed = answer;
    missed.status = random() % 2 == 0 ? Status::infeasible : Status::feasible;
    missed.lower_bound = random() % 2 == 0
                             ? std::nextafter(answer.cost, std::numeric_limits<double>::infinity())
                             : answer.cost * 1.5;
    if (problem.query.fewest_first) {
      missed.least_changes = change_count(problem.query, answer.best().point);
    }
    EXPECT_THROW(prove(problem.ensembles, problem.query, missed), Error);

    add_suboptimal(problem, answer, list, seed);
    add_neighbour(problem, answer, list, seed);

    // A prover with a wrong prune, which forgets leaves, proves it all the same; no checker agrees.
    std::vector<proofs::Outcomes> outcomes;
    for (const Requirement& one : problem.query.requirements) {
      outcomes.emplace_back(problem.ensembles[one.ensemble], one);
    }
    proofs::Claim claim{std::numeric_limits<double>::infinity(), {}};
    Json json = Json::parse(text);
    json.erase("point");
    json["claim"] = "infeasible";
    json.erase("changes");
    if (missed.status == Status::feasible) {
      claim.cost = missed.lower_bound;
      json["claim"] = "lower_bound";
      json["cost"] = claim.cost;
      if (problem.query.fewest_first) {
        claim.changes = missed.least_changes;
        json["changes"] = missed.least_changes;
      }
    }
    proofs::ProofProblem forgetful(problem.ensembles, proofs::cuts_of_models(problem.ensembles),
                                   problem.query, claim);
    std::vector<proofs::LeafEntry> kept;
    std::vector<std::uint32_t> begin{0};
    for (std::size_t t = 0; t < forgetful.trees.size(); ++t) {
      const auto first = forgetful.tree_begin[t] + static_cast<std::uint32_t>(random() % 2);
      for (auto leaf = first; leaf < forgetful.tree_begin[t + 1]; ++leaf) {
        kept.push_back(forgetful.leaves[leaf]);
      }
      begin.push_back(static_cast<std::uint32_t>(kept.size()));
    }
    forgetful.leaves = kept;
    forgetful.tree_begin = begin;
    const ProofLimits limits{.boxes = 2000, .plain_boxes = i % 3 == 0 ? 0U : 2000U};
    proofs::TreeWriter writer(forgetful, outcomes, limits);
    try {
      json["tree"] = writer.write();
    } catch (const Error&) {
      continue;
    }
    list.add(problem, answer, json.dump(), "rejected", seed);
  }
  expect_share(list.count(), cases, 0.8);
  // All norms but custom, all links, all kinds of outcomes and rules have certificates.
  // Few cases of a fresh seed may miss a rare kind.
  if (cases >= 2000 || (cases >= 300 && test_seed() == 20210514)) {
    std::vector<std::string> wanted{
        "several models", "fewest changes first", "limit on changes",   "clauses",     "groups",
        "missing values", "categories",           "may become missing", "onnxruntime", "negated"};
    for (const Norm norm : {Norm::squared_l2, Norm::l1, Norm::l0, Norm::linf, Norm::mixture}) {
      wanted.push_back("norm " + std::to_string(static_cast<int>(norm)));
    }
    for (const Link link :
         {Link::identity, Link::sigmoid, Link::exponential, Link::softmax, Link::winner,
          Link::votes, Link::square, Link::softplus, Link::isolation}) {
      wanted.push_back("link " + std::to_string(static_cast<int>(link)));
    }
    for (std::size_t i = 0; i < std::variant_size_v<decltype(Requirement::outcome)>; ++i) {
      wanted.push_back("outcome " + std::to_string(i));
    }
    for (const std::string& kind : wanted) EXPECT_GT(covered[kind], 0) << kind;
  }
  EXPECT_EQ(list.check(cases > 1000 ? 5 : 2), 0);
  std::cout << refused << " of " << cases << " refused by name\n";
}

}  // namespace proof_test
}  // namespace boxwood
