// boxwood robustness: for each row how far it is from any other outcome, exactly.
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "cli/writer.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/render.hpp>
#include <boxwood/verify.hpp>

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <memory>

namespace boxwood::cli {
namespace {

struct RobustnessFlags {
  QuestionFlags question;
  SearchFlags search;
  RowFlags rows;
  OutputFlags output;
  std::optional<double> tolerance;
  bool verify = false;
};

void check_tolerance(const RobustnessFlags& flags, const Ensemble& ensemble) {
  if (!flags.tolerance) return;
  if (ensemble.task != Task::regression) {
    throw UsageError("--tolerance", "the model predicts classes",
                     "Use --tolerance with models that predict a number");
  }
  if (!(*flags.tolerance >= 0 && std::isfinite(*flags.tolerance))) {
    throw UsageError("--tolerance", "must be a number ≥ 0");
  }
}

/// The distance is to any other outcome, of one model, in any region.
void refuse_flags_of_the_outcome(const QuestionFlags& flags) {
  if (flags.agree) {
    throw UsageError("--agree", "robustness always looks for any other outcome",
                     "Leave it out, or use explain");
  }
  if (flags.live != 0) {
    throw UsageError(
        "--live", "the distance to another outcome does not support answers in a region with rows",
        "Leave it out, or use explain");
  }
}

/// A row, kept for the table, which shows all rows at the end.
struct Judged {
  Query query;
  Answer answer;
};

int run(const RobustnessFlags& flags, const CLI::App& command, Host& host) {
  refuse_flags_of_the_outcome(flags.question);
  const std::vector<InputFile> inputs = files_of(flags.question);
  refuse_input_as_output(flags.output.output, inputs);
  const Question question = load_question(flags.question, host, keep_rows(flags.rows), false);
  const Ensemble& ensemble = question.ensembles.front();
  const Schema& schema = question.schema;
  check_tolerance(flags, ensemble);
  const double tolerance = flags.tolerance.value_or(0);
  const Options options = options_for(flags.search);
  Batch batch = batch_for(question, flags.question,
                          chosen_rows(flags.rows, question.data.points.size()), false);

  const Prepared prepared = prepare(question, flags.question, host);
  Writer writer(flags.output, csv_header(ensemble, flags.verify), identity_of(command, inputs),
                batch.rows);
  batch.queries.erase(batch.queries.begin(),
                      batch.queries.end() - static_cast<std::ptrdiff_t>(batch.rows.size()));
  const bool as_table = flags.output.format == "table";
  std::deque<Judged> judged;  // explanations refer to its members
  std::vector<Explanation> shown;
  bool limited = writer.earlier().limited;
  bool faulty = false;
  const auto work = [&](std::size_t row, const Query& query, const Options& watched) {
    if (!as_table) {
      shown.clear();
      judged.clear();
    }
    judged.push_back({query, find_robustness(prepared, query, tolerance, watched)});
    Judged& one = judged.back();
    one.query.requirements = {other_outcome(ensemble, query.point, tolerance)};
    limited = limited || one.answer.stop != Stop::finished;
    shown.push_back({ensemble, schema, one.query, one.answer, row, std::nullopt});
    bool wrong = false;
    if (flags.verify) {
      shown.back().faults = verify(ensemble, one.query, one.answer).faults;
      wrong = report_faults(row, *shown.back().faults);
      faulty = faulty || wrong;
    }
    if (as_table) return;
    writer.add(
        {{}, [&] { return robustness_json(shown.back()); }, [&] { return to_csv(shown.back()); }},
        !wrong && one.answer.stop != Stop::interrupt);
  };
  const bool all = work_off(batch, host, options, work);
  writer.say(robustness_table(shown, {.colour = writer.colour()}));
  writer.finish();
  if (faulty) return bad_input;
  return limited || !all ? stopped : answered;
}

}  // namespace

Command add_robustness(CLI::App& program, Host& host) {
  CLI::App* app =
      program.add_subcommand("robustness", "find the exact distance of rows to any other outcome");
  auto flags = std::make_shared<RobustnessFlags>();
  add_question_flags(*app, flags->question);
  remove_flags(*app, outcome_flags());
  remove_flags(*app, {"--also"});
  hide_flags(*app, {"--agree", "--live", "--robust"});
  app->add_option("--tolerance", flags->tolerance,
                  "for a predicted number: ignore differences up to this (default 0)");
  add_row_flags(*app, flags->rows);
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  add_output_flags(*app, flags->output, {"table", "json", "jsonl", "csv"},
                   "table, json, jsonl (one line per row, written at once) or csv");
  add_resume_flag(*app, flags->output);
  app->add_flag("--verify", flags->verify,
                "check each answer with an independent evaluation of the model")
      ->group("Output");
  app->footer(
      "All features may change, unless the schema or a flag fixes them, within the ranges and "
      "kinds\n"
      "of the schema. Without --schema, any number is allowed. Distances are in units of a\n"
      "feature's scale.\n\n"
      "Examples:\n"
      "  boxwood robustness model.ubj --data applicants.csv --schema schema.json\n"
      "  boxwood robustness model.ubj --data applicants.csv --schema schema.json --norm linf \\\n"
      "      --rows 0-4 --format csv\n"
      "  boxwood robustness prices.json --data houses.csv --tolerance 5000\n\n"
      "Exit codes: 0 proven for every row, 1 bad input, 2 wrong usage, 3 a limit or Ctrl-C\n"
      "stopped the search.");
  return {app, [flags, app, &host] { return run(*flags, *app, host); }};
}

}  // namespace boxwood::cli
