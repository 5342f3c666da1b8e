// Models trained by real CatBoost releases: the files in tests/data/catboost/<version>, made by
// make_fixtures.py there, and what the library itself predicted. Every raw score and every output
// has to be the same double, bit for bit, and every class the same.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "readers/catboost_hash.hpp"

#include "fixture_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace catboost_fixtures_test {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path fixtures() { return fixture_folder("catboost"); }

std::vector<Fixture> model_files() { return fixture_files("catboost", ".expected", ".json"); }
/// The same models in the binary format, in which categories have no names.
std::vector<Fixture> binary_files() { return fixture_files("catboost", ".cbm", ".cbm"); }

/// A category's code: by its label, by its hash where the file has no strings, or the last code,
/// which stands for all others.
double code_of(const boxwood::Feature& feature, const std::string& text) {
  const std::string hash = "#" + std::to_string(boxwood::readers::catboost_category_hash(text));
  for (const boxwood::Category& category : feature.categories) {
    const std::string label = category.label == "(empty)" ? "" : category.label;
    if (label == (category.hashed ? hash : text)) return category.code;
  }
  return feature.categories.empty() ? 0.0 : feature.categories.back().code;
}

std::vector<double> point_of(const boxwood::Ensemble& model, const json& row) {
  std::vector<double> point;
  for (std::size_t d = 0; d < row.size(); ++d) {
    const auto text = row[d].get<std::string>();
    const boxwood::Feature& feature = model.features.at(d);
    const bool is_label = feature.kind == boxwood::FeatureKind::categorical;
    point.push_back(is_label ? code_of(feature, text) : std::strtod(text.c_str(), nullptr));
  }
  return point;
}

double number_of(const json& text) {
  return std::strtod(text.get_ref<const std::string&>().c_str(), nullptr);
}

void expect_scores(const json& expected, const std::vector<double>& actual) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(number_of(expected[k])),
              std::bit_cast<std::uint64_t>(actual[k]))
        << "score " << k << ": " << number_of(expected[k]) << " expected, " << actual[k];
  }
}

class CatboostFixture : public testing::TestWithParam<Fixture> {};

TEST_P(CatboostFixture, predicts_what_catboost_predicts) {
  fs::path file = GetParam().model;
  const json expected = json::parse(bytes_of(file.replace_extension(".expected")));
  const boxwood::Ensemble model = boxwood::read_model(GetParam().model);
  const json& rows = expected["rows"];
  ASSERT_GT(rows.size(), 15U);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    SCOPED_TRACE("point " + std::to_string(p) + " " + rows[p].dump());
    const std::vector<double> scores = model.predict(point_of(model, rows[p]));
    expect_scores(expected["raw"][p], scores);
    std::vector<double> outputs = model.transform(scores);
    if (model.task == boxwood::Task::binary) {
      outputs = {model.probability(outputs, 0), model.probability(outputs, 1)};
    }
    ASSERT_EQ(outputs.size(), expected["outputs"][p].size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double wanted = number_of(expected["outputs"][p][k]);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(wanted), std::bit_cast<std::uint64_t>(outputs[k]))
          << "output " << k << ": " << wanted << " expected, " << outputs[k];
    }
    if (expected.contains("classes")) {
      EXPECT_EQ(model.class_name(model.classify(scores)),
                expected["classes"][p].get<std::string>());
    }
    if (HasFailure()) return;  // one point tells enough
  }
  for (const auto& [count, raw] : expected["rounds"].items()) {
    boxwood::Rounds rounds;
    rounds.first = std::stoul(count);
    const boxwood::Ensemble first = boxwood::read_model(GetParam().model, rounds);
    EXPECT_EQ(first.trees.size(), *rounds.first);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      expect_scores(raw[p], first.predict(point_of(first, rows[p])));
    }
  }
}

TEST_P(CatboostFixture, takes_missing_and_impossible_codes_for_unknown_categories) {
  const boxwood::Ensemble model = boxwood::read_model(GetParam().model);
  std::vector<double> point(model.features.size(), 0.0);
  for (std::size_t d = 0; d < point.size(); ++d) {
    const auto& categories = model.features[d].categories;
    if (categories.empty()) continue;
    EXPECT_EQ(categories.back().label, "(other)");
    point[d] = categories.back().code;
    const auto other = model.predict(point);
    for (const double code : {std::nan(""), -1.0, -5.0, 1e9, 1e300, point[d] + 1}) {
      point[d] = code;
      EXPECT_EQ(model.predict(point), other) << "feature " << d << ", code " << code;
    }
    point[d] = 0;
  }
}

