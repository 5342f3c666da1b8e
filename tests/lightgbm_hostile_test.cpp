// LightGBM files that are cut short, damaged or made to harm end in an Error that names the place.
// Random damage prints its seed; BOXWOOD_SEED replays it.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "seeds.hpp"

#include "hostile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace lightgbm_hostile_test {

using boxwood::read_model_bytes;

std::string fixture(const std::string& name) { return bytes_of(fixture_folder("lightgbm") / name); }

/// The text with the sizes of its trees, by which LightGBM finds them.
std::string sized(std::string text) {
  std::string sizes;
  const auto end = text.find("end of trees");
  for (auto at = text.find("Tree="); at != std::string::npos && at < end;) {
    const auto next = std::min(text.find("Tree=", at + 1), end);
    sizes += (sizes.empty() ? "" : " ") + std::to_string(next - at);
    at = next;
  }
  const auto begin = text.find("tree_sizes=");
  if (begin == std::string::npos || end == std::string::npos) return text;
  return text.replace(begin, text.find('\n', begin) - begin, "tree_sizes=" + sizes);
}

/// One tree of three leaves: a number at the root, then a set of categories.
const std::string& sound() {
  static const std::string text = sized(
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
      "max_feature_idx=1\nobjective=binary sigmoid:1\nfeature_names=a b\n"
      "feature_infos=[-1:1] 0:3:-1\ntree_sizes=99\n\n"
      "Tree=0\nnum_leaves=3\nnum_cat=1\nsplit_feature=0 1\nsplit_gain=1 1\nthreshold=0.5 0\n"
      "decision_type=2 1\nleft_child=-1 -2\nright_child=1 -3\nleaf_value=1 2 3\n"
      "cat_boundaries=0 1\ncat_threshold=9\nis_linear=0\nshrinkage=1\n\n\n"
      "end of trees\n\nparameters:\n[categorical_feature: 1]\nend of parameters\n\n"
      "pandas_categorical:[[\"w\", \"x\", \"y\", \"z\"]]\n");
  return text;
}

std::string with(const std::string& old, const std::string& replacement) {
  std::string text = sound();
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  text.replace(at, old.size(), replacement);
  return old.starts_with("tree_sizes") ? text : sized(text);
}

double score(const std::string& text, std::vector<double> point) {
  return read_model_bytes(text, "m").predict(point)[0];
}

TEST(LightgbmText, of_a_sound_model_is_read) {
  const double nan = std::nan("");
  EXPECT_EQ(score(sound(), {0.5, 0}), 1);
  EXPECT_EQ(score(sound(), {0.6, 3}), 2);
  EXPECT_EQ(score(sound(), {0.6, 1}), 3);
  EXPECT_EQ(score(sound(), {0.6, nan}), 3);
  EXPECT_EQ(score(sound(), {nan, 1}), 1);  // NaN is not expected there: it counts as zero
  const auto model = read_model_bytes(sound(), "m");
  EXPECT_EQ(model.features[1].categories,
            (std::vector<boxwood::Category>{{0, "w"}, {1, "x"}, {2, "y"}, {3, "z"}}));
}

TEST(LightgbmText, sends_all_that_is_zero_to_lightgbm_to_one_side) {
  const double zero = boxwood::zero_size;
  const std::string below = with("threshold=0.5 0", "threshold=-1e-36 0");
  for (const double value : {-zero, -1e-36, 0.0, 1e-40, zero}) {
    EXPECT_EQ(score(below, {value, 3}), 2) << value;
  }
  EXPECT_EQ(score(below, {std::nextafter(-zero, -1.0), 3}), 1);
  const std::string at = with("threshold=0.5 0", "threshold=0 0");
  for (const double value : {-zero, -1e-36, 0.0, 1e-40, zero}) {
    EXPECT_EQ(score(at, {value, 3}), 1) << value;
  }
  EXPECT_EQ(score(at, {std::nextafter(zero, 1.0), 3}), 2);
}

TEST(LightgbmText, without_trees_is_read) {
  std::string text = sound();
  const auto begin = text.find("Tree=0");
  text.erase(begin, text.find("end of trees") - begin);
  EXPECT_EQ(score(sized(text), {0.5, 0}), 0);
}

