// ONNX files written by hand, field by field: what cannot be represented is refused by name, what
// makes no sense with its place, and nothing in a file makes reading slow or large.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "linear.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace onnx_hostile_test {

// A protobuf message is its fields one after the other; these write one field each.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
std::string number(int field, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(value));
}
std::string part(int field, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string fixed32(int field, float value) {
  std::string bytes = varint(static_cast<std::uint64_t>(field) << 3 | 5);
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(std::bit_cast<std::uint32_t>(value) >> (8 * i));
  }
  return bytes;
}

std::string attribute(const std::string& name, const std::string& content) {
  return part(5, part(1, name) + content);
}
std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string content;
  for (const std::int64_t value : values) content += number(8, value);
  return attribute(name, content);
}
std::string floats(const std::string& name, const std::vector<float>& values) {
  std::string content;
  for (const float value : values) content += fixed32(7, value);
  return attribute(name, content);
}
std::string texts(const std::string& name, const std::vector<std::string>& values) {
  std::string content;
  for (const std::string& value : values) content += part(9, value);
  return attribute(name, content);
}
std::string text(const std::string& name, const std::string& value) {
  return attribute(name, part(4, value));
}
std::string integer(const std::string& name, std::int64_t value) {
  return attribute(name, number(3, value));
}

std::string node(const std::string& type, const std::vector<std::string>& inputs,
                 const std::string& output, const std::string& attributes,
                 const std::string& domain = "ai.onnx.ml") {
  std::string bytes;
  for (const std::string& input : inputs) bytes += part(1, input);
  return part(1, bytes + part(2, output) + part(4, type) + attributes + part(7, domain));
}

std::string tensor_value(int field, const std::string& name, int type, std::int64_t width) {
  const std::string shape = part(1, number(1, 1)) + part(1, number(1, width));
  return part(field, part(1, name) + part(2, part(1, number(1, type) + part(2, shape))));
}

std::string model(const std::string& nodes, std::int64_t width = 2, int type = 1) {
  const std::string graph =
      nodes + tensor_value(11, "X", type, width) + tensor_value(12, "Y", 1, 1);
  return number(1, 9) + part(2, "by hand") + part(7, graph) + part(8, number(2, 3));
}

/// x0 <= 0.5 ? 1 : 2, as lists that a case may change.
struct Regressor {
  std::vector<std::int64_t> trees{0, 0, 0}, nodes{0, 1, 2}, features{0, 0, 0}, yes{1, 0, 0},
      no{2, 0, 0};
  std::vector<std::string> modes{"BRANCH_LEQ", "LEAF", "LEAF"};
  std::vector<float> values{0.5F, 0, 0};
  std::vector<std::int64_t> weight_trees{0, 0}, weight_nodes{1, 2}, weight_ids{0, 0};
  std::vector<float> weights{1, 2};
  std::string more;
  std::int64_t targets = 1;

  std::string bytes(const std::string& input = "X", const std::string& output = "Y") const {
    return node("TreeEnsembleRegressor", {input}, output,
                integers("nodes_treeids", trees) + integers("nodes_nodeids", nodes) +
                    integers("nodes_featureids", features) + integers("nodes_truenodeids", yes) +
                    integers("nodes_falsenodeids", no) + texts("nodes_modes", modes) +
                    floats("nodes_values", values) + integers("target_treeids", weight_trees) +
                    integers("target_nodeids", weight_nodes) + integers("target_ids", weight_ids) +
                    floats("target_weights", weights) + integer("n_targets", targets) + more);
  }
};

std::string complaint(const std::string& bytes) {
  try {
    boxwood::read_model_bytes(bytes, "m");
  } catch (const boxwood::Error& error) {
    return error.place() + ": " + error.reason();
  }
  return "it was read";
}

std::string changed(const std::function<void(Regressor&)>& change) {
  Regressor regressor;
  change(regressor);
  std::string text = complaint(model(regressor.bytes()));
  const auto byte = text.find(" (byte ");  // where it is depends on the lengths of all before it
  if (byte != std::string::npos) text.erase(byte, text.find(')', byte) + 1 - byte);
  return text;
}

TEST(OnnxByHand, is_read) {
  const auto read = boxwood::read_model_bytes(model(Regressor{}.bytes()), "m");
  EXPECT_EQ(read.source, "ONNX by by hand");
  EXPECT_EQ(read.features.size(), 2U);
  EXPECT_EQ(read.predict(std::vector<double>{0.5, 0}), std::vector<double>{1});
  EXPECT_EQ(read.predict(std::vector<double>{0.75, 0}), std::vector<double>{2});
}

