// One tree of a LightGBM file: arrays of splits and of leaves. A child >= 0 is a split, a
// negative one is the bitwise complement of a leaf's number.
#include "readers/lightgbm.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace boxwood::readers {
namespace {

constexpr std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max() / 2;

enum class Missing : std::uint8_t { none, zero, nan };

struct Decision {
  bool categorical = false;
  bool default_left = false;
  Missing missing = Missing::none;
};

Decision read_decision(const LightgbmField& field, std::size_t index, std::int64_t bits) {
  if (bits < 0 || bits >> 2 > static_cast<std::int64_t>(Missing::nan)) {
    field.fail_at(index, fmt::format("decision type {} is unknown", bits));
  }
  return {(bits & 1) != 0, (bits & 2) != 0, static_cast<Missing>(bits >> 2)};
}

/// LightGBM's predict reads numbers within zero_size of zero as zero. A threshold among these
/// numbers therefore sends all of them to the side of zero. This is the equivalent threshold for
/// the numbers themselves.
double threshold_for_numbers(double threshold) {
  if (threshold < -zero_size || threshold >= zero_size || std::isnan(threshold)) return threshold;
  if (threshold >= 0) return zero_size;
  return std::nextafter(-zero_size, -std::numeric_limits<double>::infinity());
}

Node numeric_split(const Decision& decision, double threshold) {
  Node node;
  node.kind = NodeKind::less_equal;
  node.threshold = threshold_for_numbers(threshold);
  node.missing_at_zero = decision.missing == Missing::zero;
  // In columns without missing values in training, NaN counts as zero.
  node.missing_left = decision.missing == Missing::none ? threshold >= 0 : decision.default_left;
  return node;
}

/// The sets of categories that go left, as bits of 32-bit words.
std::vector<std::vector<std::int32_t>> read_sets(const LightgbmBlock& block, std::size_t count) {
  std::vector<std::vector<std::int32_t>> sets;
  if (count == 0) return sets;
  const LightgbmField bounds_field = block["cat_boundaries"];
  const auto bounds = bounds_field.integers(count + 1, "num_cat");
  const LightgbmField words_field = block["cat_threshold"];
  constexpr std::int64_t most_words = std::int64_t{1} << 26;  // codes below 2^31
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::int64_t least = i == 0 ? 0 : bounds[i - 1];
    if (bounds[i] < least || bounds[i] > (i == 0 ? 0 : least + most_words)) {
      bounds_field.fail_at(i, fmt::format("{} is not a valid start of a set", bounds[i]));
    }
  }
  const auto words =
      words_field.integers(static_cast<std::size_t>(bounds.back()), "cat_boundaries");
  sets.resize(count);
  for (std::size_t s = 0; s < count; ++s) {
    const auto begin = static_cast<std::size_t>(bounds[s]);
    const auto end = static_cast<std::size_t>(bounds[s + 1]);
    for (std::size_t w = begin; w < end; ++w) {
      if (words[w] < 0 || words[w] > std::numeric_limits<std::uint32_t>::max()) {
        words_field.fail_at(w, fmt::format("{} is not a 32-bit word", words[w]));
      }
      for (auto bits = static_cast<std::uint32_t>(words[w]); bits != 0; bits &= bits - 1) {
        const std::size_t code =
            (w - begin) * 32 + static_cast<std::size_t>(std::countr_zero(bits));
        sets[s].push_back(static_cast<std::int32_t>(code));
      }
    }
  }
  return sets;
}

/// A tree with a single leaf: LightGBM writes it if no split improves the loss.
Tree single_leaf(double value) {
  Tree tree;
  tree.nodes.push_back({.value = 0});
  tree.values.push_back(value);
  return tree;
}

std::vector<double> read_leaf_values(const LightgbmBlock& block, std::size_t leaves) {
  const LightgbmField field = block["leaf_value"];
  auto values = field.numbers(leaves, "num_leaves");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      field.fail_at(i, fmt::format("leaf value {} is not finite", values[i]));
    }
  }
  return values;
}

/// The splits' arrays, all one shorter than the number of leaves.
struct Columns {
  Columns(const LightgbmBlock& block, std::size_t leaves)
      : left_field(block["left_child"]),
        right_field(block["right_child"]),
        feature_field(block["split_feature"]),
        threshold_field(block["threshold"]),
        decision_field(block["decision_type"]),
        left(left_field.integers(leaves - 1, why)),
        right(right_field.integers(leaves - 1, why)),
        feature(feature_field.integers(leaves - 1, why)),
        decision(decision_field.integers(leaves - 1, why)),
        threshold(threshold_field.numbers(leaves - 1, why)),
        split_taken(leaves - 1, false),
        leaf_taken(leaves, false) {
    split_taken[0] = true;
  }