TEST_P(CatboostFixture, survives_boxwoods_own_format) {
  const auto model = boxwood::read_model(GetParam().model);
  EXPECT_EQ(boxwood::read_model_bytes(boxwood::to_json(model)), model);
}

INSTANTIATE_TEST_SUITE_P(AllVersions, CatboostFixture, testing::ValuesIn(model_files()),
                         fixture_test_name);

INSTANTIATE_TEST_SUITE_P(BinaryFiles, CatboostFixture, testing::ValuesIn(binary_files()),
                         fixture_test_name);

TEST(CatboostFixtures, cover_every_version) {
  EXPECT_EQ(versions_of(binary_files()), versions_of(model_files()));
  EXPECT_EQ(versions_of(model_files()), (std::set<std::string>{"1.0.6", "1.1.1", "1.2.10"}));
  EXPECT_GT(model_files().size(), 50U);
}

TEST(CatboostFixtures, tell_names_kinds_classes_and_source) {
  const auto model = boxwood::read_model(fixtures() / "1.2.10/ctr_borders.json");
  EXPECT_EQ(model.source, "CatBoost 1.2.10");
  EXPECT_EQ(model.objective, "Logloss");
  EXPECT_EQ(model.task, boxwood::Task::binary);
  EXPECT_EQ(model.decision, boxwood::Decision::score_above_zero);
  EXPECT_EQ(model.classes, (std::vector<std::string>{"no", "yes"}));
  ASSERT_EQ(model.features.size(), 4U);
  EXPECT_EQ(model.features[1], (boxwood::Feature{"été", boxwood::FeatureKind::continuous}));
  EXPECT_EQ(model.features[2].kind, boxwood::FeatureKind::categorical);
  const auto unnamed = boxwood::read_model(fixtures() / "1.2.10/logloss_unnamed.json");
  EXPECT_EQ(unnamed.features[1].name, "f1");
  EXPECT_EQ(unnamed.classes, (std::vector<std::string>{"False", "True"}));
  EXPECT_EQ(boxwood::read_model(fixtures() / "1.2.10/quantile.json").objective,
            "Quantile:alpha=0.3");
  EXPECT_EQ(boxwood::read_model(fixtures() / "1.2.10/multiclass.json").classes,
            (std::vector<std::string>{"class0", "class1", "class2"}));
}

TEST(CatboostHash, is_the_one_of_the_strings_that_catboost_wrote) {
  std::set<std::size_t> lengths;
  for (const auto& fixture : model_files()) {
    const json info = json::parse(bytes_of(fixture.model))["features_info"];
    if (!info.contains("cat_features_hash") || info["cat_features_hash"].is_null()) continue;
    for (const json& entry : info["cat_features_hash"]) {
      const auto text = entry["value"].get<std::string>();
      EXPECT_EQ(boxwood::readers::catboost_category_hash(text), entry["hash"].get<std::uint32_t>())
          << text;
      lengths.insert(text.size());
    }
  }
  // One of each way to hash: by length up to 0, 3, 8, 16, 32, 64 and beyond.
  EXPECT_TRUE(lengths.contains(0) && lengths.contains(3) && lengths.contains(8) &&
              lengths.contains(20) && lengths.contains(40) && lengths.contains(70));
}

TEST(CatboostFixtures, refuse_by_name_what_cannot_be_represented) {
  const Refused cases[] = {
      {"refused_combination.json",
       "features_info.ctrs: 16 of 16 combinations in a statistic of several features are of "
       "categories that the file does not name"},
      {"refused_two_tables.json",
       "features_info.ctrs[1]: several tables may share this identifier; the file keeps only one "
       "of them"},
  };
  expect_refused(fixtures() / "1.2.10", cases);
}

TEST(CatboostFixtures, say_so_when_rounds_do_not_exist) {
  expect_no_further_rounds(fixtures() / "1.2.10/logloss.json", 4);
}

}  // namespace catboost_fixtures_test
