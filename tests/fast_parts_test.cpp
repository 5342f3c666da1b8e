// The parts of the fast engine, each against first principles on random problems that are small
// enough to look at every point: what a part claims must hold for each of them.
#include "search/fast/context.hpp"
#include "search/fast/frontier.hpp"
#include "search/fast/moves.hpp"
#include "search/fast/problem.hpp"
#include "search/fast/simd.hpp"
#include "search/fast/split.hpp"

#include <boxwood/explain.hpp>

#include "oracle.hpp"
#include "random_problem.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace {

using namespace boxwood;
using fast::Problem;
using fast::Selection;

constexpr double infinity = std::numeric_limits<double>::infinity();
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
  std::vector<double> reached;  ///< of a demand: the sum of its leaves' scores
  bool works = false;
};

class Question {
 public:
  explicit Question(RandomProblem problem)
      : problem_(std::move(problem)),
        prepared_(problem_.ensembles),
        conditions_(make_conditions(problem_.ensembles, problem_.query)),
        incumbent_(problem_.query, 1),
        watch_(Limits{}),
        context(problem_.ensembles, problem_.query, prepared_.leaves(), prepared_.model(),
                conditions_, {}, incumbent_, watch_) {}
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
  std::vector<Condition> conditions_;
  Incumbent incumbent_;
  Watch watch_;

 public:
  fast::Context context;  // refers to all of the above
};

/// Draws problems until `cases` of them can be looked at point by point.
template <typename Check>
void each_question(int cases, Check check) {
  ProblemMaker maker(test_seed(), {{1, 3}, {1, 6}, {0, 7}, 6});
  std::mt19937_64 random(test_seed() + 1);
  int done = 0;
  for (int i = 0; done < cases; ++i) {
    ASSERT_LT(i, 20 * cases + 100) << "too few problems are small enough";
    Question question(maker.make());
    if (!question.list_points() || question.points.empty()) continue;
    SCOPED_TRACE(testing::Message() << "problem " << i << " of BOXWOOD_SEED=" << test_seed());
    check(question, random);
    if (testing::Test::HasFailure()) return;
    ++done;
  }
}

/// The one leaf of a tree that holds the point; fails unless there is exactly one.
std::uint32_t leaf_at(const fast::Leaves& leaves, std::size_t tree, const Cells& at) {
  std::uint32_t found = ~std::uint32_t{0};
  int count = 0;
  for (std::uint32_t leaf = leaves.tree_begin[tree]; leaf < leaves.tree_begin[tree + 1]; ++leaf) {
    bool inside = true;
    for (const fast::Side& side : leaves.sides_of(leaf)) {
      inside = inside && at[side.variable] >= side.first && at[side.variable] < side.last;
    }
    if (!inside) continue;
    found = leaf;
    ++count;
  }
  EXPECT_EQ(count, 1) << "leaves of tree " << tree << " that hold the point";
  return found;
}

