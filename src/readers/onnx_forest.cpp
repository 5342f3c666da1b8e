// The attributes of TreeEnsembleClassifier and TreeEnsembleRegressor (ai.onnx.ml 1 to 4, parallel
// lists for all trees) and of TreeEnsemble (5, splits and leaves apart) in one shape.
// Files that onnxruntime refuses to load are refused here too.
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace boxwood::readers {
namespace {

using Mode = OnnxForest::Mode;

constexpr std::array<std::pair<std::string_view, Mode>, 7> mode_names{{{"BRANCH_LEQ", Mode::leq},
                                                                       {"BRANCH_LT", Mode::lt},
                                                                       {"BRANCH_GTE", Mode::gte},
                                                                       {"BRANCH_GT", Mode::gt},
                                                                       {"BRANCH_EQ", Mode::eq},
                                                                       {"BRANCH_NEQ", Mode::neq},
                                                                       {"LEAF", Mode::leaf}}};

[[noreturn]] void fail(const OnnxNode& node, std::string_view attribute, const std::string& reason,
                       const std::string& remedy = {}) {
  throw Error(node.where_is(attribute), reason, remedy);
}

/// Numbers given as a list of floats or as a tensor of the operator's type.
std::vector<double> numbers_of(const OnnxNode& node, const std::string& name,
                               const std::string& tensor_name, const OnnxForest& forest) {
  const std::vector<float> floats = node.floats(name);
  std::optional<OnnxTensor> tensor = node.tensor(tensor_name);
  if (!tensor || tensor->numbers.empty()) return {floats.begin(), floats.end()};
  const bool is_double = forest.precision == Precision::float64;
  if (tensor->type !=
      static_cast<std::int32_t>(is_double ? OnnxType::float64 : OnnxType::float32)) {
    fail(node, tensor_name,
         fmt::format("its type differs from the type of the operator's input, {}",
                     is_double ? "double" : "float"));
  }
  if (!floats.empty())
    fail(node, tensor_name, fmt::format("{} is given as well; only one of them is allowed", name));
  return std::move(tensor->numbers);
}

void same_length(const OnnxNode& node, std::string_view name, std::size_t length,
                 std::string_view other, std::size_t expected) {
  if (length == expected) return;
  fail(node, name, fmt::format("it has {} entries, {} has {}", length, other, expected));
}

/// Checks that the aggregate can be represented as a sum of trees.
void check_aggregate(const OnnxNode& node, std::string_view name, OnnxForest& forest) {
  forest.average = name == "AVERAGE";
  if (name == "SUM" || forest.average) return;
  if ((name == "MIN" || name == "MAX") && forest.roots.size() == 1) return;
  throw UnsupportedModel(node.where_is("aggregate_function"),
                         fmt::format("the aggregate {} of {} trees is not supported",
                                     in_quotes(name), forest.roots.size()),
                         "Boxwood supports SUM and AVERAGE");
}

struct WeightColumns {
  std::vector<std::int64_t> trees;
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> outputs;
  std::vector<double> values;
};

struct Key {
  std::int64_t tree = 0;
  std::int64_t node = 0;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::int64_t>{}(key.tree) * 0x9E3779B97F4A7C15U ^
           std::hash<std::int64_t>{}(key.node);
  }
};
using NodeNumbers = std::unordered_map<Key, std::size_t, KeyHash>;

/// Children by the file's numbers, which are unique within a tree. The root of a tree is the first
/// node that is listed for it.
NodeNumbers link_nodes(const OnnxNode& node, OnnxForest& forest) {
  const auto trees = node.integers("nodes_treeids");
  const auto numbers = node.integers("nodes_nodeids");
  const auto yes = node.integers("nodes_truenodeids");
  const auto no = node.integers("nodes_falsenodeids");
  const std::size_t count = forest.nodes.size();
  same_length(node, "nodes_treeids", trees.size(), "nodes_modes", count);
  same_length(node, "nodes_nodeids", numbers.size(), "nodes_modes", count);
  same_length(node, "nodes_truenodeids", yes.size(), "nodes_modes", count);
  same_length(node, "nodes_falsenodeids", no.size(), "nodes_modes", count);
  NodeNumbers known;
  known.reserve(count);
  std::unordered_map<std::int64_t, bool> begun;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || trees[i] != trees[i - 1]) {
      if (!begun.emplace(trees[i], true).second || trees[i] < 0) {
        fail(node, "nodes_treeids",
             fmt::format("the nodes of tree {} are not contiguous: it starts again at entry {}",
                         trees[i], i));
      }
      forest.roots.push_back(i);
    }
    if (numbers[i] < 0 || static_cast<std::uint64_t>(numbers[i]) >= count) {
      fail(node, "nodes_nodeids",
           fmt::format("node {} must be below the number of nodes, {} (entry {})", numbers[i],
                       count, i));
    }
    if (!known.emplace(Key{trees[i], numbers[i]}, i).second) {
      fail(node, "nodes_nodeids",
           fmt::format("node {} of tree {} is listed twice", numbers[i], trees[i]));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (forest.nodes[i].mode == Mode::leaf) continue;
    const auto child = [&](const char* name, std::int64_t number) {
      const auto found = known.find(Key{trees[i], number});
      if (found == known.end()) {
        fail(node, name, fmt::format("node {} of tree {} does not exist", number, trees[i]));
      }
      return found->second;
    };
    forest.nodes[i].yes = child("nodes_truenodeids", yes[i]);
    forest.nodes[i].no = child("nodes_falsenodeids", no[i]);
  }
  return known;
}

