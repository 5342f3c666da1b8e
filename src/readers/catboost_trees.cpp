// The trees of a CatBoost file. Oblivious trees use one split for each level: its results are the
// binary digits of the leaf's number, lowest digit first. Other trees are nested objects.
#include "readers/catboost.hpp"

#include <boxwood/error.hpp>

#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace boxwood::readers {
namespace {

constexpr std::size_t deepest = 24;  // CatBoost itself goes to 16

class TreeBuilder {
 public:
  TreeBuilder(const std::vector<CatboostSplit>& splits, std::size_t outputs, double sign,
              std::size_t& in_sets)
      : splits_(splits), outputs_(outputs), sign_(sign), in_sets_(in_sets) {
    tree_.output = outputs == 1 ? 0 : Tree::every_output;
  }

  /// A tree with splits on combinations.
  Tree combined(const JsonField& field, bool is_oblivious, const std::vector<std::size_t>& codes,
                std::size_t& room) {
    const CatboostSteps steps = is_oblivious ? oblivious_steps(field) : nested_steps(field);
    if (!catboost_split_combinations(steps, codes, room, tree_)) {
      refuse(field,
             fmt::format(
                 "the splits of the model on combinations of features need more than {} leaves",
                 catboost_leaf_limit),
             "Train with a smaller max_ctr_complexity or fewer trees, or merge rare categories");
    }
    for (const auto& set : tree_.sets) in_sets_ += set.size();
    if (in_sets_ > catboost_set_limit) catboost_fail_at_set_limit(field);
    return std::move(tree_);
  }

  /// Whether a tree has a split on a combination.
  bool has_combination(const JsonField& field, bool is_oblivious) const {
    if (is_oblivious) {
      const JsonField list = field["splits"];
      for (std::size_t i = 0; i < catboost_length(list); ++i) {
        if (split_of(list[i]).combinations) return true;
      }
      return false;
    }
    std::vector<JsonField> fields{field};
    while (!fields.empty()) {
      const JsonField next = fields.back();
      fields.pop_back();
      if (next.has("value")) continue;
      if (split_of(next["split"]).combinations) return true;
      fields.push_back(next["left"]);
      fields.push_back(next["right"]);
    }
    return false;
  }