  /// Throws unless the child exists and has no other parent.
  std::int64_t take_child(const LightgbmField& field, std::size_t parent, std::int64_t child) {
    const bool is_leaf = child < 0;
    std::vector<bool>& taken = is_leaf ? leaf_taken : split_taken;
    const std::int64_t index = is_leaf ? ~child : child;
    const char* what = is_leaf ? "leaf" : "split";
    if (static_cast<std::uint64_t>(index) >= taken.size()) {
      field.fail_at(
          parent, fmt::format("{} {} does not exist; the tree has {}", what, index, taken.size()));
    }
    if (taken[static_cast<std::size_t>(index)]) {
      field.fail_at(parent, fmt::format("{} {} already has another parent", what, index));
    }
    taken[static_cast<std::size_t>(index)] = true;
    return child;
  }

  static constexpr const char* why = "num_leaves";
  LightgbmField left_field, right_field, feature_field, threshold_field, decision_field;
  std::vector<std::int64_t> left, right, feature, decision;
  std::vector<double> threshold;
  std::vector<bool> split_taken, leaf_taken;
};

Node read_split(const Columns& columns, std::size_t split, std::size_t features, std::size_t sets) {
  const std::int64_t feature = columns.feature[split];
  if (feature < 0 || static_cast<std::uint64_t>(feature) >= features) {
    columns.feature_field.fail_at(
        split, fmt::format("feature {} does not exist; the model has {}", feature, features));
  }
  const double threshold = columns.threshold[split];
  if (std::isnan(threshold)) {
    columns.threshold_field.fail_at(split, "the threshold is NaN");
  }
  const Decision decision = read_decision(columns.decision_field, split, columns.decision[split]);
  Node node;
  if (decision.categorical) {
    // NaN, negative and unknown categories are in no set: they go right.
    if (!(threshold >= 0 && threshold < static_cast<double>(sets)) ||
        threshold != std::floor(threshold)) {
      columns.threshold_field.fail_at(
          split, fmt::format("set {} does not exist; num_cat is {}", threshold, sets));
    }
    node.kind = NodeKind::in_set;
    node.value = static_cast<std::int32_t>(threshold);
  } else {
    node = numeric_split(decision, threshold);
  }
  node.feature = static_cast<std::int32_t>(feature);
  return node;
}

/// Statistics of the training, which prediction does not use. LightGBM reads no file in which they
/// are not numbers.
void check_statistics(const LightgbmBlock& block) {
  for (const char* key :
       {"split_gain", "leaf_weight", "internal_value", "internal_weight", "shrinkage"}) {
    const auto field = block.find(key);
    if (!field) continue;
    const auto words = field->words();
    for (std::size_t i = 0; i < words.size(); ++i) {
      double number = 0;  // inf, nan and what is out of range are numbers too
      const char* const end = words[i].data() + words[i].size();
      const auto read = from_digits(words[i].data(), end, number);
      if (read.ptr != end)
        field->fail_at(i, fmt::format("{} is not a number", in_quotes(words[i])));
    }
  }
}

}  // namespace

Tree lightgbm_tree(const LightgbmBlock& block, std::size_t features) {
  if (const auto linear = block.find("is_linear"); linear && linear->text() != "0") {
    refuse(
        *linear,
        "linear trees are not supported: their leaves are functions of the features, and Boxwood "
        "needs scores that are constant within a leaf",
        "Train with linear_tree=false");
  }
  const auto leaves = static_cast<std::size_t>(block["num_leaves"].integer(1, most_nodes));
  const auto set_count = static_cast<std::size_t>(block["num_cat"].integer(0, most_nodes));
  check_statistics(block);
  auto values = read_leaf_values(block, leaves);
  if (leaves == 1) return single_leaf(values[0]);

  Columns columns(block, leaves);
  Tree tree;
  tree.values = std::move(values);
  tree.sets = read_sets(block, set_count);
  // Breadth first: `children[i]` is the file's word for our node i. Each enters once, so this ends,
  // and a child enters after its parent.
  std::vector<std::int64_t> children{0};
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i] < 0) {
      tree.nodes.push_back({.value = static_cast<std::int32_t>(~children[i])});
      continue;
    }
    const auto split = static_cast<std::size_t>(children[i]);
    Node node = read_split(columns, split, features, tree.sets.size());
    node.left = static_cast<std::int32_t>(children.size());
    node.right = node.left + 1;
    children.push_back(columns.take_child(columns.left_field, split, columns.left[split]));
    children.push_back(columns.take_child(columns.right_field, split, columns.right[split]));
    tree.nodes.push_back(node);
  }
  if (tree.nodes.size() != 2 * leaves - 1) {
    columns.left_field.fail(
        fmt::format("{} nodes can be reached from the root, but the tree has {}", tree.nodes.size(),
                    2 * leaves - 1));
  }
  return tree;
}

}  // namespace boxwood::readers
