// The operator's nodes as trees. onnxruntime lets several nodes share a true branch, and joins
// chains of BRANCH_EQ into one test. Here shared branches are copied and chains become sets, within
// limits.
#include "base/infinity.hpp"
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace boxwood::readers {
namespace {

using Mode = OnnxForest::Mode;
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// Throws if the nodes contain a cycle.
void check_acyclic(const OnnxForest& forest) {
  enum class Seen : char { no, open, done };
  std::vector<Seen> seen(forest.nodes.size(), Seen::no);
  std::vector<std::pair<std::size_t, int>> path;  // a node, and how many of its children are done
  for (const std::size_t root : forest.roots) {
    if (seen[root] == Seen::done) continue;
    path.assign(1, {root, 0});
    seen[root] = Seen::open;
    while (!path.empty()) {
      auto& [at, done] = path.back();
      const OnnxForest::Node& node = forest.nodes[at];
      if (node.mode == Mode::leaf || done == 2) {
        seen[at] = Seen::done;
        path.pop_back();
        continue;
      }
      const std::size_t child = done++ == 0 ? node.yes : node.no;
      if (seen[child] == Seen::open) {
        throw Error(forest.place, fmt::format("node entry {} is its own descendant", child));
      }
      if (seen[child] == Seen::no) {
        seen[child] = Seen::open;
        path.emplace_back(child, 0);
      }
    }
  }
}

class Builder {
 public:
  Builder(const OnnxForest& forest, const std::vector<std::int32_t>& to_output,
          std::size_t features, std::size_t most)
      : forest_(forest), to_output_(to_output), features_(features), left_(most) {
    for (const std::int32_t output : to_output_) outputs_ = std::max(outputs_, output + 1);
    built_.always_scored.assign(forest.outputs, false);
    reached_.assign(forest.nodes.size(), false);
  }

  OnnxTrees run() {
    check_acyclic(forest_);
    for (const std::size_t root : forest_.roots) add_tree(root);
    check_orphans();
    return std::move(built_);
  }

 private:
  /// A node of the file, and the first node of the chain of BRANCH_EQ that onnxruntime joins it to.
  struct Item {
    std::size_t at = 0;
    std::size_t head = nobody;
  };

  void spend(std::size_t steps) {
    if (steps > left_) {
      throw UnsupportedModel(
          forest_.place, "its trees share so many nodes that they become too large when expanded",
          "Train with fewer categories or shallower trees, or use one-hot columns");
    }
    left_ -= steps;
  }

  void add_tree(std::size_t root) {
    Tree tree;
    std::vector<Item> items{{root, nobody}};
    std::vector<std::size_t> leaves;
    for (std::size_t i = 0; i < items.size(); ++i) {  // children enter after their parents
      spend(1);
      const OnnxForest::Node& node = forest_.nodes[items[i].at];
      reached_[items[i].at] = true;
      if (node.mode == Mode::leaf) {
        leaves.push_back(i);
        tree.nodes.emplace_back();
        continue;
      }
      add_split(items[i], items, tree);
    }
    if (items.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw Error(forest_.place, "too many nodes for one tree");
    }
    note_scores(items, leaves);
    fill_leaves(items, leaves, tree);
    built_.trees.push_back(std::move(tree));
  }

  void add_split(const Item item, std::vector<Item>& items, Tree& tree) {
    const OnnxForest::Node& node = forest_.nodes[item.at];
    if (node.feature < 0 || static_cast<std::uint64_t>(node.feature) >= features_) {
      throw Error(forest_.place, fmt::format("feature {} does not exist; the model has {}",
                                             node.feature, features_));
    }
    const OnnxForest::Node& test = item.head == nobody ? node : forest_.nodes[item.head];
    const Item yes{test.yes, nobody};
    Item no{node.no, nobody};
    const std::size_t head = item.head == nobody ? item.at : item.head;
    if (node.mode == Mode::eq && folds(head, node.no)) no.head = head;

    Node split;
    split.feature = static_cast<std::int32_t>(node.feature);
    split.threshold = node.threshold;
    split.missing_left = test.tracks_true;
    // GTE, GT and NEQ are LT, LEQ and EQ with their branches exchanged. NaN fails every test but
    // NEQ, unless it is tracked.
    bool exchanged = false;
    switch (node.mode) {
      case Mode::gte:
      case Mode::gt:
        exchanged = true;
        split.kind = node.mode == Mode::gte ? NodeKind::less : NodeKind::less_equal;
        split.missing_left = !test.tracks_true;
        break;
      case Mode::neq:
        exchanged = true;
        split.kind = NodeKind::equal;
        split.missing_left = false;
        break;
      case Mode::lt:
        split.kind = NodeKind::less;
        break;
      case Mode::eq:
        split.kind = NodeKind::equal;
        break;
      case Mode::in_set:
        split.kind = NodeKind::in_set;
        split.threshold = 0;
        split.value = static_cast<std::int32_t>(tree.sets.size());
        spend(forest_.sets[node.set].size());
        tree.sets.push_back(forest_.sets[node.set]);
        break;
      case Mode::leq:
      case Mode::leaf:
        split.kind = NodeKind::less_equal;
        break;
    }
    if (std::isnan(split.threshold)) {
      // Comparisons with NaN are false, except NEQ, which is true.
      split.kind = NodeKind::less;
      split.threshold = -infinity;
      exchanged = node.mode == Mode::neq;
      split.missing_left = !exchanged && test.tracks_true;
    }
    split.left = static_cast<std::int32_t>(items.size());
    split.right = split.left + 1;
    items.push_back(exchanged ? no : yes);
    items.push_back(exchanged ? yes : no);
    tree.nodes.push_back(split);
  }

  /// onnxruntime replaces a chain of BRANCH_EQ on small whole numbers by one test if their true
  /// branches look the same to it. It compares only the first weight of a leaf. The test uses the
  /// true branch and the NaN handling of the first node for all.
  bool folds(std::size_t head, std::size_t next) {
    const OnnxForest::Node& first = forest_.nodes[head];
    const OnnxForest::Node& node = forest_.nodes[next];
    return node.mode == Mode::eq && node.feature == first.feature && fits_mask(first.threshold) &&
           fits_mask(node.threshold) && looks_same(first.yes, node.yes);
  }

  bool fits_mask(double value) const {
    const double bits = forest_.precision == Precision::float64 ? 64 : 32;
    return value >= 1 && value <= bits && value == std::floor(value);
  }

  bool looks_same(std::size_t one, std::size_t other) {
    std::vector<std::pair<std::size_t, std::size_t>> pending{{one, other}};
    std::set<std::pair<std::size_t, std::size_t>> visited;
    while (!pending.empty()) {
      const auto [a, b] = pending.back();
      pending.pop_back();
      if (a == b || !visited.emplace(a, b).second) continue;
      spend(1);
      const OnnxForest::Node& left = forest_.nodes[a];
      const OnnxForest::Node& right = forest_.nodes[b];
      if (left.mode != right.mode || left.feature != right.feature ||
          left.threshold != right.threshold || left.set != right.set) {
        return false;
      }
      if (left.mode != Mode::leaf) {
        pending.emplace_back(left.no, right.no);
        pending.emplace_back(left.yes, right.yes);
        continue;
      }
      if (left.weights == 0 || right.weights == 0) {
        throw Error(forest_.place, "a leaf below BRANCH_EQ has no weight");
      }
      if (forest_.weights[left.first_weight].value != forest_.weights[right.first_weight].value) {
        return false;
      }
    }
    return true;
  }

  /// Which outputs every leaf of this tree adds to, and whether each adds something positive.
  void note_scores(const std::vector<Item>& items, const std::vector<std::size_t>& leaves) {
    std::vector<std::pair<std::int64_t, std::size_t>> scored;  // output, leaf
    bool positive = true;
    for (const std::size_t i : leaves) {
      const OnnxForest::Node& leaf = forest_.nodes[items[i].at];
      bool any = false;
      for (std::size_t w = leaf.first_weight; w < leaf.first_weight + leaf.weights; ++w) {
        scored.emplace_back(forest_.weights[w].output, i);
        any = any || forest_.weights[w].value > 0;
      }
      positive = positive && any;
    }
    spend(scored.size());
    built_.always_positive = built_.always_positive || positive;
    std::sort(scored.begin(), scored.end());
    const auto twice = std::adjacent_find(scored.begin(), scored.end());
    // With a single output onnxruntime looks at the first weight only.
    if (twice != scored.end() && forest_.outputs > 1) {
      throw Error(forest_.place, fmt::format("a leaf has two weights for output {}", twice->first));
    }
    for (std::size_t i = 0; i < scored.size();) {
      std::size_t end = i;
      while (end < scored.size() && scored[end].first == scored[i].first) ++end;
      if (end - i >= leaves.size()) {
        built_.always_scored[static_cast<std::size_t>(scored[i].first)] = true;
      }
      i = end;
    }
  }

  void fill_leaves(const std::vector<Item>& items, const std::vector<std::size_t>& leaves,
                   Tree& tree) {
    if (forest_.outputs == 1) {
      for (const std::size_t i : leaves) {
        const OnnxForest::Node& leaf = forest_.nodes[items[i].at];
        tree.nodes[i].value = static_cast<std::int32_t>(tree.values.size());
        tree.values.push_back(leaf.weights > 0 ? forest_.weights[leaf.first_weight].value
                                               : leaf.threshold);
      }
      return;
    }
    std::int32_t only = -1;  // the one output of all leaves, if there is one
    bool several = false;
    for_each_weight(items, leaves, [&](std::size_t, std::int32_t output, double) {
      several = several || (only >= 0 && only != output);
      only = output;
    });
    const std::size_t width = several ? static_cast<std::size_t>(outputs_) : 1;
    tree.output = several ? Tree::every_output : std::max(only, 0);
    spend(leaves.size() * width);
    for (const std::size_t i : leaves) {
      tree.nodes[i].value = static_cast<std::int32_t>(tree.values.size());
      tree.values.resize(tree.values.size() + width, 0.0);
      if (tree.values.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw Error(forest_.place, "too many leaf values for one tree");
      }
    }
    for_each_weight(items, leaves, [&](std::size_t i, std::int32_t output, double value) {
      const auto first = static_cast<std::size_t>(tree.nodes[i].value);
      tree.values[first + (several ? static_cast<std::size_t>(output) : 0)] = value;
    });
  }

  template <typename Handle>
  void for_each_weight(const std::vector<Item>& items, const std::vector<std::size_t>& leaves,
                       Handle handle) const {
    for (const std::size_t i : leaves) {
      const OnnxForest::Node& leaf = forest_.nodes[items[i].at];
      for (std::size_t w = leaf.first_weight; w < leaf.first_weight + leaf.weights; ++w) {
        const OnnxForest::Weight& weight = forest_.weights[w];
        const std::int32_t output = to_output_[static_cast<std::size_t>(weight.output)];
        if (output >= 0) handle(i, output, weight.value);
      }
    }
  }

  /// onnxruntime gives the weights of leaves that no root reaches to the first node of all, which
  /// ignores them unless it is a leaf itself.
  void check_orphans() const {
    if (forest_.newest || forest_.nodes[forest_.roots[0]].mode != Mode::leaf) return;
    for (std::size_t i = 0; i < forest_.nodes.size(); ++i) {
      if (forest_.nodes[i].weights == 0 || reached_[i]) continue;
      throw Error(forest_.place,
                  fmt::format("node entry {} has a weight, but cannot be reached from a "
                              "root",
                              i));
    }
  }

  const OnnxForest& forest_;
  const std::vector<std::int32_t>& to_output_;
  std::size_t features_;
  std::size_t left_;
  std::int32_t outputs_ = 1;
  std::vector<bool> reached_;
  OnnxTrees built_;
};

}  // namespace

OnnxTrees build_onnx_trees(const OnnxForest& forest, const std::vector<std::int32_t>& to_output,
                           std::size_t features, std::size_t most) {
  return Builder(forest, to_output, features, most).run();
}

}  // namespace boxwood::readers
