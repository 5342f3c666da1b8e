// Writes results in the chosen format, each as soon as it is available.
#pragma once

#include "cli/output.hpp"
#include "cli/resume.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct OutputFlags {
  std::string format = "table";
  std::string output;
  bool resume = false;
};
/// `--format`, which must be one of `formats` and is explained by `what`, and `--output`.
void add_output_flags(CLI::App& command, OutputFlags& flags,
                      const std::vector<std::string>& formats, const std::string& what);
/// `--resume`, for commands that answer row by row.
void add_resume_flag(CLI::App& command, OutputFlags& flags);

/// `--width` and `--height` of pictures.
void add_size_flags(CLI::App& command, double& width, double& height);

/// A result in every format; only the chosen one is computed.
struct Result {
  std::function<std::string()> table;  ///< also for text: a block of lines
  std::function<std::string()> json;   ///< an object on one line
  std::function<std::string()> csv;    ///< records, without the last newline
};

class Writer {
 public:
  Writer(const OutputFlags& flags, const std::string& csv_header);
  /// The results of a batch of rows, in their order. A JSON lines or CSV file grows row by row, and
  /// `--resume` continues it: rows that the file already has are removed from `rows`.
  Writer(const OutputFlags& flags, const std::string& csv_header, Identity identity,
         std::vector<std::size_t>& rows);

  bool colour() const { return output_.wants_colour(); }
  /// What an earlier run has written.
  const Earlier& earlier() const { return earlier_; }
  /// `final`: the row needs no further work. `--resume` answers other rows again.
  void add(const Result& result, bool final = true);
  /// Text after the results; only for tables.
  void say(const std::string& text);
  void finish();

 private:
  void begin(const std::string& csv_header);

  std::string format_;
  Output output_;
  bool first_ = true;
  std::optional<ResumeFile> resume_;
  Earlier earlier_;
  std::size_t asked_ = 0;  ///< rows of the batch
  std::size_t final_ = 0;  ///< rows written before the first that is not final
  bool cut_short_ = false;
};

/// A single result: a table, a JSON object or a picture.
void write_whole(const OutputFlags& flags,
                 const std::function<std::string(const Output& output)>& make);

}  // namespace boxwood::cli
