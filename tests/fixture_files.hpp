// The files of tests/data/<library>: models that a real library trained, and what it predicted,
// each a case of a parameterised test that is named after its file.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

inline std::filesystem::path fixture_folder(const std::string& library) {
  return std::filesystem::path(BOXWOOD_SOURCE_DIR) / "tests/data" / library;
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Fixture {
  std::filesystem::path folder;
  std::filesystem::path model;

  std::string name() const { return std::filesystem::relative(model, folder).string(); }
};

inline void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name(); }

/// Of every file with one extension the model that belongs to it: the same name with another.
inline std::vector<Fixture> fixture_files(const std::string& library, const std::string& extension,
                                          const std::string& of_model) {
  const std::filesystem::path folder = fixture_folder(library);
  std::vector<Fixture> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != extension) continue;
    std::filesystem::path model = entry.path();
    files.push_back({folder, model.replace_extension(of_model)});
  }
  std::sort(files.begin(), files.end(),
            [](const Fixture& a, const Fixture& b) { return a.model < b.model; });
  return files;
}

/// The names of the folders that the models lie in.
inline std::set<std::string> versions_of(const std::vector<Fixture>& files) {
  std::set<std::string> versions;
  for (const Fixture& file : files) versions.insert(file.model.parent_path().filename().string());
  return versions;
}

inline std::string fixture_test_name(const testing::TestParamInfo<Fixture>& info) {
  std::string name = info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Little-endian numbers, one after the other.
class Stream {
 public:
  explicit Stream(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string text(std::size_t length) {
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }
  std::uint64_t word(std::size_t length) {
    std::uint64_t value = 0;
    for (std::size_t i = length; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes_.at(at_ + i));
    }
    at_ += length;
    return value;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(word(4)); }
  std::size_t count() { return word(); }
  std::vector<std::uint32_t> words(std::size_t count) {
    std::vector<std::uint32_t> values(count);
    for (auto& value : values) value = word();
    return values;
  }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = std::bit_cast<double>(word(8));
    return values;
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// A file that has to be refused, and what the error says after the name of the file.
struct Refused {
  std::string file;
  std::string message;
};

inline void expect_refused(const std::filesystem::path& folder, std::span<const Refused> cases) {
  for (const Refused& refused : cases) {
    const auto file = folder / refused.file;
    try {
      boxwood::read_model(file);
      ADD_FAILURE() << refused.file << " was read";
    } catch (const boxwood::Error& error) {
      EXPECT_EQ(error.place() + ": " + error.reason(), file.string() + ": " + refused.message);
      EXPECT_FALSE(error.remedy().empty()) << refused.file;
    }
  }
}

/// Of a file without a best iteration: neither that nor more rounds than it has can be read.
inline void expect_no_further_rounds(const std::filesystem::path& model, std::size_t present) {
  boxwood::Rounds rounds;
  rounds.choice = boxwood::Rounds::Choice::best;
  EXPECT_THROW(boxwood::read_model(model, rounds), boxwood::Error);
  rounds.first = present + 1;
  try {
    boxwood::read_model(model, rounds);
    ADD_FAILURE() << "more rounds were read than the file has";
  } catch (const boxwood::Error& error) {
    EXPECT_EQ(error.reason(), std::to_string(present + 1) +
                                  " rounds were requested, but the model has " +
                                  std::to_string(present));
  }
  rounds.first = 0;
  EXPECT_TRUE(boxwood::read_model(model, rounds).trees.empty());
}
