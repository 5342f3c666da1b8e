// What explain finds beyond the nearest answer, robustness, sweep and map: the real program
// on the German-credit example.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

#include "command_line.hpp"

namespace boxwood {
namespace cli_extras_test {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(CommandLine, AMenuHasWaysThatDifferInWhatTheyChange) {
  const Result table = credit("explain", {"--row", "3", "--k", "3", "--verify"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "3 alternatives, each of which is granted, cheapest first;"))
      << table.out;
  EXPECT_TRUE(has(table.out, "Alternative 3 · cost ")) << table.out;
  EXPECT_TRUE(has(table.out, "Checked again from the model alone"));
  const Result json = credit("explain", {"--row", "3", "--k", "3", "--format", "jsonl"});
  const Json menu = Json::parse(json.out);
  ASSERT_EQ(menu["alternatives"].size(), 3U);
  double last = 0;
  for (const Json& one : menu["alternatives"]) {
    EXPECT_EQ(one["status"], "optimal");
    EXPECT_EQ(one["class_after"], "granted");
    EXPECT_GE(one["cost"].get<double>(), last);
    last = one["cost"];
  }
  EXPECT_NE(menu["alternatives"][0]["changes"], menu["alternatives"][1]["changes"]);
  const Result csv = credit(
      "explain", {"--row", "3", "--k", "3", "--format", "csv", "--apart", "regions", "--verify"});
  EXPECT_EQ(count_lines(csv.out), 4U) << csv.out;
  EXPECT_TRUE(csv.out.starts_with("alternative,row,status,")) << csv.out;
  const Result far = credit("explain", {"--row", "3", "--k", "2", "--format", "json", "--apart",
                                        "distance", "--distance", "0.5"});
  EXPECT_EQ(Json::parse(far.out)[0]["alternatives"].size(), 2U);
}

TEST_F(CommandLine, AMenuWithoutWaysPassesTheCheck) {
  const Result result = credit("explain", {"--row", "0", "--only", "own_telephone", "--k", "2",
                                           "--verify", "--format", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Json::parse(result.out)[0]["alternatives"][0]["status"], "infeasible") << result.out;
}

TEST_F(CommandLine, AMenuWithoutWaysSaysSo) {
  const Result result =
      credit("explain", {"--row", "0", "--only", "own_telephone", "--k", "2", "--why-not"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.out, "Not possible: no allowed change is granted (proven")) << result.out;
  EXPECT_TRUE(has(result.out, " block")) << result.out;
}

TEST_F(CommandLine, WhyNotNamesRulesAndWhatLiftingThemGives) {
  const std::vector<std::string> flags = {"--row", "0", "--only", "own_telephone", "--why-not"};
  const Result table = credit("explain", flags);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "-> ")) << table.out;
  std::vector<std::string> more = flags;
  more.insert(more.end(), {"--format", "jsonl"});
  const Json answer = Json::parse(credit("explain", more).out);
  EXPECT_EQ(answer["status"], "infeasible");
  ASSERT_FALSE(answer["why_not"]["blockers"].empty());
  for (const Json& blocker : answer["why_not"]["blockers"]) {
    EXPECT_TRUE(blocker.contains("without"));
    EXPECT_TRUE(has(table.out, blocker["text"].get<std::string>()));
  }
  // Where there is an answer there is nothing to add.
  const Json possible =
      Json::parse(credit("explain", {"--row", "3", "--why-not", "--format", "jsonl"}).out);
  EXPECT_EQ(possible["status"], "optimal");
  EXPECT_FALSE(possible.contains("why_not"));
}

TEST_F(CommandLine, WideRegionsPathsAndRoundNumbers) {
  const std::vector<std::string> flags = {"--row",         "3",       "--widen", "--order",
                                          "credit_amount", "--round", "0.05",    "--path"};
  const Result table = credit("explain", flags);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "holds for anything in\n")) << table.out;
  EXPECT_TRUE(has(table.out, "No single interval can be wider (proven).") ||
              has(table.out, "can be wider (proven)."))
      << table.out;
  EXPECT_TRUE(has(table.out, "\nRounded: ")) << table.out;
  EXPECT_TRUE(has(table.out, "\nStep by step:\n")) << table.out;
  std::vector<std::string> more = flags;
  more.insert(more.end(), {"--format", "jsonl"});
  const Json answer = Json::parse(credit("explain", more).out);
  EXPECT_TRUE(answer["wide"]["maximal"].get<bool>());
  EXPECT_EQ(answer["path"].size(), answer["changes"].size());
  EXPECT_EQ(answer["path"].back()["point"], answer["point"]);
  EXPECT_EQ(answer["path"].back()["class"], "granted");
  EXPECT_LE(answer["rounded"]["cost"].get<double>(), 1.05 * answer["cost"].get<double>());
  EXPECT_EQ(answer["rounded"]["class"], "granted");
  for (const Json& change : answer["changes"]) {  // the wide region holds the box
    const std::string name = change["feature"];
    const Json& wide = answer["wide"]["region"][name];
    const Json& box = answer["region"][name];
    if (!wide["upper"].is_null() && !box["upper"].is_null()) {
      EXPECT_GE(wide["upper"].get<double>(), change["to"].get<double>());
    }
  }
}

