// Linear rules between continuous features: the rules hold exactly, and the cost is within the
// tolerance of the lowest one. The oracle solves every box of cells by trying all sets of tight
// constraints; it shares no code with the library.
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "seeds.hpp"
#include "small_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <optional>
#include <random>

namespace linear_continuous_test {

using namespace boxwood;
using Of = LinearTerm::Of;

constexpr double nowhere = std::numeric_limits<double>::infinity();

/// The sum of factors * x is at most, or exactly, the limit.
struct Plane {
  std::vector<double> factors;
  double limit = 0;
  bool equal = false;

  double excess(const std::vector<double>& x) const {
    double sum = -limit;
    for (std::size_t j = 0; j < x.size(); ++j) sum += factors[j] * x[j];
    return equal ? std::abs(sum) : sum;
  }
};

std::optional<std::vector<double>> solve_equations(std::vector<std::vector<double>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    if (std::abs(rows[pivot][k]) < 1e-9) return std::nullopt;
    std::swap(rows[k], rows[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = rows[k][n] / rows[k][k];
  return x;
}

/// The least cost in a closed box under some planes. The least cost of a sum of squares, absolute
/// values and counts is at a point where some of the constraints and of the planes "as it is now"
/// are tight, and where nothing else than a sum of squares is left to minimise.
double least_cost_in(const Query& query, std::vector<Plane> planes, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    Plane now{std::vector<double>(n, 0.0), query.point[j], false};
    now.factors[j] = 1;
    planes.push_back(now);
  }
  const std::size_t given = planes.size() - n;
  double best = nowhere;
  for (std::size_t set = 0; set < (std::size_t{1} << planes.size()); ++set) {
    std::vector<const Plane*> tight;
    for (std::size_t p = 0; p < planes.size(); ++p) {
      if (set >> p & 1U) tight.push_back(&planes[p]);
    }
    if (tight.size() > n) continue;
    // Lagrange: weight * (x - now) + factors * prices = 0, and the planes.
    const std::size_t size = n + tight.size();
    std::vector<std::vector<double>> rows(size, std::vector<double>(size + 1, 0.0));
    for (std::size_t j = 0; j < n; ++j) {
      const FeatureRule& rule = query.features[j];
      const double weight = rule.weight / rule.scale / rule.scale;
      rows[j][j] = weight;
      rows[j][size] = weight * query.point[j];
      for (std::size_t k = 0; k < tight.size(); ++k) {
        rows[j][n + k] = rows[n + k][j] = tight[k]->factors[j];
      }
    }
    for (std::size_t k = 0; k < tight.size(); ++k) rows[n + k][size] = tight[k]->limit;
    std::optional<std::vector<double>> x = solve_equations(std::move(rows));
    if (!x) continue;
    x->resize(n);
    bool inside = true;
    for (std::size_t p = 0; p < given; ++p) inside = inside && planes[p].excess(*x) < 1e-9;
    if (!inside) continue;
    for (std::size_t j = 0; j < n; ++j) {
      if (std::abs((*x)[j] - query.point[j]) < 1e-9) (*x)[j] = query.point[j];
    }
    best = std::min(best, total_cost(query, *x));
  }
  return best;
}

/// The same for the largest term, which is one more variable: at least the cost of each feature's
/// move in either direction. The least one is where as many constraints are tight as there are
/// variables.
double least_largest_in(const Query& query, std::vector<Plane> planes, std::size_t n) {
  for (Plane& plane : planes) plane.factors.push_back(0);
  for (std::size_t j = 0; j < n; ++j) {
    const FeatureRule& rule = query.features[j];
    for (const double sign : {-1.0, 1.0}) {
      Plane move{std::vector<double>(n + 1, 0.0)};
      move.factors[j] = sign * rule.weight * (sign > 0 ? rule.up : rule.down) / rule.scale;
      move.factors[n] = -1;
      move.limit = move.factors[j] * query.point[j];
      planes.push_back(move);
    }
  }
  double best = nowhere;
  std::vector<std::size_t> tight(n + 1);
  const auto consider = [&] {
    std::vector<std::vector<double>> rows;
    for (const std::size_t p : tight) {
      rows.push_back(planes[p].factors);
      rows.back().push_back(planes[p].limit);
    }
    const std::optional<std::vector<double>> x = solve_equations(std::move(rows));
    if (!x || x->back() >= best) return;
    for (const Plane& plane : planes) {
      if (plane.excess(*x) > 1e-9) return;
    }
    best = std::max(0.0, x->back());
  };
  const auto choose = [&](auto self, std::size_t place, std::size_t from) -> void {
    if (place == tight.size()) return consider();
    for (std::size_t p = from; p < planes.size(); ++p) {
      tight[place] = p;
      self(self, place + 1, p + 1);
    }
  };
  choose(choose, 0, 0);
  return best;
}

struct Case {
  Ensemble model;
  Query query;
};

class CaseMaker {
 public:
  explicit CaseMaker(std::uint64_t seed) : random_(seed) {}

  Case make() {
    const std::size_t n = 2 + below(2);
    std::vector<Tree> trees;
    for (std::size_t t = 1 + below(4); t > 0; --t) trees.push_back(tree(n));
    Case made{binary_model(n, std::move(trees)), {}};
    if (below(2) == 0) made.model.input = Precision::float32;
    std::vector<double> point;
    for (std::size_t d = 0; d < n; ++d) point.push_back(number());
    made.query = query_for(made.model, point);
    Query& query = made.query;
    for (FeatureRule& rule : query.features) {
      if (below(3) > 0) rule.range = {-0.25, 1.25};
      rule.weight = 0.5 + uniform();
      rule.scale = 0.5 + uniform();
    }
    constexpr Norm norms[] = {Norm::squared_l2, Norm::l1, Norm::l0, Norm::mixture};
    query.norm = norms[below(4)];
    for (FeatureRule& rule : query.features) {
      if (query.norm == Norm::l1)
        rule.up = 0.5 + uniform();  // the oracle's squares have one weight
    }
    query.mixture = {.l1 = 1, .l0 = 0.1};
    if (below(2) == 0) query.mixture = {.squared_l2 = 1, .l0 = 0.1};
    query.requirements = {{0, ScoreIn{{.lower = uniform()}}}};
    for (std::size_t c = 1 + below(2); c > 0; --c) query.clauses.push_back({{}, {sum(n)}});
    return made;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  double uniform() { return std::uniform_real_distribution(0.0, 1.0)(random_); }
  /// A number that float32 has.
  double number() { return static_cast<double>(static_cast<float>(uniform())); }

  Tree tree(std::size_t n) {
    Tree made;
    made.nodes.resize(7);
    for (std::int32_t i = 0; i < 3; ++i) {
      made.nodes[static_cast<std::size_t>(i)] = {
          .kind = below(2) == 0 ? NodeKind::less : NodeKind::less_equal,
          .feature = static_cast<std::int32_t>(below(n)),
          .left = 2 * i + 1,
          .right = 2 * i + 2,
          .threshold = number()};
    }
    for (std::int32_t i = 0; i < 4; ++i) {
      made.nodes[static_cast<std::size_t>(3 + i)].value = i;
      made.values.push_back(static_cast<float>(2 * uniform() - 1));
    }
    return made;
  }

  LinearCondition sum(std::size_t n) {
    LinearCondition made;
    double middle = 0;
    for (std::size_t d = 0; d < n; ++d) {
      if (d >= 2 && below(2) == 0) continue;
      const double factor = (below(2) == 0 ? 1 : -1) * (0.5 + uniform());
      made.terms.push_back({.feature = d, .coefficient = factor});
      middle += factor * uniform();
    }
    if (below(2) == 0) {
      made.range.upper = middle;
      made.range.upper_closed = below(2) == 0;
    } else {
      made.range = {.lower = middle, .upper = middle + (below(2) == 0 ? nowhere : 0.1)};
    }
    return made;
  }

  std::mt19937_64 random_;
};

/// Farther than nearly all answers: rules that are almost parallel may meet beyond.
constexpr double far = 50;

/// The least cost over all boxes of cells, up to rounding and to ends that are not included.
double oracle(const Case& made) {
  const std::size_t n = made.query.point.size();
  std::vector<std::vector<double>> ends;
  for (const FeatureRule& rule : made.query.features) {
    ends.push_back({std::max(rule.range.lower, -far), std::min(rule.range.upper, far)});
  }
  for (const Tree& tree : made.model.trees) {
    for (const Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf) continue;
      ends[static_cast<std::size_t>(node.feature)].push_back(node.threshold);
    }
  }
  for (std::vector<double>& list : ends) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const auto& wanted = std::get<ScoreIn>(made.query.requirements[0].outcome);
  double best = nowhere;
  std::vector<std::size_t> cell(n, 0);
  for (;;) {
    std::vector<double> middle;
    std::vector<Plane> planes;
    for (std::size_t d = 0; d < n; ++d) {
      const double low = ends[d][cell[d]], high = ends[d][cell[d] + 1];
      middle.push_back(low + (high - low) / 2);
      Plane side{std::vector<double>(n, 0.0), high};
      side.factors[d] = 1;
      planes.push_back(side);
      side.factors[d] = -1;
      side.limit = -low;
      planes.push_back(side);
    }
    if (wanted.range.contains(made.model.predict(middle)[0])) {
      for (const Clause& clause : made.query.clauses) {
        Plane plane{std::vector<double>(n, 0.0)};
        for (const LinearTerm& term : clause.linear[0].terms) {
          plane.factors[term.feature] += term.coefficient;
        }
        const Interval& range = clause.linear[0].range;
        plane.limit = range.upper;
        if (std::isfinite(range.upper)) planes.push_back(plane);
        for (double& factor : plane.factors) factor = -factor;
        plane.limit = -range.lower;
        if (std::isfinite(range.lower)) planes.push_back(plane);
      }
      const auto least = made.query.norm == Norm::linf ? least_largest_in : least_cost_in;
      best = std::min(best, least(made.query, std::move(planes), n));
    }
    std::size_t d = 0;
    while (d < n && ++cell[d] + 1 == ends[d].size()) cell[d++] = 0;
    if (d == n) return best;
  }
}

void expect_agreement_with_tight_constraints(int cases, bool largest) {
  CaseMaker maker(test_seed());
  int changed = 0, infeasible = 0, coarse = 0;
  for (int i = 0; i < cases; ++i) {
    Case made = maker.make();
    if (largest) {
      made.query.norm = Norm::linf;
      made.query.features[0].up = 2;
    }
    const double truth = oracle(made);
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message()
                   << "case " << i << " " << to_string(engine) << " " << to_json(made.query));
      Options options;
      options.engine = engine;
      options.threads = 1 + i % 2;
      const Answer answer = explain(made.model, made.query, options);
      if (std::isinf(truth)) {
        // Between two features without limits, prices that are off by rounding prove nothing.
        const bool open = answer.stop == Stop::precision && answer.status == Status::unknown;
        coarse += open ? 1 : 0;
        const bool beyond = !answer.solutions.empty() &&
                            std::any_of(answer.best().point.begin(), answer.best().point.end(),
                                        [](double value) { return std::abs(value) > far; }) &&
                            verify(made.model, made.query, answer).passed();
        EXPECT_TRUE(open || beyond || answer.status == Status::infeasible)
            << to_string(answer.status) << ' ' << to_string(answer.stop) << ' ' << answer.cost
            << ' ' << answer.lower_bound;
        continue;
      }
      // Between two rules that almost coincide, float32 numbers are far apart.
      if (answer.stop == Stop::precision) {
        ++coarse;
        EXPECT_LE(answer.lower_bound, truth * (1 + 1e-6));
        continue;
      }
      ASSERT_EQ(answer.status, Status::optimal);
      // The oracle takes all ends for included; the next number costs a step more.
      const double step = made.model.input == Precision::float32 ? 1e-5 : 1e-8;
      EXPECT_NEAR(answer.cost, truth, step * (1 + truth));
      EXPECT_LE(answer.lower_bound, answer.cost);
      EXPECT_GE(answer.lower_bound, answer.cost * (1 - 1.1e-9) - 50 * step);
      EXPECT_TRUE(verify(made.model, made.query, answer).passed());
    }
    changed += std::isfinite(truth) && truth > 0 ? 1 : 0;
    infeasible += std::isinf(truth) ? 1 : 0;
  }
  std::cout << changed << " with a change, " << infeasible << " infeasible, " << coarse
            << " too coarse\n";
  expect_share(changed, cases, 0.3);
  EXPECT_LE(coarse, 1 + cases / 50);
}

