#include "cli/output.hpp"

#include "cli/usage.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <system_error>

#ifdef _WIN32
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

namespace boxwood::cli {
namespace {

int process_id() {
#ifdef _WIN32
  return _getpid();
#else
  return static_cast<int>(getpid());
#endif
}

}  // namespace

bool is_terminal(int descriptor) {
#ifdef _WIN32
  return _isatty(descriptor) != 0;
#else
  return isatty(descriptor) != 0;
#endif
}

void refuse_input_as_output(const std::string& output, const std::vector<InputFile>& inputs,
                            const std::string& flag) {
  std::error_code none;
  if (output.empty() || !std::filesystem::is_regular_file(output, none)) return;
  for (const auto& [read_by, file] : inputs) {
    if (file.empty() || !std::filesystem::equivalent(output, file, none)) continue;
    throw UsageError(flag, fmt::format("\"{}\" is also the file of {}", output, read_by),
                     "Choose another file: the results would overwrite it");
  }
}

Output::Output(const std::string& file, bool streaming) : file_(file) {
  if (file.empty()) return;
  std::error_code none;
  // A link stays a link: the file that it points to is replaced.
  if (std::filesystem::is_symlink(file_, none)) file_ = std::filesystem::weakly_canonical(file_);
  // A pipe or a device cannot be replaced by a file: write to it as it is.
  if (std::filesystem::exists(file_, none) && !std::filesystem::is_regular_file(file_, none)) {
    disk_ = DiskFile(file_, file_);
    return;
  }
  grows_ = streaming;
  if (!grows_) {
    partial_ = file_;
    partial_ += fmt::format(".{}.partial", process_id());
  }
  disk_ = DiskFile(grows_ ? file_ : partial_, file_);
  if (grows_ && !disk_.lock()) {
    throw Error(file_.string(), "another process is writing to this file",
                "Wait until it has finished, or choose another file");
  }
  if (!grows_) disk_.cut(0);
}

Output::~Output() {
  if (partial_.empty()) return;
  disk_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void Output::start(std::uint64_t keep) {
  if (grows_) disk_.cut(keep);
}

void Output::flush() {
  if (disk_.is_open()) {
    disk_.write(waiting_);
    waiting_.clear();
    return;
  }
  std::cout << waiting_ << std::flush;
  waiting_.clear();
  if (!std::cout) {
    throw Error("standard output", "cannot be written",
                "The disk may be full, or the program that reads it has ended");
  }
}

void Output::finish() {
  flush();
  if (!disk_.is_open()) return;
  disk_.sync();
  disk_.close();
  if (partial_.empty()) return;
  replace(partial_, file_);
  partial_.clear();
}

void write_file(const std::string& file, const std::string& text) {
  Output output(file, false);
  output.write(text);
  output.finish();
}

bool Output::wants_colour() const {
  return file_.empty() && is_terminal(1) && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace boxwood::cli
