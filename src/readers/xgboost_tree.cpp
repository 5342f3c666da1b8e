// One tree of an XGBoost file: parallel arrays, which may contain deleted nodes after pruning.
#include "readers/xgboost.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace boxwood::readers {
namespace {

constexpr std::int32_t no_child = -1;

/// The arrays of one tree, all of the same length.
struct Columns {
  explicit Columns(const Field& tree)
      : left_field(tree["left_children"]),
        right_field(tree["right_children"]),
        feature_field(tree["split_indices"]),
        condition_field(tree["split_conditions"]),
        left(left_field.integers()),
        right(right_field.integers()),
        feature(feature_field.integers()),
        default_left(tree["default_left"].integers()),
        condition(condition_field.floats()) {
    const Field count = tree["tree_param"]["num_nodes"];
    const auto nodes = left.size();
    if (count.integer() < 0 || static_cast<std::uint64_t>(count.integer()) != nodes) {
      count.fail(fmt::format("it says {} nodes, but left_children has {}", count.integer(), nodes));
    }
    if (nodes == 0) count.fail("a tree without nodes");
    if (nodes > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      count.fail("too many nodes for one tree");
    }
    same_length(right_field, right.size());
    same_length(feature_field, feature.size());
    same_length(condition_field, condition.size());
    same_length(tree["default_left"], default_left.size());
    if (const auto split_types = tree.find("split_type")) {
      kind = split_types->integers();
      same_length(*split_types, kind.size());
    }
  }

  void same_length(const Field& field, std::size_t length) const {
    if (length != left.size()) {
      field.fail(fmt::format("it has {} entries, but left_children has {}", length, left.size()));
    }
  }

  Field left_field, right_field, feature_field, condition_field;
  std::span<const std::int32_t> left, right, feature, default_left;
  std::span<const std::int32_t> kind;  // 1: a split on categories; empty in old files
  Floats condition;                    // the threshold of a split, the value of a leaf
};

std::int32_t check_child(const Columns& columns, const Field& field, std::int32_t child,
                         std::size_t parent, std::vector<bool>& reached) {
  if (child < 0 || static_cast<std::size_t>(child) >= columns.left.size()) {
    field.fail_at(parent, fmt::format("node {} does not exist; the tree has {} nodes", child,
                                      columns.left.size()));
  }
  if (reached[static_cast<std::size_t>(child)]) {
    field.fail_at(parent, fmt::format("node {} already has another parent", child));
  }
  reached[static_cast<std::size_t>(child)] = true;
  return child;
}

/// The checks that hold for splits of both kinds.
void check_split(const Columns& columns, std::size_t old, std::size_t features) {
  // XGBoost assumes that the right child follows the left one and uses its stored number only for
  // missing values. If the two disagree, the file is ambiguous.
  if (columns.right[old] != columns.left[old] + 1) {
    columns.right_field.fail_at(
        old, fmt::format("right child {} must directly follow left child {}", columns.right[old],
                         columns.left[old]));
  }
  const std::int32_t feature = columns.feature[old];
  if (feature < 0 || static_cast<std::size_t>(feature) >= features) {
    columns.feature_field.fail_at(
        old, fmt::format("feature {} does not exist; num_feature is {}", feature, features));
  }
}

/// Whether a split asks for categories.
bool by_category(const Columns& columns, const Field& tree, std::size_t old) {
  if (columns.kind.empty() || columns.kind[old] == 0) return false;
  if (columns.kind[old] != 1) {
    tree["split_type"].fail_at(old, fmt::format("{} is not a known split type", columns.kind[old]));
  }
  return true;
}

/// The values of leaves, in the order of the file's nodes or, since 3.2, in an order of their own.
class Leaves {
 public:
  Leaves(const Columns& columns, const Field& tree, std::size_t outputs, const TreeShare& share)
      : columns_(columns), share_(share), field_(columns.condition_field) {
    if (!has_vector_leaves(tree)) return;
    const Field size = tree["tree_param"]["size_leaf_vector"];
    if (static_cast<std::uint64_t>(size.integer()) != outputs) {
      size.fail(fmt::format("leaves have {} values, but the model has {} outputs", size.integer(),
                            outputs));
    }
    width_ = outputs;
    numbered_ = tree.find("leaf_weights").has_value();
    field_ = tree[numbered_ ? "leaf_weights" : "base_weights"];
    vectors_ = field_.floats();
    if (!numbered_ && vectors_.size() / width_ != columns.left.size()) {
      field_.fail(fmt::format("{} numbers for {} nodes of {} outputs", vectors_.size(),
                              columns.left.size(), width_));
    }
  }