TEST(LinearContinuous, RandomRulesAgreeWithAllSetsOfTightConstraints) {
  expect_agreement_with_tight_constraints(test_cases(150), false);
}

TEST(LinearContinuous, TheLargestChangeAgreesWithAllSetsOfTightConstraints) {
  expect_agreement_with_tight_constraints(test_cases(60), true);
}

/// Whole numbers without limits, all of them within a window by brute force. A point outside of the
/// window costs more than `outside`.
struct Window {
  double cost = nowhere, outside = nowhere;
};

Window search_window(const Case& made, double first, double last) {
  const Query& query = made.query;
  const std::size_t n = query.point.size();
  Window window;
  for (std::size_t d = 0; d < n; ++d) {
    for (const double end : {first - 1, last + 1}) {
      std::vector<double> beyond = query.point;
      beyond[d] = end;
      window.outside = std::min(window.outside, total_cost(query, beyond));
    }
  }
  const auto& wanted = std::get<ScoreIn>(made.query.requirements[0].outcome);
  std::vector<double> x(n, first);
  for (;;) {
    bool good = total_cost(query, x) < window.cost;
    for (std::size_t d = 0; d < n; ++d) {
      if (x[d] == query.point[d]) continue;
      const FeatureRule& rule = query.features[d];
      good =
          good && rule.range.contains(x[d]) && (rule.step == 0 || std::fmod(x[d], rule.step) == 0);
    }
    for (const Clause& clause : query.clauses) {
      double sum = 0;  // of small whole numbers
      for (const LinearTerm& term : clause.linear[0].terms) {
        const double now = query.point[term.feature];
        double value = x[term.feature];
        if (term.of != Of::value) value -= now;
        if (term.of == Of::size) value = std::abs(value);
        sum += term.coefficient * value;
      }
      good = good && clause.linear[0].range.contains(sum);
    }
    if (good && wanted.range.contains(made.model.predict(x)[0])) {
      window.cost = total_cost(query, x);
    }
    std::size_t d = 0;
    while (d < n && ++x[d] > last) x[d++] = first;
    if (d == n) return window;
  }
}