TEST_F(CommandLine, SentencesForPeople) {
  const Result result = credit("explain", {"--row", "9", "--format", "text"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.out, "Bring duration to ")) << result.out;
  EXPECT_TRUE(has(result.out, ", and credit is granted.\n")) << result.out;
}

TEST_F(CommandLine, FlagsThatBelongTogether) {
  EXPECT_EQ(credit("explain", {"--row", "3", "--apart", "regions"}).code, 2);
  EXPECT_EQ(credit("explain", {"--row", "3", "--order", "age"}).code, 2);
  EXPECT_EQ(credit("explain", {"--row", "3", "--k", "0"}).code, 2);
  EXPECT_EQ(
      credit("explain", {"--row", "3", "--k", "2", "--apart", "regions", "--distance", "1"}).err,
      "boxwood: --distance: needs --apart distance\n");
  EXPECT_EQ(
      credit("explain", {"--row", "3", "--k", "2", "--apart", "distance", "--distance", "0"}).err,
      "boxwood: --distance: must be a number above 0\n");
  EXPECT_EQ(credit("explain", {"--row", "3", "--round", "-1"}).err,
            "boxwood: --round: must be a number ≥ 0. Write 0.05 for 5 %\n");
  EXPECT_EQ(credit("explain", {"--row", "3", "--widen", "--order", "agee"}).err,
            "boxwood: --order: no feature \"agee\". Did you mean \"age\"?\n");
}

TEST_F(CommandLine, RobustnessIsTheDistanceToAnyOtherOutcome) {
  const Result table = credit("robustness", {"--rows", "0-2", "--verify"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "same within")) << table.out;
  EXPECT_TRUE(has(table.out, "has any other outcome (proven). Least ")) << table.out;
  for (const char* norm : {"l2", "l1", "linf"}) {
    const Json robust =
        Json::parse(credit("robustness", {"--row", "3", "--norm", norm, "--format", "jsonl"}).out);
    const Json nearest =
        Json::parse(credit("explain", {"--row", "3", "--norm", norm, "--format", "jsonl"}).out);
    EXPECT_EQ(robust["distance"], nearest["distance"]) << norm;
    EXPECT_EQ(robust["radius"], robust["distance"]) << norm;
    EXPECT_EQ(robust["class_after"], "granted");
  }
  const Result csv = credit("robustness", {"--rows", "0,3", "--format", "csv"});
  EXPECT_EQ(count_lines(csv.out), 3U);
  EXPECT_EQ(Json::parse(credit("robustness", {"--rows", "0,3", "--format", "json"}).out).size(),
            2U);
  EXPECT_EQ(credit("robustness", {"--row", "3", "--class", "granted"}).code, 2);
  EXPECT_EQ(credit("robustness", {"--row", "3", "--tolerance", "1"}).err,
            "boxwood: --tolerance: the model predicts classes. Use --tolerance with models "
            "that predict a number\n");
  for (const char* flag : {"--agree", "--live"}) {
    const Result refused = credit("robustness", {"--row", "3", flag, "1"});
    EXPECT_EQ(refused.code, 2) << flag;
    EXPECT_TRUE(refused.err.starts_with(std::string("boxwood: ") + flag)) << refused.err;
    EXPECT_TRUE(has(refused.err, "Leave it out, or use explain")) << refused.err;
  }
}

