// Names, titles, labels, units and cells that try to control the terminal, to forge lines and to
// run in a spreadsheet: whatever the command prints of them is harmless.
#include "base/text.hpp"

#include <boxwood/ensemble.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command_line.hpp"

namespace boxwood {
namespace cli_hostile_text_test {

/// Clears the screen, turns the text around, forges a line.
const std::string attack = "\x1b[2J\u202e\nboxwood: fine\r\u2066\u009b31m";

class HostileText : public CommandLine {
 protected:
  HostileText() {
    Ensemble model = small_model();
    model.source = "test " + attack;
    model.objective = "=1+1" + attack;
    model.notes = {"note " + attack};
    model.features = {{"=cmd|a" + attack}, {"@b" + attack}};
    write("model.json", to_json(model));
    nlohmann::json schema;
    schema["boxwood_schema"] = 1;
    schema["subject"] = "row " + attack;
    schema["outcome"] = "+outcome " + attack;
    schema["classes"] = {"-no" + attack, "=yes" + attack};
    schema["features"] = {{{"name", model.features[0].name},
                           {"title", "-first " + attack},
                           {"kind", "ordinal"},
                           {"labels", {"zero" + attack, "=one" + attack, "two" + attack}}},
                          {{"name", model.features[1].name},
                           {"title", "@second " + attack},
                           {"unit", "EUR" + attack}}};
    write("schema.json", schema.dump());
    std::string header, quoted;
    for (const Feature& feature : model.features) {
      header += (header.empty() ? "\"" : ",\"") + feature.name + "\"";
    }
    write("rows.csv", header + "\n1,20\n2,5\n");
    write("bad.csv", header + "\n1,\"" + attack + "\"\n");
  }

  Result with(const std::string& command, std::vector<std::string> more) {
    std::vector<std::string> words = {command, "model.json", "--schema", "schema.json"};
    if (command != "inspect" && std::count(more.begin(), more.end(), "--data") == 0) {
      words.insert(words.end(), {"--data", "rows.csv"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

/// Only line breaks of the program's own are left, and none of them is before the forged words.
void expect_harmless(const std::string& text, const std::string& what) {
  EXPECT_EQ(text, visible(text, "\n")) << what;
  EXPECT_EQ(text.find("\nboxwood: fine"), std::string::npos) << what << "\n" << text;
}

TEST_F(HostileText, IsHarmlessInEveryOutput) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"inspect", {}},
      {"predict", {}},
      {"predict", {"--raw"}},
      {"explain", {"--verify"}},
      {"explain", {"--format", "text"}},
      {"explain", {"--format", "json"}},
      {"explain", {"--format", "jsonl", "--widen", "--path"}},
      {"explain", {"--format", "csv"}},
      {"explain", {"--k", "2", "--widen", "--path", "--round", "0.5"}},
      {"explain", {"--k", "2", "--format", "csv"}},
      {"explain", {"--row", "0", "--max-changes", "0", "--why-not"}},
      {"explain", {"--row", "0", "--max-changes", "0", "--why-not", "--format", "text"}},
      {"robustness", {}},
      {"robustness", {"--format", "jsonl"}},
      {"robustness", {"--format", "csv"}},
      {"sweep", {"--row", "0", "--levels", "0.5,0.6"}},
      {"sweep", {"--row", "0", "--levels", "0.5,0.6", "--format", "svg"}},
      {"sweep", {"--row", "0", "--levels", "0.5,0.6", "--format", "csv"}},
      {"map", {"--row", "0", "--x", "=cmd|a" + attack, "--y", "@b" + attack}},
      {"map", {"--row", "0", "--x", "=cmd|a" + attack, "--y", "@b" + attack, "--format", "svg"}},
      {"map", {"--row", "0", "--x", "=cmd|a" + attack, "--y", "@b" + attack, "--format", "json"}},
      {"regions", {"--row", "0"}},
      {"regions", {"--row", "0", "--format", "csv"}},
      {"regions", {"--row", "0", "--format", "jsonl"}}};
  for (const auto& [command, more] : cases) {
    std::string what = command;
    for (const std::string& word : more) what += " " + visible(word);
    const Result result = with(command, more);
    EXPECT_EQ(result.code, 0) << what << "\n" << result.err;
    EXPECT_FALSE(result.out.empty()) << what;
    expect_harmless(result.out, what);
  }
}

TEST_F(HostileText, IsHarmlessInErrors) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--data", "bad.csv"},
                                               {"--data", "no" + attack + ".csv"},
                                               {"--fix", attack},
                                               {"--rule", "fix " + attack},
                                               {"--class", attack},
                                               {"--rows", attack},
                                               {"--" + attack},
                                               {"--format", attack},
                                               {"--output", "no/" + attack}}) {
    const Result result = with("explain", more);
    EXPECT_NE(result.code, 0);
    EXPECT_TRUE(result.err.starts_with("boxwood: ")) << result.err;
    EXPECT_EQ(result.err, visible(result.err, "\n"));
    EXPECT_EQ(result.err.find("\nboxwood: fine"), std::string::npos) << result.err;
  }
  write("long.csv", "a,b c\n1," + std::string(5 << 20, '7') + "x\n");
  write("plain.json", to_json(small_model()));
  const Result result = run({"explain", "plain.json", "--data", "long.csv"});
  EXPECT_EQ(result.code, 1);
  EXPECT_LT(result.err.size(), 1000u);
}

TEST_F(HostileText, IsNoFormulaInCsv) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--format", "csv"}, {"--k", "2", "--format", "csv"}}) {
    const std::string out = with("explain", more).out;
    EXPECT_NE(out.find(",'=cmd|a"), std::string::npos) << out;
    EXPECT_NE(out.find(",'=yes"), std::string::npos) << out;
    bool quoted = false;
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (out[i - 1] == '"') quoted = !quoted;
      const bool starts =
          (!quoted && (out[i - 1] == ',' || out[i - 1] == '\n')) || (quoted && out[i - 1] == '"');
      if (!starts) continue;
      EXPECT_EQ(std::string("=+@\t\r").find(out[i]), std::string::npos) << out.substr(i);
    }
  }
  write("small.json", to_json(small_model()));
  write("negative.csv", "a,b c\n-3,20\n");
  const Result numbers =
      run({"explain", "small.json", "--data", "negative.csv", "--only", "a", "--format", "csv"});
  EXPECT_EQ(numbers.out.find('\''), std::string::npos) << "numbers stay numbers: " << numbers.out;
}

}  // namespace cli_hostile_text_test
}  // namespace boxwood