TEST(LinearContinuous, WholeNumbersWithoutLimitsAgreeWithBruteForce) {
  std::mt19937_64 random(test_seed());
  const auto below = [&](std::size_t count) { return random() % count; };
  const auto whole = [&](int first, int last) {
    return static_cast<double>(first +
                               static_cast<int>(below(static_cast<std::size_t>(last - first + 1))));
  };
  const int cases = test_cases(100);
  int compared = 0, changed = 0, open = 0;
  for (int i = 0; i < cases; ++i) {
    const std::size_t n = 2 + below(2);
    std::vector<Tree> trees;
    for (std::size_t t = 0; t < 4; ++t) {
      trees.push_back(stump(static_cast<std::int32_t>(below(n)), whole(0, 10) + 0.5, whole(-3, 3),
                            whole(-3, 3)));
    }
    Case made{binary_model(n, std::move(trees)), {}};
    std::vector<double> point;
    for (std::size_t d = 0; d < n; ++d) point.push_back(whole(0, 10));
    made.query = query_for(made.model, point);
    Query& query = made.query;
    for (FeatureRule& rule : query.features) {
      rule.kind = FeatureKind::integer;
      rule.weight = whole(1, 4);
    }
    query.features[0].step = below(3) == 0 ? 2 : 0;
    if (query.features[0].step > 0) query.features[0].kind = FeatureKind::continuous;
    if (below(3) == 0) query.features[1].range = {0, 10};  // few values: listed
    constexpr Norm norms[] = {Norm::squared_l2, Norm::l1, Norm::mixture, Norm::linf};
    query.norm = norms[below(4)];
    query.mixture = default_mixture;
    query.requirements = {{0, ScoreIn{{.lower = whole(-2, 6)}}}};
    for (std::size_t c = 1 + below(2); c > 0; --c) {
      LinearCondition sum;
      for (std::size_t d = 0; d < n; ++d) {
        constexpr Of kinds[] = {Of::value, Of::value, Of::change, Of::size};
        const double factor = whole(1, 4) * (below(2) == 0 ? 1 : -1);
        sum.terms.push_back({.feature = d, .coefficient = factor, .of = kinds[below(4)]});
      }
      const double limit = whole(-10, 30);
      sum.range = {.lower = below(2) == 0 ? limit : -nowhere, .upper = limit};
      if (below(3) == 0) sum.range = {.lower = limit, .lower_closed = below(2) == 0};
      query.clauses.push_back({{}, {sum}});
    }
    const double first = n == 2 ? -40 : -12, last = n == 2 ? 50 : 22;
    const Window window = search_window(made, first, last);
    if (window.cost >= window.outside) continue;
    ++compared;
    changed += window.cost > 0 ? 1 : 0;
    for (const Engine engine : {Engine::fast, Engine::paper}) {
      SCOPED_TRACE(testing::Message() << "case " << i << " " << to_string(engine) << " "
                                      << to_json(query) << to_json(made.model));
      Options options;
      options.engine = engine;
      const Answer answer = explain(made.model, query, options);
      if (answer.stop == Stop::precision) {  // whole numbers may satisfy equations far away only
        ++open;
        EXPECT_LE(answer.lower_bound, window.cost);
        continue;
      }
      ASSERT_EQ(answer.status, Status::optimal);
      EXPECT_NEAR(answer.cost, window.cost, 1e-9 * window.cost);
      EXPECT_TRUE(verify(made.model, query, answer).passed());
    }
  }
  std::cout << compared << " compared, " << changed << " with a change, " << open << " open\n";
  expect_share(compared, cases, 0.3);
  EXPECT_LE(open, 1 + cases / 50);
}

