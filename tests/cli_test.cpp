// The command as a user meets it: the real program, its output, its complaints,
// its exit codes.
#include <boxwood/ensemble.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "command_line.hpp"
#include "this_build.hpp"

namespace boxwood {
namespace cli_test {

TEST_F(CommandLine, VersionAndHelp) {
  EXPECT_EQ(run({"--version"}).out.substr(0, 8), "boxwood ");
  for (const char* command :
       {"inspect", "predict", "explain", "robustness", "sweep", "map", "regions"}) {
    const Result result = run({command, "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
  }
}

TEST_F(CommandLine, HelpLeavesOutWhatTheCommandRefuses) {
  const auto lists = [&](const char* command, const char* flag) {
    return run({command, "--help"}).out.find(std::string("\n  ") + flag + " ") != std::string::npos;
  };
  for (const char* flag : {"--agree", "--live", "--robust"}) {
    EXPECT_TRUE(lists("explain", flag)) << flag;
    EXPECT_FALSE(lists("robustness", flag)) << flag;
    EXPECT_FALSE(lists("map", flag)) << flag;
  }
  EXPECT_EQ(credit("robustness", {"--live", "1"}).err,
            "boxwood: --live: the distance to another outcome does not support answers in a region "
            "with rows. Leave it out, or use explain\n");
}

TEST_F(CommandLine, HelpThatCannotBeWrittenIsAnError) {
  const std::string command = boxwood_test::command() + " --help > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
}

TEST_F(CommandLine, UnknownWordsAreAnsweredWithTheNearest) {
  Result result = run({"explian"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: no command \"explian\". Did you mean \"explain\"?\n");
  result = credit("explain", {"--fx", "age"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: explain: no flag \"--fx\". Did you mean \"--fix\"?\n");
  result = run({});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: a command is required. See boxwood --help\n");
}

TEST_F(CommandLine, FlagsThatNameWhatIsNotThere) {
  Result result = credit("explain", {"--fix", "duratoin"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: --fix: no feature \"duratoin\". Did you mean \"duration\"?\n");
  result = credit("explain", {"--rows", "3,99"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: --rows: row 99 does not exist. The data have rows 0 to 9\n");
  result = credit("explain", {"--row", "17"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "boxwood: --row: row 17 does not exist. The data have rows 0 to 9\n");
  result = credit("predict", {"--row", "17"});
  EXPECT_EQ(result.err, "boxwood: --row: row 17 does not exist. The data have rows 0 to 9\n");
  result = credit("regions", {"--row", "3", "--threads", "2"});
  EXPECT_EQ(result.code, 2);
  result = credit("explain", {"--rows", "x"});
  EXPECT_EQ(result.err,
            "boxwood: --rows: \"x\" is not a row or a range of rows. Write all, or numbers such as "
            "0,3,7-9\n");
  result = credit("explain", {"--rows", "5-2"});
  EXPECT_EQ(result.err,
            "boxwood: --rows: \"5-2\" is not ascending. Write the smaller number first: 2-5\n");
  result = credit("explain", {"--weights", "duration=0"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "boxwood: --weights: \"0\": a weight must be a number from 1e-30 to 1e30. To forbid a "
            "change, use --fix\n");
  result = credit("explain", {"--probability", "1.5"});
  EXPECT_EQ(result.err, "boxwood: --probability: must be a number from 0 to 1\n");
  result = credit("explain", {"--class", "good"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("boxwood: --class: no class \"good\""), std::string::npos);
}

TEST_F(CommandLine, FilesThatAreNotThere) {
  Result result = run({"inspect", "no_model.json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err.substr(0, 24), "boxwood: no_model.json: ");
  result = run({"predict", example + "model.ubj", "--data", "no_data.csv"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "boxwood: no_data.csv: no such file. Check the path of the data\n");
  result = run({"inspect", example + "model.ubj", "--schema", "."});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "boxwood: .: this is a directory. Name a file in it\n");
}

TEST_F(CommandLine, InspectTellsWhatTheModelHolds) {
  const Result result =
      run({"inspect", example + "model.ubj", "--schema", example + "schema.json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("binary:logistic · 250 trees, depth 8, "), std::string::npos);
  EXPECT_NE(result.out.find("20 features"), std::string::npos);
  EXPECT_NE(result.out.find("classes: refused, granted"), std::string::npos);
  EXPECT_NE(result.out.find("\nduration                 integer "), std::string::npos);
  EXPECT_NE(result.out.find("trees      checking account\n"), std::string::npos) << result.out;
  EXPECT_EQ(run({"inspect", example + "model.ubj"}).out.find("title"), std::string::npos);
}

TEST_F(CommandLine, PredictPrintsProbabilitiesOrRawScores) {
  write("model.json", to_json(small_model()));
  write("rows.csv", "b c,extra,a\r\n10,x,2\r\n3,\"y, z\",\r\n");
  Result result = run({"predict", "model.json", "--data", "rows.csv", "--raw"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "score\n1\n-0.75\n");
  result = run({"predict", "model.json", "--data", "rows.csv"});
  EXPECT_EQ(result.out,
            "row   class     class 0     class 1\n"
            "0     class 1   0.2689414   0.7310586\n"
            "1     class 0   0.6791787   0.3208213\n");
}

TEST_F(CommandLine, CsvOdditiesAreReadAsWritten) {
  write("model.json", to_json(small_model()));
  // Byte-order mark, quoted header and cells, doubled quotes, a line break in a cell, spaces,
  // signs, exponents, blank lines, no line end at the end.
  write("rows.csv",
        "\xEF\xBB\xBF\"a\",\"b c\",\"say \"\"hi\"\"\"\n"
        "\"2\", +1e1 ,\"two\nlines\"\n"
        "\n"
        "nan,-inf,\n"
        "1.5,9.999999");
  const Result result = run({"predict", "model.json", "--data", "rows.csv", "--raw"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "boxwood: rows.csv, line 6: 2 cells, but the header has 3\n");
  write("rows.csv", contents(folder_ / "rows.csv") + ",");
  EXPECT_EQ(run({"predict", "model.json", "--data", "rows.csv", "--raw"}).out,
            "score\n1\n-0.75\n1.25\n");
}

TEST_F(CommandLine, CsvFilesOfPandasAreReadAsTheModelReadsTheFrame) {
  write("model.json", to_json(small_model()));
  const auto predicted = [&](const std::string& text) {
    write("rows.csv", text);
    return run({"predict", "model.json", "--data", "rows.csv", "--raw"});
  };
  const std::string expected = predicted("a,b c\n1,0\n0,1\n").out;
  EXPECT_EQ(predicted("a,b c\nTrue,False\nFalse,True\n").out, expected);
  // LightGBM stores the spaces in names as underscores.
  Ensemble light = small_model();
  light.library = Library::lightgbm;
  for (Feature& feature : light.features) {
    if (feature.name == "b c") feature.name = "b_c";
  }
  write("model.json", to_json(light));
  EXPECT_EQ(predicted("a,b c\n1,0\n0,1\n").out, expected);
  EXPECT_EQ(predicted("a,b c,b_c\n1,9,0\n0,9,1\n").out, expected);
  light.library = Library::other;
  write("model.json", to_json(light));
  EXPECT_EQ(predicted("a,b c\n1,0\n").code, 1);
}

TEST_F(CommandLine, CsvMistakesNameLineAndColumn) {
  write("model.json", to_json(small_model()));
  const auto complaint = [&](const std::string& text) {
    write("rows.csv", text);
    const Result result = run({"predict", "model.json", "--data", "rows.csv"});
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  EXPECT_EQ(
      complaint("a,b c\n1,2\n1,two years\n"),
      "boxwood: rows.csv, line 3, column \"b c\": \"two years\" is not a number. If it is a label, "
      "list the column's labels in a schema and give it with --schema\n");
  EXPECT_EQ(complaint("a,bc\n1,2\n"),
            "boxwood: rows.csv: no column \"b c\". Did you mean \"bc\"?\n");
  EXPECT_EQ(complaint("a,region,age\n1,2,3\n"),
            "boxwood: rows.csv: no column \"b c\". Its columns are \"a\", \"region\" and "
            "\"age\"\n");
  EXPECT_EQ(complaint("north,south,east,west,above,below,inside,outside\n1,2,3,4,5,6,7,8\n"),
            "boxwood: rows.csv: no column \"a\". Its columns are \"north\", \"south\", \"east\", "
            "\"west\", \"above\", \"below\" and 2 more\n");
  const std::string semicolons =
      "boxwood: rows.csv, line 1: the columns are separated by semicolons. Separate them by commas "
      "and write numbers with a decimal point\n";
  EXPECT_EQ(complaint("a;b c\n1,5;2,5\n"), semicolons);
  EXPECT_EQ(complaint("\"a\";\"b c\"\n1;2\n"), semicolons);
  EXPECT_EQ(complaint("a\tb c\n1\t2\n"),
            "boxwood: rows.csv, line 1: the columns are separated by tabs. Separate them by commas "
            "and write numbers with a decimal point\n");
  EXPECT_EQ(complaint("a,a,b c\n1,2,3\n"),
            "boxwood: rows.csv, line 1: column \"a\" is given twice\n");
  EXPECT_EQ(complaint("a,b c\n1,\"2\n"),
            "boxwood: rows.csv, line 2: the closing quote is missing\n");
  EXPECT_EQ(complaint("a,b c\n1,\"2\"3\n"),
            "boxwood: rows.csv, line 2: text after a closing quote. Inside quotes write a quote "
            "twice\n");
  EXPECT_EQ(complaint(""),
            "boxwood: rows.csv: the first line does not name the columns. Put the features' names "
            "there, separated by commas\n");
  EXPECT_EQ(complaint("1,2\n3,4\n"), complaint(""));
}

TEST_F(CommandLine, ModelsWithoutNamesTakeColumnsInTheirOrder) {
  Ensemble model = small_model();
  model.features = {{"f0"}, {"f1"}};
  write("model.json", to_json(model));
  write("rows.csv", "left,right\n2,10\n");
  EXPECT_EQ(run({"predict", "model.json", "--data", "rows.csv", "--raw"}).out, "score\n1\n");
  // Half of a match would mix columns up: f1 is here, f0 is not.
  write("rows.csv", "f1,other\n10,2\n");
  EXPECT_EQ(run({"predict", "model.json", "--data", "rows.csv", "--raw"}).code, 1);
  write("rows.csv", "left,right,more\n2,10,0\n");
  const Result result = run({"predict", "model.json", "--data", "rows.csv", "--raw"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "boxwood: rows.csv: no column \"f0\". The model has no names: give just its 2 columns, "
            "in its order\n");
}

TEST_F(CommandLine, LabelsAndCodesAreTheSame) {
  write("model.json", to_json(small_model()));
  write("schema.json",
        R"({"boxwood_schema": 1, "features": [
            {"name": "a", "kind": "ordinal", "labels": ["low", "middle", "high"]}]})");
  write("rows.csv", "a,b c\nhigh,10\n2,10\n");
  EXPECT_EQ(
      run({"predict", "model.json", "--data", "rows.csv", "--schema", "schema.json", "--raw"}).out,
      "score\n1\n1\n");
  write("rows.csv", "a,b c\nhihg,10\n");
  EXPECT_EQ(run({"predict", "model.json", "--data", "rows.csv", "--schema", "schema.json"}).err,
            "boxwood: rows.csv, line 2, column \"a\": \"hihg\" is not a label. Did you mean "
            "\"high\"?\n");
  write("rows.csv", "a,b c\n3,10\n");
  EXPECT_EQ(run({"predict", "model.json", "--data", "rows.csv", "--schema", "schema.json"}).err,
            "boxwood: rows.csv, line 2, column \"a\": \"3\" is not a label. Labels: low; middle; "
            "high\n");
}

TEST_F(CommandLine, ExplainPrintsATableForEachRow) {
  const Result result = credit("explain", {"--rows", "9,4", "--verify"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::size_t nine =
      result.out.find("Applicant 9: credit refused (probability of \"granted\"");
  const std::size_t four = result.out.find("Applicant 4: credit refused");
  ASSERT_NE(nine, std::string::npos);
  ASSERT_NE(four, std::string::npos);
  EXPECT_LT(nine, four);
  EXPECT_NE(result.out.find("proven optimal"), std::string::npos);
  EXPECT_NE(result.out.find("proven: no allowed change costs less"), std::string::npos);
  EXPECT_NE(result.out.find("Checked again from the model alone: outcome, rules, cost and "
                            "box hold."),
            std::string::npos);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST_F(CommandLine, RowsAreAnsweredAlikeByAnyNumberOfThreads) {
  for (const std::vector<std::string>& limit :
       {std::vector<std::string>{}, {"--node-limit", "3"}, {"--k", "2", "--verify"}}) {
    const auto answers = [&](const std::string& threads) {
      std::vector<std::string> flags{"--rows", "all", "--format", "json", "--threads", threads};
      flags.insert(flags.end(), limit.begin(), limit.end());
      const Result result = credit("explain", flags);
      EXPECT_EQ(result.code, limit.size() == 2 ? 3 : 0) << result.err;
      // Everything but the time, which sentences tell as well.
      return nlohmann::json::parse(
          result.out, [](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
            const bool key = event == nlohmann::json::parse_event_t::key;
            return !(key && (parsed == "seconds" || parsed == "text"));
          });
    };
    const nlohmann::json truth = answers("1");
    EXPECT_GT(truth.size(), 4U);
    EXPECT_EQ(answers("2"), truth);
    EXPECT_EQ(answers("4"), truth);
  }
}

TEST_F(CommandLine, EveryFormatTellsTheSame) {
  const Result json = credit("explain", {"--row", "9", "--format", "json"});
  const Result lines = credit("explain", {"--row", "9", "--format", "jsonl"});
  const Result csv = credit("explain", {"--row", "9", "--format", "csv"});
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json answer = nlohmann::json::parse(json.out).at(0);
  const nlohmann::json line = nlohmann::json::parse(lines.out);
  for (const char* key : {"row", "status", "cost", "point", "changes", "region", "output_before",
                          "output_after", "class_after", "lower_bound"}) {
    EXPECT_EQ(answer.at(key), line.at(key)) << key;
  }
  EXPECT_EQ(answer["row"], 9);
  EXPECT_EQ(answer["status"], "optimal");
  std::istringstream stream(csv.out);
  std::string header;
  std::string record;
  std::getline(stream, header);
  std::getline(stream, record);
  std::ostringstream start;
  start << "9,optimal,true,finished,false," << answer["cost"].dump() << ","
        << answer["distance"].dump() << ",";
  EXPECT_EQ(record.substr(0, start.str().size()), start.str());
}

TEST_F(CommandLine, FixedFeaturesStayAndOnlyTheNamedChange) {
  const auto changes = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--row", "9", "--format", "jsonl"});
    const Result result = credit("explain", more);
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> names;
    const nlohmann::json answer = nlohmann::json::parse(result.out);
    for (const auto& change : answer["changes"]) {
      names.push_back(change["feature"]);
    }
    return names;
  };
  EXPECT_EQ(changes({}), std::vector<std::string>{"duration"});
  EXPECT_EQ(changes({"--fix", "duration"}), std::vector<std::string>{"other_parties"});
  EXPECT_EQ(changes({"--only", "checking_status"}), std::vector<std::string>{"checking_status"});
  EXPECT_EQ(changes({"--only", "checking account"}), std::vector<std::string>{"checking_status"});
  EXPECT_EQ(changes({"--weights", "duration=100000"}), std::vector<std::string>{"other_parties"});
}

TEST_F(CommandLine, NamesWithCommasStandAloneOrInQuotes) {
  Ensemble model = small_model();
  model.features = {{"age"}, {"income, net"}};
  write("model.json", to_json(model));
  write("rows.csv", "age,\"income, net\"\n1,20\n");
  const auto with = [&](const std::string& flag, const std::string& list) {
    return run({"explain", "model.json", "--data", "rows.csv", flag, list});
  };
  for (const char* list : {"income, net", "\"income, net\""}) {
    EXPECT_NE(with("--fix", list).out.find("Held fixed: income, net."), std::string::npos) << list;
    EXPECT_NE(with("--only", list).out.find("Held fixed: age."), std::string::npos) << list;
  }
  EXPECT_NE(with("--fix", "\"income, net\",age").out.find("Held fixed: age, income, net."),
            std::string::npos);
  EXPECT_EQ(with("--weights", "income, net=2").code, 0);
  EXPECT_EQ(with("--weights", "\"income, net\"=2,age=3").code, 0);
  const std::string hint =
      "A name with a comma goes in double quotes inside the argument: '\"income, net\"'\n";
  EXPECT_EQ(with("--fix", "age,income, net").err, "boxwood: --fix: no feature \"income\". " + hint);
  EXPECT_EQ(with("--weights", "age=3,income, net=2").err,
            "boxwood: --weights: \"income\" has no weight. " + hint);
}

TEST_F(CommandLine, ProvenImpossibleIsAnAnswer) {
  const Result result =
      credit("explain", {"--row", "0", "--only", "own_telephone", "--format", "jsonl"});
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer["status"], "infeasible");
  EXPECT_TRUE(answer["point"].is_null());
}

TEST_F(CommandLine, ReachedTargetsCostNothing) {
  const Result result = credit("explain", {"--row", "1", "--class", "granted"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("Nothing to change"), std::string::npos) << result.out;
}

TEST_F(CommandLine, LimitsEndInCodeThree) {
  const Result result = credit("explain", {"--row", "0", "--node-limit", "1", "--published"});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_NE(result.out.find("stopped at the node limit"), std::string::npos) << result.out;
}

TEST_F(CommandLine, LimitsAreNotNegative) {
  EXPECT_EQ(credit("explain", {"--row", "0", "--node-limit", "-1"}).code, 2);
  EXPECT_EQ(credit("explain", {"--row", "0", "--time-limit", "-1"}).code, 2);
  EXPECT_EQ(credit("regions", {"--row", "0", "--limit", "-1"}).code, 2);
}

TEST_F(CommandLine, ARowThatMakesNoSenseIsFoundBeforeAnyWork) {
  write("model.json", to_json(small_model()));
  write("rows.csv", "a,b c\n1,20\n1,inf\n");
  const Result result = run({"explain", "model.json", "--data", "rows.csv", "--format", "jsonl"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("rows.csv, line 3"), std::string::npos) << result.err;
}

TEST_F(CommandLine, SeveralNumbersNeedAnIndex) {
  Ensemble model = small_model(Task::regression);
  model.base = {0.0, 0.0};
  model.trees[1].output = 1;
  write("model.json", to_json(model));
  write("rows.csv", "a,b c\n1,20\n");
  const std::vector<std::string> words = {"explain",    "model.json", "--data",   "rows.csv",
                                          "--at-least", "0.2",        "--format", "jsonl"};
  EXPECT_EQ(run(words).err,
            "boxwood: the model predicts 2 numbers: choose one. Use --output-index, counted "
            "from 0\n");
  const auto changed = [&](const std::string& index) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--output-index", index});
    return nlohmann::json::parse(run(more).out)["changes"][0]["feature"].get<std::string>();
  };
  EXPECT_EQ(changed("0"), "a");
  EXPECT_EQ(changed("1"), "b c");
}

TEST_F(CommandLine, RegressionNeedsARange) {
  write("model.json", to_json(small_model(Task::regression)));
  write("rows.csv", "a,b c\n1,20\n");
  const std::vector<std::string> words = {"explain", "model.json", "--data", "rows.csv"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run(more);
  };
  Result result = with({});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "boxwood: the model predicts a number, and no wanted number is given. Use --range A:B, "
            "--at-least A or --at-most B, or --beat ROW\n");
  EXPECT_EQ(with({"--class", "1"}).err,
            "boxwood: --class: the model predicts a number, not a class. Use --range, --at-least "
            "or --at-most\n");
  EXPECT_EQ(with({"--range", "5"}).err,
            "boxwood: --range: \"5\" is not a range. Write A:B, such as 10:20\n");
  EXPECT_EQ(with({"--range", "5:4"}).err,
            "boxwood: --range: the range is empty. Give the smaller end first\n");
  result = with({"--at-least", "0.5", "--format", "jsonl"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["point"], (std::vector<double>{1.5, 20}));
  result = with({"--range", "(-1:0)", "--format", "jsonl"});
  const double below_ten = nlohmann::json::parse(result.out)["point"][1];
  EXPECT_LT(below_ten, 10);
  EXPECT_GT(below_ten, 9.99999);
}

TEST_F(CommandLine, MulticlassNeedsAClass) {
  Ensemble model = small_model();
  model.task = Task::multiclass;
  model.link = Link::softmax;
  model.base = {0, 0, 0};
  model.classes = {"red", "green", "blue"};
  model.trees[1].output = 2;
  write("model.json", to_json(model));
  write("rows.csv", "a,b c\n2,20\n");
  Result result = run({"explain", "model.json", "--data", "rows.csv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "boxwood: the model has more than two classes, and no wanted class is given. Use "
            "--class with one of: "
            "red, green, blue\n");
  result =
      run({"explain", "model.json", "--data", "rows.csv", "--class", "green", "--format", "jsonl"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["class_after"], "green");
  model.classes.clear();
  write("model.json", to_json(model));
  EXPECT_EQ(run({"explain", "model.json", "--data", "rows.csv"}).err,
            "boxwood: the model has more than two classes, and no wanted class is given. Use "
            "--class with one of: "
            "0, 1, 2\n");
  for (const char* name : {"1", "class 1"}) {
    result = run({"explain", "model.json", "--data", "rows.csv", "--class", name});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("Smallest change that gives \"class 1\""), std::string::npos)
        << result.out;
  }
}

TEST_F(CommandLine, OutputFilesAppearWhole) {
  Result result = credit("explain", {"--row", "9", "--format", "json", "--output", "answers.json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(nlohmann::json::parse(contents(folder_ / "answers.json")).size(), 1u);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos);
  }
  result = credit("explain", {"--row", "9", "--output", "no_folder/answers.json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "boxwood: no_folder/answers.json: cannot be written: No such file or directory. Check "
            "the folder and the permissions\n");
}

TEST_F(CommandLine, RegionsListTheBoxesNearby) {
  write("model.json", to_json(small_model()));
  write("rows.csv", "a,b c\n1,20\n");
  const std::vector<std::string> words = {"regions",  "model.json", "--data",
                                          "rows.csv", "--row",      "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run(more);
  };
  Result result = with({"--format", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).size(), 2u);
  result = with({"--within", "1", "--format", "jsonl"});
  EXPECT_EQ(nlohmann::json::parse(result.out)["point"], (std::vector<double>{1.5, 20}));
  result = with({"--any-outcome", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(result.out).size(), 4u);
  result = with({"--any-outcome", "--limit", "3"});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.out.find("3 regions: stopped at --limit 3, there are more.\n"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(with({"--row", "0-1"}).code, 2);
  EXPECT_NE(with({"--format", "csv"}).out.find("row,number,cost,distance,output,class,a,a in,"),
            std::string::npos);
}

TEST_F(CommandLine, CtrlCPrintsWhatIsKnownAndLeavesTheRest) {
  // A probability out of reach and the engine as published: this runs for minutes.
  const std::vector<std::string> hard = {
      "--rows",
      "0,3,5",
      "--threads",
      "2",
      "--published",
      "--only",
      "age,duration,credit_amount,purpose,checking_status,employment,savings_status,"
      "credit_history,property_magnitude,residence_since,personal_status,housing,job",
      "--class",
      "granted",
      "--probability",
      "0.999",
      "--time-limit",
      "300"};
  TerminalProcess process(folder_, free_credit_words("explain", hard));
  EXPECT_TRUE(process.interrupt_after(1));
  const Result result = process.wait();
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_NE(result.out.find("(interrupted)"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Applicant 3"), std::string::npos) << "two rows are worked on at once";
  EXPECT_EQ(result.out.find("Applicant 5"), std::string::npos) << "the next row was started";
  EXPECT_TRUE(result.err.ends_with("boxwood: interrupted; 1 of 3 rows not started\r\n"))
      << result.err;
}

}  // namespace cli_test
}  // namespace boxwood
