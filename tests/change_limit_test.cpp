// Where only so many features may change, the fast engine drops leaves and cells: never those of a
// point that keeps to it.
#include "search/fast/changes.hpp"
#include "search/fast/row_probe.hpp"

#include "fast_parts.hpp"
#include "seeds.hpp"

namespace change_limit_test {

using namespace boxwood;

TEST(ChangeLimit, EveryPointWithFewEnoughStays) {
  int limits = 0, cells_dropped = 0, leaves_dropped = 0, refused = 0, must_change = 0, near = 0;
  const auto check = [&](Question& question, std::mt19937_64& random) {
    fast::Context& context = question.context;
    const double radius = question.points[random() % question.points.size()].cost;
    std::vector<const GridPoint*> inside;
    for (const GridPoint& point : question.points) {
      const bool few = context.changes(point.cells) <= *context.table.max_changes;
      if (point.works && few && point.cost <= radius) inside.push_back(&point);
    }
    std::unique_ptr<Traced> now = gather_all(context, radius);
    for (int step = 0; step < 4; ++step) {
      Selection keep(now->problem);
      if (step > 0) {
        cut_at_random(now->problem, random, keep);
        std::erase_if(inside, [&](const GridPoint* p) { return !kept(*now, keep, p->cells); });
      }
      const auto left = [](const std::vector<std::uint8_t>& part) {
        return std::count(part.begin(), part.end(), 1);
      };
      const auto cells = left(keep.cell), leaves = left(keep.leaf);
      const std::vector<std::uint8_t> was = keep.cell;
      ++limits;
      if (!fast::limit_changes(context, now->problem, keep)) {
        EXPECT_TRUE(inside.empty()) << "nothing is left although a point is";
        ++refused;
        return;
      }
      cells_dropped += left(keep.cell) < cells ? 1 : 0;
      leaves_dropped += left(keep.leaf) < leaves ? 1 : 0;
      const fast::Problem& problem = now->problem;
      bool own_dropped = false, some_dropped = false;
      for (std::size_t v = 0; v < problem.variable_count(); ++v) {
        const std::uint32_t begin = problem.cell_begin[v], end = problem.cell_begin[v + 1];
        const auto kept_cells = std::count(keep.cell.begin() + begin, keep.cell.begin() + end, 1);
        if (keep.cell[begin + problem.nearest[v]] == was[begin + problem.nearest[v]]) {
          some_dropped |=
              kept_cells > 1 && kept_cells < std::count(was.begin() + begin, was.begin() + end, 1);
        } else {
          own_dropped = true;
        }
      }
      must_change += own_dropped ? 1 : 0;
      near += some_dropped ? 1 : 0;
      for (const GridPoint* point : inside) {
        ASSERT_TRUE(kept(*now, keep, point->cells)) << "a cell of a point was dropped";
        const Cells at = *now->place(point->cells);
        for (std::size_t t = 0; t < now->problem.leaves.tree_count(); ++t) {
          EXPECT_TRUE(keep.leaf[leaf_at(now->problem.leaves, t, at)]) << "lost a point's leaf";
        }
      }
      fast::Origin origin;
      now = reduce_traced(*now, keep, context.conditions, origin);
      if (!now) {
        EXPECT_TRUE(inside.empty()) << "nothing is left although a point is";
        return;
      }
    }
  };
  each_question(test_cases(3000), check, true);
  std::cout << limits << " times, " << cells_dropped << " dropped cells, " << leaves_dropped
            << " leaves, " << must_change << " cheapest cells, " << near
            << " some cells of a variable, " << refused << " left nothing\n";
  expect_share(cells_dropped, limits, 1.0 / 60);
  expect_share(leaves_dropped, limits, 1.0 / 50);
  expect_share(must_change, limits, 1.0 / 20);
  expect_share(near, limits, 1.0 / 250);
  expect_share(refused, limits, 1.0 / 8);
}

/// The root box of a probe, where some variables have one cell left, which may be a change.
TEST(ChangeLimit, ProbesKeepEveryPointWithFewEnough) {
  int fixed = 0, points = 0;
  const auto check = [&](Question& question, std::mt19937_64& random) {
    fast::Context& context = question.context;
    const double radius = question.points[random() % question.points.size()].cost;
    const std::unique_ptr<Traced> whole = gather_all(context, radius);
    Selection all(whole->problem);
    for (std::size_t v = random() % 2; v < whole->problem.variable_count(); v += 2) {
      const std::uint32_t begin = whole->problem.cell_begin[v];
      const auto chosen = begin + random() % whole->problem.cell_count(v);
      for (std::uint32_t c = begin; c < whole->problem.cell_begin[v + 1]; ++c) {
        all.cell[c] = c == chosen ? 1 : 0;
      }
    }
    std::vector<const GridPoint*> inside;
    for (const GridPoint& point : question.points) {
      const bool few = context.changes(point.cells) <= *context.table.max_changes;
      if (!point.works || !few || point.cost > radius) continue;
      if (kept(*whole, all, point.cells)) inside.push_back(&point);
    }
    fast::Origin origin;
    const std::unique_ptr<Traced> traced = reduce_traced(*whole, all, context.conditions, origin);
    if (!traced) {
      EXPECT_TRUE(inside.empty());
      return;
    }
    const Problem& problem = traced->problem;
    context.cap = radius;
    fast::RowProbe probe(context);
    const bool open = probe.start(problem, nullptr);
    if (!context.incumbent.is_empty()) return;
    EXPECT_TRUE(open || inside.empty()) << "nothing is left although a point is";
    if (!open) return;
    fixed += problem.variable_count() < whole->problem.variable_count() ? 1 : 0;
    points += inside.empty() ? 0 : 1;
    Selection keep(problem);
    probe.select(keep);
    for (const GridPoint* point : inside) {
      const std::optional<Cells> at = traced->place(point->cells);
      ASSERT_TRUE(at);
      for (std::size_t t = 0; t < problem.leaves.tree_count(); ++t) {
        EXPECT_TRUE(keep.leaf[leaf_at(problem.leaves, t, *at)]) << "lost a point's leaf";
      }
    }
  };
  each_question(test_cases(3000), check, true);
  std::cout << fixed << " with fixed variables, " << points << " with points\n";
  expect_share(fixed, test_cases(3000), 1.0 / 50);
  expect_share(points, test_cases(3000), 1.0 / 50);
}

}  // namespace change_limit_test