TEST(OnnxByHand, trees_that_make_no_sense_are_refused_with_their_place) {
  EXPECT_EQ(changed([](Regressor& r) { r.yes[0] = 0; }),
            "m: node 0 (TreeEnsembleRegressor): node entry 0 is its own descendant");
  EXPECT_EQ(changed([](Regressor& r) { r.no[0] = 7; }),
            "m: nodes_falsenodeids: node 7 of tree 0 does not exist");
  EXPECT_EQ(changed([](Regressor& r) { r.nodes[2] = 1; }),
            "m: nodes_nodeids: node 1 of tree 0 is listed twice");
  EXPECT_EQ(
      changed([](Regressor& r) { r.nodes[2] = std::int64_t{1} << 60; }),
      "m: nodes_nodeids: node 1152921504606846976 must be below the number of nodes, 3 (entry 2)");
  EXPECT_EQ(changed([](Regressor& r) { r.features[0] = 2; }),
            "m: node 0 (TreeEnsembleRegressor): feature 2 does not exist; the model has 2");
  EXPECT_EQ(changed([](Regressor& r) { r.features[0] = -1; }),
            "m: node 0 (TreeEnsembleRegressor): feature -1 does not exist; the model has 2");
  EXPECT_EQ(changed([](Regressor& r) { r.modes[0] = "BRANCH_ABOUT"; }),
            "m: nodes_modes: unknown mode \"BRANCH_ABOUT\" at entry 0");
  EXPECT_EQ(changed([](Regressor& r) { r.values.pop_back(); }),
            "m: nodes_values: it has 2 entries, nodes_modes has 3");
  EXPECT_EQ(changed([](Regressor& r) { r.trees.clear(); }),
            "m: nodes_treeids: it has 0 entries, nodes_modes has 3");
  EXPECT_EQ(changed([](Regressor& r) { r.weight_ids[1] = 1; }),
            "m: target_ids: output 1 does not exist; there are 1");
  EXPECT_EQ(changed([](Regressor& r) { r.weight_nodes[1] = 9; }),
            "m: target_nodeids: node 9 of tree 0 does not exist");
  EXPECT_EQ(changed([](Regressor& r) { r.targets = std::int64_t{1} << 40; }),
            "m: n_targets: 1099511627776 targets, but only 2 weights");
  EXPECT_EQ(changed([](Regressor& r) { r.targets = 0; }), "m: n_targets: 0 targets");
  EXPECT_EQ(changed([](Regressor& r) {
              r.more = floats("base_values", {1, 2});
            }),
            "m: base_values: 2 numbers for 1 outputs");
  EXPECT_EQ(changed([](Regressor& r) { r.weights[0] = std::numeric_limits<float>::infinity(); }),
            "m: trees[0].values[0]: inf is not a finite number in the precision of the model");
  EXPECT_EQ(changed([](Regressor& r) { r = {{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 1}; }),
            "m: node 0 (TreeEnsembleRegressor): the ensemble has no trees");
}

TEST(OnnxByHand, what_cannot_be_represented_is_refused_by_name) {
  EXPECT_EQ(changed([](Regressor& r) { r.more = text("post_transform", "PROBIT"); }),
            "m: node 0 (TreeEnsembleRegressor): post_transform \"PROBIT\" is not supported");
  const auto two_trees = [](Regressor& r) {
    r.trees = {0, 0, 0, 1};
    r.nodes = {0, 1, 2, 0};
    for (auto* list : {&r.features, &r.yes, &r.no}) list->push_back(0);
    r.modes.emplace_back("LEAF");
    r.values.push_back(0);
    r.more = text("aggregate_function", "MIN");
  };
  EXPECT_EQ(changed(two_trees),
            "m: aggregate_function: the aggregate \"MIN\" of 2 trees is not supported");
  EXPECT_EQ(changed([](Regressor& r) { r.more = text("aggregate_function", "MIN"); }),
            "it was read");
  EXPECT_EQ(complaint(model(node("Scaler", {"X"}, "S", {}) + Regressor{}.bytes("S"))),
            "m: node 0 (Scaler): this operator transforms the features before the trees");
  EXPECT_EQ(complaint(model(Regressor{}.bytes("X", "R") + node("Sigmoid", {"R"}, "Y", {}, ""))),
            "m: node 1 (Sigmoid): this operator transforms the scores in an unsupported way");
  EXPECT_EQ(complaint(model(Regressor{}.bytes("X", "R") + node("Identity", {"R"}, "I", {}, "") +
                            node("Sigmoid", {"I"}, "Y", {}, ""))),
            "m: node 2 (Sigmoid): this operator transforms the scores in an unsupported way");
  EXPECT_EQ(complaint(model(Regressor{}.bytes() + Regressor{}.bytes("X", "Z"))),
            "m: node 1 (TreeEnsembleRegressor): the graph has more than one tree ensemble");
  EXPECT_EQ(complaint(model(node("LinearRegressor", {"X"}, "Y", {}))),
            "m: the graph has no tree ensemble, only \"LinearRegressor\"");
  EXPECT_EQ(complaint(model(Regressor{}.bytes("X", "Z"))),
            "m: no output of the graph comes from the trees");
  EXPECT_EQ(complaint(model(Regressor{}.bytes(), 2, 7)),
            "m: node 0 (TreeEnsembleRegressor): onnxruntime supports only float and double inputs "
            "for this operator");
  EXPECT_EQ(complaint(model(Regressor{}.bytes(), std::int64_t{1} << 50)),
            "m: input \"X\": 1125899906842624 columns; Boxwood reads models with up to 1048576");
}

TEST(OnnxByHand, two_values_of_one_name_are_refused) {
  const std::string same = node("Identity", {"X"}, "A", {}, "");
  EXPECT_EQ(complaint(model(same + Regressor{}.bytes("A"))), "it was read");
  EXPECT_EQ(complaint(model(same + same + Regressor{}.bytes("A"))),
            "m: node 1 (Identity): its output \"A\" is the name of another value");
  EXPECT_EQ(complaint(model(node("Identity", {"X"}, "X", {}, "") + Regressor{}.bytes())),
            "m: node 0 (Identity): its output \"X\" is the name of another value");
  EXPECT_EQ(complaint(model(tensor_value(11, "X", 1, 2) + Regressor{}.bytes())),
            "m: two inputs are named \"X\"");
}

TEST(OnnxByHand, an_encoder_of_texts_and_numbers_at_once_is_refused) {
  const std::string lists = texts("cats_strings", {"a"}) + integers("cats_int64s", {1});
  EXPECT_EQ(complaint(model(node("OneHotEncoder", {"X"}, "H", lists) +
                                node("Flatten", {"H"}, "F", {}, "") + Regressor{}.bytes("F"),
                            1, 7)),
            "m: node 0 (OneHotEncoder): this operator transforms the features before the trees, "
            "and it lists both texts and whole numbers as categories");
}

TEST(OnnxByHand, a_file_that_is_cut_off_says_where) {
  const std::string whole = model(Regressor{}.bytes());
  const std::string said = complaint(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(said, "m: byte 11: the file is damaged or truncated here (end of buffer exception)");
  std::string wrong = whole;
  wrong[0] = static_cast<char>(1 << 3 | 5);  // the version as a float
  EXPECT_NE(complaint(wrong), "it was read");
}

/// Each node's true branch is the next one, and so is its false branch's true branch: written out,
/// the tree doubles at every level.
TEST(OnnxByHand, shared_branches_do_not_explode) {
  Regressor r;
  const std::int64_t levels = 60;
  for (auto* list : {&r.trees, &r.nodes, &r.features, &r.yes, &r.no}) list->clear();
  r.modes.clear();
  r.values.clear();
  for (std::int64_t i = 0; i <= levels; ++i) {
    r.trees.push_back(0);
    r.nodes.push_back(i);
    r.features.push_back(0);
    r.yes.push_back(i + 1);
    r.no.push_back(i + 1);
    r.modes.emplace_back(i < levels ? "BRANCH_LEQ" : "LEAF");
    r.values.push_back(0.5F);
  }
  r.weight_trees = {0};
  r.weight_nodes = {levels};
  r.weight_ids = {0};
  r.weights = {1};
  const double seconds = boxwood_test::processor_seconds([&] {
    EXPECT_EQ(complaint(model(r.bytes())),
              "m: node 0 (TreeEnsembleRegressor): its trees share so many nodes that they become "
              "too large when expanded");
  });
  EXPECT_LT(seconds, 20);
}

/// Many stumps, or one tree that is a long chain.
Regressor many_nodes(std::size_t splits, bool chain) {
  Regressor all;
  all.trees.clear(), all.nodes.clear(), all.features.clear(), all.yes.clear(), all.no.clear();
  all.modes.clear(), all.values.clear(), all.weights.clear();
  all.weight_trees.clear(), all.weight_nodes.clear(), all.weight_ids.clear();
  const auto add = [&](std::int64_t tree, std::int64_t id, std::int64_t yes, std::int64_t no) {
    all.trees.push_back(tree), all.nodes.push_back(id), all.features.push_back(0);
    all.yes.push_back(yes), all.no.push_back(no);
    all.modes.push_back(yes == 0 ? "LEAF" : "BRANCH_LEQ");
    all.values.push_back(static_cast<float>(all.nodes.size()));
    if (yes != 0) return;
    all.weight_trees.push_back(tree), all.weight_nodes.push_back(id), all.weight_ids.push_back(0);
    all.weights.push_back(1);
  };
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(splits); ++i) {
    const std::int64_t tree = chain ? 0 : i, first = chain ? 2 * i : 0;
    add(tree, first, first + 1, first + 2);
    add(tree, first + 1, 0, 0);
    if (!chain || i + 1 == static_cast<std::int64_t>(splits)) add(tree, first + 2, 0, 0);
  }
  return all;
}

TEST(OnnxByHand, reading_takes_time_in_proportion_to_the_bytes) {
  for (const bool chain : {false, true}) {
    SCOPED_TRACE(chain ? "one long tree" : "many trees");
    boxwood_test::expect_linear(
        [chain](std::size_t size) {
          const std::string bytes = model(many_nodes(size, chain).bytes());
          EXPECT_EQ(boxwood::read_model_bytes(bytes, "m").leaf_count(),
                    chain ? size + 1 : 2 * size);
          return [bytes] { boxwood::read_model_bytes(bytes, "m"); };
        },
        1000);
  }
}

}  // namespace onnx_hostile_test
