// boxwood best: the highest probability, or the highest or lowest output, for a limited cost.
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
#include <memory>

namespace boxwood::cli {
namespace {

struct BestFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  double budget = 0;
  bool lowest = false;
  bool curve = false;
  OutputFlags output;
  double width = PictureStyle{}.width;
  double height = PictureStyle{}.height;
  bool verify = false;
};

/// The highest output of a model that predicts a number, or the lowest.
void ask_for_best(const BestFlags& flags, const Ensemble& ensemble, TargetFlags& target) {
  if (ensemble.task == Task::regression) {
    (flags.lowest ? target.at_most : target.at_least) = 0;
  } else if (flags.lowest) {
    throw UsageError("--lowest", "the model predicts classes", "Name the other class with --class");
  }
}

int run(BestFlags flags, Host& host) {
  refuse_input_as_output(flags.output.output, files_of(flags.question));
  if (!(flags.budget >= 0)) throw UsageError("--budget", "must be a number ≥ 0");
  if (flags.question.target.want.empty()) {
    const Model model = load_model(flags.question.model, host);
    ask_for_best(flags, model.ensemble, flags.question.target);
  } else if (flags.lowest) {
    throw UsageError("--lowest", "it cannot be combined with --want",
                     "Ask for an upper end: --want \"output <= 0\"");
  }
  const bool picture = flags.output.format == "svg";
  const RowQuestion asked = load_row_question(flags.question, flags.row, host);
  const Question& question = asked.question;
  BestCurve found;
  work_on(asked, host, flags.search, [&](const Query& query, const Options& watched) {
    if (flags.curve || picture) {
      found = find_best_curve(asked.prepared, query, flags.budget, {}, watched);
    } else {
      found.best = find_best(asked.prepared, query, flags.budget, watched);
    }
  });
  Query query = asked.query();
  const Answer& answer = found.best.answer;
  const double level = answer.solutions.empty() ? found.best.before : found.best.value;
  query.requirements.front() = best_requirement(asked.prepared, query, level);
  const Ensemble& ensemble = asked_model(question, query);
  bool faulty = false;
  if (flags.verify && !answer.solutions.empty()) {
    faulty = report_faults(asked.row, verify(question.ensembles, query, answer).faults);
  }
  const BestView view{ensemble, question.schema, query, found, flags.budget, asked.row};
  write_whole(flags.output, [&](const Output& output) {
    if (flags.output.format == "json") return to_json(view) + "\n";
    if (picture) {
      const std::vector<SweepPoint> points = sweep_of(view);
      return to_svg(SweepView{ensemble, question.schema, query, points, asked.row},
                    {flags.width, flags.height});
    }
    return to_table(view, {.colour = output.wants_colour()});
  });
  if (faulty) return bad_input;
  const bool proven = found.best.stop == Stop::finished && found.stop == Stop::finished;
  return proven ? answered : stopped;
}

}  // namespace

Command add_best(CLI::App& program, Host& host) {
  CLI::App* app = program.add_subcommand(
      "best", "find the highest probability or output that changes of a limited cost can reach");
  auto flags = std::make_shared<BestFlags>();
  add_question_flags(*app, flags->question);
  remove_flags(*app, {"--probability", "--range", "--at-least", "--at-most", "--beat"});
  app->add_option("--row", flags->row, "row number, counted from 0")->required();
  app->add_option("--budget", flags->budget, "the most that the change may cost; inf: no limit")
      ->required();
  app->add_flag("--lowest", flags->lowest, "for a predicted number: the lowest, not the highest");
  app->add_flag("--curve", flags->curve,
                "also find every step of the output from cost 0 up to the budget");
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  add_output_flags(*app, flags->output, {"table", "json", "svg"}, "table, json or svg (the curve)");
  add_size_flags(*app, flags->width, flags->height);
  app->add_flag("--verify", flags->verify,
                "check the answer with an independent evaluation of the model")
      ->group("Output");
  app->footer(
      "For a classifier, the probability of the wanted class is made as high as possible. With\n"
      "--want, the first wanted outcome says what is improved, and its level is ignored. The cost\n"
      "is measured by --norm, as for explain. --time-limit applies to the whole search.\n\n"
      "Examples:\n"
      "  boxwood best model.ubj --data applicants.csv --schema schema.json --row 3 --budget 0.2\n"
      "  boxwood best model.ubj --data applicants.csv --schema schema.json --row 3 --budget 0.5 "
      "\\\n"
      "      --curve --format svg --output curve.svg\n"
      "  boxwood best prices.json --data houses.csv --row 0 --budget 1 --lowest\n\n"
      "Exit codes: 0 proven, 1 bad input, 2 wrong usage, 3 a limit or Ctrl-C stopped the search.");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
