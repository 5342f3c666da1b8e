// boxwood regions: every box near a row in which the model is constant and has the wanted outcome.
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "cli/writer.hpp"
#include "render/outcome.hpp"

#include <boxwood/explain.hpp>
#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

namespace boxwood::cli {
namespace {

struct RegionFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  double within = std::numeric_limits<double>::infinity();
  std::size_t limit = 100;
  bool any_outcome = false;
  bool sorted = false;
  OutputFlags output;
};

std::string why(Stop stop, std::size_t limit, bool missing) {
  if (stop == Stop::finished) {
    return missing ? "these are all with the same missing values" : "these are all";
  }
  if (stop == Stop::visitor) return fmt::format("stopped at --limit {}, there are more", limit);
  return stop_text(stop) + ", there may be more";
}

int run(const RegionFlags& flags, Host& host) {
  refuse_input_as_output(flags.output.output, files_of(flags.question));
  if (!(flags.within >= 0)) throw UsageError("--within", "must be a number ≥ 0");
  const Question question =
      load_question(flags.question, host, keep_rows(flags.row), !flags.any_outcome);
  const Schema& schema = question.schema;
  const std::size_t row = single_row(flags.row, question.data.points.size());
  const Query query = query_for_row(question, flags.question, row, !flags.any_outcome);
  const std::size_t asked = query.requirements.empty() ? 0 : query.requirements.front().ensemble;
  const Ensemble& ensemble = question.ensembles[asked];

  const InterruptGuard interrupt;
  Options options = options_for(flags.search);
  options.limits.interrupt = interrupt.flag();
  Writer writer(flags.output, region_csv_header(ensemble));
  std::size_t count = 0;
  std::vector<Region> kept;
  Stop stop = Stop::finished;
  {
    ProgressLine line(fmt::format("regions of row {}", row), options.limits.seconds);
    options.progress = [&](const Progress& progress) {
      host.progress ? host.progress(progress) : line.show(progress);
    };
    const auto write = [&](Region region) {
      // The requirement's model is shown first.
      std::swap(region.scores.front(), region.scores[asked]);
      const RegionView view{ensemble, schema, query, region, row, ++count};
      line.hide();
      writer.add({[&] { return to_table(view, {.colour = writer.colour()}); },
                  [&] { return to_json(view); }, [&] { return to_csv(view); }});
    };
    const auto visit = [&](const Region& region) {
      // Asking for one more than the limit shows whether the list is complete.
      if (count + kept.size() == flags.limit) return false;
      if (flags.sorted) {
        kept.push_back(region);
      } else {
        write(region);
      }
      return true;
    };
    stop = visit_regions(question.ensembles, query, flags.within, visit, options);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Region& a, const Region& b) { return a.cost < b.cost; });
    for (const Region& region : kept) write(region);
  }
  const bool missing = std::any_of(query.features.begin(), query.features.end(),
                                   [](const FeatureRule& rule) { return rule.missing_allowed; });
  const std::string told = fmt::format("{} region{}: {}.\n", count, count == 1 ? "" : "s",
                                       why(stop, flags.limit, missing));
  writer.say(count == 0 ? told : "\n" + told);
  writer.finish();
  if (flags.output.format != "table" && stop != Stop::finished) std::cerr << "boxwood: " << told;
  return stop == Stop::finished ? answered : stopped;
}

}  // namespace

Command add_regions(CLI::App& program, Host& host) {
  CLI::App* app =
      program.add_subcommand("regions", "list the boxes around a row in which the outcome holds");
  auto flags = std::make_shared<RegionFlags>();
  add_question_flags(*app, flags->question);
  hide_flags(*app, {"--live", "--robust"});
  app->add_option("--row", flags->row, "row number, counted from 0")->required();
  app->add_option("--within", flags->within, "largest distance from the row (default: no limit)");
  app->add_flag("--any-outcome", flags->any_outcome, "list regions of every outcome")
      ->group("Outcome wanted");
  app->add_option("--limit", flags->limit, "how many regions to list at most")
      ->capture_default_str();
  add_search_flags(*app, flags->search);
  app->add_flag("--sorted", flags->sorted,
                "nearest first; printed when all are found or --limit is reached")
      ->group("Output");
  add_output_flags(*app, flags->output, {"table", "json", "jsonl", "csv"},
                   "table, json, jsonl or csv");
  app->footer(
      "Example:\n"
      "  boxwood regions model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --row 3 --within 0.5 --limit 20\n\n"
      "Exit codes: 0 the list is complete, 1 bad input, 2 wrong usage, 3 a limit stopped it.");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
