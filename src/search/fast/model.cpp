#include "search/fast/model.hpp"

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

Model make_model(std::span<const Ensemble> ensembles, const LeafBoxes& boxes) {
  Model model;
  for (const Ensemble& ensemble : ensembles) {
    model.first_row.push_back(model.row_count);
    model.row_count += static_cast<std::uint32_t>(ensemble.base.size());
  }
  model.cut_begin.push_back(0);
  for (const std::vector<Cut>& cuts : boxes.cuts) {
    model.cut_begin.push_back(model.cut_begin.back() + static_cast<std::uint32_t>(cuts.size() + 2));
  }

  Leaves& leaves = model.leaves;
  std::vector<std::uint32_t> order;
  std::size_t next = 0;
  std::uint32_t tree_index = 0;
  for (std::size_t e = 0; e < ensembles.size(); ++e) {
    for (const Tree& tree : ensembles[e].trees) {
      order.clear();
      for (; next < boxes.leaves.size() && boxes.leaves[next].tree == tree_index; ++next) {
        order.push_back(static_cast<std::uint32_t>(next));
      }
      const bool every = tree.output == Tree::every_output;
      Leaves::Rows rows{model.first_row[e], static_cast<std::uint32_t>(ensembles[e].base.size())};
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
      }
      leaves.tree_begin.push_back(static_cast<std::uint32_t>(leaves.sides_begin.size() - 1));
      ++tree_index;
    }
  }
  for (const double value : leaves.values) {
    model.largest_value = std::max(model.largest_value, std::abs(value));
  }
  return model;
}

}  // namespace boxwood::fast
