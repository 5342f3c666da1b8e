// Writes XGBoost's JSON by hand, so that tests can put anything anywhere in it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace boxwood_test {

/// One tree as XGBoost stores it: parallel columns.
struct TreeText {
  std::vector<int> left, right, feature;
  std::vector<std::string> condition;  // the digits of thresholds and leaf values
  std::string nodes;                   // tree_param.num_nodes; empty: the true number
  std::vector<int> kind;               // split_type; empty: all 0
  std::string width = "1";             // tree_param.size_leaf_vector
  std::string more;                    // further members, each with a comma behind it

  void add(int left_child, int feature_index, std::string digits) {
    left.push_back(left_child);
    right.push_back(left_child < 0 ? -1 : left_child + 1);
    feature.push_back(feature_index);
    condition.push_back(std::move(digits));
  }

  std::string text(std::size_t id) const {
    const auto list = [](const auto& column, auto entry) {
      std::string joined = "[";
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (i != 0) joined += ',';
        joined += entry(column[i]);
      }
      return joined + "]";
    };
    const auto number = [](int value) { return std::to_string(value); };
    const auto digits = [](const std::string& value) { return value; };
    const auto zero = [](int) { return std::string("0"); };
    const auto real_zero = [](int) { return std::string("0E0"); };
    return "{" + more + R"("base_weights":)" + list(left, real_zero) + R"(,"default_left":)" +
           list(left, zero) + R"(,"id":)" + std::to_string(id) + R"(,"left_children":)" +
           list(left, number) + R"(,"parents":)" + list(left, zero) + R"(,"right_children":)" +
           list(right, number) + R"(,"split_conditions":)" + list(condition, digits) +
           R"(,"split_indices":)" + list(feature, number) + R"(,"split_type":)" +
           (kind.empty() ? list(left, zero) : list(kind, number)) +
           R"(,"tree_param":{"num_nodes":")" +
           (nodes.empty() ? std::to_string(left.size()) : nodes) + R"(","size_leaf_vector":")" +
           width + R"("}})";
  }
};

struct ModelText {
  std::vector<TreeText> trees;
  std::string objective = "binary:logistic";
  std::string features = "2";
  std::string classes = "0";
  std::string base_score = "5E-1";
  std::string version = "[3,0,0]";
  std::string tree_info;   // empty: all 0
  std::string round_ends;  // empty: not given
  std::string names;       // "cats"; empty: not given
  std::string targets = "1";

  std::string text() const {
    std::string list;
    std::string groups;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      if (t != 0) list += ',';
      list += trees[t].text(t);
      groups += t == 0 ? "0" : ",0";
    }
    return R"({"learner":{"attributes":{},"feature_names":[],"feature_types":[],)"
           R"("gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1",)"
           R"("num_trees":")" +
           std::to_string(trees.size()) + R"("},)" +
           (round_ends.empty() ? "" : R"("iteration_indptr":)" + round_ends + ",") +
           (names.empty() ? "" : R"("cats":)" + names + ",") + R"("tree_info":)" +
           (tree_info.empty() ? "[" + groups + "]" : tree_info) + R"(,"trees":[)" + list +
           R"(]},"name":"gbtree"},"learner_model_param":{"base_score":")" + base_score +
           R"(","boost_from_average":"1","num_class":")" + classes + R"(","num_feature":")" +
           features + R"(","num_target":")" + targets + R"("},"objective":{"name":")" + objective +
           R"("}},"version":)" + version + "}";
  }
};

inline std::string model_text(std::vector<TreeText> trees) {
  ModelText model;
  model.trees = std::move(trees);
  return model.text();
}

/// f0 < 0.5: -1, otherwise 1.
inline TreeText three_nodes() {
  TreeText tree;
  tree.add(1, 0, "5E-1");
  tree.add(-1, 0, "-1E0");
  tree.add(-1, 0, "1E0");
  return tree;
}

/// f0 among `codes`: 1, otherwise -1. The four arrays can be given as they are.
struct SetText {
  std::string nodes = "[0]", starts = "[0]", sizes = "[2]", codes = "[1,3]";

  TreeText tree() const {
    TreeText tree = three_nodes();
    tree.kind = {1, 0, 0};
    tree.condition[0] = "NaN";  // as XGBoost writes it up to 3.2
    tree.more = R"("categories":)" + codes + R"(,"categories_nodes":)" + nodes +
                R"(,"categories_segments":)" + starts + R"(,"categories_sizes":)" + sizes + ",";
    return tree;
  }
};

inline TreeText single_leaf(std::string digits) {
  TreeText tree;
  tree.add(-1, 0, std::move(digits));
  return tree;
}

/// 2^depth leaves; the one that takes f0 in [i, i+1) has the value i. Heap order.
inline TreeText full_tree(int depth) {
  TreeText tree;
  const int leaves = 1 << depth;
  for (int level = 0; level < depth; ++level) {
    const int width = leaves >> level;
    for (int i = 0; i < 1 << level; ++i) {
      const int self = (1 << level) - 1 + i;
      tree.add(2 * self + 1, 0, std::to_string(i * width + width / 2) + ".0");
    }
  }
  for (int i = 0; i < leaves; ++i) tree.add(-1, 0, std::to_string(i) + ".0");
  return tree;
}

/// Every right child splits again; the last leaf has the value 7, all others 1.
inline TreeText chain_tree(int splits) {
  TreeText tree;
  for (int i = 0; i < splits; ++i) {
    tree.add(2 * i + 1, 0, std::to_string(i) + ".0");
    tree.add(-1, 0, "1E0");
  }
  tree.add(-1, 0, "7E0");
  return tree;
}

}  // namespace boxwood_test
