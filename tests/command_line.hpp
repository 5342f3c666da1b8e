// Runs the real program for tests of the command line: its output, complaints and exit codes.
#pragma once

#include <boxwood/ensemble.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace boxwood {

namespace fs = std::filesystem;

inline const std::string example = BOXWOOD_SOURCE_DIR "/examples/german_credit/";

std::string contents(const fs::path& file);

struct Result {
  int code = -1;
  std::string out;
  std::string err;
  long peak_kilobytes = 0;
};

/// A program that is running; its output goes to files, so that no pipe can fill up.
class Process {
 public:
  Process(const fs::path& folder, std::vector<std::string> words)
      : Process(folder, std::move(words), (folder / "err.txt").string()) {}

  Result wait() const;

 protected:
  Process(const fs::path& folder, std::vector<std::string> words, const std::string& err);

  int exit_code(long* peak_kilobytes = nullptr) const;

  fs::path out_;
  fs::path err_;
  pid_t id_ = -1;
};

/// A program whose complaints go to a terminal, where it shows its progress: a test that sends
/// Ctrl-C waits until the search is under way, however slow the machine is.
class TerminalProcess : Process {
 public:
  TerminalProcess(const fs::path& folder, std::vector<std::string> words)
      : TerminalProcess(folder, std::move(words), open_terminal()) {}
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;
  ~TerminalProcess() { close(terminal_); }

  /// Ctrl-C, or another signal, as soon as the progress line counts that many boxes. False when the
  /// program ended first.
  bool interrupt_after(std::size_t boxes, int signal = SIGINT);

  /// What the program gave back; `err` is what the terminal got.
  Result wait();

 private:
  static int open_terminal();
  TerminalProcess(const fs::path& folder, std::vector<std::string> words, int terminal)
      : Process(folder, std::move(words), ptsname(terminal)), terminal_(terminal) {}

  bool read_more();

  /// The number before the last " boxes", without its thousands separators.
  std::size_t shown_boxes() const;

  int terminal_ = -1;
  std::string shown_;
};

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    folder_ =
        fs::temp_directory_path() / ("boxwood_cli_" + std::to_string(getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  ~CommandLine() override { fs::remove_all(folder_); }

  Result run(std::vector<std::string> words) { return Process(folder_, std::move(words)).wait(); }

  /// A command on the German-credit example, and more flags.
  Result credit(std::string command, std::vector<std::string> more = {});
  static std::vector<std::string> credit_words(std::string command, std::vector<std::string> more);

  /// The same with a schema that fixes nothing: searches that take long.
  std::vector<std::string> free_credit_words(std::string command, std::vector<std::string> more);

  void write(const std::string& name, const std::string& text);

  /// A tree on "a" (below 1.5: -1, else 1, missing left) plus one on "b c" (below 10: 0.25).
  Ensemble small_model(Task task = Task::binary);

  fs::path folder_;
};

}  // namespace boxwood