struct Damage {
  const char* old;
  const char* replacement;
  const char* message;
};

TEST(LightgbmText, that_is_damaged_names_the_place) {
  const Damage cases[] = {
      {"version=v4", "version=v9",
       "m: version: \"v9\" is unknown; Boxwood reads v2, v3 and v4. Load and save the model with "
       "LightGBM 3 or 4"},
      {"num_tree_per_iteration=1", "num_tree_per_iteration=0",
       "m: num_tree_per_iteration: 0 is not between 1 and 1048576"},
      {"num_tree_per_iteration=1", "num_tree_per_iteration=one",
       "m: num_tree_per_iteration: \"one\" is not a whole number"},
      {"num_tree_per_iteration=1\n", "",
       "m: num_tree_per_iteration: it is missing. The file is not a complete LightGBM model; save "
       "it again with save_model"},
      {"label_index=0", "version=v4", "m: version: this key occurs twice"},
      {"max_feature_idx=1", "max_feature_idx=2147483646",
       "m: feature_names: it has 2 names, max_feature_idx is 2147483646"},
      {"feature_names=a b", "feature_names=a a",
       "m: features[1]: there are two features named \"a\""},
      {"feature_infos=[-1:1] 0:3:-1", "feature_infos=[-1:1]",
       "m: feature_infos: 1 entries for 2 features"},
      {"0:3:-1", "0:3:x",
       "m: feature_infos[1]: \"0:3:x\" is not \"none\", a range or a list of categories"},
      {"objective=binary sigmoid:1", "objective=", "m: objective: it is empty"},
      {"binary sigmoid:1", "binary", "m: objective: \"sigmoid:\" is missing after the objective"},
      {"sigmoid:1", "sigmoid:-1", "m: objective: sigmoid \"-1\" must be a positive number"},
      {"sigmoid:1", "sigmoid:0", "m: objective: sigmoid \"0\" must be a positive number"},
      {"sigmoid:1", "sigmoid:nan", "m: objective: sigmoid \"nan\" must be a positive number"},
      {"binary sigmoid:1", "multiclass num_class:3",
       "m: objective: it has 3 classes, but a round has 1 trees"},
      {"binary sigmoid:1", "multiclass",
       "m: objective: \"num_class:\" is missing after the objective"},
      {"tree_sizes=", "tree_sizes=9 ", "m: tree_sizes: it lists 2 trees, but the file has 1"},
      {"tree_sizes=", "tree_sizes=1",
       "m: tree_sizes[0]: it says 1209 bytes, but the tree has 209. Delete the line tree_sizes; "
       "LightGBM finds trees by it"},
      {"tree_sizes=", "tree_sizes=x", "m: tree_sizes[0]: \"x209\" is not a number"},
      {"num_class=1", "num_class=7", "m: num_class: it is 7, but num_tree_per_iteration is 1"},
      {"num_class=1\n", "",
       "m: num_class: it is missing. The file is not a complete LightGBM model; save it again with "
       "save_model"},
      {"split_gain=1 1", "split_gain=1 x", "m: Tree=0: split_gain[1]: \"x\" is not a number"},
      {"shrinkage=1", "shrinkage=true", "m: Tree=0: shrinkage[0]: \"true\" is not a number"},
      {"num_leaves=3", "num_leaves=2000000000",
       "m: Tree=0: num_leaves: 2000000000 is not between 1 and 1073741823"},
      {"num_leaves=3", "num_leaves=1000000000",
       "m: Tree=0: leaf_value: it has 3 entries, but num_leaves requires 1000000000"},
      {"num_leaves=3", "num_leaves=0", "m: Tree=0: num_leaves: 0 is not between 1 and 1073741823"},
      {"leaf_value=1 2 3", "leaf_value=1 2",
       "m: Tree=0: leaf_value: it has 2 entries, but num_leaves requires 3"},
      {"leaf_value=1 2 3", "leaf_value=1 2 3x", "m: Tree=0: leaf_value[2]: \"3x\" is not a number"},
      {"leaf_value=1 2 3", "leaf_value=1 inf 3",
       "m: Tree=0: leaf_value[1]: leaf value inf is not finite"},
      {"leaf_value=1 2 3", "leaf_value=1 nan 3",
       "m: Tree=0: leaf_value[1]: leaf value nan is not finite"},
      {"split_feature=0 1", "split_feature=0 2",
       "m: Tree=0: split_feature[1]: feature 2 does not exist; the model has 2"},
      {"split_feature=0 1", "split_feature=-1 1",
       "m: Tree=0: split_feature[0]: feature -1 does not exist; the model has 2"},
      {"threshold=0.5 0", "threshold=nan 0", "m: Tree=0: threshold[0]: the threshold is NaN"},
      {"threshold=0.5 0", "threshold=0.5 1",
       "m: Tree=0: threshold[1]: set 1 does not exist; num_cat is 1"},
      {"threshold=0.5 0", "threshold=0.5 0.5",
       "m: Tree=0: threshold[1]: set 0.5 does not exist; num_cat is 1"},
      {"decision_type=2 1", "decision_type=2 12",
       "m: Tree=0: decision_type[1]: decision type 12 is unknown"},
      {"decision_type=2 1", "decision_type=-2 1",
       "m: Tree=0: decision_type[0]: decision type -2 is unknown"},
      {"left_child=-1 -2", "left_child=0 -2",
       "m: Tree=0: left_child[0]: split 0 already has another parent"},
      {"right_child=1 -3", "right_child=2 -3",
       "m: Tree=0: right_child[0]: split 2 does not exist; the tree has 2"},
      {"right_child=1 -3", "right_child=-4 -3",
       "m: Tree=0: right_child[0]: leaf 3 does not exist; the tree has 3"},
      {"right_child=1 -3", "right_child=-9223372036854775808 -3",
       "m: Tree=0: right_child[0]: leaf 9223372036854775807 does not exist; the tree has 3"},
      {"right_child=1 -3", "right_child=1 -2",
       "m: Tree=0: right_child[1]: leaf 1 already has another parent"},
      {"right_child=1 -3", "right_child=-2 -3",
       "m: Tree=0: left_child: 3 nodes can be reached from the root, but the tree has 5"},
      {"cat_boundaries=0 1", "cat_boundaries=1 1",
       "m: Tree=0: cat_boundaries[0]: 1 is not a valid start of a set"},
      {"cat_boundaries=0 1", "cat_boundaries=0 -1",
       "m: Tree=0: cat_boundaries[1]: -1 is not a valid start of a set"},
      {"cat_boundaries=0 1", "cat_boundaries=0 67108865",
       "m: Tree=0: cat_boundaries[1]: 67108865 is not a valid start of a set"},
      {"cat_boundaries=0 1", "cat_boundaries=0 2",
       "m: Tree=0: cat_threshold: it has 1 entries, but cat_boundaries requires 2"},
      {"cat_threshold=9", "cat_threshold=4294967296",
       "m: Tree=0: cat_threshold[0]: 4294967296 is not a 32-bit word"},
      {"cat_threshold=9", "cat_threshold=-9",
       "m: Tree=0: cat_threshold[0]: -9 is not a 32-bit word"},
      {"num_cat=1", "num_cat=1000000000",
       "m: Tree=0: cat_boundaries: it has 2 entries, but num_cat requires 1000000001"},
      {"is_linear=0", "is_linear=1",
       "m: Tree=0: is_linear: linear trees are not supported: their leaves are functions of the "
       "features, and Boxwood needs scores that are constant within a leaf. Train with "
       "linear_tree=false"},
      {"end of trees", "end of tries", "m: after tree 1: expected a tree, found \"end of tries\""},
  };
  for (const Damage& damage : cases) {
    EXPECT_EQ(complaint(with(damage.old, damage.replacement)), damage.message);
  }
  EXPECT_NE(complaint(with("binary sigmoid:1", "survival"))
                .find("m: objective: objective \"survival\" is not supported. Boxwood reads"),
            std::string::npos);
  EXPECT_NE(complaint(with("[[\"w\"", "[[[\"w\"")).find("m: pandas_categorical, byte "),
            std::string::npos);
}

