// boxwood reasons: what each feature contributes to the outcome that is asked for.
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/question.hpp"
#include "cli/writer.hpp"

#include <boxwood/reasons.hpp>
#include <boxwood/render.hpp>

#include <memory>

namespace boxwood::cli {
namespace {

struct ReasonsFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  OutputFlags output;
};

int run(const ReasonsFlags& flags, Host& host) {
  refuse_input_as_output(flags.output.output, files_of(flags.question));
  const RowQuestion asked = load_row_question(flags.question, flags.row, host);
  Reasons found;
  work_on(asked, host, flags.search, [&](const Query& query, const Options& watched) {
    found = find_reasons(asked.prepared, query, watched);
  });
  const ReasonsView view{asked.ensemble(), asked.question.schema, asked.query(), found, asked.row};
  write_whole(flags.output, [&](const Output& output) {
    if (flags.output.format == "json") return to_json(view) + "\n";
    return to_table(view, {.colour = output.wants_colour()});
  });
  return found.stop == Stop::finished ? answered : stopped;
}

}  // namespace

Command add_reasons(CLI::App& program, Host& host) {
  CLI::App* app = program.add_subcommand(
      "reasons", "find what each feature contributes to the outcome that is asked for");
  auto flags = std::make_shared<ReasonsFlags>();
  add_question_flags(*app, flags->question);
  app->add_option("--row", flags->row, "row number, counted from 0")->required();
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  add_output_flags(*app, flags->output, {"table", "json"}, "table or json");
  app->footer(
      "For each feature that may change: how much it alone improves the output at any cost, what\n"
      "the outcome costs if only this feature changes, and how much more it costs if this feature\n"
      "must stay. --time-limit applies to all searches together.\n\n"
      "Examples:\n"
      "  boxwood reasons model.ubj --data applicants.csv --schema schema.json --row 3\n"
      "  boxwood reasons ranker.txt --data items.csv --row 5 --beat 2 --format json\n\n"
      "Exit codes: 0 proven, 1 bad input, 2 wrong usage, 3 a limit or Ctrl-C stopped a search.");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
