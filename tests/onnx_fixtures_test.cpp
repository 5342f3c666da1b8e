// ONNX models of real converters and of every operator: the files in tests/data/onnx/<version of
// skl2onnx>, made by make_fixtures.py there, and what onnxruntime itself answered. Scores,
// outputs and classes have to be the same, bit for bit.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "fixture_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace onnx_fixtures_test {

namespace fs = std::filesystem;

std::vector<Fixture> model_files() { return fixture_files("onnx", ".onnx", ".onnx"); }

bool same(double expected, double actual) {
  return expected == actual || (std::isnan(expected) && std::isnan(actual));
}

class OnnxFixture : public testing::TestWithParam<Fixture> {};

TEST_P(OnnxFixture, predicts_what_onnxruntime_predicts) {
  const boxwood::Ensemble model = boxwood::read_model(GetParam().model);
  std::ifstream in(GetParam().model.string() + ".expected");
  std::string type;
  std::size_t raw_count = 0, output_count = 0;
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  std::istringstream(line) >> type >> raw_count >> output_count;
  ASSERT_EQ(model.base.size(), raw_count);
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    const auto numbers = [&](std::size_t count) {
      std::vector<double> values(count);
      std::string word;
      for (double& value : values) {
        words >> word;
        value = std::strtod(word.c_str(), nullptr);
      }
      return values;
    };
    const auto point = numbers(model.features.size());
    const auto expected_raw = numbers(raw_count);
    const auto expected = numbers(output_count);
    std::string label;
    std::getline(words >> std::ws, label);
    const auto scores = model.predict(point);
    const auto outputs = model.transform(scores);
    ASSERT_EQ(outputs.size(), output_count);
    for (std::size_t k = 0; k < raw_count; ++k) {
      // Sums of doubles are only seen rounded, except those of the newest operator.
      const bool rounds =
          model.objective.rfind("TreeEnsemble ", 0) != 0 && model.objective != "TreeEnsemble";
      const double seen = rounds ? static_cast<double>(static_cast<float>(scores[k])) : scores[k];
      EXPECT_TRUE(same(expected_raw[k], seen))
          << "row " << rows << ", score " << k << ": " << expected_raw[k] << " expected, " << seen;
    }
    for (std::size_t k = 0; k < output_count; ++k) {
      EXPECT_TRUE(same(expected[k], outputs[k])) << "row " << rows << ", output " << k << ": "
                                                 << expected[k] << " expected, " << outputs[k];
    }
    if (label != "-") {
      EXPECT_EQ(model.class_name(model.classify(scores)), label) << "row " << rows;
    }
    if (HasFailure()) return;  // one row tells enough
    ++rows;
  }
  EXPECT_GT(rows, 20U);
}

INSTANTIATE_TEST_SUITE_P(AllVersions, OnnxFixture, testing::ValuesIn(model_files()),
                         fixture_test_name);

TEST(OnnxFixtures, survive_boxwoods_own_format) {
  for (const Fixture& fixture : model_files()) {
    const auto model = boxwood::read_model(fixture.model);
    EXPECT_EQ(boxwood::read_model_bytes(boxwood::to_json(model)), model) << fixture.model;
  }
}

TEST(OnnxFixtures, have_no_rounds) {
  boxwood::Rounds rounds;
  rounds.first = 1;
  EXPECT_THROW(boxwood::read_model(model_files().front().model, rounds), boxwood::Error);
}

/// Whatever is done to a file, it is read or refused with a place; never worse.
TEST(OnnxFixtures, stay_safe_when_damaged) {
  for (const Fixture& fixture : model_files()) {
    const std::string bytes = bytes_of(fixture.model);
    const auto survives = [&](const std::string& damaged) {
      try {
        boxwood::read_model_bytes(damaged, "m").validate();
      } catch (const boxwood::Error& error) {
        EXPECT_EQ(error.place().rfind("m", 0), 0U) << error.what();
        EXPECT_FALSE(error.reason().empty());
        return false;
      }
      return true;
    };
    const std::size_t step = std::max<std::size_t>(bytes.size() / 97, 1);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      // The graph is most of the fixture.model and followed by little: cut inside, nothing is left
      // of it.
      if (at + 100 < bytes.size()) {
        EXPECT_FALSE(survives(bytes.substr(0, at))) << fixture.model << at;
      }
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x41);
      survives(changed);
      changed[at] = '\xFF';
      survives(changed);
    }
  }
}

}  // namespace onnx_fixtures_test
