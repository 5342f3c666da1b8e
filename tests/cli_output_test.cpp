// Files that the command writes: nothing is overwritten by mistake, a killed batch leaves complete
// lines, and --resume continues it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "command_line.hpp"
#include "this_build.hpp"

namespace boxwood {
namespace cli_output_test {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A batch whose output file is watched.
class Watched : public Process {
 public:
  Watched(const fs::path& folder, std::vector<std::string> words) : Process(folder, words) {}

  /// Sends a signal as soon as the file has so many lines.
  void signal_at(int signal, const fs::path& file, std::size_t lines) const {
    wait_for_lines(file, lines);
    kill(id_, signal);
  }
  static void wait_for_lines(const fs::path& file, std::size_t lines) {
    while (lines_of(contents(file)).size() < lines) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

class OutputFiles : public CommandLine {
 protected:
  /// Rows that take as long as they may.
  std::vector<std::string> slow_words(std::vector<std::string> more) {
    std::vector<std::string> words = {"--class",      "granted", "--probability", "0.999",
                                      "--time-limit", "0.1",     "--threads",     "1"};
    words.insert(words.end(), more.begin(), more.end());
    return free_credit_words("explain", words);
  }
  std::vector<std::size_t> rows_in(const std::string& name) const {
    std::vector<std::size_t> rows;
    for (const std::string& line : lines_of(contents(folder_ / name))) {
      rows.push_back(nlohmann::json::parse(line).at("row"));
    }
    return rows;
  }
  /// The program may make files of that size only: the system ends it where it writes more.
  Result run_with_space(std::vector<std::string> words, std::size_t bytes) {
    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
    const Process process(folder_, std::move(words));
    setrlimit(RLIMIT_FSIZE, &before);
    return process.wait();
  }
  bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
};

const std::vector<std::size_t> all_rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_F(OutputFiles, AnInputIsNeverOverwritten) {
  for (const char* name : {"model.ubj", "applicants.csv", "schema.json"}) {
    fs::copy_file(example + name, folder_ / name);
  }
  write("rules.txt", "duration <= 40");
  fs::create_hard_link(folder_ / "applicants.csv", folder_ / "hard.csv");
  fs::create_symlink("model.ubj", folder_ / "link.ubj");
  const std::vector<std::pair<std::string, std::string>> cases = {{"model.ubj", "MODEL"},
                                                                  {"./link.ubj", "MODEL"},
                                                                  {"hard.csv", "--data"},
                                                                  {"schema.json", "--schema"},
                                                                  {"rules.txt", "--rules"}};
  for (const auto& [output, flag] : cases) {
    const std::string before = contents(folder_ / output);
    const Result result =
        run({"explain", "model.ubj", "--data", "applicants.csv", "--schema", "schema.json",
             "--rules", "rules.txt", "--row", "0", "--format", "jsonl", "--output", output});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "boxwood: --output: \"" + output + "\" is also the file of " + flag +
                              ". Choose another file: the results would overwrite it\n");
    EXPECT_EQ(contents(folder_ / output), before);
  }
  for (const char* command : {"predict", "robustness", "sweep", "map", "regions"}) {
    std::vector<std::string> words = {command, "model.ubj", "--data",   "applicants.csv",
                                      "--row", "0",         "--output", "hard.csv"};
    if (command == std::string("map")) words.insert(words.end(), {"--x", "duration", "--y", "age"});
    if (command == std::string("sweep")) words.insert(words.end(), {"--levels", "0.5"});
    const Result result = run(words);
    EXPECT_NE(result.err.find("is also the file of --data"), std::string::npos) << result.err;
  }
}

TEST_F(OutputFiles, ALinkStaysALink) {
  write("answers.json", "old");
  fs::create_symlink("answers.json", folder_ / "link.json");
  EXPECT_EQ(credit("explain", {"--row", "9", "--format", "json", "--output", "link.json"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  EXPECT_EQ(nlohmann::json::parse(contents(folder_ / "answers.json")).size(), 1u);
}

TEST_F(OutputFiles, AKilledBatchIsResumed) {
  const std::vector<std::string> words = slow_words({"--format", "jsonl", "--output", "a.jsonl"});
  std::vector<std::string> again = words;
  again.push_back("--resume");
  {
    const Watched batch(folder_, words);
    Watched::wait_for_lines(folder_ / "a.jsonl", 1);
    fs::create_directory(folder_ / "other");
    std::vector<std::string> second = words;
    std::replace(second.begin(), second.end(), std::string("a.jsonl"), std::string("../a.jsonl"));
    std::replace(second.begin(), second.end(), std::string("free.json"),
                 std::string("../free.json"));
    const Result refused = Process(folder_ / "other", second).wait();
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("another process is writing to this file"), std::string::npos);
    batch.signal_at(SIGKILL, folder_ / "a.jsonl", 1);
    EXPECT_EQ(batch.wait().code, 128 + SIGKILL);
  }
  const std::string killed = contents(folder_ / "a.jsonl");
  EXPECT_TRUE(killed.ends_with("}\n")) << "complete lines";
  const std::size_t finished = rows_in("a.jsonl").size();
  {
    const Watched batch(folder_, again);
    batch.signal_at(SIGHUP, folder_ / "a.jsonl", finished + 2);
    const Result stopped = batch.wait();
    EXPECT_EQ(stopped.code, 3);
    EXPECT_NE(stopped.err.find("with --resume to answer the other rows"), std::string::npos)
        << stopped.err;
  }
  const Result result = run(again);
  EXPECT_EQ(result.code, 3) << "rows were stopped by the time limit: " << result.err;
  EXPECT_EQ(rows_in("a.jsonl"), all_rows);
  EXPECT_TRUE(contents(folder_ / "a.jsonl").starts_with(killed)) << "what was there is kept";
  EXPECT_EQ(contents(folder_ / "a.jsonl").find("\"interrupt\""), std::string::npos)
      << "rows that were cut short are answered again";
  EXPECT_FALSE(exists("a.jsonl.resume"));
  const Result twice = run(again);
  EXPECT_EQ(twice.code, 1);
  EXPECT_NE(twice.err.find("there is nothing to resume"), std::string::npos) << twice.err;
}

TEST_F(OutputFiles, ProgramsThatIgnoreHangUpsGoOn) {
  std::signal(SIGHUP, SIG_IGN);
  const Watched batch(folder_,
                      slow_words({"--rows", "0-3", "--format", "jsonl", "--output", "a.jsonl"}));
  std::signal(SIGHUP, SIG_DFL);
  batch.signal_at(SIGHUP, folder_ / "a.jsonl", 1);
  batch.wait();
  EXPECT_EQ(rows_in("a.jsonl").size(), 4u);
}

/// The answers without what differs from run to run.
std::vector<std::string> answers_in(const std::string& text, bool csv) {
  std::vector<std::string> answers = lines_of(text);
  for (std::string& line : answers) {
    if (csv) {
      std::size_t at = 0;
      for (int cells = 0; cells < 4; ++cells) at = line.find(',', at) + 1;
      line.erase(at);
    } else {
      nlohmann::json object = nlohmann::json::parse(line);
      for (const char* key : {"seconds", "text", "alternatives"}) object.erase(key);
      line = object.dump();
    }
  }
  return answers;
}

TEST_F(OutputFiles, ABatchIsResumedFromAnyByte) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--format", "jsonl"},
                                               {"--format", "csv"},
                                               {"--format", "csv", "--k", "2"},
                                               {"--format", "jsonl", "--k", "2"}}) {
    const bool csv = more[1] == "csv";
    std::vector<std::string> flags = more;
    flags.insert(flags.end(), {"--output", "answers"});
    std::vector<std::string> again = flags;
    again.push_back("--resume");
    ASSERT_EQ(credit("explain", flags).code, 0);
    const std::string whole = contents(folder_ / "answers");
    const std::size_t parts = boxwood_test::sanitized() ? 2 : 6;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t cut = 1000 + part * (whole.size() - 1000) / parts;
      EXPECT_NE(run_with_space(credit_words("explain", flags), cut).code, 0);
      EXPECT_EQ(contents(folder_ / "answers").size(), cut);
      const Result result = credit("explain", again);
      EXPECT_EQ(result.code, 0) << result.err << cut;
      EXPECT_EQ(answers_in(contents(folder_ / "answers"), csv), answers_in(whole, csv)) << cut;
    }
  }
}

TEST_F(OutputFiles, OnlyTheSameQuestionIsResumed) {
  for (const char* name : {"model.ubj", "applicants.csv", "schema.json"}) {
    fs::copy_file(example + name, folder_ / name);
  }
  const auto words = [](std::vector<std::string> more) {
    std::vector<std::string> all = {"explain",  "model.ubj",   "--data",   "applicants.csv",
                                    "--schema", "schema.json", "--format", "csv",
                                    "--output", "answers.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(words({})).code, 0);
  const std::string whole = contents(folder_ / "answers.csv");
  std::string half = whole.substr(0, whole.size() / 2);
  write("answers.csv", half);
  const auto refused = [&](std::vector<std::string> more) {
    more.push_back("--resume");
    const Result result = run(words(more));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(contents(folder_ / "answers.csv"), half) << "nothing is written";
    return result.err;
  };
  EXPECT_NE(refused({}).find("nothing to resume"), std::string::npos);
  EXPECT_NE(run_with_space(words({}), half.size()).code, 0);
  half = contents(folder_ / "answers.csv");
  EXPECT_NE(refused({"--fix", "age"}).find("the question has changed"), std::string::npos);
  write("schema.json", contents(example + "schema.json") + " ");
  EXPECT_NE(refused({}).find("the question has changed"), std::string::npos);
  write("schema.json", contents(example + "schema.json"));
  write("applicants.csv", contents(example + "applicants.csv") + "\n");
  EXPECT_NE(refused({}).find("the data has changed"), std::string::npos);
  fs::copy_file(example + "applicants.csv", folder_ / "applicants.csv",
                fs::copy_options::overwrite_existing);
  write("model.ubj", contents(example + "model.ubj") + "N");
  EXPECT_NE(refused({}).find("the model has changed"), std::string::npos);
  fs::copy_file(example + "model.ubj", folder_ / "model.ubj", fs::copy_options::overwrite_existing);
  EXPECT_EQ(run(words({"--resume", "--threads", "1"})).code, 0);
  EXPECT_EQ(answers_in(contents(folder_ / "answers.csv"), true), answers_in(whole, true));

  const Result table = credit("explain", {"--resume"});
  EXPECT_EQ(table.code, 2);
  EXPECT_EQ(table.err, "boxwood: --resume: this needs --output FILE with --format jsonl or csv\n");
}

}  // namespace cli_output_test
}  // namespace boxwood
