// The parts of the fast engine, each against first principles on random problems that are small
// enough to look at every point: what a part claims must hold for each of them.
#include "search/fast/dual_bound.hpp"
#include "search/fast/frontier.hpp"
#include "search/fast/moves.hpp"
#include "search/fast/probe.hpp"
#include "search/fast/simd.hpp"

#include "fast_parts.hpp"
#include "seeds.hpp"

#include <set>

namespace fast_parts_test {

using namespace boxwood;

constexpr double infinity = std::numeric_limits<double>::infinity();

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
      std::unique_ptr<Traced> next = reduce_traced(*now, keep, question.context.conditions, origin);
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
    if (range.size() < cells) problem.leaves.ranges.push_back({0, range.first, range.last});
    problem.leaves.ranges_begin.push_back(static_cast<std::uint32_t>(problem.leaves.ranges.size()));
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

TEST(DualBound, BoundsEveryPointAndDropsNoneWithinTheRadius) {
  int questions = 0, selections = 0, leaves_dropped = 0, cells_dropped = 0, tight = 0,
      inherited = 0, close = 0;
  each_question(test_cases(3000), [&](Question& question, std::mt19937_64& random) {
    fast::Context& context = question.context;
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
    now = reduce_traced(*now, all, context.conditions, origin);
    ASSERT_TRUE(now);
    auto dual = std::make_unique<fast::DualBound>(context, now->problem);
    EXPECT_LE(dual->certify(), least()) << "before the first round";
    for (int step = 0; step < 4; ++step) {
      for (std::size_t round = random() % 12; round > 0; --round) {
        dual->ascend();
        EXPECT_LE(dual->certify(), least()) << "the bound exceeds a point's cost";
      }
      const double bound = dual->certify();
      tight += bound > 0.9 * least() ? 1 : 0;
      Selection keep(now->problem);
      dual->select(bound, radius * weak, keep);
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
      std::unique_ptr<Traced> next = reduce_traced(*now, keep, context.conditions, origin);
      ASSERT_TRUE(next);
      for (const GridPoint* point : working) expect_same_point(context, *next, *point);
      auto smaller = std::make_unique<fast::DualBound>(context, next->problem);
      smaller->inherit(*dual, origin);
      const double after = smaller->certify();
      EXPECT_LE(after, least()) << "the inherited bound exceeds a point's cost";
      if (bound > 0) {
        ++inherited;
        close += after >= 0.9 * bound ? 1 : 0;
      }
      dual = std::move(smaller);
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
    fast::Context& context = question.context;
    std::unique_ptr<Traced> now = gather_all(context, infinity);
    Selection all(now->problem);
    fast::Origin origin;
    now = reduce_traced(*now, all, context.conditions, origin);
    ASSERT_TRUE(now);
    const Problem& problem = now->problem;
    const std::uint32_t rows = context.table.row_count;
    const auto sum = [&](std::uint32_t row, const Cells& at) {
      return reached(problem, fast::RowCondition{row, fast::RowCondition::none, 1}, at);
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

TEST(Simd, AllVectorsKeepAndTakeWhatPlainLoopsWould) {
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
      for (const fast::VectorLoops& loops : fast::all_vector_loops()) {
        std::vector<std::uint64_t> kept = alive;
        loops.keep(a.data(), count, limit, kept.data());
        for (std::size_t i = 0; i < count; ++i) {
          const bool was = alive[i / 64] >> (i % 64) & 1;
          EXPECT_EQ(kept[i / 64] >> (i % 64) & 1, was && a[i] <= limit ? 1U : 0U) << i;
        }
        EXPECT_EQ(kept.back(), alive.back());
        std::vector<double> least(count + 1, 7);
        loops.minima(a.data(), b.data(), count, least.data());
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(least[i], std::min(a[i], b[i])) << i;
        EXPECT_EQ(least[count], 7);
      }
    }
  }
}

TEST(Simd, AllVectorsMoveNearAsPlainLoopsWould) {
  std::mt19937_64 random(test_seed());
  for (std::size_t words = 0; words <= 5; ++words) {
    for (int turn = 0; turn < 40; ++turn) {
      const std::size_t count = 64 * words;
      const auto number = [&] {
        return static_cast<std::uint32_t>(random() % (turn < 20 ? 8 : 1U << 30));
      };
      std::vector<std::uint32_t> far(count), before(count);
      const std::uint32_t from = number(), to = from + number(), limit = number();
      for (std::size_t i = 0; i < count; ++i) {
        far[i] = number();
        // Extra costs are sums, and what this variable adds is one of their terms.
        before[i] = number() + (far[i] > from ? far[i] - from : 0);
      }
      std::vector<std::uint64_t> alive(words + 1);
      for (std::uint64_t& word : alive) word = random() % 3 == 0 ? 0 : random();
      for (const fast::VectorLoops& loops : fast::all_vector_loops()) {
        std::vector<std::uint64_t> kept = alive;
        std::vector<std::uint32_t> after(count + 1, 7);
        loops.move({far.data(), from, to, limit}, before.data(), after.data(), kept.data(), words);
        for (std::size_t i = 0; i < count; ++i) {
          if (alive[i / 64] == 0) continue;
          const std::uint32_t was = far[i] > from ? far[i] - from : 0;
          const std::uint32_t is = far[i] > to ? far[i] - to : 0;
          EXPECT_EQ(after[i], before[i] - was + is) << i;
          const bool lives = (alive[i / 64] >> (i % 64) & 1) != 0 && after[i] <= limit;
          EXPECT_EQ(kept[i / 64] >> (i % 64) & 1, lives ? 1U : 0U) << i;
        }
        EXPECT_EQ(kept.back(), alive.back());
        EXPECT_EQ(after.back(), 7U);
      }
    }
  }
}

TEST(Simd, AllVectorsFindTheLargestNumber) {
  std::mt19937_64 random(test_seed());
  for (std::size_t count = 1; count <= 100; ++count) {
    std::vector<std::int64_t> numbers(count);
    for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random());
    // The number after the last one must not count.
    numbers.push_back(std::numeric_limits<std::int64_t>::max());
    for (const fast::VectorLoops& loops : fast::all_vector_loops()) {
      EXPECT_EQ(loops.largest(numbers.data(), count),
                *std::max_element(numbers.begin(), numbers.end() - 1));
    }
  }
}

/// Of plain leaves, merging is reducing: no tree lacks a leaf for a cell within the radius.
TEST(Merge, IsReducingWithEverythingKept) {
  int merged = 0;
  each_question(test_cases(2000), [&](Question& question, std::mt19937_64& random) {
    fast::Context& context = question.context;
    if (context.in_pieces) return;
    const double radius = question.points[random() % question.points.size()].cost;
    const Problem raw = fast::gather(context.table, context.boxes, context.variables, context.near,
                                     context.thresholds, radius, context.watch);
    Selection keep(raw);
    const std::optional<Problem> expected = fast::reduce(raw, keep, context.conditions);
    const std::optional<Problem> found = fast::merge(raw, context.conditions);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) return;
    EXPECT_EQ(found->cost, expected->cost);
    EXPECT_EQ(found->choice, expected->choice);
    EXPECT_EQ(found->cell_begin, expected->cell_begin);
    EXPECT_EQ(found->variable_of, expected->variable_of);
    EXPECT_EQ(found->nearest, expected->nearest);
    EXPECT_EQ(found->thresholds, expected->thresholds);
    EXPECT_EQ(found->fixed_at, expected->fixed_at);
    EXPECT_EQ(found->fixed_cost, expected->fixed_cost);
    EXPECT_EQ(found->leaves.tree_begin, expected->leaves.tree_begin);
    EXPECT_EQ(found->leaves.values_begin, expected->leaves.values_begin);
    EXPECT_EQ(found->leaves.values, expected->leaves.values);
    EXPECT_EQ(found->leaves.ranges_begin, expected->leaves.ranges_begin);
    ASSERT_EQ(found->leaves.ranges.size(), expected->leaves.ranges.size());
    for (std::size_t r = 0; r < found->leaves.ranges.size(); ++r) {
      const fast::LeafRange &a = found->leaves.ranges[r], &b = expected->leaves.ranges[r];
      EXPECT_TRUE(a.variable == b.variable && a.first == b.first && a.last == b.last) << r;
    }
    ++merged;
  });
  expect_share(merged, test_cases(2000), 0.3);
}

/// A bound that is rounded the wrong way would drop leaves of points that cost exactly as much as
/// the radius. Sometimes the radius is much too large at first, so that costs are scaled again.
TEST(Probe, KeepsAllLeavesOfPointsWithinTheRadiusAndFindsTheCheapest) {
  int kept_leaves = 0, found = 0, in_units = 0;
  each_question(test_cases(3000), [&](Question& question, std::mt19937_64& random) {
    fast::Context& context = question.context;
    const double cost = question.points[random() % question.points.size()].cost;
    const double radius = random() % 2 == 0 ? cost : cost * 1e6;
    if (std::isinf(radius)) return;
    const std::unique_ptr<Traced> whole = gather_all(context, radius);
    Selection all(whole->problem);
    fast::Origin origin;
    const std::unique_ptr<Traced> traced = reduce_traced(*whole, all, context.conditions, origin);
    double least = infinity;
    for (const GridPoint& point : question.points) {
      if (point.works && point.cost <= radius) least = std::min(least, point.cost);
    }
    if (!traced) {
      EXPECT_EQ(least, infinity);
      return;
    }
    const Problem& problem = traced->problem;
    context.cap = radius;
    fast::Probe probe(context);
    const bool open = probe.start(problem);
    in_units += probe.in_units() ? 1 : 0;
    if (open && context.incumbent.is_empty()) {
      Selection keep(problem);
      probe.select(keep);
      for (const GridPoint& point : question.points) {
        if (!point.works || point.cost > radius) continue;
        const std::optional<Cells> at = traced->place(point.cells);
        ASSERT_TRUE(at);
        for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
          EXPECT_TRUE(keep.leaf[leaf_at(problem.leaves, t, *at)]) << "tree " << t;
          ++kept_leaves;
        }
      }
    }
    if (open) {
      EXPECT_TRUE(probe.search(1'000'000));
    }
    EXPECT_EQ(context.incumbent.cost(), least);
    found += std::isfinite(least) ? 1 : 0;
  });
  expect_share(kept_leaves, test_cases(3000), 0.3);
  expect_share(found, test_cases(3000), 0.2);
  expect_share(in_units, test_cases(3000), 0.2);
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

}  // namespace fast_parts_test
