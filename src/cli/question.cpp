#include "cli/question.hpp"

#include "base/file.hpp"
#include "cli/lists.hpp"
#include "cli/usage.hpp"

#include <boxwood/question_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

namespace boxwood::cli {
namespace {

Rounds parse_rounds(const std::string& text) {
  Rounds rounds;
  if (text.empty()) return rounds;
  if (text == "all") {
    rounds.choice = Rounds::Choice::all;
  } else if (text == "best") {
    rounds.choice = Rounds::Choice::best;
  } else {
    std::size_t first = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    if (error != std::errc{} || end != text.data() + text.size() || first == 0) {
      throw UsageError("--rounds", fmt::format("must be all, best or a number, not \"{}\"", text));
    }
    rounds.first = first;
  }
  return rounds;
}

/// `fix "a", "b"`: all values of a flag as one statement.
void add_list(const std::vector<std::string>& lists, const std::string& statement,
              const std::string& flag, const Schema& schema, std::vector<QueryText>& texts) {
  std::string names;
  for (const std::string& list : lists) {
    for (const std::size_t i : parse_features(list, schema, flag)) {
      names += (names.empty() ? " " : ", ") + quoted_name(schema.features[i].name);
    }
  }
  if (!names.empty()) texts.push_back({statement + names, flag, Statements::rules});
}

/// Every flag about rules and costs as query text. A flag and the equivalent words then mean the
/// same, and contradictions between them are found.
std::vector<QueryText> texts_of(const QuestionFlags& flags, const Schema& schema,
                                bool with_target) {
  std::vector<QueryText> texts = rule_texts(schema);
  for (const std::string& file : flags.rules) {
    texts.push_back({read_file(file, "Check the path of the rules"), file, Statements::rules});
  }
  for (const std::string& rule : flags.rule) {
    // An empty value, such as that of an unset shell variable, must not remove a restriction.
    if (rule.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw UsageError("--rule", "the rule is empty", "Leave the flag out if there is no rule");
    }
    texts.push_back({rule, "--rule", Statements::rules});
  }
  add_list(flags.fix, "fix", "--fix", schema, texts);
  add_list(flags.only, "only", "--only", schema, texts);
  for (const std::string& list : flags.weights) {
    for (const auto& [name, weight] : parse_weights(list, schema, "--weights")) {
      texts.push_back(
          {fmt::format("weight {} {}", quoted_name(name), weight), "--weights", Statements::rules});
    }
  }
  if (flags.max_changes) {
    texts.push_back(
        {fmt::format("at most {} change{}", *flags.max_changes, *flags.max_changes == 1 ? "" : "s"),
         "--max-changes", Statements::rules});
  }
  for (const std::string& within : flags.robust) {
    texts.push_back({"robust " + within, "--robust", Statements::rules});
  }
  if (!flags.norm.empty()) texts.push_back({"cost " + flags.norm, "--norm", Statements::rules});
  if (!with_target) return texts;
  bool agreed = false;
  for (const std::string& want : flags.target.want) {
    // "want" itself may be left out.
    const std::string_view start =
        std::string_view(want).substr(std::min(want.find_first_not_of(" \t\n"), want.size()));
    const bool of_model = start.starts_with("model ") || start.starts_with("every model") ||
                          start.starts_with("at least ");
    std::string text = of_model || start.starts_with("want ") ? want : "want " + want;
    // The probability belongs to the first outcome that names no model.
    if (flags.agree && !of_model && !std::exchange(agreed, true)) {
      text = fmt::format("at least {} models: {}", *flags.agree, text);
    }
    texts.push_back({text, "--want", Statements::wants});
  }
  return texts;
}

/// The query that all flags describe at a point.
Query query_at(const Question& question, const QuestionFlags& flags,
               const std::vector<double>& point, bool with_target) {
  Query query = query_for(question.ensembles.front(), point);
  apply(question.schema, query);
  try {
    add_text(question.texts, question.ensembles, question.schema, query, question.names);
  } catch (const Error& error) {
    if (!error.place().starts_with("--")) throw;
    throw UsageError(error.place(), error.reason(), error.remedy(), error.excerpt());
  }
  if (with_target && question.live) {
    query.live = flags.live;
    query.live_regions = question.live;
  }
  if (with_target && flags.target.want.empty()) {
    query.requirements.clear();
    query.agree = flags.agree;
    for (const std::size_t e : deciding_models(question.ensembles)) {
      if (e > 0 && !flags.agree) break;
      query.requirements.push_back(
          target_for(flags.target, question.ensembles[e], point, question.beaten));
      query.requirements.back().ensemble = e;
      query.requirements.back().counted = flags.agree.has_value();
    }
  }
  return query;
}

/// Adds the models of `--also`; errors name their files.
void load_others(const QuestionFlags& flags, Question& question) {
  std::vector<std::string> files{flags.model.model};
  for (const std::string& file : flags.also) {
    question.ensembles.push_back(read_model(file));
    files.push_back(file);
  }
  static_cast<ModelSet&>(question) =
      make_model_set(std::move(question.ensembles), files, std::move(question.schema));
  for (std::string& name : question.names) name = std::filesystem::path(name).stem().string();
  for (std::size_t i = 0; i < question.names.size(); ++i) {
    for (std::size_t k = i + 1; k < question.names.size(); ++k) {
      if (question.names[i] == question.names[k]) question.names[i] = question.names[k] = "";
    }
  }
}

void check_agree(const QuestionFlags& flags, const Question& question) {
  const std::size_t count = deciding_models(question.ensembles).size();
  if (!flags.agree || (*flags.agree > 0 && *flags.agree <= count)) return;
  throw UsageError(
      "--agree",
      fmt::format("{} models cannot agree: the number of models is {}", *flags.agree, count),
      "Give a number from 1 to the number of models; --also adds one");
}

void check_all_are_asked(const Question& question, const Query& query) {
  for (std::size_t e = 1; e < question.ensembles.size(); ++e) {
    const bool asked =
        std::any_of(query.requirements.begin(), query.requirements.end(),
                    [&](const Requirement& requirement) { return requirement.ensemble == e; });
    if (asked) continue;
    throw UsageError("--also", fmt::format("no outcome is given for model {}", e + 1),
                     fmt::format("Add --want \"model {}: want …\", or --agree", e + 1));
  }
}

/// The rows of --training; without that flag, those of --data.
std::vector<std::vector<double>> training_rows(const QuestionFlags& flags,
                                               const Question& question) {
  if (flags.training.empty()) return question.data.points;
  return read_data(flags.training, question.ensembles.front(), question.schema).points;
}

void measure_spread(const QuestionFlags& flags, Question& question) {
  if (flags.weights_from.empty()) return;
  const std::map<std::string, Spread> spreads{{"range", Spread::range},
                                              {"deviation", Spread::deviation},
                                              {"mad", Spread::median_deviation},
                                              {"quantiles", Spread::quantiles}};
  measure(question.schema, training_rows(flags, question), spreads.at(flags.weights_from));
}

void find_live(const QuestionFlags& flags, Question& question) {
  if (flags.live == 0) return;
  question.live = std::make_shared<const LiveRegions>(
      find_live_regions(question.ensembles, training_rows(flags, question)));
}

}  // namespace

void add_model_flags(CLI::App& command, ModelFlags& flags) {
  command
      .add_option("MODEL", flags.model,
                  "model file: XGBoost JSON or UBJSON, LightGBM text,\n"
                  "CatBoost JSON, ONNX, or Boxwood's own (scikit-learn)")
      ->required();
  command.add_option("--schema", flags.schema,
                     "JSON file with titles, labels, units, ranges and what may change");
  command.add_option(
      "--rounds", flags.rounds,
      "boosting rounds to use: all, best or a number (default: as the library predicts)");
}

void add_data_flag(CLI::App& command, std::string& data) {
  command.add_option("--data", data, "CSV file with a header line")->required();
}

void add_question_flags(CLI::App& command, QuestionFlags& flags) {
  add_model_flags(command, flags.model);
  command
      .add_option(
          "--also", flags.also,
          "another model with the same features; use --want \"model 2: want …\" to ask about it;\n"
          "may be repeated")
      ->allow_extra_args(false);
  add_data_flag(command, flags.data);
  add_target_flags(command, flags.target);
  const std::string group = "What may change";
  command.add_option("--fix", flags.fix, "features that must not change: a,b")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--only", flags.only, "the only features that may change: a,b")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--rule", flags.rule,
                  "a rule or a cost in words; may be repeated:\n"
                  "\"duration <= 24 months\", \"amount may only fall\", \"purpose in {car, tv}\",\n"
                  "\"amount changes by at least 500\", \"at most 3 changes\",\n"
                  "\"if purpose changes then amount does not rise\"")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--rules", flags.rules, "a file of rules, one per line")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--max-changes", flags.max_changes,
                  "at most this many features change; a one-hot group counts as one")
      ->group(group);
  command
      .add_option("--robust", flags.robust,
                  "the outcome must also hold for every row near the answer: 0.05 (a share of the\n"
                  "range of each feature that may change), or \"duration 1, amount 200\"")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--agree", flags.agree,
                  "the outcome must be that of at least this many of the models (MODEL and --also)")
      ->group("Outcome wanted");
  command
      .add_option("--live", flags.live,
                  "the answer's region must hold at least this many rows of --training")
      ->group(group);
  const std::string cost = "What a change costs";
  command
      .add_option("--weights", flags.weights,
                  "weights of features or one-hot groups: a=2,b=0.5 (default 1)")
      ->allow_extra_args(false)
      ->group(cost);
  command
      .add_option(
          "--weights-from", flags.weights_from,
          "scales from data: range, deviation (standard), mad (median absolute\n"
          "deviation), or quantiles (a change counts as the share of rows between the values)")
      ->check(CLI::IsMember({"range", "deviation", "mad", "quantiles"}))
      ->group(cost);
  command
      .add_option("--training", flags.training,
                  "CSV file for --weights-from and --live (default: --data)")
      ->group(cost);
  command
      .add_option(
          "--norm", flags.norm,
          "l2: squared distance; l1: absolute distance; l0: number of changes; linf: the\n"
          "largest change; \"l1 + 0.1 l0\": a sum; \"fewest then l1\": fewest changes first.\n"
          "Default: l1 + 0.1 l0 with a schema or --weights-from that gives scales, else l2")
      ->group(cost);
}

