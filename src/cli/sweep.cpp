// boxwood sweep: what the answer costs as more is required: a probability, a predicted number, or
// robust distances.
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/lists.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "cli/writer.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/render.hpp>
#include <boxwood/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace boxwood::cli {
namespace {

struct SweepFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  std::optional<double> from;
  std::optional<double> to;
  std::size_t steps = 10;
  std::string levels;
  std::string multiples;
  OutputFlags output;
  double width = PictureStyle{}.width;
  double height = PictureStyle{}.height;
  bool verify = false;
};

std::vector<double> listed_numbers(const std::string& text, const char* flag, const char* example) {
  std::vector<double> levels;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    double level = 0;
    if (!parse_number(part, level) || !std::isfinite(level)) {
      throw UsageError(flag, fmt::format("\"{}\" is not a number", part),
                       fmt::format("Write them with commas: {}", example));
    }
    levels.push_back(level);
    start = end + 1;
  }
  return levels;
}

std::vector<double> levels_of(const SweepFlags& flags) {
  std::vector<double> levels;
  if (!flags.levels.empty()) {
    levels = listed_numbers(flags.levels, "--levels", "0.5,0.7,0.9");
  } else {
    if (!flags.from) throw UsageError("--from", "is required, or --levels");
    if (!flags.to) throw UsageError("--to", "is required, or --levels");
    for (const auto& [name, end] :
         {std::pair{"--from", *flags.from}, std::pair{"--to", *flags.to}}) {
      if (!std::isfinite(end)) throw UsageError(name, "is not a number");
    }
    const std::size_t last = flags.steps - 1;
    for (std::size_t k = 0; k <= last; ++k) {
      const double share = last == 0 ? 0 : static_cast<double>(k) / static_cast<double>(last);
      const double level =
          k == last && last > 0 ? *flags.to : *flags.from + share * (*flags.to - *flags.from);
      // Levels are rounded to decimals that people expect: 0.6 instead of 0.5 + 2/9 * 0.45.
      double plain = 0;
      parse_number(fmt::format("{:.12g}", level), plain);
      levels.push_back(plain);
    }
  }
  const bool rising = std::is_sorted(levels.begin(), levels.end());
  if (!rising && !std::is_sorted(levels.begin(), levels.end(), std::greater<>{})) {
    throw UsageError("--levels", "are neither ascending nor descending", "Give them in order");
  }
  return levels;
}

/// The multiples of the distances of --robust.
std::vector<double> multiples_of(const SweepFlags& flags) {
  if (flags.question.robust.empty()) {
    throw UsageError("--multiples", "there are no distances to multiply", "Add --robust");
  }
  const std::vector<double> multiples = listed_numbers(flags.multiples, "--multiples", "0,0.5,1,2");
  if (multiples.front() < 0 || !std::is_sorted(multiples.begin(), multiples.end())) {
    throw UsageError("--multiples", "must be ascending and ≥ 0");
  }
  return multiples;
}

/// Ascending levels are lower limits of a predicted number, descending levels upper limits.
void ask_for(const std::vector<double>& levels, const Ensemble& ensemble, TargetFlags& target) {
  const char* flag = "--levels";
  const bool falling = levels.front() > levels.back();
  if (ensemble.task == Task::regression) {
    (falling ? target.at_most : target.at_least) = levels.front();
    return;
  }
  if (!ensemble.has_probabilities()) {
    throw UsageError(flag, fmt::format("the model ({}) gives no probabilities", ensemble.objective),
                     "A sweep needs a model with probabilities or a predicted number");
  }
  if (falling) throw UsageError(flag, "probabilities must be ascending");
  if (levels.front() < 0 || levels.back() > 1) {
    throw UsageError(flag, "probabilities must be between 0 and 1");
  }
  target.probability = levels.front();
}