TEST_F(CommandLine, MoreModelsThanThereAreCannotAgree) {
  for (const char* number : {"0", "2"}) {
    const Result refused = credit("explain", {"--row", "3", "--agree", number});
    EXPECT_EQ(refused.code, 2) << number;
    EXPECT_EQ(refused.err,
              std::string("boxwood: --agree: ") + number +
                  " models cannot agree: the number of models is 1. Give a number from 1 "
                  "to the number of models; --also adds one\n");
  }
}

TEST_F(CommandLine, RobustnessOfANumberHasATolerance) {
  write("model.json", to_json(small_model(Task::regression)));
  write("rows.csv", "a,b c\n1,20\n");
  const auto distance = [&](const std::string& tolerance) {
    const Result result = run({"robustness", "model.json", "--data", "rows.csv", "--format",
                               "jsonl", "--tolerance", tolerance});
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["distance"];
  };
  EXPECT_EQ(distance("0"), 0.5);     // a to 1.5: from -1 to 1
  EXPECT_EQ(distance("0.25"), 0.5);  // b c to below 10 would be farther anyway
  EXPECT_TRUE(distance("3").is_null());
  EXPECT_EQ(run({"robustness", "model.json", "--data", "rows.csv", "--tolerance", "-1"}).err,
            "boxwood: --tolerance: must be a number ≥ 0\n");
}

TEST_F(CommandLine, SweepsCostMoreForMore) {
  const std::vector<std::string> flags = {"--row", "3",   "--from",  "0.5",
                                          "--to",  "0.7", "--steps", "5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), flags.begin(), flags.end());
    return credit("sweep", more);
  };
  const Result table = with({"--verify"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "\n  0.65 ")) << table.out;
  EXPECT_TRUE(has(table.out, "Every level proven.")) << table.out;
  const Json curve = Json::parse(with({"--format", "json"}).out);
  ASSERT_EQ(curve["levels"].size(), 5U);
  double last = 0;
  for (const Json& level : curve["levels"]) {
    if (level["status"] != "optimal") continue;
    EXPECT_GE(level["cost"].get<double>(), last);
    EXPECT_GE(level["output_after"][0].get<double>(), level["level"].get<double>());
    last = level["cost"];
  }
  EXPECT_GT(last, 0);
  const Result csv = with({"--format", "csv"});
  EXPECT_EQ(count_lines(csv.out), 6U);
  EXPECT_TRUE(csv.out.starts_with("level,row,status,"));
  const Result svg = with({"--format", "svg", "--width", "600"});
  EXPECT_TRUE(svg.out.starts_with("<svg ")) << svg.out.substr(0, 80);
  EXPECT_TRUE(has(svg.out, "width=\"600\""));
  EXPECT_EQ(svg.out, with({"--format", "svg", "--width", "600"}).out);
  const Result listed = credit("sweep", {"--row", "3", "--levels", "0.5,0.6"});
  EXPECT_EQ(listed.code, 0) << listed.err;
}