double reached(const Problem& problem, const fast::Demand& demand, const Cells& at) {
  double sum = 0;
  for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
    const std::uint32_t leaf = leaf_at(problem.leaves, t, at);
    if (leaf == ~std::uint32_t{0}) return std::numeric_limits<double>::quiet_NaN();
    sum += fast::score(demand, problem.leaves.rows[t], problem.leaves.values_of(t, leaf));
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

std::unique_ptr<Traced> gather_all(const fast::Context& context, double radius) {
  auto raw = std::make_unique<Traced>();
  raw->problem = gather(context.model, context.boxes, context.variables, context.leaf_cost,
                        context.thresholds, radius, 1'000'000)
                     .value();
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

/// On the heap, because a split refers to the problem.
std::unique_ptr<Traced> reduce_traced(const Traced& from, Selection& keep,
                                      std::span<const fast::Demand> demands, fast::Origin& origin) {
  auto problem = reduce(from.problem, keep, demands, &origin);
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
void expect_same_point(const fast::Context& context, const Traced& traced, const GridPoint& point) {
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
  for (std::size_t m = 0; m < context.demands.size(); ++m) {
    const double certain = context.thresholds[m] - problem.thresholds[m];
    EXPECT_NEAR(reached(problem, context.demands[m], *at) + certain, point.reached[m], 1e-9);
  }
}

/// Keeps a random range of cells of one variable, as a cut does.
void cut_at_random(const Problem& problem, std::mt19937_64& random, Selection& keep) {
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

bool kept(const Traced& traced, const Selection& keep, const Cells& grid) {
  const auto at = traced.place(grid);
  if (!at) return false;
  for (std::size_t v = 0; v < at->size(); ++v) {
    if (!keep.cell[traced.problem.cell_begin[v] + (*at)[v]]) return false;
  }
  return true;
}

TEST(Reduce, EveryPointWithinTheRadiusStaysWithItsScores) {
  int reductions = 0;
  each_question(test_cases(3000), [&](Question& question, std::mt19937_64& random) {
    const double radius = question.points[random() % question.points.size()].cost;
    std::vector<const GridPoint*> inside;
    for (const GridPoint& point : question.points) {
      if (point.cost <= radius) inside.push_back(&point);
    }
    std::unique_ptr<Traced> now = gather_all(question.context, radius), first;
    fast::Origin whole;  // leads from the present problem to the first reduced one
    for (int step = 0; step < 4; ++step) {
      Selection keep(now->problem);
      if (step > 0) {
        cut_at_random(now->problem, random, keep);
        std::erase_if(inside, [&](const GridPoint* p) { return !kept(*now, keep, p->cells); });
      }
      fast::Origin origin;
      std::unique_ptr<Traced> next = reduce_traced(*now, keep, question.context.demands, origin);
      if (!next) {
        EXPECT_TRUE(inside.empty()) << "nothing is left although a point is";
        return;
      }
      for (const GridPoint* point : inside) expect_same_point(question.context, *next, *point);
      if (step == 1) {
        whole = origin;
        first = std::move(now);
      } else if (step > 1) {
        whole = compose(now->problem, whole, origin);
      }
      now = std::move(next);
      ++reductions;
    }
    ASSERT_EQ(whole.variable.size(), now->problem.variable_count());
    ASSERT_EQ(whole.tree.size(), now->problem.leaves.tree_count());
    for (const GridPoint* point : inside) {
      const Cells before = *first->place(point->cells), after = *now->place(point->cells);
      for (std::size_t v = 0; v < after.size(); ++v) {
        const CellRange covers = whole.cells[now->problem.cell_begin[v] + after[v]];
        EXPECT_TRUE(covers.contains(before[whole.variable[v]])) << "composed origins lead astray";
      }
    }
  });
  expect_share(reductions, test_cases(3000), 1);
}

/// A tree whose leaves hold these ranges of one variable's cells, and nothing else.
Problem problem_of(std::uint32_t cells, const std::vector<CellRange>& ranges) {
  Problem problem;
  problem.variable_of = {0};
  problem.cell_begin = {0, cells};
  problem.nearest = {0};
  problem.fixed_at = {0};
  for (std::uint32_t c = 0; c < cells; ++c) {
    problem.cost.push_back(c);
    problem.choice.push_back(c);
  }
  problem.leaves.rows = {{0, 1}};
  problem.leaves.values_begin = {0};
  for (const CellRange& range : ranges) {
    problem.leaves.values.push_back(-static_cast<double>(range.first));
    if (range.size() < cells) problem.leaves.sides.push_back({0, range.first, range.last});
    problem.leaves.sides_begin.push_back(static_cast<std::uint32_t>(problem.leaves.sides.size()));
  }
  problem.leaves.tree_begin.push_back(static_cast<std::uint32_t>(ranges.size()));
  problem.testers = fast::list_testers(problem.leaves, 1);
  return problem;
}

TEST(Reduce, CellsThatATreeHasNoLeafForAreDroppedAndNoOthers) {
  for (const std::uint32_t cells : {3U, 63U, 64U, 65U, 66U, 130U}) {
    const std::uint32_t middle = cells / 2;
    for (std::uint32_t gap = 0; gap <= cells; ++gap) {  // at the end: none
      std::vector<CellRange> ranges;
      for (const CellRange& range : {CellRange{0, middle}, CellRange{middle, cells}}) {
        const bool inside = range.contains(gap);
        if (range.first < (inside ? gap : range.last)) {
          ranges.push_back({range.first, inside ? gap : range.last});
        }
        if (inside && gap + 1 < range.last) ranges.push_back({gap + 1, range.last});
      }
      const Problem problem = problem_of(cells, ranges);
      Selection keep(problem);
      ASSERT_TRUE(fast::reduce(problem, keep, {})) << cells << " " << gap;
      for (std::uint32_t c = 0; c < cells; ++c) {
        ASSERT_EQ(keep.cell[c], c == gap ? 0 : 1) << cells << " " << gap << " " << c;
      }
    }
    // A leaf that does not ask holds every cell.
    const Problem problem = problem_of(cells, {{0, 1}, {0, cells}});
    Selection keep(problem);
    ASSERT_TRUE(fast::reduce(problem, keep, {}));
    ASSERT_EQ(std::count(keep.cell.begin(), keep.cell.end(), 1), cells);
  }
}

TEST(Split, BoundsEveryPointAndDropsNoneWithinTheRadius) {
  int questions = 0, selections = 0, leaves_dropped = 0, cells_dropped = 0, tight = 0,
      inherited = 0, close = 0;
  each_question(test_cases(3000), [&](Question& question, std::mt19937_64& random) {
    const fast::Context& context = question.context;
    std::vector<const GridPoint*> working;
    for (const GridPoint& point : question.points) {
      if (point.works) working.push_back(&point);
    }
    if (working.empty()) return;
    std::sort(working.begin(), working.end(),
              [](const GridPoint* a, const GridPoint* b) { return a->cost < b->cost; });
    if (working.front()->cost == 0) return;  // no bound to speak of
    ++questions;
    const double radius = working[random() % std::min<std::size_t>(working.size(), 4)]->cost;
    const double weak = 1 + (static_cast<double>(context.variables.size()) + 4) * 0x1p-52;
    // The bound must not exceed the cost of any point that works in the problem.
    const auto least = [&] {
      double cost = infinity;
      for (const GridPoint* point : working) cost = std::min(cost, point->cost);
      return cost * weak;
    };
    std::erase_if(working, [&](const GridPoint* p) { return p->cost > radius; });

    std::unique_ptr<Traced> now = gather_all(context, radius);
    Selection all(now->problem);
    fast::Origin origin;
    now = reduce_traced(*now, all, context.demands, origin);
    ASSERT_TRUE(now);
    auto split = std::make_unique<fast::Split>(context, now->problem);
    EXPECT_LE(split->certify(), least()) << "before the first round";
    for (int step = 0; step < 4; ++step) {
      for (std::size_t round = random() % 12; round > 0; --round) {
        split->ascend();
        EXPECT_LE(split->certify(), least()) << "the bound exceeds a point's cost";
      }
      const double bound = split->certify();
      tight += bound > 0.9 * least() ? 1 : 0;
      Selection keep(now->problem);
      split->select(bound, radius * weak, keep);
      ++selections;
      const auto drops = [](const std::vector<std::uint8_t>& part) {
        return std::find(part.begin(), part.end(), 0) != part.end() ? 1 : 0;
      };
      leaves_dropped += drops(keep.leaf);
      cells_dropped += drops(keep.cell);
      for (const GridPoint* point : working) {
        const auto placed = now->place(point->cells);
        ASSERT_TRUE(placed.has_value()) << "lost a point's cell";
        const Cells& at = *placed;
        for (std::size_t v = 0; v < at.size(); ++v) {
          EXPECT_TRUE(keep.cell[now->problem.cell_begin[v] + at[v]]) << "lost a point's cell";
        }
        for (std::size_t t = 0; t < now->problem.leaves.tree_count(); ++t) {
          EXPECT_TRUE(keep.leaf[leaf_at(now->problem.leaves, t, at)]) << "lost a point's leaf";
        }
      }
      if (testing::Test::HasFailure()) return;
      if (step % 2 == 1) cut_at_random(now->problem, random, keep);
      std::erase_if(working, [&](const GridPoint* p) { return !kept(*now, keep, p->cells); });
      if (working.empty()) return;
      origin = {};
      std::unique_ptr<Traced> next = reduce_traced(*now, keep, context.demands, origin);
      ASSERT_TRUE(next);
      for (const GridPoint* point : working) expect_same_point(context, *next, *point);
      auto smaller = std::make_unique<fast::Split>(context, next->problem);
      smaller->inherit(*split, origin);
      const double after = smaller->certify();
      EXPECT_LE(after, least()) << "the inherited bound exceeds a point's cost";
      if (bound > 0) {
        ++inherited;
        close += after >= 0.9 * bound ? 1 : 0;
      }
      split = std::move(smaller);
      now = std::move(next);
    }
  });
  std::cout << questions << " questions, " << selections << " selections (" << leaves_dropped
            << " dropped leaves, " << cells_dropped << " cells), " << tight << " tight bounds, "
            << close << " of " << inherited << " inherited bounds close\n";
  // The checks are worth something only if there is something to check.
  expect_share(questions, test_cases(3000), 1.0 / 10);
  expect_share(tight, selections, 1.0 / 10);
  expect_share(leaves_dropped, selections, 1.0 / 50);
  expect_share(cells_dropped, selections, 1.0 / 20);
  expect_share(close, inherited, 0.7);
}

TEST(Moves, TheTableSaysWhatEveryMoveDoes) {
  each_question(test_cases(2000), [&](Question& question, std::mt19937_64& random) {
    const fast::Context& context = question.context;
    std::unique_ptr<Traced> now = gather_all(context, infinity);
    Selection all(now->problem);
    fast::Origin origin;
    now = reduce_traced(*now, all, context.demands, origin);
    ASSERT_TRUE(now);
    const Problem& problem = now->problem;
    const std::uint32_t rows = context.model.row_count;
    const auto sum = [&](std::uint32_t row, const Cells& at) {
      return reached(problem, fast::Demand{row, fast::Demand::none, 1}, at);
    };
    fast::MoveTable table(problem.leaves, problem.testers, problem.cell_begin, rows);
    Cells at = problem.nearest;
    table.place(at);
    for (int step = 0; step < 6; ++step) {
      ASSERT_TRUE(std::equal(at.begin(), at.end(), table.at().begin(), table.at().end()));
      for (std::uint32_t row = 0; row < rows; ++row) {
        const double here = sum(row, at);
        EXPECT_NEAR(table.sums()[row], here, 1e-9);
        for (std::uint32_t v = 0; v < problem.variable_count(); ++v) {
          Cells moved = at;
          double run = 0;
          for (moved[v] = 0; moved[v] < problem.cell_count(v); ++moved[v]) {
            run += table.steps(row, v)[moved[v]];
            EXPECT_NEAR(run, sum(row, moved) - here, 1e-9);
          }
        }
      }
      if (problem.variable_count() == 0) return;
      const auto v = static_cast<std::uint32_t>(random() % problem.variable_count());
      at[v] = static_cast<std::uint32_t>(random() % problem.cell_count(v));
      table.move(v, at[v]);
    }
  });
}

/// Numbers that comparisons may get wrong, and many that are equal.
std::vector<double> awkward_numbers(std::size_t count, std::mt19937_64& random) {
  constexpr double odd[] = {0.0, -0.0, 5e-324, -5e-324, 1e-310, 1, -1, 1e300, infinity, -infinity};
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(random() % 2 == 0 ? odd[random() % std::size(odd)]
                                        : std::ldexp(static_cast<double>(random() % 16), -3) - 1);
  }
  return numbers;
}

TEST(Simd, KeepsAndTakesWhatPlainLoopsWould) {
  std::mt19937_64 random(test_seed());
  for (std::size_t count = 0; count <= 200; ++count) {
    SCOPED_TRACE(testing::Message() << count << " numbers of BOXWOOD_SEED=" << test_seed());
    for (int turn = 0; turn < 8; ++turn) {
      const std::vector<double> a = awkward_numbers(count, random);
      const std::vector<double> b = awkward_numbers(count, random);
      const double limit = awkward_numbers(1, random)[0];
      // One word more than needed, which nobody may touch.
      std::vector<std::uint64_t> alive((count + 63) / 64 + 1);
      for (std::uint64_t& word : alive) word = turn % 4 == 0 ? ~std::uint64_t{0} : random();
      if (turn % 4 == 1) std::fill(alive.begin(), alive.begin() + alive.size() / 2, 0);
      std::vector<std::uint64_t> kept = alive;
      fast::keep_within(a.data(), count, limit, kept.data());
      for (std::size_t i = 0; i < count; ++i) {
        const bool was = alive[i / 64] >> (i % 64) & 1;
        EXPECT_EQ(kept[i / 64] >> (i % 64) & 1, was && a[i] <= limit ? 1U : 0U) << i;
      }
      EXPECT_EQ(kept.back(), alive.back());
      std::vector<double> least(count + 1, 7);
      fast::take_minima(a.data(), b.data(), count, least.data());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(least[i], std::min(a[i], b[i])) << i;
      EXPECT_EQ(least[count], 7);
    }
  }
}

TEST(Frontier, TheLeastBoundCountsWhatIsWorkedOn) {
  std::mt19937_64 random(test_seed());
  for (int turn = 0; turn < 50; ++turn) {
    fast::Frontier frontier;
    std::multiset<double> open, active;
    std::multiset<std::uint32_t> depths;
    for (int step = 0; step < 200; ++step) {
      const std::size_t kind = random() % 4;
      if (kind < 2) {
        auto node = std::make_unique<fast::Node>(Problem{});
        node->bound = static_cast<double>(random() % 10);
        node->depth = static_cast<std::uint32_t>(random() % 10);
        open.insert(node->bound);
        depths.insert(node->depth);
        frontier.push(std::move(node));
      } else if (kind == 2) {
        const bool deepest = random() % 3 == 0;
        const std::unique_ptr<fast::Node> node = frontier.pop(deepest);
        ASSERT_EQ(node == nullptr, open.empty());
        if (!node) continue;
        if (deepest) {
          EXPECT_EQ(node->depth, *depths.rbegin()) << "another node is deeper";
        } else {
          EXPECT_EQ(node->bound, *open.begin()) << "another node has a lesser bound";
        }
        open.erase(open.find(node->bound));
        depths.erase(depths.find(node->depth));
        active.insert(node->bound);
      } else if (!active.empty()) {
        const auto chosen = std::next(active.begin(), static_cast<long>(random() % active.size()));
        frontier.done(*chosen);
        active.erase(chosen);
      }
      double least = infinity;
      if (!open.empty()) least = *open.begin();
      if (!active.empty()) least = std::min(least, *active.begin());
      EXPECT_EQ(frontier.least_bound(), least);
      EXPECT_EQ(frontier.size(), open.size());
    }
  }
}

}  // namespace
