// Writes one result after the other in the chosen format, each as soon as it is there.
#pragma once

#include "cli/output.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct OutputFlags {
  std::string format = "table";
  std::string output;
};
/// `--format`, one of `formats`, which `what` explains, and `--output`.
void add_output_flags(CLI::App& command, OutputFlags& flags,
                      const std::vector<std::string>& formats, const std::string& what);

/// `--width` and `--height` of pictures.
void add_size_flags(CLI::App& command, double& width, double& height);

/// A result in every format; only the chosen one is made.
struct Result {
  std::function<std::string()> table;  ///< and text: a block of lines
  std::function<std::string()> json;   ///< an object on one line
  std::function<std::string()> csv;    ///< records, without the last newline
};

class Writer {
 public:
  Writer(const OutputFlags& flags, const std::string& csv_header);

  bool colour() const { return output_.wants_colour(); }
  void add(const Result& result);
  /// Text after them, tables only.
  void say(const std::string& text);
  void finish();

 private:
  std::string format_;
  Output output_;
  bool first_ = true;
};

/// A result by itself: a table, a JSON object or a picture.
void write_whole(const OutputFlags& flags,
                 const std::function<std::string(const Output& output)>& make);

}  // namespace boxwood::cli