TEST_F(CommandLine, SweepsComplainByFlag) {
  EXPECT_EQ(credit("sweep", {"--row", "3"}).err, "boxwood: --from: is required, or --levels\n");
  EXPECT_EQ(credit("sweep", {"--row", "3", "--from", "0.5"}).err,
            "boxwood: --to: is required, or --levels\n");
  EXPECT_EQ(credit("sweep", {"--row", "3", "--levels", "0.5,x"}).err,
            "boxwood: --levels: \"x\" is not a number. Write them with commas: 0.5,0.7,0.9\n");
  EXPECT_EQ(credit("sweep", {"--row", "3", "--levels", "0.5,0.4,0.6"}).err,
            "boxwood: --levels: are neither ascending nor descending. Give them in order\n");
  EXPECT_EQ(credit("sweep", {"--row", "3", "--levels", "0.5,1.5"}).err,
            "boxwood: --levels: probabilities must be between 0 and 1\n");
  EXPECT_EQ(credit("sweep", {"--row", "3-4", "--levels", "0.5"}).err,
            "boxwood: --row: must be one row\n");
}

TEST_F(CommandLine, SweepsShowThePriceOfRobustness) {
  const std::vector<std::string> flags = {"--row", "3", "--robust", "duration 1, credit_amount 50"};
  const auto with = [&](const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), flags.begin(), flags.end());
    return credit(command, more);
  };
  const std::vector<std::string> multiples = {"--multiples", "0,1,2"};
  const auto swept = [&](std::vector<std::string> more) {
    more.insert(more.begin(), multiples.begin(), multiples.end());
    return with("sweep", more);
  };
  const Result table = swept({"--verify"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "\n  2 times ")) << table.out;
  EXPECT_TRUE(has(table.out, "Every multiple proven.")) << table.out;
  const Json curve = Json::parse(swept({"--format", "json"}).out);
  ASSERT_EQ(curve["levels"].size(), 3U);
  // Each multiple is the answer that explain gives for those distances.
  const auto cost = [](const Result& result) { return Json::parse(result.out)[0]["cost"]; };
  EXPECT_EQ(curve["levels"][0]["cost"],
            cost(credit("explain", {"--row", "3", "--format", "json"})));
  EXPECT_EQ(curve["levels"][1]["cost"], cost(with("explain", {"--format", "json"})));
  EXPECT_EQ(curve["levels"][2]["cost"],
            cost(credit("explain", {"--row", "3", "--format", "json", "--robust",
                                    "duration 2, credit_amount 100"})));
  EXPECT_LT(curve["levels"][0]["cost"].get<double>(), curve["levels"][2]["cost"].get<double>());
  EXPECT_TRUE(swept({"--format", "csv"}).out.starts_with("multiple,row,status,"));
  const Result svg = swept({"--format", "svg"});
  EXPECT_TRUE(has(svg.out, "multiple of the robust distances")) << svg.out.substr(0, 80);
  EXPECT_EQ(credit("sweep", {"--row", "3", "--multiples", "0,1"}).err,
            "boxwood: --multiples: there are no distances to multiply. Add --robust\n");
  EXPECT_EQ(with("sweep", {"--multiples", "1,0"}).err,
            "boxwood: --multiples: must be ascending and ≥ 0\n");
  EXPECT_EQ(swept({"--levels", "0.5"}).code, 2);
}

TEST_F(CommandLine, SweepsTakeTheLevelOfWhatIsWantedFirst) {
  const auto cost = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--row", "3", "--levels", "0.5", "--format", "json", "--verify"});
    const Result result = credit("sweep", more);
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["levels"][0]["cost"].get<double>();
  };
  EXPECT_EQ(cost({"--want", "want granted"}), cost({}));
  EXPECT_GT(cost({"--also", example + "model.ubj", "--want", "want granted", "--want",
                  "model 2: want granted with probability >= 0.55"}),
            cost({}));
}

