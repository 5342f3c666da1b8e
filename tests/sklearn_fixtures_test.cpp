// Models of real scikit-learn releases, written by the Python package: the files in
// tests/data/sklearn/<version>, made by make_fixtures.py there, and what the library itself said.
// Raw scores have to be the same doubles, bit for bit; so have outputs, but for those that go
// through exp or pow, whose last bits are the machine's own.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "error_of.hpp"
#include "fixture_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace sklearn_fixtures_test {

namespace fs = std::filesystem;

fs::path fixtures() { return fixture_folder("sklearn"); }

std::vector<Fixture> model_files() { return fixture_files("sklearn", ".json", ".json"); }

using Rows = std::vector<std::vector<double>>;

Rows rows_of(const nlohmann::json& lists) {
  Rows rows;
  for (const auto& list : lists) {
    rows.emplace_back();
    for (const auto& text : list) {  // hexadecimal, "nan" or "inf"
      rows.back().push_back(std::strtod(text.get<std::string>().c_str(), nullptr));
    }
  }
  return rows;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class SklearnFixture : public testing::TestWithParam<Fixture> {};

TEST_P(SklearnFixture, predicts_what_scikit_learn_predicts) {
  fs::path beside = GetParam().model;
  std::ifstream file(beside.replace_extension(".expected"));
  const nlohmann::json expected = nlohmann::json::parse(file);
  const Rows points = rows_of(expected["points"]);
  const Rows scores = rows_of(expected["scores"]);
  const Rows outputs = rows_of(expected["outputs"]);
  const auto classes = expected["classes"].get<std::vector<std::string>>();
  const double ulps = expected["ulps"].get<double>();
  const auto model = boxwood::read_model(GetParam().model);
  ASSERT_GT(points.size(), 20U);
  ASSERT_EQ(scores.size(), points.size());
  ASSERT_EQ(classes.empty(), model.task == boxwood::Task::regression);

  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto raw = model.predict(points[p]);
    ASSERT_EQ(raw.size(), scores[p].size());
    for (std::size_t k = 0; k < raw.size(); ++k) {
      ASSERT_TRUE(same_bits(raw[k], scores[p][k]))
          << "point " << p << ", score " << k << ": " << scores[p][k] << " expected, " << raw[k];
    }
    if (!classes.empty()) {
      ASSERT_EQ(model.class_name(model.classify(raw)), classes[p]) << "point " << p;
    }
    if (outputs.empty()) continue;
    std::vector<double> got = model.transform(raw);
    if (model.task == boxwood::Task::binary) {
      got = {model.probability(got, 0), model.probability(got, 1)};
    }
    ASSERT_EQ(got.size(), outputs[p].size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      const double slack =
          ulps * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(outputs[p][k]));
      ASSERT_LE(std::abs(got[k] - outputs[p][k]), slack) << "point " << p << ", output " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllVersions, SklearnFixture, testing::ValuesIn(model_files()),
                         fixture_test_name);

TEST(SklearnFixtures, cover_every_version) {
  EXPECT_EQ(versions_of(model_files()), (std::set<std::string>{"1.3.2", "1.9.1"}));
  EXPECT_GT(model_files().size(), 2U * 30U);
}

TEST(SklearnFixtures, survive_boxwoods_own_format) {
  for (const auto& fixture : model_files()) {
    const auto model = boxwood::read_model(fixture.model);
    EXPECT_EQ(boxwood::read_model_bytes(boxwood::to_json(model)), model) << fixture.model;
  }
}

/// What reading says of a model with categories after damage.
std::string error_after(const std::function<void(nlohmann::json&)>& damage) {
  std::ifstream file(fixtures() / "1.9.1/hist_words.json");
  nlohmann::json model = nlohmann::json::parse(file);
  damage(model);
  return error_of([&] { boxwood::read_model_bytes(model.dump(), "m"); });
}

/// The first split of the model's first tree on a set.
std::size_t first_set(const nlohmann::json& tree) {
  return static_cast<std::size_t>(std::find(tree["kind"].begin(), tree["kind"].end(), "in") -
                                  tree["kind"].begin());
}

TEST(SklearnFixtures, damaged_categories_and_scales_are_named) {
  using Json = nlohmann::json;
  EXPECT_EQ(error_after([](Json&) {}), "no error");
  const std::string set = error_after([](Json& m) { m["trees"][0]["sets"][0] = {3, 1}; });
  EXPECT_EQ(set,
            "m: trees[0].sets[0]: categories must be integers >= 0 in ascending order, without "
            "duplicates");
  EXPECT_EQ(error_after([](Json& m) { m["trees"][0]["sets"][0] = {-1, 1}; }), set);
  EXPECT_NE(error_after([](Json& m) { m["trees"][0]["sets"][0] = {0.5}; }), "no error");
  EXPECT_NE(error_after([](Json& m) { m["trees"][0]["sets"] = 7; }), "no error");
  for (const int index : {-1, 99}) {
    EXPECT_NE(error_after([&](Json& m) {
                Json& tree = m["trees"][0];
                tree["value"][first_set(tree)] = index;
              }).find("m: trees[0].nodes["),
              std::string::npos);
  }
  EXPECT_NE(error_after([](Json& m) { m["trees"][0].erase("sets"); }).find(" does not exist"),
            std::string::npos);
  EXPECT_EQ(error_after([](Json& m) { m["features"][1]["categories"][0]["code"] = 4; }),
            "m: features[1].categories[1]: codes must be integers >= 0 in ascending order, without "
            "duplicates");
  EXPECT_NE(error_after([](Json& m) { m["features"][1]["categories"][0].erase("code"); }),
            "no error");
  for (const char* name : {"divisor", "factor", "steepness"}) {
    EXPECT_EQ(error_after([&](Json& m) { m[name] = -1; }),
              std::string("m: ") + name + ": -1 must be a positive number");
    EXPECT_NE(error_after([&](Json& m) { m[name] = "many"; }), "no error");
  }
  EXPECT_NE(error_after([](Json& m) { m["decision"] = "coin"; }).find("m: decision: \"coin\""),
            std::string::npos);
  EXPECT_EQ(error_after([](Json& m) { m["decision"] = "largest_score"; }),
            "m: decision: it is not possible for this number of classes");
  EXPECT_EQ(error_after([](Json& m) {
              m["trees"][1]["missing_at_zero"] = {true};
            }).find("m: trees[1].missing_at_zero: it has 1 entries"),
            0U);
}

TEST(SklearnFixtures, truncated_files_are_errors) {
  std::ifstream file(fixtures() / "1.9.1/hist_words.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (std::size_t length = 0; length < text.size(); length += 1 + length / 37) {
    EXPECT_THROW(boxwood::read_model_bytes(text.substr(0, length), "m"), boxwood::Error) << length;
  }
}

TEST(SklearnFixtures, tell_source_objective_classes_and_categories) {
  const auto forest = boxwood::read_model(fixtures() / "1.9.1/tree_classifier_missing.json");
  EXPECT_EQ(forest.source, "scikit-learn 1.9.1");
  EXPECT_EQ(forest.objective, "DecisionTreeClassifier");
  EXPECT_EQ(forest.classes, (std::vector<std::string>{"fair", "good", "poor"}));
  EXPECT_EQ(forest.features[3].name, "f3");

  const auto words = boxwood::read_model(fixtures() / "1.9.1/hist_words.json");
  EXPECT_EQ(words.objective, "HistGradientBoostingClassifier log_loss");
  EXPECT_EQ(words.features[1].name, "home");
  EXPECT_EQ(words.features[1].kind, boxwood::FeatureKind::categorical);
  ASSERT_EQ(words.features[1].categories.size(), 6U);
  EXPECT_EQ(words.features[1].categories[5], (boxwood::Category{5, "tent"}));
}

}  // namespace sklearn_fixtures_test