/// Weights by tree, node and place in the file: the order in which they are added to a row's
/// scores.
void sort_weights(const OnnxNode& node, const WeightColumns& columns, const NodeNumbers& known,
                  const std::string& prefix, OnnxForest& forest) {
  const std::size_t count = columns.nodes.size();
  same_length(node, prefix + "_treeids", columns.trees.size(), prefix + "_nodeids", count);
  same_length(node, prefix + "_ids", columns.outputs.size(), prefix + "_nodeids", count);
  same_length(node, prefix + "_weights", columns.values.size(), prefix + "_nodeids", count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place_of = [&](std::size_t i) {
    return std::tuple(columns.trees[i], columns.nodes[i], i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return place_of(a) < place_of(b); });
  forest.weights.reserve(count);
  for (const std::size_t i : order) {
    const std::int64_t output = columns.outputs[i];
    if (output < 0 || static_cast<std::uint64_t>(output) >= forest.outputs) {
      fail(node, prefix + "_ids",
           fmt::format("output {} does not exist; there are {}", output, forest.outputs));
    }
    const auto found = known.find(Key{columns.trees[i], columns.nodes[i]});
    if (found == known.end()) {
      fail(node, prefix + "_nodeids",
           fmt::format("node {} of tree {} does not exist", columns.nodes[i], columns.trees[i]));
    }
    OnnxForest::Node& leaf = forest.nodes[found->second];
    if (leaf.weights++ == 0) leaf.first_weight = forest.weights.size();
    forest.weights.push_back({output, columns.values[i]});
    forest.all_positive = forest.all_positive && !(columns.values[i] < 0);
  }
}

void read_classes(const OnnxNode& node, OnnxForest& forest) {
  for (const std::string_view label : node.texts("classlabels_strings")) {
    forest.classes.emplace_back(label);
  }
  if (forest.classes.empty()) {
    for (const std::int64_t label : node.integers("classlabels_int64s")) {
      forest.classes.push_back(std::to_string(label));
    }
  }
  forest.outputs = forest.classes.size();
  if (forest.outputs < 2) {
    fail(node, "classlabels_int64s", fmt::format("a classifier with {} classes", forest.outputs));
  }
}

/// Targets take memory. In a valid file, each of them has a weight or a base value.
std::size_t target_count(const OnnxNode& node, std::size_t weights) {
  const std::int64_t count = node.integer("n_targets", 0);
  if (count < 1) fail(node, "n_targets", fmt::format("{} targets", count));
  if (static_cast<std::uint64_t>(count) > std::max<std::size_t>(weights, 1)) {
    fail(node, "n_targets", fmt::format("{} targets, but only {} weights", count, weights));
  }
  return static_cast<std::size_t>(count);
}

void load_lists(const OnnxNode& node, OnnxForest& forest) {
  const std::string prefix = forest.is_classifier ? "class" : "target";
  const auto modes = node.texts("nodes_modes");
  const auto features = node.integers("nodes_featureids");
  const auto tracks = node.integers("nodes_missing_value_tracks_true");
  const auto thresholds = numbers_of(node, "nodes_values", "nodes_values_as_tensor", forest);
  same_length(node, "nodes_featureids", features.size(), "nodes_modes", modes.size());
  same_length(node, "nodes_values", thresholds.size(), "nodes_modes", modes.size());
  forest.nodes.resize(modes.size());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const auto found = std::find_if(mode_names.begin(), mode_names.end(),
                                    [&](const auto& entry) { return entry.first == modes[i]; });
    if (found == mode_names.end()) {
      fail(node, "nodes_modes", fmt::format("unknown mode {} at entry {}", in_quotes(modes[i]), i));
    }
    forest.nodes[i].mode = found->second;
    forest.nodes[i].feature = features[i];
    forest.nodes[i].threshold = thresholds[i];
    forest.nodes[i].tracks_true = i < tracks.size() && tracks[i] == 1;
  }
  WeightColumns columns{
      node.integers(prefix + "_treeids"), node.integers(prefix + "_nodeids"),
      node.integers(prefix + "_ids"),
      numbers_of(node, prefix + "_weights", prefix + "_weights_as_tensor", forest)};
  if (forest.is_classifier) {
    read_classes(node, forest);
  } else {
    forest.outputs = target_count(node, columns.outputs.size());
  }
  forest.base = numbers_of(node, "base_values", "base_values_as_tensor", forest);
  const NodeNumbers known = link_nodes(node, forest);
  sort_weights(node, columns, known, prefix, forest);
  forest.post_transform = node.text("post_transform", "NONE");
  check_aggregate(node, forest.is_classifier ? "SUM" : node.text("aggregate_function", "SUM"),
                  forest);
  const bool any_base = forest.base.empty() || forest.base.size() == forest.outputs ||
                        (forest.is_classifier && forest.outputs == 2 && forest.base.size() == 1);
  if (!any_base) {
    fail(node, "base_values",
         fmt::format("{} numbers for {} outputs", forest.base.size(), forest.outputs));
  }
}

