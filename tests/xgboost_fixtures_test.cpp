// Models trained by real XGBoost releases: the files in tests/data/xgboost/<version>, made by
// make_fixtures.py there, and what the library itself predicted. Every score and every prediction
// has to be the same float32, bit for bit.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "fixture_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace xgboost_fixtures_test {

namespace fs = std::filesystem;

fs::path fixtures() { return fixture_folder("xgboost"); }

std::vector<Fixture> model_files() { return fixture_files("xgboost", ".expected", ""); }

std::uint32_t bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

/// NaNs are all alike; nothing else is.
bool same(std::uint32_t expected, double actual) {
  const auto number = std::bit_cast<float>(expected);
  return std::isnan(number) ? std::isnan(actual) : expected == bits(actual);
}

class XgboostFixture : public testing::TestWithParam<Fixture> {};

TEST_P(XgboostFixture, predicts_what_xgboost_predicts) {
  Stream expected(bytes_of(GetParam().model.string() + ".expected"));
  ASSERT_EQ(expected.text(4), "BWX1");
  const std::size_t points = expected.word();
  const std::size_t features = expected.word();
  const std::size_t outputs = expected.word();
  const std::size_t width = expected.word();
  const std::size_t answers = expected.word();
  ASSERT_GT(points, 15U);
  ASSERT_GE(answers, 1U);
  const auto inputs = expected.words(points * features);

  for (std::size_t a = 0; a < answers; ++a) {
    boxwood::Rounds rounds;
    rounds.choice = static_cast<boxwood::Rounds::Choice>(expected.word());
    const auto first = static_cast<std::int32_t>(expected.word());
    if (first >= 0) rounds.first = static_cast<std::size_t>(first);
    const auto margins = expected.words(points * outputs);
    const auto predictions = expected.words(points * width);

    const boxwood::Ensemble model = boxwood::read_model(GetParam().model, rounds);
    ASSERT_EQ(model.features.size(), features);
    ASSERT_EQ(model.base.size(), outputs);
    for (std::size_t p = 0; p < points; ++p) {
      std::vector<double> point;
      for (std::size_t d = 0; d < features; ++d) {
        point.push_back(static_cast<double>(std::bit_cast<float>(inputs[p * features + d])));
      }
      const auto scores = model.predict(point);
      const auto output = model.transform(scores);
      ASSERT_EQ(scores.size(), outputs);
      ASSERT_EQ(output.size(), width);
      for (std::size_t k = 0; k < outputs; ++k) {
        EXPECT_TRUE(same(margins[p * outputs + k], scores[k]))
            << "answer " << a << ", point " << p << ", score " << k << ": "
            << std::bit_cast<float>(margins[p * outputs + k]) << " expected, " << scores[k];
      }
      for (std::size_t k = 0; k < width; ++k) {
        EXPECT_TRUE(same(predictions[p * width + k], output[k]))
            << "answer " << a << ", point " << p << ", output " << k << ": "
            << std::bit_cast<float>(predictions[p * width + k]) << " expected, " << output[k];
      }
      if (HasFailure()) return;  // one point tells enough
    }
  }
  EXPECT_TRUE(expected.at_end());
}

INSTANTIATE_TEST_SUITE_P(AllVersions, XgboostFixture, testing::ValuesIn(model_files()),
                         fixture_test_name);