Query query_of(const Ensemble& model, std::vector<double> point) {
  Query query = query_for(model, point);
  query.requirements = {{0, ScoreIn{{.lower = 1}}}};
  query.norm = Norm::l1;
  return query;
}

/// Debt may be at most two fifths of income, and the model wants more debt.
TEST(LinearContinuous, TheCheapestPointLiesOnTheRule) {
  const Ensemble model = binary_model(2, {stump(0, 50, 0, 2)});
  Query query = query_of(model, {30, 100});
  query.clauses = {{{}, {{{{0, 5}, {1, -2}}, {.upper = 0}}}}};  // 5 debt <= 2 income
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.best().point, (std::vector<double>{50, 125}));
  EXPECT_DOUBLE_EQ(answer.cost, 45);
  EXPECT_LT(answer.gap(), 1.1e-9);
}

/// Shares add up to 100 exactly, in numbers that float32 has.
TEST(LinearContinuous, AnEquationHoldsExactlyInFloat32) {
  Ensemble model = binary_model(3, {stump(0, 40.3, 0, 2)});
  model.input = Precision::float32;
  Query query = query_of(model, {20, 30, 50});
  query.norm = Norm::squared_l2;
  query.clauses = {{{}, {{{{0}, {1}, {2}}, {100, 100}}}}};
  const Answer answer = explain(model, query);
  ASSERT_EQ(answer.status, Status::optimal);
  const std::vector<double>& point = answer.best().point;
  EXPECT_EQ(point[0] + point[1] + point[2], 100);
  for (const double value : point) EXPECT_EQ(static_cast<double>(static_cast<float>(value)), value);
  EXPECT_NEAR(point[1], 30 - 10.15, 1e-4);
}

