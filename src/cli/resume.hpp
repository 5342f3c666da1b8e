// A batch that was killed or interrupted, and continues with --resume. Rows are written to the
// output in their order, each complete. Beside it, while the batch is unfinished, the file
// OUTPUT.resume says what was asked, so that rows of another question are never mixed with these.
#pragma once

#include "cli/output.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace boxwood::cli {

/// What the rows of a batch depend on: names for people ("the model") and hashes.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// The hashes of the files' contents and of all flags that can change an answer. Empty where a file
/// is a pipe or a device, which cannot be read twice.
Identity identity_of(const CLI::App& command, const std::vector<InputFile>& inputs);

/// What an unfinished output already has.
struct Earlier {
  std::size_t rows = 0;     ///< from the first one on
  std::uint64_t bytes = 0;  ///< of the file up to their end
  bool limited = false;     ///< a limit ended the search of one of them
};

/// The file OUTPUT.resume.
class ResumeFile {
 public:
  ResumeFile(const std::filesystem::path& output, Identity identity);

  /// Reads how far the batch of these rows is. `header` is the first line of a CSV file, empty for
  /// JSON lines. Throws Error where the file is from another question, or of another kind.
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
