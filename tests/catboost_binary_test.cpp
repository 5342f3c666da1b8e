// Files in CatBoost's binary format: the same models as in JSON, and files that are cut off or
// damaged. tests/catboost_fixtures_test.cpp compares their predictions with CatBoost's.
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace catboost_binary_test {

using boxwood::Ensemble;

std::string fixture(const std::string& name) {
  const auto file = std::filesystem::path(BOXWOOD_SOURCE_DIR) / "tests/data/catboost/1.2.10" / name;
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string complaint(const std::string& bytes) {
  try {
    const Ensemble model = boxwood::read_model_bytes(bytes, "m");
    model.transform(model.predict(std::vector<double>(model.features.size(), 0.5)));
  } catch (const boxwood::Error& error) {
    EXPECT_NE(error.place(), "");
    return error.place() + ": " + error.reason();
  }
  return "it was read";
}

TEST(CatboostBinary, IsTheModelOfTheJson) {
  for (const std::string name :
       {"logloss_nan_max", "multiclass_depthwise", "rmse_scaled", "threshold"}) {
    EXPECT_EQ(boxwood::read_model_bytes(fixture(name + ".cbm"), "m"),
              boxwood::read_model_bytes(fixture(name + ".json"), "m"))
        << name;
  }
  boxwood::Rounds rounds;
  rounds.first = 2;
  EXPECT_EQ(boxwood::read_model_bytes(fixture("threshold.cbm"), "m", rounds),
            boxwood::read_model_bytes(fixture("threshold.json"), "m", rounds));
}

TEST(CatboostBinary, FilesThatStopShortAreRefused) {
  for (const char* name : {"threshold.cbm", "rmse_depthwise.cbm", "ctr_borders.cbm"}) {
    const std::string whole = fixture(name);
    ASSERT_EQ(complaint(whole), "it was read");
    // The first part has its size, so that only the end tells whether statistics are cut off.
    for (std::size_t cut = 4; cut < whole.size(); cut += cut + 400 < whole.size() ? 97 : 1) {
      EXPECT_TRUE(complaint(whole.substr(0, cut)).starts_with("m: it ends at byte")) << cut;
    }
  }
}

TEST(CatboostBinary, DamagedBytesEndInAnErrorOrInAModel) {
  std::size_t refused = 0, tried = 0;
  for (const char* name : {"one_hot.cbm", "rmse_depthwise.cbm", "ctr_borders.cbm"}) {
    const std::string whole = fixture(name);
    std::uint32_t size = 0;
    std::memcpy(&size, whole.data() + 4, sizeof size);
    for (std::size_t at = 4; at < whole.size(); ++at) {
      // Parameters are text, of which every 50th byte is enough.
      const bool text = at > 1200 && at + 1200 < size;
      if (text && at % 50 != 0) continue;
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? '\x81' : '\x7f'));
      ++tried;
      refused += complaint(damaged) == "it was read" ? 0 : 1;
    }
  }
  EXPECT_GT(refused * 4, tried);
}

/// A field of the root table or of its model: the position of what it refers to.
std::size_t field_of(const std::string& bytes, std::size_t table, std::size_t field) {
  std::int32_t back = 0;
  std::memcpy(&back, bytes.data() + table, sizeof back);
  std::uint16_t within = 0;
  std::memcpy(&within, bytes.data() + (static_cast<std::int64_t>(table) - back) + 4 + 2 * field,
              sizeof within);
  std::uint32_t away = 0;
  std::memcpy(&away, bytes.data() + table + within, sizeof away);
  return table + within + away;
}

std::size_t model_of(const std::string& bytes) {
  constexpr std::size_t start = 8;
  std::uint32_t root = 0;
  std::memcpy(&root, bytes.data() + start, sizeof root);
  return field_of(bytes, start + root, 1);
}

template <typename Number>
void put(std::string& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

TEST(CatboostBinary, CountsAndNumbersThatLieAreRefused) {
  const auto with = [](const char* name, std::size_t field, std::size_t entry, auto number) {
    std::string bytes = fixture(name);
    put(bytes, field_of(bytes, model_of(bytes), field) + 4 * entry, number);
    return complaint(bytes);
  };
  // Field 1 has the splits, 2 the sizes of trees, 8 the leaves, 10 the steps; entry 0 is the count.
  EXPECT_NE(with("threshold.cbm", 1, 0, 0xFFFFFFFFU).find("a list of 4294967295 entries"),
            std::string::npos);
  EXPECT_EQ(with("threshold.cbm", 1, 1, 9999), "m: split 9999 does not exist; there are 7");
  EXPECT_EQ(with("threshold.cbm", 2, 1, 25), "m: a tree of 25 levels");
  EXPECT_EQ(with("threshold.cbm", 2, 1, 24), "m: tree 0 has no splits or leaves");
  EXPECT_EQ(with("threshold.cbm", 2, 4, 1), "m: there are splits or leaves that belong to no tree");
  EXPECT_EQ(with("rmse_depthwise.cbm", 10, 1, 0x00010001U),
            "m: step 0 has no child 1, or another step has it");
  EXPECT_NE(with("rmse_depthwise.cbm", 10, 1, 0xFFFFFFFFU).find("step 0 has no child"),
            std::string::npos);
  EXPECT_EQ(with("rmse_depthwise.cbm", 2, 1, 1'000'000), "m: tree 0 has no steps");
}

TEST(CatboostBinary, ListsThatOverlapAreRefused) {
  // The names of all parameters refer to one long text.
  std::string bytes = fixture("threshold.cbm");
  const std::size_t start = 8;
  std::uint32_t root = 0;
  std::memcpy(&root, bytes.data() + start, sizeof root);
  const std::size_t list = field_of(bytes, start + root, 2);
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + list, sizeof count);
  ASSERT_GT(count, 3U);
  std::size_t longest = 0, most = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    std::uint32_t away = 0;
    std::memcpy(&away, bytes.data() + list + 4 * i, sizeof away);
    const std::size_t text = field_of(bytes, list + 4 * i + away, 1);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + text, sizeof size);
    if (size > most) longest = list + 4 * i + away, most = size;
  }
  ASSERT_GT(most * 3, bytes.size());
  for (std::size_t i = 1; i <= count; ++i) {
    put(bytes, list + 4 * i, static_cast<std::uint32_t>(longest - (list + 4 * i)));
  }
  EXPECT_EQ(complaint(bytes), "m: its parts overlap");
}

TEST(CatboostBinary, OtherPartsAndFormatsAreRefusedByName) {
  const auto replaced = [](const char* name, const std::string& before, const std::string& after) {
    std::string bytes = fixture(name);
    const std::size_t at = bytes.find(before);
    EXPECT_NE(at, std::string::npos);
    return complaint(bytes.replace(at, before.size(), after));
  };
  EXPECT_EQ(replaced("threshold.cbm", "FlabuffersModel_v1", "FlabuffersModel_v2"),
            "m: the format \"FlabuffersModel_v2\" is not supported");
  EXPECT_NE(replaced("ctr_borders.cbm", "static_provider_v1", "text_processing_v1")
                .find("text and embedding"),
            std::string::npos);
}

}  // namespace catboost_binary_test
