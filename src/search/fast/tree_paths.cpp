#include "search/fast/tree_paths.hpp"

#include <algorithm>

namespace boxwood::fast {

void TreePaths::give_up() {
  given_up_ = true;
  splits_ = {};
  roots_ = {};
}

void TreePaths::add(const Tree& tree, const LeafBoxes& boxes,
                    std::span<const std::uint32_t> cut_begin, std::size_t first_leaf,
                    std::size_t past_leaf) {
  if (given_up_) return;
  if (past_leaf >= leaf_mark || splits_.size() + tree.nodes.size() >= leaf_mark) return give_up();
  std::vector<std::uint32_t> leaf_of(tree.values.size(), nothing);  // of a leaf's first number
  for (std::size_t leaf = first_leaf; leaf < past_leaf; ++leaf) {
    std::uint32_t& of_value = leaf_of[boxes.leaves[leaf].value];
    // Leaves that share their numbers cannot be told apart here.
    if (of_value != nothing) return give_up();
    of_value = leaf_mark | static_cast<std::uint32_t>(leaf);
  }
  std::vector<std::uint32_t> reference(tree.nodes.size());
  std::vector<std::size_t> above(tree.nodes.size(), 0);  // splits on the way to the node
  auto split_count = static_cast<std::uint32_t>(splits_.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const boxwood::Node& node = tree.nodes[i];
    if (node.kind == NodeKind::leaf) {
      reference[i] = leaf_of[static_cast<std::size_t>(node.value)];
      continue;
    }
    reference[i] = split_count++;
    for (const std::int32_t child : {node.left, node.right}) {
      above[static_cast<std::size_t>(child)] = above[i] + 1;
      depth_ = std::max(depth_, above[i] + 1);
    }
  }
  SplitCuts split;
  for (const boxwood::Node& node : tree.nodes) {
    if (node.kind == NodeKind::leaf) continue;
    cuts_of(tree, node, split);
    if (split.cuts.size() != 1 || !split.left_first) return give_up();
    const auto feature = static_cast<std::uint32_t>(node.feature);
    const std::vector<Cut>& axis = boxes.cuts[feature];
    const auto at = std::lower_bound(axis.begin(), axis.end(), split.cuts.front()) - axis.begin();
    splits_.push_back({cut_begin[feature] + static_cast<std::uint32_t>(at + 1), feature,
                       reference[static_cast<std::size_t>(node.left)],
                       reference[static_cast<std::size_t>(node.right)]});
  }
  roots_.push_back(reference.front());
}

}  // namespace boxwood::fast
