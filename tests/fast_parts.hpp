// What the tests of the fast engine's parts share: random problems that are small enough to look at
// every point, and where each point is in a problem that was reduced.
#pragma once

#include "search/fast/context.hpp"
#include "search/fast/problem.hpp"
#include "search/prepared.hpp"

#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace boxwood {

using fast::Problem;
using fast::Selection;
using Cells = std::vector<std::uint32_t>;

/// Calls see(cells) for every combination; false when there are more than `most`.
template <typename See>
bool each_combination(const std::vector<std::uint32_t>& counts, double most, See see) {
  double combinations = 1;
  for (const std::uint32_t count : counts) combinations *= count;
  if (combinations > most) return false;
  Cells at(counts.size(), 0);
  for (;;) {
    see(at);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == counts[d]) at[d++] = 0;
    if (d == at.size()) return true;
  }
}

/// A point of the grid, judged by the models themselves.
struct GridPoint {
  Cells cells;
  double cost = 0;
  std::vector<double> reached;  ///< of a condition: the sum of its leaves' scores
  bool works = false;
};

class Question {
 public:
  explicit Question(RandomProblem problem, std::optional<std::size_t> max_changes = {})
      : problem_(std::move(problem)),
        prepared_(problem_.ensembles),
        table_(limited(leaf_table_of(prepared_), max_changes)),
        conditions_(make_conditions(problem_.ensembles, problem_.query)),
        incumbent_(problem_.query, 1),
        watch_(Limits{}),
        context(problem_.ensembles, problem_.query, leaves_of(prepared_), table_, conditions_, {},
                {}, incumbent_, watch_) {}
  Question(const Question&) = delete;

  /// Whether there is something to search and every point can be looked at.
  bool list_points() {
    if (problem_.query.norm == Norm::linf) return false;  // solved through sums, with caps
    for (const Condition& condition : conditions_) {
      // A leaf's value would be lost beside it.
      if (std::abs(condition.threshold) > 1e6) return false;
    }
    for (const Ensemble& ensemble : problem_.ensembles) {
      if (huge(ensemble.base)) return false;
      for (const Tree& tree : ensemble.trees) {
        if (huge(tree.values)) return false;
      }
    }
    Cells counts;
    for (const Variable& variable : context.variables) {
      counts.push_back(static_cast<std::uint32_t>(variable.cells.size()));
    }
    return each_combination(counts, 3000, [&](const Cells& cells) { judge(cells); });
  }

  std::vector<GridPoint> points;

 private:
  static fast::LeafTable limited(fast::LeafTable table, std::optional<std::size_t> max_changes) {
    table.max_changes = max_changes;
    return table;
  }

  /// Sums of such values overflow or lose all else: nothing to compare.
  static bool huge(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double v) { return std::abs(v) > 1e30; });
  }

  void judge(const Cells& cells) {
    std::vector<double> values = problem_.query.point;
    for (std::size_t d = 0; d < cells.size(); ++d) {
      const Variable& variable = context.variables[d];
      if (variable.owner == d) variable.place(cells[d], d, values);
    }
    GridPoint point{cells, total_cost(problem_.query, values), {}, false};
    if (std::isinf(point.cost)) return;
    point.works = Oracle::works(problem_.ensembles, problem_.query, values);
    for (const Condition& condition : conditions_) {
      const Ensemble& ensemble = problem_.ensembles[condition.ensemble];
      double sum = 0;
      for (const Tree& tree : ensemble.trees) {
        const auto leaf = static_cast<std::size_t>(reach_leaf(tree, values, ensemble.input));
        sum += condition.score(tree, static_cast<std::uint32_t>(tree.nodes[leaf].value));
      }
      point.reached.push_back(sum);
    }
    points.push_back(std::move(point));
  }

  RandomProblem problem_;
  Prepared prepared_;
  fast::LeafTable table_;
  std::vector<Condition> conditions_;
  Incumbent incumbent_;
  Watch watch_;

 public:
  fast::Context context;  // refers to all of the above
};

/// Draws problems until `cases` of them can be looked at point by point; where changes are limited,
/// to one, two or three.
template <typename Check>
void each_question(int cases, Check check, bool limit_changes = false) {
  ProblemMaker maker(test_seed(), {{1, 3}, {1, 6}, {0, 7}, 6});
  std::mt19937_64 random(test_seed() + 1);
  int done = 0;
  for (int i = 0; done < cases; ++i) {
    ASSERT_LT(i, 20 * cases + 100) << "too few problems are small enough";
    std::optional<std::size_t> max_changes;
    if (limit_changes) max_changes = 1 + random() % 3;
    Question question(maker.make(), max_changes);
    if (!question.list_points() || question.points.empty()) continue;
    SCOPED_TRACE(testing::Message() << "problem " << i << " of BOXWOOD_SEED=" << test_seed());
    check(question, random);
    if (testing::Test::HasFailure()) return;
    ++done;
  }
}

/// The one leaf of a tree that holds the point; fails unless there is exactly one.
inline std::uint32_t leaf_at(const fast::Leaves& leaves, std::size_t tree, const Cells& at) {
  std::uint32_t found = ~std::uint32_t{0};
  int count = 0;
  for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
    bool inside = true;
    for (const fast::LeafRange& range : leaves.ranges_of(leaf)) {
      inside = inside && at[range.variable] >= range.first && at[range.variable] < range.last;
    }
    if (!inside) continue;
    found = leaf;
    ++count;
  }
  EXPECT_EQ(count, 1) << "leaves of tree " << tree << " that hold the point";
  return found;
}

