#include "search/fast/model.hpp"

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
  for (const Side& side : leaves.sides) ++testers.begin[side.variable + 1];
  std::partial_sum(testers.begin.begin(), testers.begin.end(), testers.begin.begin());
  testers.list.resize(leaves.sides.size());
  std::vector<std::uint32_t> next(testers.begin.begin(), testers.begin.end() - 1);
  for (std::uint32_t leaf = 0; leaf < leaves.count(); ++leaf) {
    for (std::uint32_t s = leaves.sides_begin[leaf]; s < leaves.sides_begin[leaf + 1]; ++s) {
      const Side& side = leaves.sides[s];
      testers.list[next[side.variable]++] = {leaf, s, side.first, side.last};
    }
  }
  return testers;
}

namespace {

void number_cuts(Model& model, const LeafBoxes& boxes) {
  model.cut_begin.assign(1, 0);
  for (const std::vector<Cut>& cuts : boxes.cuts) {
    model.cut_begin.push_back(model.cut_begin.back() + static_cast<std::uint32_t>(cuts.size() + 2));
  }
}

void add_trees(Model& model, const Ensemble& ensemble, const LeafBoxes& boxes) {
  Leaves& leaves = model.leaves;
  const std::uint32_t first_row = model.row_count;
  model.first_row.push_back(first_row);
  model.row_count += static_cast<std::uint32_t>(ensemble.base.size());
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
      for (std::uint32_t s = box.sides_begin; s < box.sides_end; ++s) {
        const LeafSide& side = boxes.sides[s];
        leaves.sides.push_back({side.feature, side.cells.first, side.cells.last});
        model.extra.push_back({side.missing != 0, side.list != LeafSide::no_list, s});
        model.first_at.push_back(model.cut_begin[side.feature] + side.cells.first);
        model.last_at.push_back(model.cut_begin[side.feature] + side.cells.last);
      }
      leaves.sides_begin.push_back(static_cast<std::uint32_t>(leaves.sides.size()));
      const auto at = tree.values.begin() + box.value;
      leaves.values.insert(leaves.values.end(), at, at + rows.count);
      for (auto value = at; value != at + rows.count; ++value) {
        model.largest_value = std::max(model.largest_value, std::abs(*value));
      }
    }
    leaves.tree_begin.push_back(static_cast<std::uint32_t>(leaves.sides_begin.size() - 1));
  }
}

}  // namespace

Model make_model(std::span<const Ensemble> ensembles, const LeafBoxes& boxes) {
  // Detect vector instructions and cores now: detection, above all of oneTBB's cores, takes longer
  // than a small query, which would otherwise include it.
  find_vectors();
  static_cast<void>(tbb::info::default_concurrency());
  Model model;
  number_cuts(model, boxes);
  for (const Ensemble& ensemble : ensembles) add_trees(model, ensemble, boxes);
  return model;
}

Model add_ensemble(const Model& model, const LeafBoxes& all, const Ensemble& more,
                   std::optional<std::size_t> max_changes) {
  Model longer = model;
  longer.max_changes = max_changes;
  number_cuts(longer, all);
  for (std::size_t s = 0; s < longer.leaves.sides.size(); ++s) {
    Side& side = longer.leaves.sides[s];
    const LeafSide& moved = all.sides[longer.extra[s].origin];
    side.first = moved.cells.first;
    side.last = moved.cells.last;
    longer.first_at[s] = longer.cut_begin[side.variable] + side.first;
    longer.last_at[s] = longer.cut_begin[side.variable] + side.last;
  }
  add_trees(longer, more, all);
  return longer;
}

}  // namespace boxwood::fast
