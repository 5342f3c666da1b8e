#include "search/fast/leaf_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwood::fast {

std::vector<std::uint32_t> Leaves::trees() const {
  std::vector<std::uint32_t> tree_of(count());
  for (std::uint32_t t = 0; t < tree_count(); ++t) {
    std::fill(tree_of.begin() + tree_begin[t], tree_of.begin() + tree_begin[t + 1], t);
  }
  return tree_of;
}

Testers list_testers(const Leaves& leaves, std::size_t variable_count) {
  Testers testers;
  testers.begin.assign(variable_count + 1, 0);
  for (const LeafRange& range : leaves.ranges) ++testers.begin[range.variable + 1];
  std::partial_sum(testers.begin.begin(), testers.begin.end(), testers.begin.begin());
  testers.list.resize(leaves.ranges.size());
  std::vector<std::uint32_t> next(testers.begin.begin(), testers.begin.end() - 1);
  for (std::uint32_t leaf = 0; leaf < leaves.count(); ++leaf) {
    for (std::uint32_t s = leaves.ranges_begin[leaf]; s < leaves.ranges_begin[leaf + 1]; ++s) {
      const LeafRange& range = leaves.ranges[s];
      testers.list[next[range.variable]++] = {leaf, s, range.first, range.last};
    }
  }
  return testers;
}

namespace {

void number_cuts(LeafTable& table, const LeafBoxes& boxes) {
  table.cut_begin.assign(1, 0);
  for (const std::vector<Cut>& cuts : boxes.cuts) {
    table.cut_begin.push_back(table.cut_begin.back() + static_cast<std::uint32_t>(cuts.size() + 2));
  }
}

/// Adds the trees of an ensemble from tree `first` on, counted within the ensemble.
void add_trees(LeafTable& table, const Ensemble& ensemble, const LeafBoxes& boxes,
               std::size_t first, Pace& pace) {
  LeafValues& leaves = table.leaves;
  const std::uint32_t first_row = table.first_row.back();
  for (std::size_t t = first; t < ensemble.trees.size(); ++t) {
    const Tree& tree = ensemble.trees[t];
    pace.work(tree.nodes.size());
    const auto tree_index = static_cast<std::uint32_t>(leaves.tree_count());
    const Tree::Outputs to = tree.outputs(ensemble.base.size());
    const LeafValues::Rows rows{first_row + static_cast<std::uint32_t>(to.first),
                                static_cast<std::uint32_t>(to.count)};
    leaves.values_begin.push_back(static_cast<std::uint32_t>(leaves.values.size()));
    std::size_t leaf = leaves.tree_begin.back();
    for (; leaf < boxes.leaves.size() && boxes.leaves[leaf].tree == tree_index; ++leaf) {
      for (const PathRange& range : boxes.ranges_of(boxes.leaves[leaf])) {
        const std::uint32_t begin = table.cut_begin[range.feature];
        table.cuts_of.push_back({begin + range.cells.first, begin + range.cells.last});
      }
      const auto at = tree.values.begin() + boxes.leaves[leaf].value;
      leaves.values.insert(leaves.values.end(), at, at + rows.count);
      for (auto value = at; value != at + rows.count; ++value) {
        table.largest_value = std::max(table.largest_value, std::abs(*value));
      }
    }
    table.paths.add(tree, boxes, table.cut_begin, leaves.tree_begin.back(), leaf);
    leaves.tree_begin.push_back(static_cast<std::uint32_t>(leaf));
    leaves.rows.push_back(rows);  // last: it counts the finished trees
  }
}

/// In blocks, so that the ranges of neighbouring leaves are still read one soon after the other.
void sort_by_ranges(LeafTable& table, const LeafBoxes& boxes) {
  constexpr std::size_t block = 4096;
  table.by_ranges.resize(boxes.leaves.size());
  std::iota(table.by_ranges.begin(), table.by_ranges.end(), std::uint32_t{0});
  const auto ranges = [&](std::uint32_t leaf) {
    return boxes.leaves[leaf].ranges_end - boxes.leaves[leaf].ranges_begin;
  };
  for (std::size_t begin = 0; begin < table.by_ranges.size(); begin += block) {
    const auto first = table.by_ranges.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto past = table.by_ranges.begin() +
                      static_cast<std::ptrdiff_t>(std::min(begin + block, table.by_ranges.size()));
    std::stable_sort(first, past,
                     [&](std::uint32_t a, std::uint32_t b) { return ranges(a) < ranges(b); });
  }
}

void begin_ensemble(LeafTable& table, const Ensemble& ensemble) {
  table.first_row.push_back(table.row_count);
  table.row_count += static_cast<std::uint32_t>(ensemble.base.size());
}

}  // namespace