/// A set of the newest operator. onnxruntime compares with each member where they are few and
/// small, and looks up the whole part of a value otherwise.
void place_members(const OnnxNode& node, std::vector<double> members, std::size_t at,
                   OnnxForest& forest) {
  if (members.empty()) fail(node, "membership_values", fmt::format("no members for node {}", at));
  const auto [least, most] = std::minmax_element(members.begin(), members.end());
  if (members.size() < 31 && *most <= 30 && *least >= 0) {
    // node -> the last test; the others in front of it, each with the same true branch.
    const OnnxForest::Node last = forest.nodes[at];
    for (std::size_t i = 0; i < members.size(); ++i) {
      OnnxForest::Node test = last;
      test.mode = Mode::eq;
      test.threshold = members[i];
      if (i + 1 < members.size()) test.no = forest.nodes.size() + (i == 0 ? 0 : 1);
      if (i == 0) {
        forest.nodes[at] = test;
      } else {
        forest.nodes.push_back(test);
      }
    }
    return;
  }
  std::vector<std::int32_t> set;
  for (const double member : members) {
    if (!(member >= 0 && member < 0x1p31) || member != std::floor(member)) {
      fail(node, "membership_values",
           fmt::format("{} in the set of node {} must be an integer >= 0", member, at));
    }
    set.push_back(static_cast<std::int32_t>(member));
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  forest.nodes[at].mode = Mode::in_set;
  forest.nodes[at].set = forest.sets.size();
  forest.sets.push_back(std::move(set));
}

void load_newest(const OnnxNode& node, OnnxForest& forest) {
  const auto typed = [&](const std::string& name) { return numbers_of(node, {}, name, forest); };
  const auto modes = node.tensor("nodes_modes");
  const std::size_t count = modes ? modes->numbers.size() : 0;
  const auto column = [&](const char* name) {
    auto list = node.integers(name);
    same_length(node, name, list.size(), "nodes_modes", count);
    return list;
  };
  if (modes && modes->type != static_cast<std::int32_t>(OnnxType::uint8)) {
    fail(node, "nodes_modes", "it is not a tensor of bytes");
  }
  const auto features = column("nodes_featureids");
  const auto yes = column("nodes_truenodeids");
  const auto no = column("nodes_falsenodeids");
  const auto yes_is_leaf = column("nodes_trueleafs");
  const auto no_is_leaf = column("nodes_falseleafs");
  const auto tracks = node.integers("nodes_missing_value_tracks_true");
  const auto splits = typed("nodes_splits");
  const auto members = typed("membership_values");
  const auto targets = node.integers("leaf_targetids");
  const auto weights = typed("leaf_weights");
  same_length(node, "nodes_splits", splits.size(), "nodes_modes", count);
  same_length(node, "leaf_weights", weights.size(), "leaf_targetids", targets.size());
  forest.outputs = target_count(node, weights.size());
  // Splits first, then the leaves, then what sets of members add.
  forest.nodes.resize(count + targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0 || static_cast<std::uint64_t>(targets[i]) >= forest.outputs) {
      fail(node, "leaf_targetids",
           fmt::format("target {} does not exist; there are {}", targets[i], forest.outputs));
    }
    forest.nodes[count + i].first_weight = i;
    forest.nodes[count + i].weights = 1;
    forest.weights.push_back({targets[i], weights[i]});
    forest.all_positive = forest.all_positive && !(weights[i] < 0);
  }
  const auto child = [&](const char* name, std::int64_t number, bool is_leaf) {
    const std::size_t limit = is_leaf ? targets.size() : count;
    if (number < 0 || static_cast<std::uint64_t>(number) >= limit) {
      fail(node, name, fmt::format("{} {} does not exist", is_leaf ? "leaf" : "node", number));
    }
    return static_cast<std::size_t>(number) + (is_leaf ? count : 0);
  };
  std::size_t next_member = 0;
  for (std::size_t i = 0; i < count; ++i) {
    OnnxForest::Node& split = forest.nodes[i];
    split.feature = features[i];
    split.threshold = splits[i];
    split.tracks_true = i < tracks.size() && tracks[i] == 1;
    split.yes = child("nodes_truenodeids", yes[i], yes_is_leaf[i] != 0);
    split.no = child("nodes_falsenodeids", no[i], no_is_leaf[i] != 0);
    const double mode = modes->numbers[i];
    if (mode > 6) fail(node, "nodes_modes", fmt::format("unknown mode {} at entry {}", mode, i));
    if (mode < 6) {
      split.mode = mode_names[static_cast<std::size_t>(mode)].second;
      continue;
    }
    std::vector<double> set;  // sets end with NaN
    while (next_member < members.size() && !std::isnan(members[next_member])) {
      set.push_back(members[next_member++]);
    }
    ++next_member;
    place_members(node, std::move(set), i, forest);
  }
  for (const std::int64_t root : node.integers("tree_roots")) {
    const std::size_t at = child("tree_roots", root, false);
    const bool is_leaf = yes[at] == no[at] && yes_is_leaf[at] != 0 && no_is_leaf[at] != 0;
    forest.roots.push_back(is_leaf ? count + static_cast<std::size_t>(yes[at]) : at);
  }
  constexpr std::array<const char*, 5> transforms{"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO",
                                                  "PROBIT"};
  constexpr std::array<const char*, 4> aggregates{"AVERAGE", "SUM", "MIN", "MAX"};
  const auto choice = [&](const char* name, const auto& names, std::int64_t otherwise) {
    const std::int64_t index = node.integer(name, otherwise);
    if (index < 0 || static_cast<std::uint64_t>(index) >= names.size()) {
      fail(node, name, fmt::format("{} is unknown", index));
    }
    return names[static_cast<std::size_t>(index)];
  };
  forest.post_transform = choice("post_transform", transforms, 0);
  check_aggregate(node, choice("aggregate_function", aggregates, 1), forest);
}

}  // namespace

OnnxForest load_onnx_forest(const OnnxGraph& graph) {
  const OnnxNode& node = *graph.trees;
  OnnxForest forest;
  forest.place = node.where(graph.trees_index);
  forest.is_classifier = node.type == "TreeEnsembleClassifier";
  forest.newest = node.type == "TreeEnsemble";
  const bool is_double = graph.type == static_cast<std::int32_t>(OnnxType::float64);
  const bool is_float = graph.type == static_cast<std::int32_t>(OnnxType::float32);
  if (!forest.is_classifier && !is_double && !is_float) {
    throw Error(forest.place,
                "onnxruntime supports only float and double inputs for this operator");
  }
  forest.precision = is_double ? Precision::float64 : Precision::float32;
  forest.newest ? load_newest(node, forest) : load_lists(node, forest);
  if (forest.roots.empty()) throw Error(forest.place, "the ensemble has no trees");
  return forest;
}

}  // namespace boxwood::readers
