#include "cli/writer.hpp"

#include "cli/usage.hpp"

#include <fmt/format.h>

#include <iostream>

namespace boxwood::cli {

void add_output_flags(CLI::App& command, OutputFlags& flags,
                      const std::vector<std::string>& formats, const std::string& what) {
  command.add_option("--format", flags.format, what)
      ->check(CLI::IsMember(formats))
      ->capture_default_str()
      ->group("Output");
  command.add_option("--output", flags.output, "write to this file instead of standard output")
      ->group("Output");
}

void add_resume_flag(CLI::App& command, OutputFlags& flags) {
  command
      .add_flag("--resume", flags.resume,
                "continue the --output file (jsonl or csv) of the same command after it was\n"
                "killed or interrupted; refuses if the model, the data or the question changed")
      ->group("Output");
}

void add_size_flags(CLI::App& command, double& width, double& height) {
  const CLI::Range pixels(200.0, 10000.0);
  command.add_option("--width", width, "size of the picture in pixels")
      ->check(pixels)
      ->capture_default_str()
      ->group("Output");
  command.add_option("--height", height, "size of the picture in pixels")
      ->check(pixels)
      ->capture_default_str()
      ->group("Output");
}

Writer::Writer(const OutputFlags& flags, const std::string& csv_header)
    : format_(flags.format), output_(flags.output, flags.format == "jsonl") {
  begin(csv_header);
}

Writer::Writer(const OutputFlags& flags, const std::string& csv_header, Identity identity,
               std::vector<std::size_t>& rows)
    : format_(flags.format),
      output_(flags.output, flags.format == "jsonl" || flags.format == "csv"),
      asked_(rows.size()) {
  if (output_.grows() && !identity.empty()) resume_.emplace(output_.file(), std::move(identity));
  if (flags.resume) {
    if (!output_.grows()) {
      throw UsageError("--resume", "this needs --output FILE with --format jsonl or csv");
    }
    if (!resume_) {
      throw UsageError("--resume", "the model, the data and the rules must be files",
                       "A pipe cannot be compared with what it was before");
    }
    earlier_ = resume_->read(rows, format_ == "csv" ? csv_header : "");
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(earlier_.rows));
    final_ = earlier_.rows;
  }
  // If the process is killed between any two of these steps, the file contains rows of this
  // question only, or there is nothing to resume.
  if (earlier_.bytes == 0) {
    if (resume_) resume_->remove();
    begin(csv_header);
    if (resume_) resume_->begin();
    output_.flush();
  } else {
    output_.start(earlier_.bytes);
    resume_->begin();
  }
}

void Writer::begin(const std::string& csv_header) {
  output_.start();
  if (format_ == "csv") output_.write(csv_header + "\n");
  if (format_ == "json") output_.write("[");
}

void Writer::add(const Result& result, bool final) {
  if (!final && !cut_short_) {
    cut_short_ = true;
    if (resume_) resume_->only_first(final_);
  }
  if (!cut_short_) ++final_;
  if (format_ == "csv") {
    output_.write(result.csv() + "\n");
  } else if (format_ == "json") {
    output_.write((first_ ? "\n" : ",\n") + result.json());
  } else if (format_ == "jsonl") {
    output_.write(result.json() + "\n");
  } else {
    output_.write((first_ ? "" : "\n") + result.table());
  }
  first_ = false;
  output_.flush();
}

void Writer::say(const std::string& text) {
  if (format_ == "table") output_.write(text);
}

void Writer::finish() {
  if (format_ == "json") output_.write("\n]\n");
  output_.finish();
  if (!resume_) return;
  if (final_ == asked_) {
    resume_->remove();
  } else {
    std::cerr << "boxwood: run the same command with --resume to answer the other rows\n";
  }
}

void write_whole(const OutputFlags& flags,
                 const std::function<std::string(const Output& output)>& make) {
  Output output(flags.output, false);
  output.write(make(output));
  output.finish();
}

}  // namespace boxwood::cli