void add_question_file_flag(CLI::App& command, QuestionFlags& flags) {
  CLI::Option* file = command.add_option(
      "--question", flags.file,
      "answer the question of this file (see --save-question) instead of a row of --data");
  for (const char* name :
       {"--data",         "--class",       "--probability", "--range", "--at-least", "--at-most",
        "--output-index", "--beat",        "--want",        "--fix",   "--only",     "--rule",
        "--rules",        "--max-changes", "--robust",      "--agree", "--live",     "--weights",
        "--weights-from", "--training",    "--norm"}) {
    file->excludes(command.get_option(name));
  }
  command.get_option("--data")->required(false);
}

std::vector<InputFile> files_of(const QuestionFlags& flags) {
  std::vector<InputFile> files = {{"MODEL", flags.model.model},
                                  {"--schema", flags.model.schema},
                                  {"--data", flags.data},
                                  {"--training", flags.training},
                                  {"--question", flags.file}};
  for (const std::string& file : flags.also) files.push_back({"--also", file});
  for (const std::string& file : flags.rules) files.push_back({"--rules", file});
  return files;
}

void add_row_flags(CLI::App& command, RowFlags& flags) {
  auto* rows = command.add_option("--rows", flags.rows, "rows, counted from 0: 0,3,7-9 or all")
                   ->capture_default_str();
  command.add_option("--row", flags.row, "one row, counted from 0")->excludes(rows);
}