TEST_F(CommandLine, SweepsOfANumberAskForAtLeastOrAtMost) {
  write("model.json", to_json(small_model(Task::regression)));
  write("rows.csv", "a,b c\n1,20\n");
  const auto sweep = [&](const std::string& levels) {
    const Result result = run({"sweep", "model.json", "--data", "rows.csv", "--row", "0",
                               "--levels", levels, "--format", "json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["levels"];
  };
  const Json rising = sweep("-1,0.5,2");
  EXPECT_TRUE(rising[0]["already_met"].get<bool>());
  EXPECT_EQ(rising[1]["distance"], 0.5);
  EXPECT_EQ(rising[2]["status"], "infeasible");
  const Json falling = sweep("0,-2");
  EXPECT_TRUE(falling[0]["already_met"].get<bool>());
  EXPECT_EQ(falling[1]["status"], "infeasible");
}

TEST_F(CommandLine, MapsAreExactRectangles) {
  const std::vector<std::string> flags = {"--row", "3", "--x", "duration", "--y", "credit amount"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), flags.begin(), flags.end());
    return credit("map", more);
  };
  const Result table = with({});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, " exact rectangles: duration from ")) << table.out;
  const Json map = Json::parse(with({"--format", "json", "--x-view", "10:40"}).out);
  EXPECT_EQ(map["x_view"]["lower"], 10.0);
  double area = 0;
  for (const Json& cell : map["cells"]) {
    area += (cell["x"]["upper"].get<double>() - cell["x"]["lower"].get<double>()) *
            (cell["y"]["upper"].get<double>() - cell["y"]["lower"].get<double>());
  }
  const double whole =
      30 * (map["y_view"]["upper"].get<double>() - map["y_view"]["lower"].get<double>());
  EXPECT_NEAR(area, whole, 1e-6 * whole);
  const Result svg = with({"--format", "svg", "--colour", "output"});
  EXPECT_TRUE(svg.out.starts_with("<svg "));
  EXPECT_TRUE(has(svg.out, "credit amount (DM)"));
  EXPECT_EQ(svg.out, with({"--format", "svg", "--colour", "output"}).out);
  EXPECT_EQ(with({"--radius", "1", "--x-view", "30:46", "--y-view", "3000:5000"}).code, 0);
  EXPECT_EQ(credit("map", {"--row", "3", "--x", "savings", "--y", "purpose", "--format", "svg",
                           "--output", "map.svg"})
                .code,
            0);
  EXPECT_TRUE(has(contents(folder_ / "map.svg"), "radio or television"));
}

TEST_F(CommandLine, MapsComplainByFlag) {
  const auto complaint = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--row", "3"});
    const Result result = credit("map", more);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({"--x", "age", "--y", "age"}), "boxwood: --y: is the same feature as --x\n");
  EXPECT_EQ(complaint({"--x", "age,duration", "--y", "age"}),
            "boxwood: --x: must be one feature\n");
  EXPECT_EQ(complaint({"--x", "age", "--y", "duratoin"}),
            "boxwood: --y: no feature \"duratoin\". Did you mean \"duration\"?\n");
  EXPECT_EQ(complaint({"--x", "age", "--y", "duration", "--x-view", "9"}),
            "boxwood: --x-view: \"9\" is not a range. Write A:B, such as 10:20\n");
  EXPECT_EQ(complaint({"--x", "age", "--y", "duration", "--y-view", "9:3"}),
            "boxwood: --y-view: the range is empty. Give the smaller end first\n");
  EXPECT_EQ(complaint({"--x", "age", "--y", "duration", "--radius", "-1"}),
            "boxwood: --radius: must be a number ≥ 0\n");
}

