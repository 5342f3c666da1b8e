// The command for JavaScript: the words of a command line go in as a JSON list, and what the command
// wrote comes out as {"code", "out", "err"}. Files are those of emscripten's file system in memory.
#include "cli/run.hpp"

#include <emscripten.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// While one exists, what is written to a stream goes to a text.
class Captured {
 public:
  explicit Captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Captured() { stream_.rdbuf(before_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

/// One for the life of the module: it keeps the model between questions.
boxwood::cli::Host& host() {
  static boxwood::cli::Host only{[](const boxwood::Progress& progress) {
    // clang-format off
    EM_ASM({ if (Module["onProgress"]) Module["onProgress"]($0, $1, $2, $3); },
           progress.best_cost, progress.lower_bound, static_cast<double>(progress.nodes),
           progress.seconds);
    // clang-format on
  }};
  return only;
}

}  // namespace

/// The result is valid until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* boxwood_run(const char* words_json) {
  static std::string result;
  auto words = nlohmann::json::parse(words_json).get<std::vector<std::string>>();
  words.insert(words.begin(), "boxwood");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  const Captured out(std::cout), err(std::cerr);
  const int code =
      boxwood::cli::run_command(static_cast<int>(pointers.size()), pointers.data(), host());
  result = nlohmann::json{{"code", code}, {"out", out.text()}, {"err", err.text()}}.dump();
  return result.c_str();
}
