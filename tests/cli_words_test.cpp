// Questions in words on the command line: --want, --rule, --rules, --also, --weights-from, --norm.
#include <boxwood/ensemble.hpp>

#include "this_build.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace boxwood {
namespace cli_words_test {

namespace fs = std::filesystem;

const std::string example = BOXWOOD_SOURCE_DIR "/examples/german_credit/";

struct Result {
  int code = -1;
  std::string out;
  std::string err;
};

class Words : public testing::Test {
 protected:
  Words() {
    folder_ =
        fs::temp_directory_path() / ("boxwood_words_" + std::to_string(getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  ~Words() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string contents(const std::string& name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Flags as a shell takes them.
  Result run(const std::string& words) {
    const std::string line = "cd '" + folder_.string() + "' && '" + boxwood_test::command() + "' " +
                             words + " > out.txt 2> err.txt";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), contents("out.txt"), contents("err.txt")};
  }
  Result credit(const std::string& more) {
    return run("explain " + example + "model.ubj --data " + example + "applicants.csv --schema " +
               example + "schema.json --row 3 " + more);
  }
  nlohmann::json answer(const std::string& more) {
    const Result result = credit("--format jsonl --verify " + more);
    EXPECT_EQ(result.code, 0) << more << "\n" << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  }

  fs::path folder_;
};

TEST_F(Words, RulesAreHonoured) {
  const nlohmann::json free = answer("");
  const nlohmann::json few = answer("--rule 'at most 1 change' --norm l1");
  ASSERT_EQ(few["status"], "optimal");
  EXPECT_EQ(few["changes"].size(), 1u);
  const nlohmann::json fixed = answer("--rule 'fix duration; fix credit_amount'");
  for (const nlohmann::json& change : fixed["changes"]) {
    EXPECT_NE(change["feature"], "duration");
    EXPECT_NE(change["feature"], "credit_amount");
  }
  EXPECT_GE(fixed["cost"], free["cost"]);
  write("rules.txt", "# for everyone\nduration may only fall\nduration <= 20 months\n");
  const nlohmann::json shorter = answer("--rules rules.txt");
  ASSERT_EQ(shorter["status"], "optimal");
  EXPECT_LE(shorter["point"][1], 20);
}

TEST_F(Words, WantsAreTheOutcome) {
  const nlohmann::json flags = answer("--class granted --probability 0.7");
  const nlohmann::json words = answer("--want 'want granted with probability >= 0.7'");
  EXPECT_EQ(words["cost"], flags["cost"]);
  EXPECT_EQ(words["point"], flags["point"]);
  EXPECT_EQ(answer("--want 'granted with probability >= 70 %'")["cost"], flags["cost"]);
  EXPECT_EQ(credit("--want granted --class granted").code, 2);
}

TEST_F(Words, SeveralModelsTogether) {
  const std::string model = example + "model.ubj";
  const nlohmann::json one = answer("--want 'granted with probability >= 0.7'");
  const nlohmann::json both = answer(
      "--also " + model + " --want granted --want 'model 2: want granted with probability >= 0.7'");
  EXPECT_EQ(both["cost"], one["cost"]);
  const nlohmann::json agreed = answer("--also " + model + " --class granted --agree 2");
  EXPECT_EQ(agreed["cost"], answer("--class granted")["cost"]);
  EXPECT_EQ(agreed["agree"]["agreeing"], 2);
  EXPECT_EQ(answer("--also " + model + " --want granted --agree 1")["agree"]["at_least"], 1);
  const Result silent = credit("--also " + model + " --want granted");
  EXPECT_EQ(silent.code, 2);
  EXPECT_NE(silent.err.find("--also: no outcome is given for model 2"), std::string::npos)
      << silent.err;
  Ensemble other;
  other.features = {{"other"}};
  other.base = {0.0};
  write("other.json", to_json(other));
  const Result unlike = credit("--also other.json --want granted");
  EXPECT_EQ(unlike.code, 1);
  EXPECT_NE(unlike.err.find("other.json: it has 1 features"), std::string::npos) << unlike.err;
}

TEST_F(Words, MistakesAreShownWithACaret) {
  const Result wrong = credit("--rule 'duration <= twelve'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err,
            "boxwood: --rule, column 13\n"
            "    duration <= twelve\n"
            "                ^ \"twelve\" is not a number, and \"duration\" has no labels\n");
  const Result both = credit("--rule 'duration >= 20' --rule 'duration <= 10'");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("it contradicts \"duration >= 20\" (--rule)"), std::string::npos)
      << both.err;
  write("rules.txt", "fix age\nwant granted\n");
  const Result file = credit("--rules rules.txt");
  EXPECT_EQ(file.code, 1);
  EXPECT_NE(file.err.find("rules.txt, line 2, column 1"), std::string::npos) << file.err;
  const Result norm = credit("--norm l3");
  EXPECT_EQ(norm.code, 2);
  EXPECT_NE(norm.err.find("--norm, column 6"), std::string::npos) << norm.err;
}

TEST_F(Words, CostsFromDataAndMixtures) {
  const nlohmann::json plain = answer("");
  const nlohmann::json live = answer("--live 1");
  EXPECT_TRUE(live["proven"]);
  EXPECT_EQ(credit("--live 1 --save-question q.json").code, 1);
  for (const char* spread : {"range", "deviation", "mad", "quantiles"}) {
    const nlohmann::json measured = answer(std::string("--weights-from ") + spread +
                                           " --training " + example + "applicants.csv");
    EXPECT_EQ(measured["status"], "optimal") << spread;
    EXPECT_NE(measured["cost"], plain["cost"]) << spread;
    EXPECT_EQ(answer(std::string("--weights-from ") + spread)["cost"], measured["cost"]);
  }
  EXPECT_EQ(credit("--training x.csv").code, 2);
  const nlohmann::json mixed = answer("--norm 'l1+0.5*l0'");
  EXPECT_EQ(mixed["status"], "optimal");
  const nlohmann::json fewest = answer("--norm 'fewest then l1'");
  EXPECT_EQ(fewest["status"], "optimal");
  EXPECT_LE(fewest["changes"].size(), mixed["changes"].size());
}

}  // namespace cli_words_test
}  // namespace boxwood
