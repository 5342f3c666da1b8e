// Files that are cut short, damaged or made to harm end in an Error that names the place: never in
// a crash, a hang or gigabytes. Random damage prints its seed; BOXWOOD_SEED replays it.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "processor_time.hpp"
#include "seeds.hpp"
#include "this_build.hpp"
#include "xgboost_model_text.hpp"

#include "hostile.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace readers_hostile_test {

using boxwood::read_model_bytes;
using boxwood_test::model_text;
using boxwood_test::TreeText;

std::string fixture(const std::string& name) { return bytes_of(fixture_folder("xgboost") / name); }

/// Most memory of this process so far; grows only.
std::size_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

std::string big_endian(std::uint64_t number) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[7 - i] = static_cast<char>(number >> (8 * i));
  return bytes;
}
std::string ubjson_key(const std::string& name) { return "L" + big_endian(name.size()) + name; }

TEST(Truncation, ends_in_an_error_at_every_byte) {
  for (const char* name : {"3.4.1/missing_only.json", "3.4.1/missing_only.ubj"}) {
    const std::string whole = fixture(name);
    ASSERT_GT(whole.size(), 1000U);
    ASSERT_EQ(complaint(whole), "");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string message = complaint(std::string_view(whole).substr(0, length));
      ASSERT_NE(message, "") << name << " cut to " << length << " bytes was read";
      if (length > 20) {
        // A number that is cut off may be a number of another type.
        ASSERT_TRUE(message.find(": byte ") != std::string::npos ||
                    message.ends_with("with a fraction or an exponent"))
            << length << ": " << message;
      }
    }
  }
}

