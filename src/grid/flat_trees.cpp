#include "grid/flat_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace boxwood {
namespace {

constexpr std::size_t trees_at_once = 8;
constexpr std::size_t most_nodes = std::size_t{1} << 16;  // of a tree

bool is_flat(const Tree& tree, const Node& node) {
  if (node.kind == NodeKind::leaf) return true;
  return node.kind == NodeKind::less && !node.missing_at_zero &&
         static_cast<std::size_t>(node.feature) < most_nodes && tree.nodes.size() <= most_nodes &&
         static_cast<double>(static_cast<float>(node.threshold)) == node.threshold;
}

}  // namespace

FlatTrees::Ends::Ends(std::size_t features)
    : nearest(2 * features, std::numeric_limits<float>::infinity()) {}
double FlatTrees::Ends::upper(std::size_t feature) const {
  return static_cast<double>(nearest[2 * feature]);
}
double FlatTrees::Ends::lower(std::size_t feature) const {
  return -static_cast<double>(nearest[2 * feature + 1]);
}

std::size_t FlatTrees::most_bytes(std::size_t nodes, std::size_t trees) {
  return nodes * (sizeof(Node) + sizeof(std::uint32_t)) + 2 * trees * sizeof(std::uint32_t);
}

std::size_t FlatTrees::bytes() const { return most_bytes(nodes_.capacity(), roots_.capacity()); }

std::shared_ptr<const FlatTrees> FlatTrees::of(const Ensemble& ensemble, Pace& pace) {
  if (ensemble.link == Link::composed || ensemble.input != Precision::float32) return nullptr;
  std::size_t nodes = 0;
  for (const Tree& tree : ensemble.trees) {
    pace.work(tree.nodes.size());
    nodes += tree.nodes.size();
    const auto flat = [&](const boxwood::Node& node) { return is_flat(tree, node); };
    if (!std::all_of(tree.nodes.begin(), tree.nodes.end(), flat)) return nullptr;
  }
  if (nodes > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  const auto made = std::make_shared<FlatTrees>();
  made->nodes_.reserve(nodes);
  made->value_of_.reserve(nodes);
  made->roots_.reserve(ensemble.trees.size());
  made->depths_.reserve(ensemble.trees.size());
  std::vector<std::int32_t> order, next;  // nodes of the tree level by level, both children at once
  for (const Tree& tree : ensemble.trees) {
    pace.work(tree.nodes.size());
    const auto root = static_cast<std::uint32_t>(made->nodes_.size());
    made->roots_.push_back(root);
    order.assign(1, 0);
    std::uint32_t depth = 0;
    for (std::size_t level_begin = 0; level_begin < order.size(); ++depth) {
      const std::size_t level_end = order.size();
      for (std::size_t place = level_begin; place < level_end; ++place) {
        const boxwood::Node& node = tree.nodes[static_cast<std::size_t>(order[place])];
        if (node.kind == NodeKind::leaf) {
          made->nodes_.push_back(
              {std::numeric_limits<float>::quiet_NaN(), 0, static_cast<std::uint16_t>(place - 1)});
          made->value_of_.push_back(static_cast<std::uint32_t>(node.value));
          continue;
        }
        made->nodes_.push_back({static_cast<float>(node.threshold),
                                static_cast<std::uint16_t>(node.feature),
                                static_cast<std::uint16_t>(order.size())});
        made->value_of_.push_back(0);
        order.push_back(node.left);
        order.push_back(node.right);
      }
      level_begin = level_end;
    }
    made->depths_.push_back(depth - 1);
  }
  return made;
}

bool FlatTrees::leaves_at(std::span<const float> read, std::span<std::uint32_t> leaf_values,
                          Ends* ends) const {
  if (std::any_of(read.begin(), read.end(), [](float x) { return std::isnan(x); })) return false;
  ends ? walk<true>(read, leaf_values, ends) : walk<false>(read, leaf_values, nullptr);
  return true;
}

template <bool with_ends>
void FlatTrees::walk(std::span<const float> read, std::span<std::uint32_t> leaf_values,
                     Ends* ends) const {
  constexpr float signs[] = {1, -1};
  const float* const values = read.data();
  float* const nearest = with_ends ? ends->nearest.data() : nullptr;
  for (std::size_t t = 0; t < roots_.size(); t += trees_at_once) {
    const std::size_t count = std::min(trees_at_once, roots_.size() - t);
    const Node* root[trees_at_once];
    std::uint16_t at[trees_at_once] = {};
    std::uint32_t depth = 0;
    for (std::size_t k = 0; k < trees_at_once; ++k) {
      // Where no tree is left, the last one is walked once more.
      const std::size_t tree = t + std::min(k, count - 1);
      root[k] = &nodes_[roots_[tree]];
      depth = std::max(depth, depths_[tree]);
    }
    for (; depth > 0; --depth) {
      for (std::size_t k = 0; k < trees_at_once; ++k) {
        const Node node = root[k][at[k]];
        const bool left = values[node.feature] < node.threshold;
        const std::uint32_t right = left ? 0 : 1;
        if (with_ends) {
          // Without branches, which would mostly be predicted wrong: minus the threshold on the
          // right, as Ends has it.
          const float end = node.threshold * signs[right];
          float& least = nearest[2 * std::size_t{node.feature} + right];
          least = end < least ? end : least;  // a leaf's NaN is not less
        }
        at[k] = static_cast<std::uint16_t>(node.left + right);
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      leaf_values[t + k] = value_of_[static_cast<std::size_t>(root[k] - nodes_.data()) + at[k]];
    }
  }
}

}  // namespace boxwood
