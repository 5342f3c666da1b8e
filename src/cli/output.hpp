// Where results go: standard output, a file that appears only when it is complete, or a file that
// grows line by line.
#pragma once

#include "cli/disk_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace boxwood::cli {

/// A file that a command reads, and the flag that names it.
struct InputFile {
  std::string flag;
  std::string file;
};

/// Throws UsageError if `--output`, or another flag, names a file that the command reads, directly
/// or by a link.
void refuse_input_as_output(const std::string& output, const std::vector<InputFile>& inputs,
                            const std::string& flag = "--output");

class Output {
 public:
  /// An empty name means standard output. `streaming` writes to the file itself, line by line, and
  /// refuses a file that another process is writing; the content does not change before `start`.
  /// Otherwise a file beside it is written, which `finish` renames.
  Output(const std::string& file, bool streaming);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Keeps the first bytes of a file that grows, and continues after them.
  void start(std::uint64_t keep = 0);
  void write(const std::string& text) { waiting_ += text; }
  void flush();   ///< writes all texts since the last call at once
  void finish();  ///< throws Error if not everything could be written

  /// A regular file that grows line by line.
  bool grows() const { return grows_; }
  const std::filesystem::path& file() const { return file_; }  ///< links resolved

  /// Whether colours are used: standard output is a terminal and NO_COLOR is unset.
  bool wants_colour() const;

 private:
  std::filesystem::path file_;
  std::filesystem::path partial_;
  DiskFile disk_;
  std::string waiting_;
  bool grows_ = false;
};

/// Writes a whole file. The old content stays until the new one is complete. A process that is
/// killed may leave FILE.<process number>.partial behind.
void write_file(const std::string& file, const std::string& text);

/// The file descriptor (1 output, 2 errors) is a terminal.
bool is_terminal(int descriptor);

}  // namespace boxwood::cli
