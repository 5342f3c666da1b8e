#include "cli/output.hpp"

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

Output::Output(const std::string& file, bool streaming) : file_(file), target_(&std::cout) {
  if (file.empty()) return;
  // A pipe or a device cannot be replaced by a file: write to it as it is.
  std::error_code none;
  const bool special =
      std::filesystem::exists(file_, none) && !std::filesystem::is_regular_file(file_, none);
  if (!streaming && !special) {
    partial_ = file_;
    partial_ += fmt::format(".{}.partial", process_id());
  }
  stream_.open(partial_.empty() ? file_ : partial_, std::ios::binary | std::ios::trunc);
  if (!stream_) throw Error(file_.string(), "cannot be written", "Check folder and rights");
  target_ = &stream_;
}

Output::~Output() {
  if (partial_.empty()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void Output::write(const std::string& text) { *target_ << text; }

void Output::flush() {
  target_->flush();
  check();
}

void Output::finish() {
  flush();
  if (partial_.empty()) return;
  stream_.close();
  check();
  std::error_code error;
  std::filesystem::rename(partial_, file_, error);
  if (error) throw Error(file_.string(), "cannot be written: " + error.message());
  partial_.clear();
}

bool Output::wants_colour() const {
  return file_.empty() && is_terminal(1) && std::getenv("NO_COLOR") == nullptr;
}

void Output::check() const {
  if (!*target_) {
    throw Error(file_.empty() ? "standard output" : file_.string(), "cannot be written",
                "The disk may be full or the reader gone");
  }
}

}  // namespace boxwood::cli