TEST(Damage, of_random_bytes_never_does_worse_than_an_error) {
  std::mt19937_64 random(test_seed());
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (const char* name :
       {"3.4.1/missing_only.json", "3.4.1/missing_only.ubj", "1.7.6/multi_softmax_dart.ubj",
        "3.1.3/binary_logistic_dart.json", "2.1.4/binary_logistic_missing.ubj",
        "3.4.1/categorical_named.ubj", "2.1.4/vector_leaves.json", "1.7.6/categorical_sets.json"}) {
    const std::string whole = fixture(name);
    for (int round = 0; round < test_cases(3000); ++round) {
      std::string damaged = whole;
      const std::size_t changes = 1 + random() % 4;
      for (std::size_t i = 0; i < changes; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      ++tried;
      if (!complaint(damaged).empty()) ++refused;
    }
  }
  expect_share(refused, tried, 1.0 / 20);  // it does look at the bytes
}

TEST(Nesting, is_limited) {
  for (const char* bomb : {"[", "{\"a\":"}) {
    std::string text = "{\"learner\":";
    for (int i = 0; i < 1'000'000; ++i) text += bomb;
    EXPECT_NE(complaint(text).find("nested deeper than 32 levels"), std::string::npos);
  }
  const std::string head = "{" + ubjson_key("learner");
  EXPECT_NE(complaint(head + std::string(1'000'000, '[')).find("nested deeper than 32 levels"),
            std::string::npos);
  // Within a part that nobody reads, and in files that are nobody's.
  EXPECT_EQ(complaint("{\"learner\":{\"parents\":" + std::string(1'000'000, '[')),
            "m: learner.parents: expected an array of whole numbers");
  EXPECT_NE(complaint("{\"other\":" + std::string(1'000'000, '[')), "");
  EXPECT_NE(complaint("{" + ubjson_key("other") + std::string(1'000'000, '[')), "");
}

TEST(Counts, that_no_file_could_hold_are_refused) {
  const std::string head = "{" + ubjson_key("learner");
  const std::uint64_t huge = std::uint64_t{1} << 62;
  for (const char* type : {"[$d", "[$Z", "[$T", "[$U", "[$S", "[$[", "[$H", "[", "{", "{$Z"}) {
    const std::string bytes = head + type + "#L" + big_endian(huge) + std::string(64, '\1');
    const std::string message = complaint(bytes);
    EXPECT_NE(message.find("more than the file has bytes"), std::string::npos)
        << type << ": " << message;
  }
  // Nulls take no bytes: many small claims add up to one that is too large.
  std::string nulls = head + "[";
  for (int i = 0; i < 100; ++i) nulls += "[$Z#L" + big_endian(100);
  EXPECT_NE(complaint(nulls).find("the file has bytes"), std::string::npos);
  // The format looks at a file's first keys before it is known whose it is.
  EXPECT_NE(complaint("{" + ubjson_key("other") + "[$Z#L" + big_endian(huge)), "");
  EXPECT_NE(complaint(head + "S" + "L" + big_endian(huge) + "abc"), "");
  EXPECT_NE(complaint("{L" + big_endian(huge) + "learner"), "");
  EXPECT_LT(peak_megabytes(), 2000U);
}

TEST(Types, booleans_in_ubjson_are_refused_as_xgboost_does) {
  std::string bytes = fixture("3.4.1/missing_only.ubj");
  const std::size_t at = bytes.find("default_left[$U#L") + 12;
  const auto count = static_cast<std::size_t>(bytes.at(at + 12));  // big endian, below 128
  ASSERT_EQ(bytes.substr(at, 5), "[$U#L");
  std::string entries = "[#L" + big_endian(count) + "T";
  for (std::size_t i = 1; i < count; ++i) entries += "i" + std::string(1, bytes.at(at + 13 + i));
  bytes.replace(at, 13 + count, entries);
  EXPECT_NE(complaint(bytes).find("default_left[0]: expected an array of whole numbers"),
            std::string::npos)
      << complaint(bytes);
}

TEST(Values, that_cost_much_memory_for_few_bytes_are_limited) {
  std::string text = "{\"learner\":[";
  for (int i = 0; i < 6'000'000; ++i) text += "[],";
  text += "[]]}";
  EXPECT_NE(complaint(text).find("too many separate values"), std::string::npos);
}

TEST(Trees, with_a_cycle_or_a_shared_child_are_refused) {
  TreeText tree = boxwood_test::three_nodes();
  tree.left = {0, -1, -1};
  tree.right = {1, -1, -1};
  EXPECT_EQ(complaint(model_text({tree})),
            "m: learner.gradient_booster.model.trees[0].left_children[0]: node 0 already has "
            "another parent");
  tree = boxwood_test::full_tree(2);
  tree.left[1] = 1;
  tree.right[1] = 2;
  EXPECT_NE(
      complaint(model_text({tree})).find("left_children[1]: node 1 already has another parent"),
      std::string::npos);
  tree = boxwood_test::full_tree(2);
  tree.left[2] = 3;
  tree.right[2] = 4;
  EXPECT_NE(
      complaint(model_text({tree})).find("left_children[2]: node 3 already has another parent"),
      std::string::npos);
}

TEST(Trees, with_indices_out_of_range_are_refused) {
  for (const int child : {3, 1'000'000, -2, std::numeric_limits<int>::max()}) {
    TreeText tree = boxwood_test::three_nodes();
    tree.left[0] = child;
    EXPECT_NE(complaint(model_text({tree})).find("left_children[0]: node "), std::string::npos);
  }
  TreeText tree = boxwood_test::three_nodes();
  tree.right[0] = -1;
  EXPECT_NE(
      complaint(model_text({tree})).find("right_children[0]: right child -1 must directly follow"),
      std::string::npos);
  for (const int feature : {-1, 2, std::numeric_limits<int>::max()}) {
    tree = boxwood_test::three_nodes();
    tree.feature[0] = feature;
    EXPECT_NE(complaint(model_text({tree})).find("split_indices[0]: feature "), std::string::npos);
  }
}

TEST(Trees, with_columns_of_different_lengths_are_refused) {
  TreeText tree = boxwood_test::three_nodes();
  tree.condition.push_back("1E0");
  EXPECT_EQ(complaint(model_text({tree})),
            "m: learner.gradient_booster.model.trees[0].split_conditions: it has 4 entries, but "
            "left_children has 3");
  tree = boxwood_test::three_nodes();
  tree.nodes = "4";
  EXPECT_NE(complaint(model_text({tree})).find("num_nodes: it says 4 nodes"), std::string::npos);
  tree.nodes = "three";
  EXPECT_NE(complaint(model_text({tree})).find("\"three\" is not an integer"), std::string::npos);
}

TEST(Categories, that_are_damaged_are_refused) {
  const auto with = [](auto change) {
    boxwood_test::SetText set;
    change(set);
    return complaint(model_text({set.tree()}));
  };
  const std::string tree = "m: learner.gradient_booster.model.trees[0].";
  EXPECT_EQ(with([](auto&) {}), "");
  EXPECT_EQ(with([](auto& s) { s.sizes = "[3]"; }),
            tree + "categories_sizes[0]: 3 categories starting at 0 exceed the 2 of the tree");
  EXPECT_NE(with([](auto& s) { s.sizes = "[0]"; }).find("categories_sizes[0]: 0 categories"),
            std::string::npos);
  EXPECT_NE(with([](auto& s) { s.sizes = "[-1]"; }).find("categories_sizes[0]: -1 categories"),
            std::string::npos);
  EXPECT_EQ(with([](auto& s) { s.sizes = "[1]"; }),
            tree + "categories: the splits use only 1 of 2 entries");
  EXPECT_EQ(with([](auto& s) { s.sizes = "[2,1]"; }),
            tree + "categories_sizes: it has 2 entries, but categories_nodes has 1");
  EXPECT_EQ(with([](auto& s) { s.starts = "[1]"; }),
            tree +
                "categories_segments[0]: its categories start at 1, but those of the previous node "
                "end at 0");
  EXPECT_NE(with([](auto& s) { s.starts = "[-2147483648]"; }).find("categories_segments[0]"),
            std::string::npos);
  EXPECT_EQ(with([](auto& s) { s.codes = "[3,3]"; }),
            tree + "categories[1]: category 3 is not greater than the previous one, 3");
  EXPECT_EQ(with([](auto& s) { s.codes = "[1,16777216]"; }),
            tree + "categories[1]: 16777216 is not a category; categories are 0 to 16777215");
  EXPECT_NE(with([](auto& s) { s.codes = "[-1,3]"; }).find("categories[0]: -1 is not a category"),
            std::string::npos);
  EXPECT_NE(with([](auto& s) { s.codes = "[1,3.5]"; }).find("categories[1]: expected an array"),
            std::string::npos);
  EXPECT_EQ(with([](auto& s) { s.nodes = "[1]"; }),
            tree + "categories_nodes: the categories of node 0 are missing");
  EXPECT_NE(with([](auto& s) { s.nodes = "[-1]"; }).find("categories_nodes[0]: node -1"),
            std::string::npos);
  // Two nodes that share their categories would let a file claim more than it holds.
  EXPECT_EQ(with([](auto& s) {
              s.nodes = "[0,1]";
              s.starts = "[0,0]";
              s.sizes = "[2,2]";
            }),
            tree +
                "categories_segments[1]: its categories start at 0, but those of the previous node "
                "end at 2");
  TreeText kind = boxwood_test::SetText{}.tree();
  kind.kind = {2, 0, 0};
  EXPECT_EQ(complaint(model_text({kind})), tree + "split_type[0]: 2 is not a known split type");
}

TEST(Categories, with_damaged_names_are_refused) {
  const auto with = [](const std::string& columns) {
    boxwood_test::ModelText model;
    model.trees = {boxwood_test::SetText{}.tree()};
    model.names = R"({"enc":)" + columns + R"(,"feature_segments":[],"sorted_idx":[]})";
    return complaint(model.text());
  };
  const std::string empty = R"({"offsets":[],"values":[]})";
  const auto first = [&](const std::string& column) {
    return with("[" + column + "," + empty + "]");
  };
  EXPECT_EQ(first(R"({"offsets":[0,1,3],"values":[97,98,-61]})"), "");
  EXPECT_EQ(with("[" + empty + "]"),
            "m: learner.gradient_booster.model.cats.enc: 1 entries for 2 features");
  const std::string place = "m: learner.gradient_booster.model.cats.enc[0].";
  EXPECT_EQ(first(R"({"offsets":[0,9],"values":[97]})"),
            place + "offsets[1]: 9 is not a valid end of a name: there are 1 bytes");
  EXPECT_NE(first(R"({"offsets":[0,1,0],"values":[97]})").find("offsets[2]"), std::string::npos);
  EXPECT_NE(first(R"({"offsets":[-5,1],"values":[97]})").find("offsets[0]"), std::string::npos);
  EXPECT_NE(first(R"({"values":[97]})").find("type: it is missing"), std::string::npos);
  EXPECT_NE(first(R"({"type":15,"values":{}})").find("values: expected an array"),
            std::string::npos);
}

TEST(Leaves, of_several_numbers_have_to_be_there) {
  const auto with = [](const std::string& more, const std::string& width, int right) {
    boxwood_test::ModelText model;
    model.objective = "reg:squarederror";
    model.targets = "2";
    model.round_ends = "[0,1]";  // one tree a round, whatever the number of outputs
    TreeText tree = boxwood_test::three_nodes();
    tree.width = width;
    tree.more = more;
    tree.right[1] = 0;
    tree.right[2] = right;
    model.trees = {tree};
    return complaint(model.text());
  };
  const std::string four = R"("leaf_weights":[1.5,2.5,3.5,4.5],)";
  EXPECT_EQ(with(four, "2", 1), "");
  const std::string tree = "m: learner.gradient_booster.model.trees[0].";
  EXPECT_EQ(with(four, "2", 2),
            tree + "right_children[2]: leaf 2 does not exist; there are values for 2");
  EXPECT_NE(with(four, "2", -1).find("leaf -1 does not exist"), std::string::npos);
  EXPECT_NE(with(R"("leaf_weights":[1.5,2.5],)", "2", 0).find("leaf 0 does not exist"),
            std::string::npos);
  EXPECT_EQ(
      with(four, "3", 1),
      tree + "tree_param.size_leaf_vector: leaves have 3 values, but the model has 2 outputs");
  EXPECT_NE(with(four, "9223372036854775807", 1).find("size_leaf_vector"), std::string::npos);
  // Before 3.2 the numbers are where others keep statistics.
  EXPECT_EQ(with("", "2", -1), tree + "base_weights: 3 numbers for 3 nodes of 2 outputs");
}

TEST(Numbers, that_are_not_numbers_are_refused_where_they_matter) {
  TreeText tree = boxwood_test::three_nodes();
  tree.condition[0] = "NaN";
  EXPECT_NE(complaint(model_text({tree})).find("split_conditions[0]: the threshold is NaN"),
            std::string::npos);
  tree = boxwood_test::three_nodes();
  tree.condition[1] = "NaN";
  EXPECT_NE(complaint(model_text({tree})).find("split_conditions[1]: leaf value nan is not finite"),
            std::string::npos);
  tree.condition[1] = "-Infinity";
  EXPECT_NE(complaint(model_text({tree})).find("leaf value -inf is not finite"), std::string::npos);
  tree.condition[1] = "1E39";  // beyond float32
  EXPECT_NE(complaint(model_text({tree})).find("leaf value inf is not finite"), std::string::npos);
  tree.condition[1] = "\"1\"";
  EXPECT_NE(complaint(model_text({tree})).find("expected an array of numbers"), std::string::npos);
  tree = boxwood_test::three_nodes();
  tree.condition[0] = "Infinity";
  EXPECT_EQ(complaint(model_text({tree})), "");
}

TEST(Parameters, that_make_no_sense_are_refused) {
  boxwood_test::ModelText model;
  model.trees = {boxwood_test::three_nodes()};
  const auto with = [&](auto change) {
    auto copy = model;
    change(copy);
    return complaint(copy.text());
  };
  EXPECT_EQ(with([](auto&) {}), "");
  EXPECT_NE(with([](auto& m) { m.features = "1152921504606846976"; }).find("up to 4194304"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.features = "-1"; }).find("num_feature: -1 features"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.features = "99999999999999999999"; }).find("is not an integer"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.classes = "1000000000000"; }).find("num_class"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.base_score = "1.5"; }).find("base_score: intercept 1.5"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.base_score = "nan"; }).find("base_score"), std::string::npos);
  EXPECT_NE(with([](auto& m) { m.base_score = "[5E-1,5E-1]"; }).find("2 numbers for 1 outputs"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.base_score = "half"; }).find("\"half\" is not a number"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.tree_info = "[1]"; }).find("tree_info[0]: output 1"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.tree_info = "[0,0]"; }).find("2 entries for 1 trees"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.round_ends = "[0,2]"; }).find("iteration_indptr[1]"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) { m.version = "[4,0,0]"; }).find("written by XGBoost 4.0.0"),
            std::string::npos);
  EXPECT_NE(with([](auto& m) {
              m.objective = "my:objective";
            }).find("objective \"my:objective\" is not supported"),
            std::string::npos);
}