/// The two rules leave no point between them; each of them alone does.
TEST(LinearContinuous, RulesWithoutACommonPointAreProvenInfeasible) {
  const Ensemble model = binary_model(3, {stump(0, 0.5, 0, 2)});
  Query query = query_of(model, {0, 0, 0});
  for (FeatureRule& rule : query.features) rule.range = {-10, 10};
  query.clauses = {{{}, {{{{0}, {1}, {2}}, {.upper = 1}}}},
                   {{}, {{{{0}, {1}, {2}}, {.lower = 1.001}}}}};
  EXPECT_EQ(explain(model, query).status, Status::infeasible);
  query.clauses.pop_back();
  EXPECT_EQ(explain(model, query).status, Status::optimal);
}

/// The model wants a sum of more than 20, to which the category, the group and the two features
/// add. What a category or a group costs counts like the moves of numbers, under every cap.
TEST(LinearContinuous, TheLargestChangeCountsCategoriesAndGroups) {
  Ensemble model = binary_model(5, {stump(0, 4, 0, 8), stump(1, 4, 0, 8)});
  Tree category;
  category.nodes.resize(3);
  category.nodes[0] = {.kind = NodeKind::in_set, .feature = 2, .left = 1, .right = 2, .value = 0};
  category.nodes[1].value = 0;
  category.nodes[2].value = 1;
  category.values = {6, 0};
  category.sets = {{1, 3}};
  model.trees.push_back(category);
  model.trees.push_back(stump(4, 0.5, 0, 6));
  Query query = query_for(model, std::vector<double>{1, 1, 0, 1, 0});
  query.requirements = {{0, ScoreIn{{.lower = 21}}}};
  query.norm = Norm::linf;
  query.features[2].kind = FeatureKind::categorical;
  query.groups = {{{3, 4}}};
  query.clauses = {{{}, {{{{0}, {1}}, {.lower = 10}}}}};
  const auto cheapest = [&](double by_code_1, double by_code_3, double group) {
    query.features[2].changes = {{0, by_code_1, 1, by_code_3}};
    query.groups[0].weight = group;
    const Answer answer = explain(model, query);
    EXPECT_EQ(answer.status, Status::optimal);
    EXPECT_TRUE(verify(model, query, answer).passed());
    return std::pair{answer.cost, answer.best().point};
  };
  using Point = std::vector<double>;
  const double free = 4;  // the rule asks for 5 + 5
  EXPECT_EQ(cheapest(2, 2, 9), (std::pair{free, Point{5, 5, 1, 1, 0}}));
  EXPECT_EQ(cheapest(9, 2, 9), (std::pair{free, Point{5, 5, 3, 1, 0}}));
  EXPECT_EQ(cheapest(9, 7, 2), (std::pair{free, Point{5, 5, 0, 0, 1}}));
  EXPECT_EQ(cheapest(9, 7, 8).second, (Point{5, 5, 3, 1, 0}));
  EXPECT_EQ(cheapest(9, 7, 8).first, 7);
  query.features[2].weight = 0.5;
  EXPECT_EQ(cheapest(12, 20, 8).first, 6);
}

