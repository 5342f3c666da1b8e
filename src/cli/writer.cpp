#include "cli/writer.hpp"

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
  if (format_ == "csv") output_.write(csv_header + "\n");
  if (format_ == "json") output_.write("[");
}

void Writer::add(const Result& result) {
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
}

void write_whole(const OutputFlags& flags,
                 const std::function<std::string(const Output& output)>& make) {
  Output output(flags.output, false);
  output.write(make(output));
  output.finish();
}

}  // namespace boxwood::cli
