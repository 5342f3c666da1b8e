// CSV as RFC 4180 has it: a header, quotes where needed, an empty cell for a missing value.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::cli {

/// Rows of numbers in the model's order of features.
struct Data {
  std::string file;
  std::vector<std::vector<double>> points;  ///< of a row; empty if the row is not kept
  std::vector<std::size_t> lines;           ///< of each row in the file
};

/// Which rows to keep, counted from 0; nothing: all of them.
using KeepRow = std::function<bool(std::size_t row)>;

/// Reads a file piece by piece and keeps the asked rows only; the others are checked all the same.
/// Columns are found by the features' names or their titles, whatever their order; others are
/// ignored. A model with no names of its own (f0, f1, …) also takes a file with as many columns as
/// it has features, in their order. Cells of labelled features hold a label or its code. Throws
/// Error with file and line for quotes that do not match, records of the wrong length, cells that
/// are no numbers, and a file without a header or without rows.
Data read_data(const std::filesystem::path& file, const Ensemble& ensemble, const Schema& schema,
               const KeepRow& keep = {});
/// The same for a text in memory.
Data parse_data(std::string_view text, const std::string& file, const Ensemble& ensemble,
                const Schema& schema, const KeepRow& keep = {});

/// A number as people write it. False if the whole text is not one number, or if the number is too
/// large for a double.
bool parse_number(std::string_view text, double& value);

}  // namespace boxwood::cli
