#include "cli/question.hpp"

#include "cli/lists.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
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
      throw UsageError("--rounds", fmt::format("\"{}\" is not all, best or a number", text));
    }
    rounds.first = first;
  }
  return rounds;
}

void apply_flags(const QuestionFlags& flags, const Schema& schema, Query& query) {
  for (const std::string& list : flags.fix) {
    for (const std::size_t i : parse_features(list, schema, "--fix")) {
      query.features[i].fixed = true;
    }
  }
  if (!flags.only.empty()) {
    for (FeatureRule& rule : query.features) rule.fixed = true;
    for (const std::string& list : flags.only) {
      for (const std::size_t i : parse_features(list, schema, "--only")) {
        query.features[i].fixed = false;
      }
    }
  }
  for (const std::string& list : flags.weights) {
    for (const auto& [i, weight] : parse_weights(list, schema, "--weights")) {
      query.features[i].weight = weight;
    }
  }
  const std::map<std::string, Norm> norms{
      {"l2", Norm::squared_l2}, {"l1", Norm::l1}, {"l0", Norm::l0}, {"linf", Norm::linf}};
  query.norm = norms.at(flags.norm);
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
  command.add_option("--rounds", flags.rounds,
                     "boosting rounds that count: all, best or a number (default: as the library "
                     "itself predicts)");
}

void add_data_flag(CLI::App& command, std::string& data) {
  command.add_option("--data", data, "CSV file with a header, one row a point")->required();
}

void add_question_flags(CLI::App& command, QuestionFlags& flags) {
  add_model_flags(command, flags.model);
  add_data_flag(command, flags.data);
  add_target_flags(command, flags.target);
  const std::string group = "What may change";
  auto* fix = command.add_option("--fix", flags.fix, "features that stay as they are: a,b")
                  ->allow_extra_args(false)
                  ->group(group);
  command.add_option("--only", flags.only, "the only features that may change: a,b")
      ->allow_extra_args(false)
      ->group(group)
      ->excludes(fix);
  command.add_option("--weights", flags.weights, "what a change costs: a=2,b=0.5 (default 1)")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--norm", flags.norm,
                  "l2: squared distance; l1: absolute distance; l0: number of changes; linf: the "
                  "largest change")
      ->check(CLI::IsMember({"l2", "l1", "l0", "linf"}))
      ->capture_default_str()
      ->group(group);
}

void add_row_flags(CLI::App& command, RowFlags& flags) {
  auto* rows = command.add_option("--rows", flags.rows, "rows from 0: 0,3,7-9 or all")
                   ->capture_default_str();
  command.add_option("--row", flags.row, "the same, for one")->excludes(rows);
}

std::vector<std::size_t> chosen_rows(const RowFlags& flags, std::size_t count) {
  return flags.row ? parse_rows(*flags.row, count, "--row")
                   : parse_rows(flags.rows, count, "--rows");
}

void add_threads_flag(CLI::App& command, SearchFlags& flags) {
  command.add_option("--threads", flags.threads, "0 for all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group("Search");
}

void add_search_flags(CLI::App& command, SearchFlags& flags) {
  const std::string group = "Search";
  command.add_option("--engine", flags.engine, "which search; both give the same answers")
      ->check(CLI::IsMember({"fast", "paper"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--time-limit", flags.time_limit, "seconds for each row")->group(group);
  command.add_option("--node-limit", flags.node_limit, "boxes looked at for each row")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command.add_option("--memory-limit", flags.memory_limit, "megabytes for boxes still open")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--published", flags.published,
                "the paper's engine as published, without our additions; implies --engine paper")
      ->group(group);
}

Model load_model(const ModelFlags& flags) {
  Model model;
  model.ensemble = read_model(flags.model, parse_rounds(flags.rounds));
  model.schema =
      flags.schema.empty() ? schema_for(model.ensemble) : read_schema(flags.schema, model.ensemble);
  apply(model.schema, model.ensemble);
  return model;
}

Question load_question(const QuestionFlags& flags, bool with_target) {
  Question question;
  question.model = load_model(flags.model);
  const auto& [ensemble, schema] = question.model;
  if (with_target) check_target(flags.target, ensemble);
  const std::vector<double> nothing(ensemble.features.size(), std::nan(""));
  Query trial = query_for(ensemble, nothing);
  apply_flags(flags, schema, trial);
  question.data = data_for(read_csv(flags.data), ensemble, schema);
  return question;
}

Query query_for_row(const Question& question, const QuestionFlags& flags, std::size_t row,
                    bool with_target) {
  const auto& [ensemble, schema] = question.model;
  Query query = query_for(ensemble, question.data.points[row]);
  apply(schema, query);
  apply_flags(flags, schema, query);
  if (with_target) query.requirements = {target_for(flags.target, ensemble, query.point)};
  try {
    validate(query, std::span(&ensemble, 1));
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}, line {}, {}", question.data.file, question.data.lines[row], error.place()),
        error.reason(), error.remedy());
  }
  return query;
}

Options options_for(const SearchFlags& flags) {
  if (!(flags.time_limit >= 0)) throw UsageError("--time-limit", "must be 0 or more seconds");
  Options options;
  options.engine = flags.engine == "paper" || flags.published ? Engine::paper : Engine::fast;
  options.threads = flags.threads;
  options.limits.seconds = flags.time_limit;
  options.limits.nodes = flags.node_limit;
  options.limits.bytes = flags.memory_limit << 20;
  options.additions = {.score_pruning = !flags.published, .leaf_pruning = !flags.published};
  return options;
}

}  // namespace boxwood::cli
