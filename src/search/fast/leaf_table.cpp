#include "search/fast/leaf_table.hpp"

#include "search/fast/simd.hpp"

#include <tbb/info.h>

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

void add_trees(LeafTable& table, const Ensemble& ensemble, const LeafBoxes& boxes) {
  Leaves& leaves = table.leaves;
  const std::uint32_t first_row = table.row_count;
  table.first_row.push_back(first_row);
  table.row_count += static_cast<std::uint32_t>(ensemble.base.size());
  std::vector<std::uint32_t> order;
  for (const Tree& tree : ensemble.trees) {
    const auto tree_index = static_cast<std::uint32_t>(leaves.tree_count());
    const auto begin =
        std::partition_point(boxes.leaves.begin(), boxes.leaves.end(),
                             [&](const LeafBox& leaf) { return leaf.tree < tree_index; });
    order.clear();
    for (auto leaf = begin; leaf != boxes.leaves.end() && leaf->tree == tree_index; ++leaf) {
      order.push_back(static_cast<std::uint32_t>(leaf - boxes.leaves.begin()));
    }
    const bool every = tree.output == Tree::every_output;
    Leaves::Rows rows{first_row, static_cast<std::uint32_t>(ensemble.base.size())};
    if (!every) rows = {rows.first + static_cast<std::uint32_t>(tree.output), 1};
    if (rows.count == 1) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return tree.values[boxes.leaves[a].value] > tree.values[boxes.leaves[b].value];
      });
    }
    leaves.rows.push_back(rows);
    leaves.values_begin.push_back(static_cast<std::uint32_t>(leaves.values.size()));
    for (const std::uint32_t index : order) {
      const LeafBox& box = boxes.leaves[index];
      for (std::uint32_t s = box.ranges_begin; s < box.ranges_end; ++s) {
        const PathRange& range = boxes.ranges[s];
        leaves.ranges.push_back({range.feature, range.cells.first, range.cells.last});
        table.extra.push_back({range.missing != 0, range.list != PathRange::no_list, s});
        table.first_at.push_back(table.cut_begin[range.feature] + range.cells.first);
        table.last_at.push_back(table.cut_begin[range.feature] + range.cells.last);
      }
      leaves.ranges_begin.push_back(static_cast<std::uint32_t>(leaves.ranges.size()));
      const auto at = tree.values.begin() + box.value;
      leaves.values.insert(leaves.values.end(), at, at + rows.count);
      for (auto value = at; value != at + rows.count; ++value) {
        table.largest_value = std::max(table.largest_value, std::abs(*value));
      }
    }
    leaves.tree_begin.push_back(static_cast<std::uint32_t>(leaves.ranges_begin.size() - 1));
  }
}

}  // namespace

LeafTable make_leaf_table(std::span<const Ensemble> ensembles, const LeafBoxes& boxes) {
  // Detect vector instructions and cores now: detection, above all of oneTBB's cores, takes longer
  // than a small query, which would otherwise include it.
  find_vectors();
  static_cast<void>(tbb::info::default_concurrency());
  LeafTable table;
  number_cuts(table, boxes);
  for (const Ensemble& ensemble : ensembles) add_trees(table, ensemble, boxes);
  return table;
}

LeafTable add_ensemble(const LeafTable& table, const LeafBoxes& all, const Ensemble& more,
                       std::optional<std::size_t> max_changes) {
  LeafTable longer = table;
  longer.max_changes = max_changes;
  number_cuts(longer, all);
  for (std::size_t s = 0; s < longer.leaves.ranges.size(); ++s) {
    LeafRange& range = longer.leaves.ranges[s];
    const PathRange& moved = all.ranges[longer.extra[s].origin];
    range.first = moved.cells.first;
    range.last = moved.cells.last;
    longer.first_at[s] = longer.cut_begin[range.variable] + range.first;
    longer.last_at[s] = longer.cut_begin[range.variable] + range.last;
  }
  add_trees(longer, more, all);
  return longer;
}

}  // namespace boxwood::fast
