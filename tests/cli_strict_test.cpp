// What the command refuses instead of guessing, and limits that hold for a large model.
#include <boxwood/ensemble.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "small_models.hpp"
#include "this_build.hpp"

namespace boxwood {
namespace cli_strict_test {

TEST_F(CommandLine, EmptyAndNegativeValuesAreRefused) {
  for (const char* flag : {"--schema", "--output", "--proof", "--norm", "--class", "--rows"}) {
    const Result result =
        run({"explain", example + "model.ubj", "--data", example + "applicants.csv", flag, ""});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, std::string("boxwood: ") + flag +
                              ": the value is empty. Leave the flag out, or give a value\n");
  }
  for (const char* flag : {"--node-limit", "--max-changes", "--output-index"}) {
    const Result result = credit("explain", {flag, "-1"});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, std::string("boxwood: ") + flag + ": \"-1\" is not a whole number ≥ 0\n");
  }
}

TEST_F(CommandLine, AnEmptyRuleIsRefused) {
  for (const char* rule : {"", "  "}) {
    const Result result = credit("explain", {"--row", "0", "--rule", rule});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err,
              "boxwood: --rule: the rule is empty. Leave the flag out if there is no rule\n");
  }
  write("rules.txt", "fix age\n\n\nfix duration\n");  // blank lines in a file are fine
  EXPECT_EQ(credit("explain", {"--row", "0", "--rules", "rules.txt"}).code, 0);
}

TEST_F(CommandLine, DataThatWouldBeGuessedIsRefused) {
  write("m.json", to_json(small_model()));
  const auto complaint = [&](const std::string& data) {
    write("d.csv", data);
    const Result result = run({"predict", "m.json", "--data", "d.csv"});
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  EXPECT_EQ(complaint("a,b c\n1e400,2\n"),
            "boxwood: d.csv, line 2, column \"a\": \"1e400\" is outside the range of a double\n");
  EXPECT_EQ(complaint(std::string("\xFF\xFE"
                                  "a\0,\0b\0 \0c\0\n\0",
                                  14)),
            "boxwood: d.csv: this text is UTF-16. Save it as UTF-8\n");
  // A row that is not asked for is checked all the same.
  write("d.csv", "a,b c\n1,2\n1,x\n");
  EXPECT_EQ(run({"predict", "m.json", "--data", "d.csv", "--row", "0"}).code, 1);
}

TEST_F(CommandLine, DuplicateKeysAndOtherEncodingsAreRefused) {
  write("d.csv", "a,b c\n1,2\n");
  const auto complaint = [&](const std::string& model, const std::string& schema) {
    write("m.json", model);
    write("s.json", schema);
    const Result result = run({"predict", "m.json", "--data", "d.csv", "--schema", "s.json"});
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  const std::string model = to_json(small_model());
  EXPECT_EQ(complaint(model, R"({"boxwood_schema": 1, "outcome": "a", "outcome": "b"})"),
            "boxwood: s.json: the key \"outcome\" is given twice. Remove one of the two\n");
  EXPECT_EQ(complaint(R"({"base": [1], )" + model.substr(1), R"({"boxwood_schema": 1})"),
            "boxwood: m.json: the key \"base\" is given twice. Remove one of the two\n");
  EXPECT_EQ(complaint(model, std::string("{\0\"\0b\0", 6)),
            "boxwood: s.json: this text is UTF-16. Save it as UTF-8\n");
  EXPECT_NE(
      complaint(model, R"({"boxwood_schema": 1, "features": [{"name": "a", "scale": 1e400}]})")
          .find("this number is outside the range of a double"),
      std::string::npos);
}

TEST_F(CommandLine, LongFilesAreReadPieceByPiece) {
  // Cells and quotes that fall on the borders between two pieces.
  write("m.json", to_json(small_model()));
  std::string text = "note,a,b c\r\n";
  for (int row = 0; row < 20'000; ++row) {
    text += "\"a \"\"long\"\" note, in quotes\"," + std::to_string(row % 3) + "," +
            std::to_string(row) + "\r\n";
  }
  write("d.csv", text);
  const Result result =
      run({"predict", "m.json", "--data", "d.csv", "--rows", "0,10,19999", "--raw"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "score\n-0.75\n-1\n-1\n");
}

TEST_F(CommandLine, NumbersOfFlagsThatADoubleCannotHoldAreRefused) {
  write("m.json", to_json(small_model()));
  write("d.csv", "a,b c\n0,0\n");
  const Result result =
      run({"explain", "m.json", "--data", "d.csv", "--row", "0", "--time-limit", "1e400"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: --time-limit: \"1e400\" is outside the range of a double\n");
}

TEST_F(CommandLine, OneRowOfALongFileTakesLittleMemory) {
  write("m.json", to_json(small_model()));
  const auto peak_with = [&](int rows) {
    {
      std::ofstream file(folder_ / "d.csv");
      file << "note,a,b c\n";
      for (int row = 0; row < rows; ++row)
        file << std::string(180, 'x') << ',' << row % 3 << ",1\n";
    }
    const Result result = run({"predict", "m.json", "--data", "d.csv", "--rows", "0", "--raw"});
    EXPECT_EQ(result.out, "score\n-0.75\n") << result.err;
    return result.peak_kilobytes;
  };
  const long little = peak_with(10), much = peak_with(120'000);  // 22 MB
  if (!boxwood_test::sanitized()) {
    EXPECT_LT(much - little, 8'000);
  }
}

TEST_F(CommandLine, LimitsIncludePreparingTheModel) {
  std::vector<Tree> trees(8'000, stump(0, 0.5, -1, 1));
  for (std::size_t t = 0; t < trees.size(); ++t) {
    trees[t].nodes[0].feature = static_cast<std::int32_t>(t % 5);
    trees[t].nodes[0].threshold = static_cast<double>(static_cast<float>(t) / 8'000.0F);
  }
  write("m.json", to_json(binary_model(5, trees)));
  write("d.csv", "f0,f1,f2,f3,f4\n0,0,0,0,0\n");
  Result result =
      run({"explain", "m.json", "--data", "d.csv", "--row", "0", "--memory-limit", "1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.starts_with("boxwood: memory limit: preparing the models takes "))
      << result.err;
  result = run({"explain", "m.json", "--data", "d.csv", "--row", "0", "--time-limit", "0",
                "--format", "json"});
  EXPECT_EQ(result.code, 3) << result.err;
  const nlohmann::json answer = nlohmann::json::parse(result.out)[0];
  EXPECT_EQ(answer["status"], "unknown");
  EXPECT_EQ(answer["stop"], "time");
  EXPECT_EQ(answer["lower_bound"], 0);
}

}  // namespace cli_strict_test
}  // namespace boxwood
