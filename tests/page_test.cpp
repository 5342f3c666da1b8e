// fill_page puts files into the page without harming either, and the command's JSON for the page.
#include <boxwood/error.hpp>
#include <boxwood/page.hpp>

#include "command_line.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace boxwood {
namespace page_test {

const std::string start = "<html><script type=\"application/json\" id=\"boxwood-content\">";
const std::string page = start + "{\"old\":1}</script><script>after()</script></html>";

TEST(Page, HoldsTheFilesAndNothingElseChanges) {
  const std::string filled = fill_page(page, {.title = "Credit </script><b>",
                                              .model = {"model.ubj", std::string("\x00\xff<a", 4)},
                                              .data = {"rows.csv", "a\n1\n"},
                                              .row = 3});
  ASSERT_TRUE(filled.starts_with(start));
  const std::string end = "</script><script>after()</script></html>";
  ASSERT_TRUE(filled.ends_with(end));
  const std::string inside = filled.substr(start.size(), filled.size() - start.size() - end.size());
  EXPECT_EQ(inside.find('<'), std::string::npos);
  const nlohmann::json content = nlohmann::json::parse(inside);
  EXPECT_EQ(content["title"], "Credit </script><b>");
  EXPECT_EQ(content["model"]["base64"], "AP88YQ==");
  EXPECT_EQ(content["data"]["base64"], "YQoxCg==");
  EXPECT_EQ(content["question"]["row"], 3);
  EXPECT_FALSE(content.contains("schema"));
  EXPECT_FALSE(content.contains("saved"));
}

TEST(Page, RefusesAnotherText) {
  EXPECT_THROW(fill_page("<html></html>", {}), Error);
  EXPECT_THROW(fill_page(start, {}), Error);
}

TEST_F(CommandLine, WritesThePageOrSaysWhatIsMissing) {
  const fs::path file = folder_ / "template.html";
  std::ofstream(file) << page;
  const auto write = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "page",     example + "model.ubj",   "--data",   example + "applicants.csv",
        "--schema", example + "schema.json", "--output", (folder_ / "page.html").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  EXPECT_EQ(write({"--template", file.string()}).code, 0);
  EXPECT_TRUE(contents(folder_ / "page.html").starts_with(start));
  EXPECT_EQ(write({"--template", example + "schema.json"}).code, 1);
  EXPECT_EQ(write({"--template", file.string(), "--row", "99"}).code, 2);
}

TEST_F(CommandLine, ShowsModelAndPredictionsAsJson) {
  const std::vector<std::string> model = {example + "model.ubj", "--schema",
                                          example + "schema.json", "--format", "json"};
  std::vector<std::string> words = model;
  words.insert(words.begin(), "inspect");
  const nlohmann::json facts = nlohmann::json::parse(run(words).out);
  EXPECT_EQ(facts["trees"], 250);
  EXPECT_EQ(facts["classes"], nlohmann::json({"refused", "granted"}));
  ASSERT_EQ(facts["features"].size(), 20U);
  EXPECT_EQ(facts["features"][1]["unit"], "months");
  EXPECT_EQ(facts["features"][1]["range"], nlohmann::json({4, 72}));
  EXPECT_EQ(facts["features"][0]["categories"][1]["label"], "0 to 200 DM");
  words = model;
  words.insert(words.begin(), "predict");
  words.insert(words.end(), {"--data", example + "applicants.csv", "--rows", "3"});
  const nlohmann::json rows = nlohmann::json::parse(run(words).out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["class"], "refused");
  EXPECT_EQ(rows[0]["point"][1], 45);
  EXPECT_EQ(rows[0]["values"][1], "45 months");
  EXPECT_NEAR(rows[0]["probabilities"][1].get<double>(), 0.1436, 1e-4);
}

}  // namespace page_test
}  // namespace boxwood
