// Where results go: standard output, or a file that appears only when it is complete.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

namespace boxwood::cli {

class Output {
 public:
  /// An empty name is standard output. `streaming` writes to the file itself, record by record;
  /// otherwise to a neighbour of it that `finish` renames.
  Output(const std::string& file, bool streaming);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const std::string& text);
  void flush();
  void finish();  ///< throws Error when not everything could be written

  /// Colour and tables suit a person: standard output is a terminal and NO_COLOR is unset.
  bool wants_colour() const;

 private:
  void check() const;

  std::filesystem::path file_;
  std::filesystem::path partial_;
  std::ofstream stream_;
  std::ostream* target_;
};

/// The file descriptor (1 output, 2 errors) is a terminal.
bool is_terminal(int descriptor);

}  // namespace boxwood::cli
