#include "search/fast/tree_paths.hpp"

#include <algorithm>

namespace boxwood::fast {

void TreePaths::give_up() {
  given_up_ = true;
  splits_ = {};
  roots_ = {};
  first_splits_ = {};
}

void TreePaths::add(const Tree& tree, const LeafBoxes& boxes,
                    std::span<const std::uint32_t> cut_begin, std::size_t first_leaf,
                    std::size_t past_leaf) {
  if (given_up_) return;
  constexpr auto most = static_cast<std::size_t>(nothing);
  if (past_leaf >= most || splits_.size() + tree.nodes.size() >= most) return give_up();
  std::vector<std::int32_t> leaf_of(tree.values.size(), nothing);  // of a leaf's first number
  for (std::size_t leaf = first_leaf; leaf < past_leaf; ++leaf) {
    std::int32_t& of_value = leaf_of[boxes.leaves[leaf].value];
    // Leaves that share their numbers cannot be told apart here.
    if (of_value != nothing) return give_up();
    of_value = static_cast<std::int32_t>(leaf);
  }
  std::vector<std::int32_t> reference(tree.nodes.size());
  std::vector<std::size_t> above(tree.nodes.size(), 0);  // splits on the way to the node
  std::vector<std::uint32_t> way(tree.nodes.size(), 0);  // the step to the node, as Split::before
  std::vector<std::size_t> node_of;                      // of a split of the tree
  const auto first_split = static_cast<std::uint32_t>(splits_.size());
  auto split_count = first_split;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const boxwood::Node& node = tree.nodes[i];
    if (node.kind == NodeKind::leaf) {
      reference[i] = leaf_of[static_cast<std::size_t>(node.value)];
      continue;
    }
    std::uint32_t step = 2 + 2 * (split_count - first_split);
    node_of.push_back(i);
    reference[i] = ~static_cast<std::int32_t>(split_count++);
    for (const std::int32_t child : {node.left, node.right}) {
      above[static_cast<std::size_t>(child)] = above[i] + 1;
      way[static_cast<std::size_t>(child)] = step++;
      depth_ = std::max(depth_, above[i] + 1);
    }
  }
  const auto last_step = [&](std::size_t at) {
    std::uint32_t step = linked() ? way[at] : 0;
    for (; step != 0; step = way[node_of[step / 2 - 1]]) {
      if (tree.nodes[node_of[step / 2 - 1]].feature == tree.nodes[at].feature) break;
    }
    return step;
  };
  SplitCuts split;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const boxwood::Node& node = tree.nodes[i];
    if (node.kind == NodeKind::leaf) continue;
    cuts_of(tree, node, split);
    if (split.cuts.size() != 1 || !split.left_first) return give_up();
    const auto feature = static_cast<std::uint32_t>(node.feature);
    const std::vector<Cut>& axis = boxes.cuts[feature];
    const auto at = std::lower_bound(axis.begin(), axis.end(), split.cuts.front()) - axis.begin();
    splits_.push_back({cut_begin[feature] + static_cast<std::uint32_t>(at + 1), feature,
                       reference[static_cast<std::size_t>(node.left)],
                       reference[static_cast<std::size_t>(node.right)], last_step(i)});
  }
  roots_.push_back(reference.front());
  first_splits_.push_back(split_count);
  most_splits_ = std::max<std::size_t>(most_splits_, split_count - first_split);
}

}  // namespace boxwood::fast