/// Limits end the bisection with bounds on both sides of the cost.
TEST(LinearContinuous, TheLargestChangeHasALowerBoundUnderLimits) {
  const Ensemble model = binary_model(3, {stump(0, 50, 0, 2), stump(2, 5, 0, 0.5)});
  Query query = query_of(model, {30, 100, 0});
  query.norm = Norm::linf;
  query.clauses = {{{}, {{{{0, 5}, {1, -2}}, {.upper = 0}}}}};  // 5 x0 <= 2 x1
  const Answer whole = explain(model, query);
  ASSERT_EQ(whole.status, Status::optimal);
  EXPECT_NEAR(whole.cost, 25, 1e-7);
  int feasible = 0;
  for (std::uint64_t nodes = 1; nodes < whole.statistics.nodes; ++nodes) {
    Options options;
    options.threads = 1;
    options.limits.nodes = nodes;
    const Answer answer = explain(model, query, options);
    EXPECT_LE(answer.lower_bound, whole.cost);
    EXPECT_GE(answer.cost, whole.lower_bound);
    if (answer.status == Status::optimal) continue;
    feasible += answer.status == Status::feasible ? 1 : 0;
    EXPECT_EQ(answer.stop, Stop::nodes);
    EXPECT_LT(answer.lower_bound, answer.cost);
  }
  EXPECT_GT(feasible, 10);
}

TEST(LinearContinuous, CostsThatAreNotConvexAreRefused) {
  const Ensemble model = binary_model(2, {stump(0, 0.5, 0, 2)});
  Query query = query_of(model, {0, 0});
  query.clauses = {{{}, {{{{0}, {1}}, {.upper = 1}}}}};
  query.norm = Norm::custom;
  query.term = [](std::size_t, double from, double to) { return std::abs(to - from); };
  EXPECT_THROW(explain(model, query), Error);
  query.norm = Norm::l1;
  query.features[1].quantiles = {0, 1, 2};
  EXPECT_THROW(explain(model, query), Error);
}

}  // namespace linear_continuous_test
