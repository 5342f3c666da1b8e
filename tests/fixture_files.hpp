// The files of tests/data/<library>: models that a real library trained, and what it predicted,
// each a case of a parameterised test that is named after its file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
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

inline std::string fixture_test_name(const testing::TestParamInfo<Fixture>& info) {
  std::string name = info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