  bool are_vectors() const { return width_ > 1; }

  void add(std::size_t old, std::vector<double>& values) const {
    if (!are_vectors()) {
      add_one(columns_.condition[old], old, values);
      return;
    }
    std::size_t index = old;
    if (numbered_) {
      const std::int32_t number = columns_.right[old];  // a leaf has no right child
      // Several leaves could refer to the same values: do not create more values than the file has.
      if (number < 0 || static_cast<std::size_t>(number) >= vectors_.size() / width_ ||
          values.size() + width_ > vectors_.size()) {
        columns_.right_field.fail_at(
            old, fmt::format("leaf {} does not exist; there are values for {}", number,
                             vectors_.size() / width_));
      }
      index = static_cast<std::size_t>(number);
    }
    for (std::size_t k = 0; k < width_; ++k) {
      add_one(vectors_[index * width_ + k], index * width_ + k, values);
    }
  }

 private:
  void add_one(float leaf, std::size_t at, std::vector<double>& values) const {
    const float value = (share_.added_to_zero ? 0.0F + leaf : leaf) * share_.weight;
    if (!std::isfinite(value)) {
      field_.fail_at(at, fmt::format("leaf value {} is not finite", value));
    }
    values.push_back(static_cast<double>(value));
  }

  const Columns& columns_;
  TreeShare share_;
  Field field_;
  std::size_t width_ = 1;
  bool numbered_ = false;
  Floats vectors_;
};

}  // namespace

bool has_vector_leaves(const Field& tree) {
  const auto width = tree["tree_param"].find("size_leaf_vector");
  return width && width->integer() > 1;
}

Tree xgboost_tree(const Field& field, std::size_t features, std::size_t outputs,
                  const TreeShare& share) {
  const Columns columns(field);
  const CategorySplits categories(field);
  const Leaves leaves(columns, field, outputs, share);
  Tree tree;
  if (leaves.are_vectors()) tree.output = Tree::every_output;
  tree.nodes.reserve(columns.left.size());
  if (!leaves.are_vectors()) tree.values.reserve(columns.left.size() / 2 + 1);
  std::vector<bool> reached(columns.left.size(), false);
  reached[0] = true;
  // Breadth first: `old_index[i]` is the file's number of our node i. Each node enters once, so
  // this ends, and a child enters after its parent.
  std::vector<std::int32_t> old_index{0};
  old_index.reserve(columns.left.size());
  for (std::size_t i = 0; i < old_index.size(); ++i) {
    const auto old = static_cast<std::size_t>(old_index[i]);
    Node node;
    if (columns.left[old] == no_child) {
      node.value = static_cast<std::int32_t>(tree.values.size());
      leaves.add(old, tree.values);
    } else {
      check_child(columns, columns.left_field, columns.left[old], old, reached);
      check_split(columns, old, features);
      check_child(columns, columns.right_field, columns.right[old], old, reached);
      node.feature = columns.feature[old];
      node.missing_left = columns.default_left[old] == 1;
      node.left = static_cast<std::int32_t>(old_index.size());
      node.right = node.left + 1;
      if (by_category(columns, field, old)) {
        const auto right = categories.right_of(old);
        if (right.empty()) {
          field["categories_nodes"].fail(fmt::format("the categories of node {} are missing", old));
        }
        node.kind = NodeKind::in_set;
        node.zero_up = true;
        node.value = static_cast<std::int32_t>(tree.sets.size());
        tree.sets.emplace_back(right.begin(), right.end());
        std::swap(node.left, node.right);
        node.missing_left = !node.missing_left;
      } else {
        if (std::isnan(columns.condition[old])) {
          columns.condition_field.fail_at(old, "the threshold is NaN");
        }
        node.kind = NodeKind::less;
        node.threshold = static_cast<double>(columns.condition[old]);
      }
      old_index.push_back(columns.left[old]);
      old_index.push_back(columns.right[old]);
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

}  // namespace boxwood::readers
