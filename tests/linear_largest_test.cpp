// The largest change as cost, under a rule between two continuous features, together with what else
// may change: a category with or without a table, a one-hot group, a value that may go missing, a
// whole number. The oracle lists these and knows the least move of the two by hand. It shares no
// code with the library.
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "search/guarded.hpp"
#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

namespace linear_largest_test {

using namespace boxwood;

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr std::size_t category = 2, whole = 3, first_column = 4, features = 6;

struct Case {
  Ensemble model;
  Query query;
  std::array<double, 2> from{}, by{};  // x0 and x1: thresholds and what is beyond them
  std::array<double, 4> of_code{};
  double of_missing = 0, of_whole = 0, of_group = 0;  // scores
  double wanted = 0, least_sum = 0;                   // x0 + x1 >= least_sum
};

Case make_case(std::mt19937_64& random) {
  const auto below = [&](std::size_t count) { return random() % count; };
  const auto number = [&](std::size_t count) { return static_cast<double>(below(count)); };
  Case made;
  made.model = binary_model(features, {});
  made.model.input = Precision::float64;
  std::vector<Tree>& trees = made.model.trees;
  for (const std::size_t d : {0U, 1U}) {
    made.from[d] = number(6) + 0.5;
    made.by[d] = number(4);
    trees.push_back(stump(static_cast<std::int32_t>(d), made.from[d], 0, made.by[d]));
  }
  for (std::int32_t code = 0; code < 4; ++code) {
    const double by = code == 0 ? 0 : number(5);
    made.of_code[static_cast<std::size_t>(code)] = by;
    Tree tree = stump(category, 0, by, 0, NodeKind::in_set);
    tree.nodes[0].threshold = 0;
    tree.nodes[0].value = 0;
    tree.sets = {{code}};
    trees.push_back(tree);
  }
  made.of_whole = number(4);
  made.of_missing = number(5);
  Tree tree = stump(whole, 3.5, 0, made.of_whole);
  tree.nodes[0].missing_left = true;
  trees.push_back(tree);
  tree = stump(whole, -1e6, made.of_missing, 0);  // left: missing alone
  tree.nodes[0].missing_left = true;
  trees.push_back(tree);
  made.of_group = number(5);
  trees.push_back(stump(first_column + 1, 0.5, 0, made.of_group));
  made.model.validate();

  Query& query = made.query;
  query = query_for(made.model, std::vector<double>{number(3), number(3), 0, 1, 1, 0});
  query.norm = Norm::linf;
  for (const std::size_t d : {0U, 1U}) query.features[d].weight = 1 + number(3) / 2;
  constexpr double weights[] = {0.5, 1, 2, 4, 5, 7};
  FeatureRule& kind = query.features[category];
  kind.kind = FeatureKind::categorical;
  kind.weight = weights[below(std::size(weights))];
  if (below(3) > 0) {
    const std::size_t codes = 2 + below(3);  // those beyond the table have size 1
    kind.changes.assign(codes, std::vector<double>(codes, 1));
    for (std::size_t code = 0; code < codes; ++code) {
      for (std::size_t to = 0; to < codes; ++to)
        kind.changes[code][to] = code == to ? 0 : 1 + number(6) / 2;
    }
  }
  query.features[whole].kind = FeatureKind::integer;
  query.features[whole].range = {0, 6};
  query.features[whole].weight = weights[below(std::size(weights))];
  query.features[whole].missing_allowed = below(2) == 0;
  query.groups = {{{first_column, first_column + 1}, weights[below(std::size(weights))]}};
  made.wanted = 4 + number(9);
  query.requirements = {{0, ScoreIn{{.lower = made.wanted}}}};
  made.least_sum = number(14);
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}}, {.lower = made.least_sum}}}}};
  return made;
}

struct Least {
  double largest = nowhere, sum = nowhere;
};

/// The least largest change, and of the points that have it the least sum.
class Oracle {
 public:
  explicit Oracle(const Case& made) : made_(made), query_(made.query) {}

  Least least() {
    each([&](double largest, double) { best_.largest = std::min(best_.largest, largest); });
    if (std::isinf(best_.largest)) return best_;
    each([&](double largest, double others) {
      if (largest > best_.largest) return;
      best_.sum = std::min(best_.sum, others + sum_of_moves());
    });
    return best_;
  }