TEST(LightgbmText, gives_no_labels_that_may_be_somebody_elses) {
  const auto labels = [](const std::string& lists) {
    return read_model_bytes(with("[[\"w\", \"x\", \"y\", \"z\"]]", lists), "m")
        .features[1]
        .categories;
  };
  const std::vector<boxwood::Category> codes{{0, ""}, {3, ""}};
  EXPECT_EQ(labels("[[\"w\", \"x\", \"y\", \"z\"], [1, 2]]"), codes);  // two lists, one column
  EXPECT_EQ(labels("[[\"w\", \"x\", \"y\"]]"), codes);                 // code 3 is known
  EXPECT_EQ(labels("[[\"w\", \"1\", 1, \"z\"]]"), codes);              // two labels look alike
  EXPECT_EQ(labels("[[\"w\", null, 1, \"z\"]]"), codes);
  EXPECT_EQ(labels("[[0.5, 1.5, Infinity, 3.5]]"), codes);
  EXPECT_EQ(labels("null"), codes);
  EXPECT_EQ(labels("[[true, false, 7, 1.5]]")[0], (boxwood::Category{0, "True"}));
}

TEST(LightgbmText, cut_short_before_the_end_of_its_trees_is_an_error) {
  for (const char* name : {"4.7.0/binary_categories.txt", "2.2.3/multiclassova.txt"}) {
    const std::string whole = fixture(name);
    ASSERT_EQ(complaint(whole), "");
    const auto end = whole.find("end of trees") + std::string_view("end of trees").size();
    for (std::size_t length = 0; length < end; ++length) {
      ASSERT_NE(complaint(std::string_view(whole).substr(0, length)), "")
          << name << " cut to " << length << " bytes was read";
    }
    EXPECT_EQ(complaint(std::string_view(whole).substr(0, end)), "");
  }
}

