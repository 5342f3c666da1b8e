// One tree of an XGBoost file: parallel arrays, in which a pruner may have left dead nodes.
#include "readers/xgboost.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
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
      count.fail(fmt::format("it says {} nodes, left_children has {}", count.integer(), nodes));
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
      if (!kind.empty()) same_length(*split_types, kind.size());
    }
  }

  void same_length(const Field& field, std::size_t length) const {
    if (length != left.size()) {
      field.fail(fmt::format("it has {} entries, left_children has {}", length, left.size()));
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
    field.fail_at(parent, fmt::format("node {} has another parent already", child));
  }
  reached[static_cast<std::size_t>(child)] = true;
  return child;
}

void check_split(const Columns& columns, std::size_t old, std::size_t features) {
  if (!columns.kind.empty() && columns.kind[old] != 0) {
    throw Error(columns.feature_field.where(old),
                fmt::format("the split on feature {} is categorical, which is not supported yet",
                            columns.feature[old]),
                "Train with one-hot columns or ordinal codes instead of enable_categorical");
  }
  // XGBoost finds the right child next to the left one and never looks at its number, except for
  // missing values. A file in which they disagree has no single meaning.
  if (columns.right[old] != columns.left[old] + 1) {
    columns.right_field.fail_at(
        old, fmt::format("node {} does not follow the left child {}, as XGBoost expects",
                         columns.right[old], columns.left[old]));
  }
  const std::int32_t feature = columns.feature[old];
  if (feature < 0 || static_cast<std::size_t>(feature) >= features) {
    columns.feature_field.fail_at(
        old, fmt::format("feature {} does not exist; num_feature is {}", feature, features));
  }
  if (std::isnan(columns.condition[old])) {
    columns.condition_field.fail_at(old, "the threshold is not a number");
  }
}

}  // namespace

Tree xgboost_tree(const Field& field, std::size_t features, const TreeShare& share) {
  if (const auto width = field["tree_param"].find("size_leaf_vector")) {
    if (width->integer() > 1) {
      width->fail("trees with several outputs in a leaf are not supported",
                  "Train with multi_strategy=\"one_output_per_tree\"");
    }
  }
  const Columns columns(field);
  Tree tree;
  std::vector<bool> reached(columns.left.size(), false);
  reached[0] = true;
  // Breadth first: `old_index[i]` is the file's number of our node i. Each node enters once, so
  // this ends, and a child enters after its parent.
  std::vector<std::int32_t> old_index{0};
  for (std::size_t i = 0; i < old_index.size(); ++i) {
    const auto old = static_cast<std::size_t>(old_index[i]);
    Node node;
    if (columns.left[old] == no_child) {
      const float leaf = columns.condition[old];
      const float value = (share.added_to_zero ? 0.0F + leaf : leaf) * share.weight;
      if (!std::isfinite(value)) {
        columns.condition_field.fail_at(old, fmt::format("leaf value {} is not finite", value));
      }
      node.value = static_cast<std::int32_t>(tree.values.size());
      tree.values.push_back(static_cast<double>(value));
    } else {
      check_child(columns, columns.left_field, columns.left[old], old, reached);
      check_split(columns, old, features);
      check_child(columns, columns.right_field, columns.right[old], old, reached);
      node.kind = NodeKind::less;
      node.missing_left = columns.default_left[old] == 1;
      node.feature = columns.feature[old];
      node.threshold = static_cast<double>(columns.condition[old]);
      node.left = static_cast<std::int32_t>(old_index.size());
      node.right = node.left + 1;
      old_index.push_back(columns.left[old]);
      old_index.push_back(columns.right[old]);
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

}  // namespace boxwood::readers
