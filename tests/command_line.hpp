// Runs the real program for tests of the command line: its output, complaints and exit codes.
#pragma once

#include <boxwood/ensemble.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
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
};

/// A program that is running; its output goes to files, so that no pipe can fill up.
class Process {
 public:
  Process(const fs::path& folder, std::vector<std::string> words)
      : out_(folder / "out.txt"), err_(folder / "err.txt") {
    words.insert(words.begin(), BOXWOOD_COMMAND);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ == 0) {
      const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (chdir(folder.c_str()) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
        execv(pointers[0], pointers.data());
      }
      _exit(127);
    }
  }

  void interrupt() const { kill(id_, SIGINT); }

  Result wait() const {
    int status = 0;
    waitpid(id_, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, contents(out_), contents(err_)};
  }

 private:
  fs::path out_;
  fs::path err_;
  pid_t id_ = -1;
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
