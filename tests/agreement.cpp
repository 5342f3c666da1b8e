#include "agreement.hpp"

#include "grid/rule_trees.hpp"
#include "search/guarded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

bool same_point(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); });
}

bool same_region(const Solution& a, const Solution& b) {
  for (std::size_t d = 0; d < a.region.size(); ++d) {
    const bool a_missing = std::isnan(a.point[d]), b_missing = std::isnan(b.point[d]);
    if (a_missing != b_missing) return false;
    if (!a_missing && a.region[d] != b.region[d]) return false;
  }
  return true;
}

bool same_leaves(const std::vector<Ensemble>& ensembles, const std::vector<double>& a,
                 const std::vector<double>& b) {
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      if (reach_leaf(tree, a, ensemble.input) != reach_leaf(tree, b, ensemble.input)) return false;
    }
  }
  return true;
}

bool in_a_group(const Query& query, std::size_t d) {
  return std::any_of(query.groups.begin(), query.groups.end(), [&](const OneHot& group) {
    return std::count(group.columns.begin(), group.columns.end(), d) > 0;
  });
}

/// Whether a solution speaks for the point: it takes the same leaves and is no farther in any
/// feature. Two points of one region can cost the same when their difference is lost in rounding,
/// or where it is counted and not measured; the nearest of them is the region's.
bool spoken_for(const Answer& answer, const std::vector<Ensemble>& ensembles, const Query& query,
                const std::vector<double>& point) {
  return std::any_of(answer.solutions.begin(), answer.solutions.end(), [&](const Solution& s) {
    if (!same_leaves(ensembles, s.point, point)) return false;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const double x = query.point[d];
      const bool counted = query.features[d].kind == FeatureKind::categorical ||
                           in_a_group(query, d) || std::isnan(x) || std::isnan(point[d]) ||
                           std::isnan(s.point[d]);
      if (!counted && std::abs(s.point[d] - x) > std::abs(point[d] - x)) return false;
    }
    return true;
  });
}

/// Linear rules hold in points and do not cut regions. With `fewest_first` the limit on changes is
/// the answer's own number of them.
Query rules_at(const Query& query, const Answer& answer) {
  Query rules = query;
  std::erase_if(rules.clauses,
                [](const boxwood::Clause& clause) { return !clause.linear.empty(); });
  if (query.fewest_first) rules.max_changes = boxwood::change_count(query, answer.best().point);
  return rules;
}

}  // namespace

void expect_agreement(const Answer& answer, const Oracle::Result& truth,
                      const std::vector<Ensemble>& ensembles, const Query& query) {
  if (truth.points.empty()) {
    EXPECT_EQ(answer.status, Status::infeasible);
    return;
  }
  ASSERT_EQ(answer.status, Status::optimal);
  EXPECT_EQ(answer.cost, truth.cost);
  EXPECT_EQ(answer.more_ties, query.norm == boxwood::Norm::linf && answer.cost > 0);
  if (answer.already_met) {  // nothing has to change: the point itself is the one answer
    ASSERT_EQ(answer.solutions.size(), 1U);
    EXPECT_TRUE(same_point(answer.best().point, query.point));
    return;
  }
  // Rules cut the regions of the models; each piece has a nearest point of its own.
  const bool cut = boxwood::has_rules(query) || query.fewest_first;
  std::vector<Ensemble> cutting = ensembles;
  if (cut) {
    cutting.push_back(
        boxwood::rule_trees(ensembles, rules_at(query, answer), boxwood::collect_cuts(ensembles)));
  }
  for (const Solution& solution : answer.solutions) {
    for (const Solution& other : answer.solutions) {
      EXPECT_TRUE(cut || &solution == &other || !same_region(solution, other))
          << "two for one region";
    }
    EXPECT_TRUE(std::any_of(truth.points.begin(), truth.points.end(),
                            [&](const auto& point) { return same_point(point, solution.point); }))
        << "a returned point is not among the cheapest: " << testing::PrintToString(solution.point)
        << " from " << testing::PrintToString(query.point);
  }
  for (const std::vector<double>& point : truth.points) {
    EXPECT_TRUE(spoken_for(answer, cutting, query, point))
        << "a cheapest point is missing: " << testing::PrintToString(point) << " of cost "
        << truth.cost << " from " << testing::PrintToString(query.point);
  }
}

void expect_agreeing_answer(const boxwood::Prepared& prepared,
                            const std::vector<Ensemble>& ensembles, const Query& query,
                            const boxwood::Options& options, const Oracle::Result& truth,
                            std::vector<double>& first_point) {
  const std::vector<double> known =
      truth.points.empty() ? std::vector<double>{} : truth.points.back();
  const Answer answer = boxwood::explain_guarded(prepared, query, options, known);
  expect_agreement(answer, truth, ensembles, query);
  const boxwood::Verification check = boxwood::verify(ensembles, query, answer, 16, 7);
  EXPECT_TRUE(check.passed()) << (check.faults.empty() ? "" : check.faults.front());
  if (answer.status != Status::optimal) return;
  if (first_point.empty()) first_point = answer.best().point;
  EXPECT_TRUE(same_point(answer.best().point, first_point)) << "the tie-break differs";
}
