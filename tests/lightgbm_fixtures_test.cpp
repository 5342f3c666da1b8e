// Models trained by real LightGBM releases: the files in tests/data/lightgbm/<version>, made by
// make_fixtures.py there, and what the library itself predicted. Every raw score has to be the same
// double, bit for bit. Outputs may differ in the last bits where exp is another machine's.
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

namespace lightgbm_fixtures_test {

namespace fs = std::filesystem;

fs::path fixtures() { return fixture_folder("lightgbm"); }

std::vector<Fixture> model_files() { return fixture_files("lightgbm", ".expected", ""); }

/// How many doubles lie from one to the other.
std::uint64_t steps_between(double a, double b) {
  const auto place = [](double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  const std::int64_t from = place(a), to = place(b);
  return static_cast<std::uint64_t>(std::max(from, to)) -
         static_cast<std::uint64_t>(std::min(from, to));
}

class LightgbmFixture : public testing::TestWithParam<Fixture> {};

TEST_P(LightgbmFixture, predicts_what_lightgbm_predicts) {
  Stream expected(bytes_of(GetParam().model.string() + ".expected"));
  ASSERT_EQ(expected.text(4), "BWL1");
  const std::size_t points = expected.count();
  const std::size_t features = expected.count();
  const std::size_t outputs = expected.count();
  const std::size_t answers = expected.count();
  ASSERT_GT(points, 15U);
  ASSERT_GE(answers, 1U);
  const auto inputs = expected.numbers(points * features);

  for (std::size_t a = 0; a < answers; ++a) {
    boxwood::Rounds rounds;
    const auto first = static_cast<std::int32_t>(expected.word(4));
    if (first >= 0) rounds.first = static_cast<std::size_t>(first);
    const auto raw = expected.numbers(points * outputs);
    const auto predictions = expected.numbers(points * outputs);

    const boxwood::Ensemble model = boxwood::read_model(GetParam().model, rounds);
    ASSERT_EQ(model.features.size(), features);
    ASSERT_EQ(model.base.size(), outputs);
    // Without exp there is nothing that could differ.
    const std::uint64_t allowed =
        model.link == boxwood::Link::identity || model.link == boxwood::Link::square ? 0 : 4;
    for (std::size_t p = 0; p < points; ++p) {
      const std::vector<double> point(
          inputs.begin() + static_cast<std::ptrdiff_t>(p * features),
          inputs.begin() + static_cast<std::ptrdiff_t>((p + 1) * features));
      const auto scores = model.predict(point);
      const auto output = model.transform(scores);
      ASSERT_EQ(output.size(), outputs);
      for (std::size_t k = 0; k < outputs; ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(raw[p * outputs + k]),
                  std::bit_cast<std::uint64_t>(scores[k]))
            << "answer " << a << ", point " << p << ", score " << k << ": " << raw[p * outputs + k]
            << " expected, " << scores[k];
        EXPECT_LE(steps_between(predictions[p * outputs + k], output[k]), allowed)
            << "answer " << a << ", point " << p << ", output " << k << ": "
            << predictions[p * outputs + k] << " expected, " << output[k];
      }
      if (HasFailure()) return;  // one point tells enough
    }
  }
  EXPECT_TRUE(expected.at_end());
}

INSTANTIATE_TEST_SUITE_P(AllVersions, LightgbmFixture, testing::ValuesIn(model_files()),
                         fixture_test_name);

TEST(LightgbmFixtures, cover_every_version) {
  EXPECT_EQ(versions_of(model_files()),
            (std::set<std::string>{"2.2.3", "3.0.0", "3.3.5", "4.0.0", "4.7.0"}));
  EXPECT_GE(model_files().size(), 3U * 8U + 2U * 29U);
}

TEST(LightgbmFixtures, survive_boxwoods_own_format) {
  for (const auto& fixture : model_files()) {
    const auto model = boxwood::read_model(fixture.model);
    EXPECT_EQ(boxwood::read_model_bytes(boxwood::to_json(model)), model) << fixture.model;
  }
}

TEST(LightgbmFixtures, are_the_same_with_any_line_ends) {
  for (const auto& fixture : model_files()) {
    std::string windows;
    for (const char c : bytes_of(fixture.model)) windows += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(boxwood::read_model_bytes(windows), boxwood::read_model(fixture.model))
        << fixture.model;
  }
}

TEST(LightgbmFixtures, tell_source_objective_and_names) {
  const auto model = boxwood::read_model(fixtures() / "4.7.0/binary_nan.txt");
  EXPECT_EQ(model.source, "LightGBM (model format v4)");
  EXPECT_EQ(model.objective, "binary");
  EXPECT_EQ(model.task, boxwood::Task::binary);
  ASSERT_EQ(model.features.size(), 4U);
  EXPECT_EQ(model.features[0], (boxwood::Feature{"income", boxwood::FeatureKind::continuous}));
  EXPECT_EQ(model.features[2].name, "été");
  EXPECT_EQ(model.features[3].name, "house=own");
  // LightGBM reads "sigmoid:1.23457" as 1 + 0.23457.
  EXPECT_EQ(model.steepness, 1 + 0.23457);

  EXPECT_EQ(boxwood::read_model(fixtures() / "4.7.0/custom.txt").objective, "custom");
  EXPECT_EQ(boxwood::read_model(fixtures() / "4.7.0/regression_sqrt.txt").link,
            boxwood::Link::square);
  EXPECT_EQ(boxwood::read_model(fixtures() / "4.7.0/multiclass_forest.txt").divisor, 3);
}

TEST(LightgbmFixtures, tell_categories_and_the_labels_of_pandas) {
  const auto numbered = boxwood::read_model(fixtures() / "4.7.0/binary_categories.txt");
  EXPECT_EQ(numbered.features[0].kind, boxwood::FeatureKind::continuous);
  EXPECT_EQ(numbered.features[3].kind, boxwood::FeatureKind::categorical);
  std::vector<std::int32_t> codes;
  for (const auto& category : numbered.features[3].categories) {
    codes.push_back(category.code);
    EXPECT_EQ(category.label, "");
  }
  EXPECT_EQ(codes, (std::vector<std::int32_t>{0, 1, 2, 5, 31, 32, 40}));

  for (const char* version : {"2.2.3", "3.0.0", "3.3.5", "4.0.0", "4.7.0"}) {
    const auto labelled = boxwood::read_model(fixtures() / version / "regression_pandas.txt");
    EXPECT_EQ(labelled.features[1].categories,
              (std::vector<boxwood::Category>{
                  {0, "a"}, {1, "b c"}, {2, "d"}, {3, "e"}, {4, "f"}, {5, "ü"}}));
    ASSERT_EQ(labelled.features[3].categories.size(), 7U);
    EXPECT_EQ(labelled.features[3].categories[6], (boxwood::Category{6, "40"}));
    EXPECT_TRUE(labelled.features[0].categories.empty());
  }
}

TEST(LightgbmFixtures, refuse_linear_trees) {
  for (const char* version : {"3.3.5", "4.7.0"}) {
    const auto file = fixtures() / version / "refused_linear.txt";
    try {
      boxwood::read_model(file);
      ADD_FAILURE() << file << " was read";
    } catch (const boxwood::Error& error) {
      EXPECT_EQ(error.place(), file.string() + ": Tree=0: is_linear");
      EXPECT_EQ(error.reason(),
                "linear trees are not supported: their leaves are functions of the features, and "
                "Boxwood needs scores that are constant within a leaf");
      EXPECT_EQ(error.remedy(), "Train with linear_tree=false");
    }
  }
}

TEST(LightgbmFixtures, say_so_when_rounds_do_not_exist) {
  const auto complaint = [](const char* name, const boxwood::Rounds& rounds) -> std::string {
    try {
      boxwood::read_model(fixtures() / "4.7.0" / name, rounds);
    } catch (const boxwood::Error& error) {
      return error.reason();
    }
    return "it was read";
  };
  boxwood::Rounds rounds;
  rounds.choice = boxwood::Rounds::Choice::best;
  EXPECT_EQ(complaint("gamma.txt", rounds),
            "LightGBM's model files do not record the best iteration");
  rounds.first = 3;
  EXPECT_EQ(complaint("gamma.txt", rounds), "3 rounds were requested, but the model has 2");
  rounds.first = 0;
  EXPECT_TRUE(boxwood::read_model(fixtures() / "4.7.0/gamma.txt", rounds).trees.empty());
  EXPECT_EQ(complaint("binary_forest.txt", rounds), "this random forest has no trees");
}

}  // namespace lightgbm_fixtures_test