std::size_t LeafTable::bytes() const {
  std::size_t of_flat = 0;
  for (const auto& trees : flat) of_flat += trees ? trees->bytes() : 0;
  return of_flat + leaves.values.capacity() * sizeof(double) + paths.bytes() +
         cuts_of.capacity() * sizeof(RangeCuts) +
         (by_ranges.capacity() + leaves.tree_begin.capacity() + leaves.values_begin.capacity() +
          cut_begin.capacity()) *
             sizeof(std::uint32_t) +
         leaves.rows.capacity() * sizeof(LeafValues::Rows);
}

void make_leaf_table(std::span<const Ensemble> ensembles, const LeafBoxes& boxes, LeafTable& table,
                     Pace& pace) {
  if (table.cut_begin.empty()) {
    number_cuts(table, boxes);
    table.cuts_of.reserve(boxes.ranges.size());
    std::size_t values = 0, nodes = 0;
    for (const Ensemble& ensemble : ensembles) {
      for (const Tree& tree : ensemble.trees) {
        values += tree.values.size();
        nodes += tree.nodes.size();
      }
    }
    table.leaves.values.reserve(values);
    table.paths.reserve(boxes.tree_count, nodes / 2);  // of a tree's nodes half are splits
  }
  std::size_t before = 0;  // trees of the ensembles before
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    if (table.first_row.size() == e) begin_ensemble(table, ensembles[e]);
    const std::size_t done = table.leaves.tree_count();
    if (done >= before && table.first_row.size() == e + 1) {
      add_trees(table, ensembles[e], boxes, done - before, pace);
    }
    before += ensembles[e].trees.size();
  }
  while (table.flat.size() < ensembles.size()) {
    table.flat.push_back(FlatTrees::of(ensembles[table.flat.size()], pace));
  }
  sort_by_ranges(table, boxes);
}

LeafTable make_leaf_table(std::span<const Ensemble> ensembles, const LeafBoxes& boxes) {
  LeafTable table;
  Pace unlimited;
  make_leaf_table(ensembles, boxes, table, unlimited);
  return table;
}

LeafTable add_ensemble(const LeafTable& table, const LeafBoxes& all, const Ensemble& more,
                       std::optional<std::size_t> max_changes, Pace& pace) {
  LeafTable longer;
  longer.leaves = table.leaves;
  longer.cuts_of = table.cuts_of;
  longer.first_row = table.first_row;
  longer.row_count = table.row_count;
  longer.largest_value = table.largest_value;
  longer.max_changes = max_changes;
  longer.flat = table.flat;
  longer.flat.push_back(nullptr);  // a search of one question takes few walks
  longer.paths.give_up();          // many rules have splits on equality
  number_cuts(longer, all);
  for (std::size_t s = 0; s < longer.cuts_of.size(); ++s) {
    const PathRange& range = all.ranges[s];
    const std::uint32_t begin = longer.cut_begin[range.feature];
    longer.cuts_of[s] = {begin + range.cells.first, begin + range.cells.last};
    pace.work(1);
  }
  begin_ensemble(longer, more);
  add_trees(longer, more, all, 0, pace);
  sort_by_ranges(longer, all);
  return longer;
}

}  // namespace boxwood::fast