TEST(Limits, a_chain_of_200000_nodes_is_read_and_walked) {
  const auto model = read_model_bytes(model_text({boxwood_test::chain_tree(100'000)}));
  EXPECT_EQ(model.trees[0].nodes.size(), 200'001U);
  EXPECT_EQ(model.depth(), 100'000U);
  const double beyond[] = {1e30, 0};
  EXPECT_EQ(model.predict(beyond)[0], 7);
}

TEST(Limits, single_leaves_and_no_trees_are_models) {
  const auto leaf = read_model_bytes(model_text({boxwood_test::single_leaf("0.25")}));
  const double point[] = {0, 0};
  EXPECT_EQ(leaf.predict(point)[0], 0.25);
  EXPECT_EQ(leaf.depth(), 0U);
  const auto empty = read_model_bytes(model_text({}));
  EXPECT_TRUE(empty.trees.empty());
  EXPECT_EQ(empty.predict(point)[0], 0);
}

TEST(Limits, more_thresholds_on_a_feature_than_16_bits_count) {
  const auto model = read_model_bytes(model_text({boxwood_test::full_tree(17)}));
  std::vector<double> thresholds;
  for (const auto& node : model.trees[0].nodes) {
    if (node.kind != boxwood::NodeKind::leaf) thresholds.push_back(node.threshold);
  }
  std::sort(thresholds.begin(), thresholds.end());
  EXPECT_EQ(std::unique(thresholds.begin(), thresholds.end()) - thresholds.begin(), 131'071);
  for (const int value : {0, 1, 65'535, 65'536, 70'000, 131'071}) {
    const double point[] = {value + 0.5, 0};
    EXPECT_EQ(model.predict(point)[0], value) << value;
  }
}

TEST(Limits, duplicate_and_denormal_thresholds_keep_their_bits) {
  TreeText tree = boxwood_test::three_nodes();
  tree.condition[0] = "1E-45";
  const auto model = read_model_bytes(model_text({tree, tree, tree}));
  const auto smallest = static_cast<double>(std::numeric_limits<float>::denorm_min());
  for (const auto& each : model.trees) EXPECT_EQ(each.nodes[0].threshold, smallest);
  const double below[] = {0, 0};
  const double at[] = {smallest, 0};
  EXPECT_EQ(model.predict(below)[0], -3);
  EXPECT_EQ(model.predict(at)[0], 3);
}

TEST(Limits, a_million_leaves_load_in_seconds_and_modest_memory) {
  // Under a sanitizer only the reading itself is of interest, and fewer leaves show it.
  const int depth = boxwood_test::sanitized() ? 16 : 20;
  const std::string text = model_text({boxwood_test::full_tree(depth)});
  const std::size_t before = peak_megabytes();
  boxwood::Ensemble model;
  const double seconds = boxwood_test::processor_seconds([&] { model = read_model_bytes(text); });
  EXPECT_EQ(model.leaf_count(), std::size_t{1} << depth);
  std::cout << text.size() / 1'000'000 << " MB of JSON: " << seconds << " s, peak memory " << before
            << " -> " << peak_megabytes() << " MB\n";
  if (!boxwood_test::sanitized()) {
    EXPECT_LT(seconds, 20);
    EXPECT_LT(peak_megabytes() - before, 600U);
  }
  const double point[] = {7'777.5, 0};
  EXPECT_EQ(model.predict(point)[0], 7'777);
}

/// fuzz/differential.py --types compares this with the library, field by field.
TEST(Types, that_xgboost_refuses_are_refused) {
  struct Wrong {
    const char *old, *replacement, *message;
  };
  const Wrong cases[] = {
      {R"("base_weights":[0E0,)", R"("base_weights":[true,)",
       "model.trees[0].base_weights: expected an array of numbers with a fraction or an exponent"},
      {R"("base_weights":[0E0,0E0,0E0])", R"("base_weights":"x")",
       "model.trees[0].base_weights: expected an array of numbers with a fraction or an exponent"},
      {R"("parents":[0,)", R"("parents":[1.5,)",
       "model.trees[0].parents: expected an array of whole numbers"},
      {R"("parents":[0,)", R"("parents":[null,)",
       "model.trees[0].parents: expected an array of whole numbers"},
      {R"("left_children":[1,)", R"("left_children":[true,)",
       "model.trees[0].left_children[0]: expected an array of whole numbers"},
      {R"("left_children":[1,)", R"("left_children":["1",)",
       "model.trees[0].left_children[0]: expected an array of whole numbers"},
      {R"("split_conditions":[5E-1,)", R"("split_conditions":[2,)",
       "model.trees[0].split_conditions[0]: expected an array of numbers with a fraction"},
      {R"("default_left":[0,)", R"("default_left":[{},)",
       "model.trees[0].default_left[0]: expected an array of whole numbers or booleans"},
      {R"("id":0)", R"("id":"0")", "model.trees[0].id: expected a whole number"},
      {R"("num_trees":"1")", R"("num_trees":1)",
       "model.gbtree_model_param.num_trees: expected a string"},
      {R"("tree_param":{)", R"("tree_param":[],"x":{)",
       "model.trees[0].tree_param: expected an object whose values are strings"},
      {R"("base_score":"5E-1")", R"("base_score":0.5)",
       "learner.learner_model_param.base_score: expected a string"},
      {R"("name":"gbtree")", R"("name":null)", "gradient_booster.name: expected a string"},
      {R"("version":[3,0,0])", R"("version":[3,0,true])",
       "version[2]: expected an array of whole numbers"},
  };
  const std::string sound = model_text({boxwood_test::three_nodes()});
  for (const Wrong& wrong : cases) {
    std::string text = sound;
    const auto at = text.find(wrong.old);
    ASSERT_NE(at, std::string::npos) << wrong.old;
    text.replace(at, std::string(wrong.old).size(), wrong.replacement);
    EXPECT_NE(complaint(text).find(wrong.message), std::string::npos) << complaint(text);
  }
  // Keys of attributes are the user's own, and booleans were written by old versions.
  for (const auto& [old, other] :
       {std::pair{R"("attributes":{})", R"("attributes":{"parents":"x","id":"y"})"},
        std::pair{R"("default_left":[0,)", R"("default_left":[true,)"}}) {
    std::string text = sound;
    text.replace(text.find(old), std::string(old).size(), other);
    EXPECT_EQ(read_model_bytes(text).trees.size(), 1U);
  }
}

}  // namespace readers_hostile_test