std::vector<std::size_t> chosen_rows(const RowFlags& flags, std::size_t count) {
  return flags.row ? parse_rows(*flags.row, count, "--row")
                   : parse_rows(flags.rows, count, "--rows");
}

KeepRow keep_rows(const RowFlags& flags) { return keep_rows(flags.row.value_or(flags.rows)); }

void add_threads_flag(CLI::App& command, SearchFlags& flags) {
  command.add_option("--threads", flags.threads, "number of threads; 0 for all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group("Search");
}

void add_search_flags(CLI::App& command, SearchFlags& flags) {
  const std::string group = "Search";
  command.add_option("--engine", flags.engine, "search algorithm; both give the same answers")
      ->check(CLI::IsMember({"fast", "paper"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--time-limit", flags.time_limit, "stop after this many seconds for each row")
      ->group(group);
  command
      .add_option("--node-limit", flags.node_limit,
                  "stop after this many nodes (boxes) for each row")
      ->group(group);
  command
      .add_option("--memory-limit", flags.memory_limit,
                  "stop when tables and open nodes take this many megabytes")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag(
          "--published", flags.published,
          "the paper's engine as published, without Boxwood's additions; implies --engine paper")
      ->group(group);
}

Model load_model(const ModelFlags& flags, Host& host) {
  const std::vector<std::string> origin = {flags.model, flags.rounds, flags.schema};
  if (host.model && host.model->origin == origin) return host.model->value;
  host.model.reset();  // before the next one is read, so that only one is in memory
  host.prepared.reset();
  Model model;
  model.ensemble = read_model(flags.model, parse_rounds(flags.rounds));
  model.schema =
      flags.schema.empty() ? schema_for(model.ensemble) : read_schema(flags.schema, model.ensemble);
  apply(model.schema, model.ensemble);
  host.model = {origin, model};
  return model;
}

Prepared prepare(const Question& question, const QuestionFlags& flags, Host& host) {
  // Scales from data become a part of the schema in the ModelSet.
  if (!flags.weights_from.empty()) return Prepared{ModelSet(question)};
  std::vector<std::string> origin = {flags.model.model, flags.model.rounds, flags.model.schema};
  origin.insert(origin.end(), flags.also.begin(), flags.also.end());
  if (!host.prepared || host.prepared->origin != origin) {
    host.prepared = {origin, Prepared{ModelSet(question)}};
  }
  return host.prepared->value;
}

Question load_question(const QuestionFlags& flags, Host& host, const KeepRow& keep,
                       bool with_target) {
  Question question;
  Model model = load_model(flags.model, host);
  if (with_target && flags.file.empty()) check_target(flags.target, model.ensemble);
  question.ensembles.push_back(std::move(model.ensemble));
  question.schema = std::move(model.schema);
  load_others(flags, question);
  if (!flags.file.empty()) {
    question.saved = read_question(flags.file);
    question.data = {.file = flags.file, .points = {question.saved->point}, .lines = {1}};
    return question;
  }
  check_agree(flags, question);
  question.texts = texts_of(flags, question.schema, with_target);
  const Ensemble& ensemble = question.ensembles.front();
  const std::vector<double> nothing(ensemble.features.size(), std::nan(""));
  question.beaten = nothing;
  const Query trial = query_at(question, flags, nothing, with_target);
  if (with_target) check_all_are_asked(question, trial);
  const bool uses = !flags.weights_from.empty() || flags.live > 0;
  if (!flags.training.empty() && !uses) {
    throw UsageError("--training", "is not used", "Give --weights-from or --live as well");
  }
  const bool all = uses && flags.training.empty();
  const std::optional<std::size_t> beat = flags.target.beat;
  const KeepRow both = [&](std::size_t row) { return keep(row) || row == beat; };
  question.data = read_data(flags.data, ensemble, question.schema, all || !keep ? KeepRow{} : both);
  if (beat) {
    const std::size_t count = question.data.points.size();
    question.beaten = question.data.points[parse_rows(std::to_string(*beat), count, "--beat")[0]];
  }
  measure_spread(flags, question);
  find_live(flags, question);
  return question;
}

Query query_for_row(const Question& question, const QuestionFlags& flags, std::size_t row,
                    bool with_target) {
  if (question.saved) {
    try {
      validate(*question.saved, question.ensembles);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", flags.file, error.place()), error.reason(), error.remedy());
    }
    return *question.saved;
  }
  Query query = query_at(question, flags, question.data.points[row], with_target);
  try {
    validate(query, question.ensembles);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}, line {}, {}", question.data.file, question.data.lines[row], error.place()),
        error.reason(), error.remedy());
  }
  return query;
}

const Ensemble& asked_model(const Question& question, const Query& query) {
  return question.ensembles[query.requirements.empty() ? 0 : query.requirements.front().ensemble];
}

Options options_for(const SearchFlags& flags) {
  if (!(flags.time_limit >= 0)) throw UsageError("--time-limit", "must be a number ≥ 0");
  Options options;
  options.engine = flags.engine == "paper" || flags.published ? Engine::paper : Engine::fast;
  options.threads = flags.threads;
  options.limits.seconds = flags.time_limit;
  options.limits.nodes = flags.node_limit;
  options.limits.bytes = flags.memory_limit << 20;
  options.published = flags.published;
  return options;
}

}  // namespace boxwood::cli