int run(SweepFlags flags, Host& host) {
  refuse_input_as_output(flags.output.output, files_of(flags.question));
  const Swept swept = flags.multiples.empty() ? Swept::levels : Swept::distances;
  const std::vector<double> levels =
      swept == Swept::distances ? multiples_of(flags) : levels_of(flags);
  if (swept == Swept::levels && flags.question.target.want.empty()) {
    const Model model = load_model(flags.question.model, host);
    ask_for(levels, model.ensemble, flags.question.target);
  }
  const RowQuestion asked = load_row_question(flags.question, flags.row, host);
  const Schema& schema = asked.question.schema;
  const Ensemble& ensemble = asked.ensemble();
  const std::size_t row = asked.row;
  std::vector<SweepPoint> points;
  work_on(asked, host, flags.search, [&](const Query& query, const Options& watched) {
    const auto find = swept == Swept::distances ? find_robust_sweep : find_sweep;
    points = find(asked.prepared, query, levels, {}, watched);
  });

  const Query& query = asked.query();
  bool faulty = false;
  bool limited = points.size() < levels.size();
  const SweepView view{ensemble, schema, query, points, row, swept};
  std::string csv = swept == Swept::distances ? "multiple," : "level,";
  csv += csv_header(ensemble, flags.verify) + "\n";
  for (const auto& [level, answer] : points) {
    limited = limited || answer.stop != Stop::finished;
    const Query at = query_at(view, level);
    Explanation shown{ensemble, schema, at, answer, row, std::nullopt};
    if (flags.verify) {
      shown.faults = verify(asked.question.ensembles, at, answer).faults;
      faulty = report_faults(row, *shown.faults) || faulty;
    }
    csv += fmt::format("{},{}\n", level, to_csv(shown));
  }
  write_whole(flags.output, [&](const Output& output) {
    if (flags.output.format == "csv") return csv;
    if (flags.output.format == "json") return to_json(view) + "\n";
    if (flags.output.format == "svg") return to_svg(view, {flags.width, flags.height});
    return to_table(view, {.colour = output.wants_colour()});
  });
  if (faulty) return bad_input;
  return limited ? stopped : answered;
}

}  // namespace

Command add_sweep(CLI::App& program, Host& host) {
  CLI::App* app = program.add_subcommand(
      "sweep", "find the cost of the answer for increasing levels of the outcome or distances");
  auto flags = std::make_shared<SweepFlags>();
  add_question_flags(*app, flags->question);
  remove_flags(*app, {"--probability", "--range", "--at-least", "--at-most", "--beat"});
  app->add_option("--row", flags->row, "row number, counted from 0")->required();
  const std::string group = "Levels";
  auto* from = app->add_option("--from", flags->from, "first level")->group(group);
  auto* to = app->add_option("--to", flags->to, "last level")->group(group);
  app->add_option("--steps", flags->steps, "number of levels")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}))
      ->capture_default_str()
      ->group(group);
  auto* levels = app->add_option("--levels", flags->levels, "a list of levels instead: 0.5,0.7,0.9")
                     ->excludes(from)
                     ->excludes(to)
                     ->group(group);
  app->add_option("--multiples", flags->multiples,
                  "instead of levels: the distances of --robust multiplied by each of these;\n"
                  "0 is the answer without robustness: 0,0.5,1,2")
      ->excludes(from)
      ->excludes(to)
      ->excludes(levels)
      ->group(group);
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  add_output_flags(*app, flags->output, {"table", "json", "csv", "svg"}, "table, json, csv or svg");
  add_size_flags(*app, flags->width, flags->height);
  app->add_flag("--verify", flags->verify,
                "check each answer with an independent evaluation of the model")
      ->group("Output");
  app->footer(
      "For a classifier, levels are probabilities of the class. For a model that predicts a "
      "number,\n"
      "ascending levels are lower limits and descending levels are upper limits. With --want, the\n"
      "levels replace the one in the first wanted outcome. --time-limit applies to all levels\n"
      "together.\n\n"
      "--multiples shows the price of robustness: what it costs that the outcome also holds "
      "within\n"
      "larger and larger distances of the answer. The outcome is that of --class or --want.\n\n"
      "Examples:\n"
      "  boxwood sweep model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --from 0.5 --to 0.95 --steps 10\n"
      "  boxwood sweep model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --levels 0.5,0.6,0.7 --format svg --output sweep.svg\n"
      "  boxwood sweep model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --robust \"duration 1, credit_amount 100\" --multiples 0,1,2,4\n\n"
      "Exit codes: 0 every level answered, 1 bad input, 2 wrong usage, 3 a limit or Ctrl-C\n"
      "stopped the search.");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