  Tree oblivious(const JsonField& field) {
    const JsonField list = field["splits"];
    const std::size_t depth = add_oblivious_values(field);
    // For each node the digits of its leaf number that its path determines.
    std::vector<std::size_t> numbers{0};
    tree_.nodes.resize(1);
    for (std::size_t level = 0; level < depth; ++level) {
      const CatboostSplit& split = split_of(list[level]);
      const std::size_t digit = std::size_t{1} << level;
      if (always_same(split)) {
        for (std::size_t& number : numbers) number += split.apart_first ? digit : 0;
        continue;
      }
      const std::size_t parents = tree_.nodes.size() - numbers.size();
      std::vector<std::size_t> next;
      next.reserve(numbers.size() * 2);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        fill(parents + i, split, list[level]);
        const bool left_first = leads_left_first(split);
        next.push_back(numbers[i] + (left_first ? 0 : digit));
        next.push_back(numbers[i] + (left_first ? digit : 0));
      }
      numbers = std::move(next);
    }
    const std::size_t leaves = tree_.nodes.size() - numbers.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      tree_.nodes[leaves + i].value = static_cast<std::int32_t>(numbers[i] * outputs_);
    }
    return std::move(tree_);
  }

  Tree nested(const JsonField& root) {
    // Node i of the tree is `fields[i]`; a child enters after its parent.
    std::vector<JsonField> fields{root};
    tree_.nodes.resize(1);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      JsonField field = fields[i];
      while (!field.has("value")) {
        const CatboostSplit& split = split_of(field["split"]);
        if (always_same(split)) {
          field = field[split.apart_first ? "right" : "left"];
          continue;
        }
        fill(i, split, field["split"]);
        const bool left_first = leads_left_first(split);
        fields.push_back(field[left_first ? "left" : "right"]);
        fields.push_back(field[left_first ? "right" : "left"]);
        break;
      }
      if (tree_.nodes[i].kind == NodeKind::leaf) tree_.nodes[i].value = add_leaf(field["value"]);
    }
    return std::move(tree_);
  }

 private:
  /// Returns the number of splits.
  std::size_t add_oblivious_values(const JsonField& field) {
    const JsonField values = field["leaf_values"];
    const std::size_t depth = catboost_length(field["splits"]);
    if (depth > deepest || values.size() != outputs_ << depth) {
      values.fail(fmt::format("{} numbers do not match {} splits and {} outputs", values.size(),
                              depth, outputs_));
    }
    add_values(values.numbers());
    return depth;
  }

  /// Returns the index of the leaf's first value.
  std::int32_t add_leaf(const JsonField& value) {
    const auto index = static_cast<std::int32_t>(tree_.values.size());
    const std::vector<double> numbers =
        value.is_array() ? value.numbers() : std::vector{value.number()};
    if (numbers.size() != outputs_) {
      value.fail(
          fmt::format("{} numbers in this leaf; other leaves have {}", numbers.size(), outputs_));
    }
    add_values(numbers);
    return index;
  }

  /// Step `number` of level `depth`, counted from 2^depth - 1 on, has the leaf number `number`.
  CatboostSteps oblivious_steps(const JsonField& field) {
    const JsonField list = field["splits"];
    const std::size_t depth = add_oblivious_values(field);
    CatboostSteps result;
    for (std::size_t level = 0; level <= depth; ++level) {
      const std::size_t digit = std::size_t{1} << level;
      for (std::size_t number = 0; number < digit; ++number) {
        CatboostSteps::Step step;
        if (level < depth) {
          step.split = &split_of(list[level]);
          step.first = 2 * digit - 1 + number;
          step.second = step.first + digit;
        } else {
          step.value = static_cast<std::int32_t>(number * outputs_);
        }
        result.steps.push_back(step);
      }
    }
    return result;
  }

  CatboostSteps nested_steps(const JsonField& root) {
    CatboostSteps result;
    std::vector<JsonField> fields{root};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const JsonField field = fields[i];
      CatboostSteps::Step step;
      if (field.has("value")) {
        step.value = add_leaf(field["value"]);
      } else {
        step.split = &split_of(field["split"]);
        step.first = fields.size();
        step.second = step.first + 1;
        fields.push_back(field["left"]);
        fields.push_back(field["right"]);
      }
      result.steps.push_back(step);
    }
    return result;
  }

  /// CatBoost uses only split_index. If the other fields contradict it, the file is ambiguous.
  const CatboostSplit& split_of(const JsonField& field) const {
    const JsonField index_field = field["split_index"];
    const std::size_t index = catboost_index(index_field);
    if (index >= splits_.size()) {
      index_field.fail(
          fmt::format("split {} does not exist; features_info has {}", index, splits_.size()));
    }
    const CatboostSplit& split = splits_[index];
    const bool one_hot = split.type == "OneHotFeature";
    bool same = field["split_type"].string() == split.type;
    if (same && split.type == "FloatFeature") {
      same = field["float_feature_index"].int32() == split.among;
    }
    if (same && one_hot) same = field["cat_feature_index"].int32() == split.among;
    if (same && one_hot) same = field["value"].number() == split.number;
    if (same && !one_hot) {
      same = static_cast<double>(catboost_float(field["border"])) == split.number;
    }
    if (!same) field.fail(fmt::format("it does not match split {} in features_info", index));
    return split;
  }

  /// Every category takes the same branch as unknown categories.
  static bool always_same(const CatboostSplit& split) {
    return split.type != "FloatFeature" && split.apart.empty();
  }

  /// Whether the left child is CatBoost's first branch.
  static bool leads_left_first(const CatboostSplit& split) {
    return split.type == "FloatFeature" || split.apart_first;
  }

  /// Makes a node a split with two new nodes as children.
  void fill(std::size_t at, const CatboostSplit& split, const JsonField& field) {
    Node node;
    node.feature = split.feature;
    node.left = static_cast<std::int32_t>(tree_.nodes.size());
    node.right = node.left + 1;
    if (split.type == "FloatFeature") {
      node.kind = NodeKind::less_equal;
      node.threshold = split.number;
      node.missing_left = split.missing_first;
    } else {
      // Unknown and missing categories are in no set.
      node.kind = NodeKind::in_set;
      node.value = set_of(split, field);
    }
    tree_.nodes[at] = node;
    tree_.nodes.resize(tree_.nodes.size() + 2);
  }

  std::int32_t set_of(const CatboostSplit& split, const JsonField& field) {
    const auto [place, fresh] =
        sets_.try_emplace(&split, static_cast<std::int32_t>(tree_.sets.size()));
    if (fresh) {
      in_sets_ += split.apart.size();
      if (in_sets_ > catboost_set_limit) catboost_fail_at_set_limit(field);
      tree_.sets.push_back(split.apart);
    }
    return place->second;
  }

  void add_values(const std::vector<double>& numbers) {
    for (const double number : numbers) tree_.values.push_back(sign_ * number);
  }

  const std::vector<CatboostSplit>& splits_;
  std::size_t outputs_;
  double sign_;
  std::size_t& in_sets_;
  std::unordered_map<const CatboostSplit*, std::int32_t> sets_;
  Tree tree_;
};

}  // namespace

JsonField catboost_tree_list(const JsonField& root) {
  return root[root.has("oblivious_trees") ? "oblivious_trees" : "trees"];
}

std::size_t catboost_output_count(const JsonField& root) {
  const JsonField list = catboost_tree_list(root);
  if (catboost_length(list) == 0) return 0;
  if (root.has("oblivious_trees")) {
    const JsonField tree = list[std::size_t{0}];
    const std::size_t depth = catboost_length(tree["splits"]);
    const std::size_t numbers = tree["leaf_values"].size();
    if (depth > deepest || numbers >> depth == 0) {
      tree["leaf_values"].fail(fmt::format("{} numbers for {} splits", numbers, depth));
    }
    return numbers >> depth;
  }
  JsonField node = list[std::size_t{0}];
  while (!node.has("value")) node = node["left"];
  const JsonField value = node["value"];
  if (!value.is_array()) return 1;
  if (value.size() == 0) value.fail("this leaf has no value");
  return value.size();
}

std::vector<Tree> catboost_trees(const JsonField& root, const CatboostFeatures& features,
                                 std::size_t outputs, std::size_t count, double sign) {
  const JsonField list = catboost_tree_list(root);
  const bool oblivious = root.has("oblivious_trees");
  const bool combinations =
      std::any_of(features.splits.begin(), features.splits.end(),
                  [](const CatboostSplit& split) { return split.combinations != nullptr; });
  std::vector<std::size_t> codes;
  for (const Feature& feature : features.features) codes.push_back(feature.categories.size());
  std::size_t in_sets = 0;
  std::size_t room = catboost_leaf_limit;
  std::vector<Tree> trees;
  trees.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    TreeBuilder builder(features.splits, outputs, sign, in_sets);
    if (combinations && builder.has_combination(list[t], oblivious)) {
      trees.push_back(builder.combined(list[t], oblivious, codes, room));
    } else {
      trees.push_back(oblivious ? builder.oblivious(list[t]) : builder.nested(list[t]));
    }
  }
  return trees;
}

}  // namespace boxwood::readers