TEST(XgboostFixtures, cover_every_version) {
  EXPECT_EQ(versions_of(model_files()),
            (std::set<std::string>{"1.7.6", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.4.1"}));
  EXPECT_GT(model_files().size(), 6U * 38U);
}

TEST(XgboostFixtures, json_and_ubjson_are_the_same_model) {
  for (const char* version : {"1.7.6", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.4.1"}) {
    for (const char* name : {"binary_logistic_missing", "missing_only", "categorical_sets"}) {
      const auto stem = fixtures() / version / name;
      EXPECT_EQ(boxwood::read_model(stem.string() + ".json"),
                boxwood::read_model(stem.string() + ".ubj"))
          << stem;
    }
  }
}

TEST(XgboostFixtures, survive_boxwoods_own_format) {
  for (const auto& fixture : model_files()) {
    const auto model = boxwood::read_model(fixture.model);
    EXPECT_EQ(boxwood::read_model_bytes(boxwood::to_json(model)), model) << fixture.model;
  }
}

TEST(XgboostFixtures, tell_names_kinds_and_source) {
  const auto model = boxwood::read_model(fixtures() / "3.2.0/binary_logistic_missing.ubj");
  EXPECT_EQ(model.source, "XGBoost 3.2.0");
  EXPECT_EQ(model.objective, "binary:logistic");
  EXPECT_EQ(model.task, boxwood::Task::binary);
  ASSERT_EQ(model.features.size(), 4U);
  EXPECT_EQ(model.features[0], (boxwood::Feature{"income", boxwood::FeatureKind::continuous}));
  EXPECT_EQ(model.features[1],
            (boxwood::Feature{"number of loans", boxwood::FeatureKind::integer}));
  EXPECT_EQ(model.features[2], (boxwood::Feature{"has house", boxwood::FeatureKind::integer}));
  EXPECT_EQ(model.features[3], (boxwood::Feature{"été", boxwood::FeatureKind::continuous}));

  const auto unnamed = boxwood::read_model(fixtures() / "3.2.0/count_poisson.json");
  EXPECT_EQ(unnamed.features[2].name, "f2");
  EXPECT_EQ(unnamed.task, boxwood::Task::regression);
}

TEST(XgboostFixtures, tell_the_categories_that_the_file_names) {
  for (const char* version : {"3.1.3", "3.2.0", "3.4.1"}) {
    for (const char* name : {"categorical_named.json", "categorical_named.ubj"}) {
      const auto model = boxwood::read_model(fixtures() / version / name);
      ASSERT_EQ(model.features.size(), 4U);
      EXPECT_EQ(model.features[0], (boxwood::Feature{"size", boxwood::FeatureKind::continuous}));
      EXPECT_EQ(model.features[1].kind, boxwood::FeatureKind::categorical);
      std::vector<std::string> labels;
      for (const auto& category : model.features[1].categories) labels.push_back(category.label);
      // Before 3.4 XGBoost cuts names wrongly where one has a letter that ASCII lacks.
      const std::vector<std::string> whole{"amber", "blå", "", "four words in it", "e", "f"};
      EXPECT_EQ(labels, version == std::string("3.4.1") ? whole : std::vector<std::string>(6))
          << version << " " << name;
      EXPECT_EQ(model.features[1].categories.back().code, 5);
      EXPECT_EQ(
          model.features[2],
          (boxwood::Feature{"flag", boxwood::FeatureKind::categorical, {{0, "-3"}, {1, "70000"}}}))
          << version << " " << name;
    }
  }
}

TEST(XgboostFixtures, tell_the_codes_of_the_splits_where_categories_have_no_names) {
  for (const char* version : {"1.7.6", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.4.1"}) {
    const auto model = boxwood::read_model(fixtures() / version / "categorical_single.ubj");
    std::set<std::int32_t> codes;
    for (const auto& tree : model.trees) {
      for (const auto& node : tree.nodes) {
        if (node.kind != boxwood::NodeKind::in_set || node.feature != 1) continue;
        const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
        EXPECT_EQ(set.size(), 1U) << version;
        codes.insert(set.begin(), set.end());
      }
    }
    ASSERT_FALSE(codes.empty()) << version;
    EXPECT_EQ(model.features[1].kind, boxwood::FeatureKind::categorical);
    std::set<std::int32_t> known;
    for (const auto& category : model.features[1].categories) {
      known.insert(category.code);
      EXPECT_EQ(category.label, "");
    }
    EXPECT_EQ(known, codes) << version;
    EXPECT_TRUE(model.features[0].categories.empty());
  }
}

TEST(XgboostFixtures, have_the_tasks_of_their_objectives) {
  const auto read = [](const char* name) {
    return boxwood::read_model(fixtures() / "3.4.1" / name);
  };
  EXPECT_EQ(read("binary_hinge.json").task, boxwood::Task::binary);
  EXPECT_EQ(read("binary_labels.ubj").task, boxwood::Task::regression);
  EXPECT_EQ(read("binary_labels.ubj").base.size(), 2U);
  EXPECT_EQ(read("rank_ndcg.ubj").task, boxwood::Task::regression);
  const auto vectors = read("vector_leaves_softprob.ubj");
  EXPECT_EQ(vectors.task, boxwood::Task::multiclass);
  EXPECT_EQ(vectors.trees[0].output, boxwood::Tree::every_output);
}

TEST(XgboostFixtures, hold_minus_infinity_as_a_threshold) {
  const auto model = boxwood::read_model(fixtures() / "3.4.1/missing_only.json");
  EXPECT_EQ(model.trees[0].nodes[0].threshold, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(model.trees[0].nodes[0].missing_left);
}

TEST(XgboostFixtures, refuse_by_name_what_cannot_be_represented) {
  const Refused cases[] = {
      {"refused_gblinear.json",
       "learner.gradient_booster.name: it is \"gblinear\"; only tree boosters can be explained"},
      {"refused_hinge_labels.json",
       "learner.objective.name: binary:hinge with 2 targets (several labels at once) is not "
       "supported"},
      {"refused_quantiles.json",
       "learner.objective.name: reg:quantileerror with 2 quantiles is not supported: since 3.4 "
       "XGBoost sorts what it predicts for them"},
      {"refused_expectiles.json",
       "learner.objective.name: reg:expectileerror with 2 expectiles: XGBoost adds up what it "
       "predicts for them, so one has to be chosen"},
  };
  expect_refused(fixtures() / "3.4.1", cases);
}

TEST(XgboostFixtures, say_so_when_rounds_do_not_exist) {
  expect_no_further_rounds(fixtures() / "3.2.0/count_poisson.json", 2);
}

}  // namespace xgboost_fixtures_test