TEST_F(CommandLine, AProbabilityIsNotAskedToBeThree) {
  const Result result = credit("explain", {"--row", "3", "--at-least", "3"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "boxwood: --at-least: the model has two classes: its output is a probability, from 0 "
            "to 1. Use --class, or --want \"want score >= 3\"\n");
  EXPECT_EQ(credit("explain", {"--row", "3", "--at-least", "0.7"}).code, 0);
}

TEST_F(CommandLine, RegionsCanBeSorted) {
  const Result result = credit("regions", {"--row", "9", "--within", "0.9", "--limit", "50",
                                           "--sorted", "--format", "json"});
  const Json regions = Json::parse(result.out);
  ASSERT_GT(regions.size(), 1U);
  for (std::size_t k = 1; k < regions.size(); ++k) {
    EXPECT_GE(regions[k]["cost"].get<double>(), regions[k - 1]["cost"].get<double>());
    EXPECT_EQ(regions[k]["number"], k + 1);
  }
}

TEST_F(CommandLine, RegionsSpeakOfTheModelThatIsAsked) {
  Ensemble other = small_model();
  for (Tree& tree : other.trees) {
    for (double& value : tree.values) value *= 2;
  }
  write("model.json", to_json(small_model()));
  write("other.json", to_json(other));
  write("rows.csv", "a,b c\n1,20\n");
  const Result result =
      run({"regions", "model.json", "--also", "other.json", "--data", "rows.csv", "--row", "0",
           "--want", "model 2: want score >= 0", "--format", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json region = Json::parse(result.out)[0];
  const auto point = region["point"].get<std::vector<double>>();
  EXPECT_EQ(region["score"][0].get<double>(), other.predict(point)[0]);
}

TEST_F(CommandLine, SignalsKeepTheAnswerWhoseProofTheyStop) {
  // The engine as published runs for minutes here.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(signal);
    TerminalProcess process(
        folder_,
        free_credit_words("explain", {"--row", "0", "--class", "granted", "--probability", "0.999",
                                      "--published", "--format", "json", "--proof", "p.json"}));
    EXPECT_TRUE(process.interrupt_after(1, signal));
    const Result result = process.wait();
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(Json::parse(result.out)[0]["stop"], "interrupt") << result.out;
    EXPECT_NE(result.err.find("boxwood: --proof: interrupted before the proof was complete; p.json "
                              "was not written"),
              std::string::npos)
        << result.err;
    for (const auto& file : fs::directory_iterator(folder_)) {
      EXPECT_NE(file.path().filename().string().substr(0, 6), "p.json") << file.path();
    }
  }
}

TEST_F(CommandLine, TheTimeLimitStopsAProofToo) {
  // The search takes about 0.05 s, its proof more than 0.1 s. A slow machine stops in the search.
  const Result result =
      run(free_credit_words("explain", {"--row", "0", "--class", "granted", "--probability",
                                        "0.997", "--time-limit", "0.15", "--proof", "p.json"}));
  EXPECT_EQ(result.code, 3) << result.err;
  const bool in_the_search = result.out.find("(stopped at") != std::string::npos;
  const bool in_the_proof =
      result.err.find(
          "boxwood: --proof: stopped at the time limit before the proof was complete; "
          "p.json was not written") != std::string::npos;
  EXPECT_TRUE(in_the_search || in_the_proof) << result.out << result.err;
}

TEST_F(CommandLine, CtrlCKeepsTheAlternativesThatWereFound) {
  TerminalProcess process(
      folder_,
      free_credit_words("explain",
                        {"--row", "0", "--k", "10000", "--apart", "regions", "--format", "jsonl",
                         "--only", "age,duration,credit_amount,purpose,checking_status"}));
  // The first alternative takes a few hundred boxes at most.
  EXPECT_TRUE(process.interrupt_after(1'000));
  const Result result = process.wait();
  EXPECT_EQ(result.code, 3) << result.err;
  const Json menu = Json::parse(result.out);
  EXPECT_EQ(menu["stop"], "interrupt");
  EXPECT_FALSE(menu["complete"].get<bool>());
  EXPECT_FALSE(menu["alternatives"].empty());
}

}  // namespace cli_extras_test
}  // namespace boxwood
