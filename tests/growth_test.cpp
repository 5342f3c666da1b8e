// Readers take time in proportion to the bytes: sixteen times the input takes about sixteen times
// as long, in every format, in whichever part the file is long. (ONNX: onnx_hostile_test.cpp, which
// can write such files.)
#include <boxwood/query_text.hpp>
#include <boxwood/read.hpp>
#include <boxwood/schema.hpp>

#include "cli/csv.cpp"  // the command is not a library
#include "linear.hpp"
#include "query_text_fixture.hpp"
#include "small_models.hpp"
#include "xgboost_model_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace growth_test {

using namespace boxwood;
using boxwood_test::expect_linear;

std::function<void()> reading(std::string bytes) {
  return [bytes = std::move(bytes)] { read_model_bytes(bytes, "m"); };
}

std::string own_json(std::size_t trees) {
  return to_json(binary_model(2, std::vector<Tree>(trees, stump(0, 0.5, -1, 1))));
}

TEST(Growth, OwnFormat) {
  expect_linear([](std::size_t size) { return reading(own_json(size)); }, 1000);
}

TEST(Growth, OwnFormatWithManyFeatures) {
  expect_linear(
      [](std::size_t size) { return reading(to_json(binary_model(size, {stump(0, 0.5, -1, 1)}))); },
      1000);
}

std::string xgboost_json(std::size_t trees) {
  return boxwood_test::model_text(
      std::vector<boxwood_test::TreeText>(trees, boxwood_test::three_nodes()));
}

TEST(Growth, XgboostJson) {
  expect_linear([](std::size_t size) { return reading(xgboost_json(size)); }, 300);
}

TEST(Growth, XgboostUbjson) {
  expect_linear(
      [](std::size_t size) {
        const auto bytes = nlohmann::json::to_ubjson(nlohmann::json::parse(xgboost_json(size)));
        return reading(std::string(bytes.begin(), bytes.end()));
      },
      300);
}

TEST(Growth, XgboostWithOneLargeTree) {
  expect_linear(
      [](std::size_t size) {
        return reading(
            boxwood_test::model_text({boxwood_test::chain_tree(static_cast<int>(size))}));
      },
      1000);
}

std::string lightgbm_text(std::size_t trees, std::size_t features) {
  std::string names, infos, sizes, list;
  for (std::size_t i = 0; i < features; ++i) {
    names += (i ? " f" : "f") + std::to_string(i);
    infos += i ? " [0:1]" : "[0:1]";
  }
  for (std::size_t t = 0; t < trees; ++t) {
    const std::string tree = "Tree=" + std::to_string(t) +
                             "\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\n"
                             "threshold=0.5\ndecision_type=2\nleft_child=-1\nright_child=-2\n"
                             "leaf_value=-1 1\nleaf_weight=1 1\nleaf_count=1 1\n"
                             "internal_value=0\ninternal_weight=0\ninternal_count=2\n"
                             "is_linear=0\nshrinkage=1\n\n\n";
    sizes += (t ? " " : "") + std::to_string(tree.size());
    list += tree;
  }
  return "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
         "max_feature_idx=" +
         std::to_string(features - 1) + "\nobjective=binary sigmoid:1\nfeature_names=" + names +
         "\nfeature_infos=" + infos + "\ntree_sizes=" + sizes + "\n\n" + list +
         "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\n"
         "pandas_categorical:null\n";
}

TEST(Growth, Lightgbm) {
  expect_linear([](std::size_t size) { return reading(lightgbm_text(size, 2)); }, 500);
}

TEST(Growth, LightgbmWithManyFeatures) {
  expect_linear([](std::size_t size) { return reading(lightgbm_text(1, size)); }, 1000);
}

TEST(Growth, Catboost) {
  std::ifstream file(BOXWOOD_SOURCE_DIR "/fuzz/seeds/logloss.catboost.json");
  const nlohmann::json seed = nlohmann::json::parse(file);
  expect_linear(
      [&](std::size_t size) {
        nlohmann::json model = seed;
        const nlohmann::json tree = model["oblivious_trees"][0];
        while (model["oblivious_trees"].size() < size) model["oblivious_trees"].push_back(tree);
        return reading(model.dump());
      },
      500);
}

TEST(Growth, SchemaWithManyFeaturesGroupsAndLabels) {
  expect_linear(
      [](std::size_t size) {
        const Ensemble model = binary_model(2 * size, {});
        nlohmann::json schema = {{"boxwood_schema", 1}};
        for (std::size_t i = 0; i < size; ++i) {
          schema["features"].push_back({{"name", "f" + std::to_string(i)}, {"kind", "integer"}});
          const std::size_t column = size + i;
          if (i % 10 == 0) schema["one_hot"].push_back({{"title", "g" + std::to_string(i)}});
          schema["one_hot"].back()["columns"].push_back("f" + std::to_string(column));
          schema["one_hot"].back()["labels"].push_back("l" + std::to_string(i));
        }
        schema["features"][0]["kind"] = "categorical";
        for (std::size_t i = 0; i < size; ++i) {
          schema["features"][0]["labels"].push_back("label " + std::to_string(i));
        }
        return [model, text = schema.dump()] { schema_from_json(text, "s", model); };
      },
      200);
}

TEST(Growth, Csv) {
  expect_linear(
      [](std::size_t size) {
        const Ensemble model = binary_model(3, {});
        std::string text = "f0,f1,f2,\"a \"\"label\"\"\"\n";
        for (std::size_t i = 0; i < size; ++i) text += "0.25,1e-3,,\"some, text\"\n";
        return [model, schema = schema_for(model), text] {
          cli::parse_data(text, "data.csv", model, schema,
                          [](std::size_t row) { return row == 0; });
        };
      },
      2000);
}

TEST(Growth, CsvWithManyColumns) {
  expect_linear(
      [](std::size_t size) {
        const Ensemble model = binary_model(size, {});
        std::string text = "f0", row = "1";
        for (std::size_t i = 1; i < size; ++i) {
          text += ",f" + std::to_string(i);
          row += ",1";
        }
        return [model, schema = schema_for(model), text = text + "\n" + row + "\n"] {
          cli::parse_data(text, "data.csv", model, schema);
        };
      },
      1000);
}

TEST(Growth, QueryText) {
  const Ensemble model = lender::model();
  const Schema schema = schema_from_json(lender::schema_text, "s", model);
  expect_linear(
      [&](std::size_t size) {
        std::string text = "want granted\n";
        for (std::size_t i = 0; i < size; ++i) {
          text += "if age >= " + std::to_string(i) + " then duration <= 24 months\n";
        }
        return [&, text] {
          Query query = query_for(model, std::vector<double>(9, 0.0));
          apply(schema, query);
          add_text(text, "rules", std::span(&model, 1), schema, query);
        };
      },
      200);
}

}  // namespace growth_test
