// Continues a batch that was killed or interrupted (--resume). Rows are written to the output in
// their order, each complete. While the batch is unfinished, the file OUTPUT.resume beside it says
// what was asked, so that rows of different questions are never mixed.
#pragma once

#include "cli/output.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace boxwood::cli {

/// What the rows of a batch depend on: a name for people ("the model") and a hash for each part.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// The hashes of the files' contents and of all flags that can change an answer. Empty if a file is
/// a pipe or a device, which cannot be read twice.
Identity identity_of(const CLI::App& command, const std::vector<InputFile>& inputs);

/// What an unfinished output already contains.
struct Earlier {
  std::size_t rows = 0;     ///< from the first one on
  std::uint64_t bytes = 0;  ///< of the file up to their end
  bool limited = false;     ///< a limit ended the search of one of them
};

/// The file OUTPUT.resume.
class ResumeFile {
 public:
  ResumeFile(const std::filesystem::path& output, Identity identity);

  /// Reads how far the batch of these rows has come. `header` is the first line of a CSV file,
  /// empty for JSON lines. Throws Error if the file is of another question or another format.
  Earlier read(const std::vector<std::size_t>& rows, const std::string& header) const;
  void begin() const;                       ///< before the first row is written
  void only_first(std::size_t rows) const;  ///< later rows of the file are to be answered again
  void remove() const;                      ///< when every row has been written

 private:
  void write(std::size_t rows) const;

  std::filesystem::path output_;
  std::filesystem::path file_;
  Identity identity_;
};

}  // namespace boxwood::cli
