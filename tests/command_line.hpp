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

inline std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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

  Result wait() const {
    long peak = 0;
    const int code = exit_code(&peak);
    return {code, contents(out_), contents(err_), peak};
  }

 protected:
  Process(const fs::path& folder, std::vector<std::string> words, const std::string& err)
      : out_(folder / "out.txt"), err_(err) {
    words.insert(words.begin(), BOXWOOD_COMMAND);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ == 0) {
      const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int error = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0600);
      if (chdir(folder.c_str()) == 0 && dup2(out, 1) == 1 && dup2(error, 2) == 2) {
        execv(pointers[0], pointers.data());
      }
      _exit(127);
    }
  }

  int exit_code(long* peak_kilobytes = nullptr) const {
    int status = 0;
    rusage usage{};
    wait4(id_, &status, 0, &usage);
    if (peak_kilobytes) *peak_kilobytes = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

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

  /// Ctrl-C as soon as the progress line counts that many boxes. False when the program ended
  /// first.
  bool interrupt_after(std::size_t boxes) {
    while (shown_boxes() < boxes) {
      if (!read_more()) return false;
    }
    kill(id_, SIGINT);
    return true;
  }

  /// What the program gave back; `err` is what the terminal got.
  Result wait() {
    while (read_more()) {  // until the program closes the terminal by ending
    }
    const int code = exit_code();
    return {code, contents(out_), shown_};
  }

 private:
  static int open_terminal() {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
      throw std::runtime_error("no pseudo-terminal can be opened");
    }
    return terminal;
  }
  TerminalProcess(const fs::path& folder, std::vector<std::string> words, int terminal)
      : Process(folder, std::move(words), ptsname(terminal)), terminal_(terminal) {}

  bool read_more() {
    char bytes[4096];
    const ssize_t count = read(terminal_, bytes, sizeof bytes);
    if (count <= 0) return false;
    shown_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  /// The number before the last " boxes", without its thousands separators.
  std::size_t shown_boxes() const {
    const std::size_t end = shown_.rfind(" boxes");
    if (end == std::string::npos) return 0;
    std::size_t count = 0;
    for (std::size_t i = shown_.rfind("\xc2\xb7", end); i < end; ++i) {
      if (std::isdigit(static_cast<unsigned char>(shown_[i])) != 0) {
        count = 10 * count + static_cast<std::size_t>(shown_[i] - '0');
      }
    }
    return count;
  }

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
  Result credit(std::string command, std::vector<std::string> more = {}) {
    return run(credit_words(std::move(command), std::move(more)));
  }
  static std::vector<std::string> credit_words(std::string command, std::vector<std::string> more) {
    std::vector<std::string> words = {std::move(command), example + "model.ubj",
                                      "--data",           example + "applicants.csv",
                                      "--schema",         example + "schema.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// The same with a schema that fixes nothing: searches that take long.
  std::vector<std::string> free_credit_words(std::string command, std::vector<std::string> more) {
    nlohmann::json schema = nlohmann::json::parse(contents(example + "schema.json"));
    for (nlohmann::json& feature : schema["features"]) feature.erase("fixed");
    write("free.json", schema.dump());
    std::vector<std::string> words = credit_words(std::move(command), std::move(more));
    std::replace(words.begin(), words.end(), example + "schema.json", std::string("free.json"));
    return words;
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// A tree on "a" (below 1.5: -1, else 1, missing left) plus one on "b c" (below 10: 0.25).
  Ensemble small_model(Task task = Task::binary) {
    Ensemble ensemble;
    ensemble.source = "test";
    ensemble.objective = "made by hand";
    ensemble.features = {{"a"}, {"b c"}};
    ensemble.base = {0.0};
    ensemble.task = task;
    ensemble.link = task == Task::binary ? Link::sigmoid : Link::identity;
    Tree first;
    first.nodes = {{.kind = NodeKind::less,
                    .missing_left = true,
                    .feature = 0,
                    .left = 1,
                    .right = 2,
                    .threshold = 1.5},
                   {.kind = NodeKind::leaf, .value = 0},
                   {.kind = NodeKind::leaf, .value = 1}};
    first.values = {-1, 1};
    Tree second = first;
    second.nodes[0].feature = 1;
    second.nodes[0].threshold = 10;
    second.values = {0.25, 0};
    ensemble.trees = {first, second};
    return ensemble;
  }

  fs::path folder_;
};

}  // namespace boxwood
