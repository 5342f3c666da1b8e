// CatBoost files that lie, stop short or make no sense: each ends in an error with its place.
// The sound file they are made from is one of the fixtures, changed at one place by its JSON
// pointer.
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace catboost_hostile_test {

using nlohmann::json;

std::string fixture(const char* name) {
  const auto file = std::filesystem::path(BOXWOOD_SOURCE_DIR) / "tests/data/catboost/1.2.10" / name;
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string complaint(const std::string& bytes) {
  try {
    boxwood::read_model_bytes(bytes, "m");
  } catch (const boxwood::Error& error) {
    return error.place() + ": " + error.reason();
  }
  return "it was read";
}

/// What is said when the value at `pointer` becomes `value`, which is JSON.
std::string complaint(const char* name, const std::string& pointer, const std::string& value) {
  json document = json::parse(fixture(name));
  document[json::json_pointer(pointer)] = json::parse(value);
  return complaint(document.dump());
}

/// A model without most of its training parameters, of which there are many and few are read.
json small_model(const char* name) {
  json document = json::parse(fixture(name));
  const json loss = document["model_info"]["params"]["loss_function"];
  const json tables = document["model_info"]["params"]["cat_feature_params"]["simple_ctrs"];
  document["model_info"]["params"] = {{"loss_function", loss},
                                      {"cat_feature_params", {{"simple_ctrs", tables}}}};
  return document;
}

TEST(CatboostHostile, files_that_stop_short) {
  for (const char* name : {"ctr_borders.json", "rmse_depthwise.json", "one_hot.json"}) {
    const std::string whole = small_model(name).dump();
    ASSERT_EQ(complaint(whole), "it was read");
    for (std::size_t cut = 1; cut < whole.size(); cut += 1 + whole.size() / 150) {
      const std::string said = complaint(whole.substr(0, cut));
      EXPECT_TRUE(said.starts_with("m")) << "cut at " << cut << ": " << said;
    }
  }
}

TEST(CatboostHostile, parts_of_another_type) {
  // Values of a model, some of the many in turn, as something else: read or refused, no more.
  const json others = {nullptr, -3, 4e9, "x", json::array(), json::object()};
  for (const char* name : {"ctr_borders.json", "rmse_depthwise.json", "one_hot.json"}) {
    const json document = small_model(name);
    std::size_t number = 0;
    std::size_t refused = 0;
    const json values = document.flatten();
    for (const auto& [pointer, value] : values.items()) {
      if (++number % 5 != 0) continue;
      json changed = document;
      changed[json::json_pointer(pointer)] = others[number / 5 % others.size()];
      const std::string said = complaint(changed.dump());
      EXPECT_TRUE(said == "it was read" || said.starts_with("m")) << pointer << ": " << said;
      refused += said != "it was read";
    }
    EXPECT_GT(refused, 10U) << name;
  }
}

TEST(CatboostHostile, oblivious_trees) {
  const char* name = "logloss.json";
  const std::string tree = "/oblivious_trees/1";
  EXPECT_EQ(complaint(name, tree + "/leaf_values", "[1, 2, 3]"),
            "m: oblivious_trees[1].leaf_values: 3 numbers do not match 2 splits and 1 outputs");
  EXPECT_EQ(complaint(name, tree + "/leaf_values/2", "\"inf\""),
            "m: trees[1].values[2]: inf is not a finite number in the precision of the model");
  EXPECT_EQ(complaint(name, tree + "/splits/0/split_index", "-1"),
            "m: oblivious_trees[1].splits[0].split_index: -1 is negative");
  EXPECT_EQ(
      complaint(name, tree + "/splits/0/split_index", "1000"),
      "m: oblivious_trees[1].splits[0].split_index: split 1000 does not exist; features_info has " +
          std::to_string(
              json::parse(fixture(name))["features_info"]["float_features"][0]["borders"].size() +
              json::parse(fixture(name))["features_info"]["float_features"][1]["borders"].size()));
  const std::string said = complaint(name, tree + "/splits/0/border", "0.125");
  EXPECT_TRUE(said.starts_with("m: oblivious_trees[1].splits[0]: it does not match split "))
      << said;
  // A depth that no file has the leaves for.
  json document = json::parse(fixture(name));
  for (int i = 0; i < 70; ++i) {
    document["oblivious_trees"][0]["splits"].push_back(document["oblivious_trees"][0]["splits"][0]);
  }
  EXPECT_EQ(complaint(document.dump()),
            "m: oblivious_trees[0].leaf_values: 4 numbers for 72 splits");
}

TEST(CatboostHostile, nested_trees) {
  const char* name = "multiclass_depthwise.json";
  EXPECT_EQ(complaint(name, "/trees/1/left", "{\"value\": [1, 2]}"),
            "m: trees[1].left.value: 2 numbers in this leaf; other leaves have 3");
  EXPECT_EQ(complaint(name, "/trees/1/left", "{}"), "m: trees[1].left: \"split\" is missing");
  EXPECT_EQ(complaint(name, "/trees/1/left", "7"), "m: trees[1].left: expected an object");
  std::string deep = fixture(name);
  json document = json::parse(deep);
  for (int i = 0; i < 40; ++i)
    document["trees"][0] = {{"split", {}}, {"left", document["trees"][0]}};
  EXPECT_EQ(complaint(document.dump()), "m: it is nested too deeply");
}

TEST(CatboostHostile, features) {
  const char* name = "ctr_borders.json";
  const std::string info = "/features_info";
  EXPECT_EQ(complaint(name, info + "/float_features/0/flat_feature_index", "2000000000"),
            "m: features_info.float_features[0].flat_feature_index: feature 2000000000 is out of "
            "range: at most 65540 features are possible");
  EXPECT_EQ(complaint(name, info + "/float_features/0/flat_feature_index", "1"),
            "m: features_info.float_features[1].flat_feature_index: feature 1 is listed twice");
  EXPECT_EQ(complaint(name, info + "/float_features/0/borders", "[3, 2]"),
            "m: features_info.float_features[0].borders[1]: borders must be in ascending order");
  EXPECT_EQ(complaint(name, info + "/float_features/0/borders", "[1e39]"),
            "m: features_info.float_features[0].borders[0]: 1e+39 is outside the range of float32");
  EXPECT_EQ(complaint(name, info + "/float_features/0/nan_value_treatment", "\"AsEver\""),
            "m: features_info.float_features[0].nan_value_treatment: \"AsEver\" is not one of: "
            "AsIs, AsFalse, AsTrue");
  EXPECT_EQ(complaint(name, info + "/categorical_features/1/feature_index", "0"),
            "m: features_info.categorical_features[1].feature_index: categorical feature 0 is "
            "listed twice");
  EXPECT_EQ(complaint("one_hot.json", info + "/categorical_features/0/values", "[5, 5]"),
            "m: features_info.categorical_features[0].values: category 5 is listed twice");
  EXPECT_EQ(complaint(name, info + "/text_features", "[]"),
            "m: features_info.text_features: text and embedding features are not supported");
  const std::string said = complaint(name, info + "/cat_features_hash/0/value", "\"other text\"");
  EXPECT_TRUE(said.starts_with("m: features_info.cat_features_hash[0]: ") &&
              said.ends_with(" is not the hash of \"other text\""))
      << said;
}

TEST(CatboostHostile, tables) {
  const char* name = "ctr_borders.json";
  const std::string ctr = "/features_info/ctrs/0";
  EXPECT_EQ(complaint(name, ctr + "/identifier", "\"no JSON\""),
            "m: features_info.ctrs[0].identifier, byte 2: this is not JSON");
  EXPECT_EQ(complaint(name, ctr + "/target_border_idx", "1"),
            "m: ctr_data.{\"identifier\":[{\"cat_feature_index\":1,\"combination_element\":"
            "\"cat_feature_value\"}],\"type\":\"Borders\"}.hash_stride: target border 1 does not "
            "exist; the table has 1");
  EXPECT_EQ(
      complaint(name, ctr + "/ctr_type", "\"Magic\""),
      "m: features_info.ctrs[0].ctr_type: \"Magic\" is not one of: Borders, Buckets, Counter, "
      "FeatureFreq, BinarizedTargetMeanValue, FloatTargetMeanValue");
  EXPECT_EQ(
      complaint(name, ctr + "/ctr_type", "\"Counter\""),
      "m: features_info.ctrs[0].identifier: it does not match the statistic that it belongs to");
  json document = json::parse(fixture(name));
  const std::string key = document["features_info"]["ctrs"][0]["identifier"];
  const std::string place = "m: ctr_data." + key;
  const auto with = [&](const char* part, const json& value) {
    json changed = document;
    changed["ctr_data"][key][part] = value;
    return complaint(changed.dump());
  };
  EXPECT_EQ(with("hash_stride", 2),
            place + ".hash_stride: entries of 2 values do not fit this kind of statistic");
  EXPECT_EQ(with("hash_stride", 0),
            place + ".hash_stride: entries of 0 values do not fit this kind of statistic");
  json map = document["ctr_data"][key]["hash_map"];
  map.push_back("7");
  EXPECT_EQ(with("hash_map", map), place + ".hash_map: " + std::to_string(map.size()) +
                                       " values cannot be divided into entries of 3");
  EXPECT_EQ(with("hash_map", json::array({"x", 1, 2})),
            place + ".hash_map[0]: \"x\" is not a 64-bit integer");
  EXPECT_EQ(with("hash_map", json::array({"0", 1, 2, "0", 1, 2})),
            place + ".hash_map[3]: key 0 has two entries");
  document["ctr_data"].erase(key);
  EXPECT_EQ(complaint(document.dump()), "m: ctr_data: \"" + key + "\" is missing");
}

TEST(CatboostHostile, scale_bias_and_loss) {
  const char* name = "logloss.json";
  EXPECT_EQ(complaint(name, "/scale_and_bias", "[0, [1]]"),
            "m: scale_and_bias: the scale is 0; it must be finite and not 0");
  EXPECT_EQ(complaint(name, "/scale_and_bias", "[1, [1, 2]]"),
            "m: scale_and_bias[1]: 2 numbers for 1 outputs");
  EXPECT_EQ(complaint(name, "/scale_and_bias", "[1]"), "m: scale_and_bias: it has no entry 1");
  EXPECT_EQ(complaint(name, "/model_info/params/loss_function/type", "\"MultiClass\""),
            "m: model_info.params.loss_function.type: MultiClass cannot have 1 numbers in a leaf");
  EXPECT_EQ(complaint(name, "/model_info/params/loss_function/type", "\"Mine\""),
            "m: model_info.params.loss_function.type: the loss function \"Mine\" is not supported");
  EXPECT_EQ(complaint(name, "/model_info/params", "{}"),
            "m: model_info: the loss function of the model is not recorded");
  EXPECT_EQ(complaint(name, "/model_info/class_params/class_names", "[\"a\", \"b\", \"c\"]"),
            "it was read");  // class_to_label says which two of them
  EXPECT_EQ(complaint(name, "/model_info/class_params", "{\"class_names\": [\"a\"]}"),
            "m: model_info.class_params: 1 labels for 2 classes");
}

}  // namespace catboost_hostile_test
