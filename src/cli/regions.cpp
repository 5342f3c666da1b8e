// boxwood regions: every box near a row in which the model is constant and has the wanted outcome.
#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "render/outcome.hpp"

#include <boxwood/explain.hpp>
#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>

namespace boxwood::cli {
namespace {

struct RegionFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  double within = std::numeric_limits<double>::infinity();
  std::size_t limit = 100;
  bool any_outcome = false;
  std::string format = "table";
  std::string output;
};

std::string why(Stop stop, std::size_t limit) {
  if (stop == Stop::finished) return "these are all";
  if (stop == Stop::visitor) return fmt::format("stopped at --limit {}, there are more", limit);
  return stop_text(stop) + ", there may be more";
}

int run(const RegionFlags& flags) {
  if (!(flags.within >= 0)) throw UsageError("--within", "must be a distance of 0 or more");
  const Question question = load_question(flags.question, !flags.any_outcome);
  const Ensemble& ensemble = question.ensembles.front();
  const Schema& schema = question.schema;
  const std::vector<std::size_t> rows = parse_rows(flags.row, question.data.points.size(), "--row");
  if (rows.size() != 1) throw UsageError("--row", "give just one row");
  const Query query = query_for_row(question, flags.question, rows.front(), !flags.any_outcome);

  const InterruptGuard interrupt;
  Options options = options_for(flags.search);
  options.limits.interrupt = interrupt.flag();
  Output output(flags.output, flags.format == "jsonl");
  if (flags.format == "csv") output.write(region_csv_header(ensemble) + "\n");
  if (flags.format == "json") output.write("[");
  std::size_t count = 0;
  Stop stop = Stop::finished;
  {
    ProgressLine line(fmt::format("regions of row {}", rows.front()), options.limits.seconds);
    options.progress = [&line](const Progress& progress) { line.show(progress); };
    const auto visit = [&](const Region& region) {
      // One more than the limit tells that the list is cut, not complete.
      if (count == flags.limit) return false;
      ++count;
      line.hide();
      const RegionView view{ensemble, schema, query, region, rows.front(), count};
      if (flags.format == "table") {
        output.write(to_table(view, {.colour = output.wants_colour()}) + "\n");
      } else if (flags.format == "csv") {
        output.write(to_csv(view) + "\n");
      } else if (flags.format == "json") {
        output.write((count == 1 ? "\n" : ",\n") + to_json(view));
      } else {
        output.write(to_json(view) + "\n");
      }
      output.flush();
      return true;
    };
    stop = visit_regions(question.ensembles, query, flags.within, visit, options);
  }
  const std::string told =
      fmt::format("{} region{}: {}.\n", count, count == 1 ? "" : "s", why(stop, flags.limit));
  if (flags.format == "json") output.write("\n]\n");
  if (flags.format == "table") output.write(told);
  output.finish();
  if (flags.format != "table" && stop != Stop::finished) std::cerr << "boxwood: " << told;
  return stop == Stop::finished ? answered : stopped;
}

}  // namespace

Command add_regions(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "regions", "all boxes near a row in which the model is constant and has the outcome");
  auto flags = std::make_shared<RegionFlags>();
  add_question_flags(*app, flags->question);
  app->add_option("--row", flags->row, "the row, from 0")->required();
  app->add_option("--within", flags->within, "distance from the row (default: any)");
  app->add_flag("--any-outcome", flags->any_outcome, "regions of every outcome")
      ->group("Outcome wanted");
  app->add_option("--limit", flags->limit, "most regions to list")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_search_flags(*app, flags->search);
  app->add_option("--format", flags->format, "table, json, jsonl or csv")
      ->check(CLI::IsMember({"table", "json", "jsonl", "csv"}))
      ->capture_default_str()
      ->group("Output");
  app->add_option("--output", flags->output, "write to this file")->group("Output");
  app->footer(
      "Example:\n"
      "  boxwood regions model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --row 3 --within 0.5 --limit 20\n\n"
      "Exit codes: 0 the list is complete, 1 bad input, 2 wrong usage, 3 stopped at a limit.");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace boxwood::cli