 private:
  /// Calls back with the largest change and the sum of the discrete ones, for every choice with the
  /// outcome. The moves that x0 and x1 need are in needed_.
  template <typename Visit>
  void each(Visit visit) {
    const FeatureRule& kind = query_.features[category];
    const FeatureRule& number = query_.features[whole];
    for (std::size_t code = 0; code < 4; ++code) {
      double size = code == 0 ? 0 : 1;
      if (!kind.changes.empty() && code < kind.changes.size()) size = kind.changes[0][code];
      const double by_code = kind.weight * size;
      for (int of_whole = 0; of_whole < 3; ++of_whole) {  // stays 1, becomes 4, goes missing
        if (of_whole == 2 && !number.missing_allowed) continue;
        const double by_whole = number.weight * (of_whole == 0 ? 0 : of_whole == 1 ? 3 : 1);
        for (const bool moved : {false, true}) {
          const double by_group = moved ? query_.groups[0].weight : 0;
          for (std::size_t set = 0; set < 4; ++set) {
            const std::array<bool, 2> beyond{(set & 1U) != 0, (set & 2U) != 0};
            double score = made_.of_code[code] + (moved ? made_.of_group : 0);
            score += of_whole == 1 ? made_.of_whole : of_whole == 2 ? made_.of_missing : 0;
            for (const std::size_t d : {0U, 1U}) {
              score += beyond[d] ? made_.by[d] : 0;
              const double away = made_.from[d] - query_.point[d];
              needed_[d] = beyond[d] ? std::max(0.0, away) : 0;
            }
            if (score < made_.wanted) continue;
            const double others = std::max({by_code, by_whole, by_group});
            visit(std::max(others, largest_of_moves()), by_code + by_whole + by_group);
          }
        }
      }
    }
  }

  double weight(std::size_t d) const { return query_.features[d].weight; }
  double missing() const { return made_.least_sum - query_.point[0] - query_.point[1]; }

  double largest_of_moves() const {
    const double together = missing() / (1 / weight(0) + 1 / weight(1));
    return std::max({0.0, together, weight(0) * needed_[0], weight(1) * needed_[1]});
  }

  /// The cheaper one moves as far as the largest change lets it, the other one the rest.
  double sum_of_moves() const {
    const std::size_t cheap = weight(0) <= weight(1) ? 0 : 1;
    double rest = std::max(0.0, missing() - needed_[0] - needed_[1]);
    const double more = std::min(rest, best_.largest / weight(cheap) - needed_[cheap]);
    rest -= more;
    return weight(cheap) * (needed_[cheap] + more) +
           weight(1 - cheap) * (needed_[1 - cheap] + rest);
  }

  const Case& made_;
  const Query& query_;
  std::array<double, 2> needed_{};
  Least best_;
};

double sum_of_terms(const Query& query, const std::vector<double>& row) {
  Query sums = query;
  sums.norm = Norm::l1;
  return total_cost(sums, row);
}

TEST(LinearLargest, EveryKindOfFeatureAgreesWithAllCombinations) {
  std::mt19937_64 random(test_seed());
  const int cases = test_cases(300);
  int changed = 0, infeasible = 0, discrete = 0;
  for (int i = 0; i < cases; ++i) {
    const Case made = make_case(random);
    SCOPED_TRACE(testing::Message() << "case " << i << " " << to_json(made.query));
    const Least truth = Oracle(made).least();
    Options options;
    options.threads = 1;
    options.engine = i % 8 == 0 ? Engine::paper : Engine::fast;
    const Answer answer = explain(made.model, made.query, options);
    ASSERT_EQ(answer.status, std::isinf(truth.largest) ? Status::infeasible : Status::optimal)
        << to_string(answer.stop) << " " << answer.lower_bound << " " << answer.cost << " "
        << truth.largest;
    if (std::isinf(truth.largest)) {
      ++infeasible;
      continue;
    }
    EXPECT_NEAR(answer.cost, truth.largest, 3e-9 * truth.largest);
    EXPECT_LE(answer.lower_bound, truth.largest * (1 + 1e-14));
    EXPECT_NEAR(sum_of_terms(made.query, answer.best().point), truth.sum, 1e-7 * truth.sum);
    EXPECT_TRUE(verify(made.model, made.query, answer).passed());
    changed += truth.largest > 0 ? 1 : 0;
    discrete += answer.cost == truth.largest && truth.largest > 0 ? 1 : 0;
    // With an answer from elsewhere, the search checks its prunes.
    const Answer guarded =
        explain_guarded(Prepared(made.model), made.query, options, answer.best().point);
    EXPECT_EQ(guarded.cost, answer.cost);
  }
  std::cout << changed << " with a change, " << infeasible << " infeasible, " << discrete
            << " at a number of the oracle\n";
  expect_share(changed, cases, 0.3);
  expect_share(infeasible, cases, 0.05);
}

/// Steps of the numbers of a feature that is in no rule are no reason to stop early, however large
/// they are: 64 at 10^9 in float32.
TEST(LinearLargest, OnlyFeaturesOfRulesHaveSteps) {
  const Ensemble model = binary_model(3, {stump(2, 1e9, -1, 1)});
  Query query = query_for(model, std::vector<double>{0, 0, 1e9 - 1024});
  query.features[1].weight = 1.5;
  query.features[2].weight = 0.01;
  query.norm = Norm::linf;
  query.requirements = {require_class(1)};
  query.clauses = {{{}, {{{{.feature = 0}, {.feature = 1}}, {.lower = 100}}}}};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_NEAR(answer.cost, 60, 1e-3);
}

}  // namespace linear_largest_test
