#include "command_line.hpp"

#include "this_build.hpp"

namespace boxwood {

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Process::Process(const fs::path& folder, std::vector<std::string> words, const std::string& err)
    : out_(folder / "out.txt"), err_(err) {
  words.insert(words.begin(), boxwood_test::command());
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

Result Process::wait() const {
  long peak = 0;
  const int code = exit_code(&peak);
  return {code, contents(out_), contents(err_), peak};
}

int Process::exit_code(long* peak_kilobytes) const {
  int status = 0;
  rusage usage{};
  wait4(id_, &status, 0, &usage);
  if (peak_kilobytes) *peak_kilobytes = usage.ru_maxrss;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool TerminalProcess::interrupt_after(std::size_t boxes, int signal) {
  while (shown_boxes() < boxes) {
    if (!read_more()) return false;
  }
  kill(id_, signal);
  return true;
}

Result TerminalProcess::wait() {
  while (read_more()) {  // until the program closes the terminal by ending
  }
  const int code = exit_code();
  return {code, contents(out_), shown_};
}

int TerminalProcess::open_terminal() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    throw std::runtime_error("no pseudo-terminal can be opened");
  }
  return terminal;
}

bool TerminalProcess::read_more() {
  char bytes[4096];
  const ssize_t count = read(terminal_, bytes, sizeof bytes);
  if (count <= 0) return false;
  shown_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::size_t TerminalProcess::shown_boxes() const {
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

Result CommandLine::credit(std::string command, std::vector<std::string> more) {
  return run(credit_words(std::move(command), std::move(more)));
}

std::vector<std::string> CommandLine::credit_words(std::string command,
                                                   std::vector<std::string> more) {
  std::vector<std::string> words = {std::move(command), example + "model.ubj",
                                    "--data",           example + "applicants.csv",
                                    "--schema",         example + "schema.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> CommandLine::free_credit_words(std::string command,
                                                        std::vector<std::string> more) {
  nlohmann::json schema = nlohmann::json::parse(contents(example + "schema.json"));
  for (nlohmann::json& feature : schema["features"]) feature.erase("fixed");
  write("free.json", schema.dump());
  std::vector<std::string> words = credit_words(std::move(command), std::move(more));
  std::replace(words.begin(), words.end(), example + "schema.json", std::string("free.json"));
  return words;
}

void CommandLine::write(const std::string& name, const std::string& text) {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

Ensemble CommandLine::small_model(Task task) {
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

}  // namespace boxwood