TEST(LightgbmText, with_random_damage_never_does_worse_than_an_error) {
  std::mt19937_64 random(test_seed());
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (const char* name : {"4.7.0/binary_categories.txt", "3.3.5/multiclass_forest.txt"}) {
    const std::string whole = fixture(name);
    for (int i = 0; i < 2000; ++i, ++tried) {
      std::string damaged = whole;
      const std::size_t changes = 1 + random() % 4;
      for (std::size_t c = 0; c < changes; ++c) {
        constexpr std::string_view likely = "0123456789-=. \ne";
        const char byte = random() % 2 == 0 ? likely[random() % likely.size()]
                                            : static_cast<char>(random() % 256);
        damaged[random() % damaged.size()] = byte;
      }
      try {
        const auto model = read_model_bytes(damaged, "m");
        const std::vector<double> point(model.features.size(), 1.0);
        ASSERT_EQ(model.predict(point).size(), model.base.size());
      } catch (const boxwood::Error& error) {
        ASSERT_FALSE(error.place().empty());
        ++refused;
      }
    }
  }
  expect_share(refused, tried, 1.0 / 20);
}

TEST(LightgbmText, of_a_chain_of_a_hundred_thousand_splits_is_read) {
  constexpr int splits = 100'000;
  std::string feature;
  std::string threshold;
  std::string decision;
  std::string left;
  std::string right;
  std::string values = "0";
  for (int i = 0; i < splits; ++i) {
    feature += "0 ";
    decision += "2 ";
    threshold += std::to_string(i + 1) + ' ';
    left += std::to_string(-1 - i) + ' ';
    right += std::to_string(i + 1 < splits ? i + 1 : -1 - splits) + ' ';
    values += ' ' + std::to_string(i + 1);
  }
  const std::string text =
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n"
      "objective=regression\nfeature_names=a\nfeature_infos=[0:1]\n\nTree=0\nnum_leaves=" +
      std::to_string(splits + 1) + "\nnum_cat=0\nsplit_feature=" + feature +
      "\nthreshold=" + threshold + "\ndecision_type=" + decision + "\nleft_child=" + left +
      "\nright_child=" + right + "\nleaf_value=" + values + "\n\nend of trees\n";
  const auto model = read_model_bytes(text, "m");
  EXPECT_EQ(model.depth(), static_cast<std::size_t>(splits));
  EXPECT_EQ(model.predict(std::vector<double>{99'999.5})[0], 99'999);
}

}  // namespace lightgbm_hostile_test