inline double reached(const Problem& problem, const fast::RowCondition& condition,
                      const Cells& at) {
  double sum = 0;
  for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
    const std::uint32_t leaf = leaf_at(problem.leaves, t, at);
    if (leaf == ~std::uint32_t{0}) return std::numeric_limits<double>::quiet_NaN();
    sum += fast::score(condition, problem.leaves.rows[t], problem.leaves.values_of(t, leaf));
  }
  return sum;
}

/// A problem with the way from the grid to it: of each grid variable, where each cell went.
struct Traced {
  static constexpr std::uint32_t gone = ~std::uint32_t{0};
  static constexpr std::uint32_t certain = gone - 1;  ///< kept, but its variable is no more

  Problem problem;
  std::vector<Cells> went;

  /// The problem's cells of a point of the grid; nothing when a cell is gone.
  std::optional<Cells> place(const Cells& grid) const {
    Cells at(problem.variable_count());
    for (std::size_t d = 0; d < grid.size(); ++d) {
      const std::uint32_t cell = went[d][grid[d]];
      if (cell == gone) return std::nullopt;
      if (cell == certain) continue;
      for (std::size_t v = 0; v < at.size(); ++v) {
        if (problem.variable_of[v] == d) at[v] = cell;
      }
    }
    return at;
  }
};

inline std::unique_ptr<Traced> gather_all(fast::Context& context, double radius) {
  auto raw = std::make_unique<Traced>();
  raw->problem = gather(context.table, context.boxes, context.variables, context.near,
                        context.thresholds, radius, context.watch);
  const Problem& problem = raw->problem;
  for (std::size_t d = 0; d < context.variables.size(); ++d) {
    Cells cells(context.variables[d].cells.size(), Traced::gone);
    for (std::uint32_t c = problem.cell_begin[d]; c < problem.cell_begin[d + 1]; ++c) {
      cells[problem.choice[c]] = c - problem.cell_begin[d];
    }
    raw->went.push_back(cells);
  }
  return raw;
}

/// On the heap, because a dual bound refers to the problem.
inline std::unique_ptr<Traced> reduce_traced(const Traced& from, Selection& keep,
                                             std::span<const fast::RowCondition> conditions,
                                             fast::Origin& origin) {
  auto problem = reduce(from.problem, keep, conditions, &origin);
  if (!problem) return nullptr;
  auto to = std::make_unique<Traced>(Traced{std::move(*problem), from.went});
  for (std::uint32_t v = 0; v < from.problem.variable_count(); ++v) {
    const auto found = std::find(origin.variable.begin(), origin.variable.end(), v);
    const auto now = static_cast<std::size_t>(found - origin.variable.begin());
    for (std::uint32_t& cell : to->went[from.problem.variable_of[v]]) {
      if (cell == Traced::gone) continue;
      const std::uint32_t before = cell;
      cell = Traced::gone;
      if (!keep.cell[from.problem.cell_begin[v] + before]) continue;
      if (found == origin.variable.end()) {
        cell = Traced::certain;
        continue;
      }
      for (std::uint32_t c = 0; c < to->problem.cell_count(now); ++c) {
        const CellRange covers = origin.cells[to->problem.cell_begin[now] + c];
        if (covers.contains(before)) cell = c;
      }
      EXPECT_NE(cell, Traced::gone) << "a kept cell is not covered";
    }
  }
  return to;
}

/// What a point of the grid must find in a problem that holds it.
inline void expect_same_point(const fast::Context& context, const Traced& traced,
                              const GridPoint& point) {
  const auto at = traced.place(point.cells);
  ASSERT_TRUE(at.has_value()) << "a cell of a point was dropped";
  const Problem& problem = traced.problem;
  double cost = problem.fixed_cost;
  for (std::size_t v = 0; v < at->size(); ++v) {
    const std::uint32_t flat = problem.cell_begin[v] + (*at)[v];
    cost += problem.cost[flat];
    // The cell that speaks for the merged ones is one of them, and the cheapest.
    const std::size_t d = problem.variable_of[v];
    EXPECT_EQ(traced.went[d][problem.choice[flat]], (*at)[v]);
    EXPECT_EQ(context.variables[d].cells[problem.choice[flat]].cost, problem.cost[flat]);
    EXPECT_LE(problem.cost[flat], context.variables[d].cells[point.cells[d]].cost);
    EXPECT_LE(problem.cost_at(v, problem.nearest[v]), problem.cost[flat]);
  }
  EXPECT_LE(cost, point.cost * (1 + 1e-12));
  for (std::size_t m = 0; m < context.conditions.size(); ++m) {
    const double certain = context.thresholds[m] - problem.thresholds[m];
    EXPECT_NEAR(reached(problem, context.conditions[m], *at) + certain, point.reached[m], 1e-9);
  }
}

/// Keeps a random range of cells of one variable, as a cut does.
inline void cut_at_random(const Problem& problem, std::mt19937_64& random, Selection& keep) {
  if (problem.variable_count() == 0) return;
  const std::size_t v = random() % problem.variable_count();
  const std::uint32_t cut = 1 + static_cast<std::uint32_t>(random()) % (problem.cell_count(v) - 1);
  const auto begin = keep.cell.begin() + problem.cell_begin[v];
  const auto end = keep.cell.begin() + problem.cell_begin[v + 1];
  if (random() % 2 == 0) {
    std::fill(begin, begin + cut, std::uint8_t{0});
  } else {
    std::fill(begin + cut, end, std::uint8_t{0});
  }
}

inline bool kept(const Traced& traced, const Selection& keep, const Cells& grid) {
  const auto at = traced.place(grid);
  if (!at) return false;
  for (std::size_t v = 0; v < at->size(); ++v) {
    if (!keep.cell[traced.problem.cell_begin[v] + (*at)[v]]) return false;
  }
  return true;
}

}  // namespace boxwood
