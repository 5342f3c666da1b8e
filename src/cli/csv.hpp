// CSV as RFC 4180 has it: a header, quotes where needed, an empty cell for a missing value.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::cli {

struct Record {
  std::size_t line = 0;  ///< where it starts in the file, from 1
  std::vector<std::string> cells;
};

/// A header and records of the same length.
struct Sheet {
  std::string file;
  std::vector<std::string> header;
  std::vector<Record> records;
};

/// Throws Error with file and line for quotes that do not match, records of the wrong length, and
/// a file without a header.
Sheet parse_csv(std::string_view text, std::string file);
Sheet read_csv(const std::filesystem::path& file);

/// Rows of numbers in the model's order of features.
struct Data {
  std::string file;
  std::vector<std::vector<double>> points;
  std::vector<std::size_t> lines;  ///< of each point in the file
};

/// Columns are found by the features' names or their titles, whatever their order; others are
/// ignored. A model with no names of its own (f0, f1, …) also takes a file with as many columns as
/// it has features, in their order. Cells of labelled features hold a label or its code.
Data data_for(const Sheet& sheet, const Ensemble& ensemble, const Schema& schema);

/// A number as people write it; nothing when the whole text is none.
bool parse_number(std::string_view text, double& value);

}  // namespace boxwood::cli
