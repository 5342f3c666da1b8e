// boxwood map: the exact decision regions over two features, with a row and its nearest change.
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/lists.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "cli/writer.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace boxwood::cli {
namespace {

struct MapFlags {
  QuestionFlags question;
  SearchFlags search;
  std::string row;
  std::string x;
  std::string y;
  std::string x_view;
  std::string y_view;
  std::optional<double> radius;
  std::string colour = "class";
  OutputFlags output;
  double width = PictureStyle{}.width;
  double height = PictureStyle{}.height;
};

/// "A:B" in the feature's own values or labels.
Interval parse_view(const std::string& text, const FeatureSchema& feature, const char* flag) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw UsageError(flag, fmt::format("\"{}\" is not a range", text), "Write A:B, such as 10:20");
  }
  const auto end = [&](const std::string& part) {
    double value = 0;
    for (std::size_t k = 0; k < feature.labels.size(); ++k) {
      if (feature.labels[k] == part) return static_cast<double>(k);
    }
    if (!parse_number(part, value) || !std::isfinite(value)) {
      throw UsageError(flag, fmt::format("\"{}\" is not a number", part),
                       "Write A:B, such as 10:20");
    }
    return value;
  };
  const Interval view{end(text.substr(0, colon)), end(text.substr(colon + 1))};
  if (!(view.lower < view.upper)) {
    throw UsageError(flag, "the range is empty", "Give the smaller end first");
  }
  return view;
}

/// For features with labels the view contains all labels; for other features, all thresholds of the
/// model.
Interval default_view(const FeatureSchema& feature) {
  if (feature.labels.empty()) return {};
  return {-0.5, static_cast<double>(feature.labels.size()) - 0.5};
}

std::size_t one_feature(const std::string& name, const Schema& schema, const char* flag) {
  const std::vector<std::size_t> features = parse_features(name, schema, flag);
  if (features.size() != 1) throw UsageError(flag, "must be one feature");
  return features.front();
}

MapOptions options_of_map(const MapFlags& flags, const Schema& schema) {
  MapOptions map;
  map.x = one_feature(flags.x, schema, "--x");
  map.y = one_feature(flags.y, schema, "--y");
  if (map.x == map.y) throw UsageError("--y", "is the same feature as --x");
  const FeatureSchema& x = schema.features[map.x];
  const FeatureSchema& y = schema.features[map.y];
  map.x_view = flags.x_view.empty() ? default_view(x) : parse_view(flags.x_view, x, "--x-view");
  map.y_view = flags.y_view.empty() ? default_view(y) : parse_view(flags.y_view, y, "--y-view");
  if (flags.radius && !(*flags.radius >= 0 && std::isfinite(*flags.radius))) {
    throw UsageError("--radius", "must be a number ≥ 0");
  }
  map.radius = flags.radius;
  return map;
}

struct Drawn {
  Map map;
  Answer answer;
  std::vector<PathStep> path;
};

int run(const MapFlags& flags, Host& host) {
  refuse_input_as_output(flags.output.output, files_of(flags.question));
  const Question question = load_question(flags.question, host, keep_rows(flags.row));
  const Ensemble& ensemble = question.ensembles.front();
  const Schema& schema = question.schema;
  const MapOptions asked = options_of_map(flags, schema);
  const std::size_t row = single_row(flags.row, question.data.points.size());
  const Batch batch = batch_for(question, flags.question, {row});
  const Query& query = batch.queries.front();
  const Prepared prepared = prepare(question, flags.question, host);
  Drawn drawn;
  work_off(batch, host, options_for(flags.search),
           [&](std::size_t, const Query&, const Options& watched) {
             Budget budget(watched);
             drawn.map = find_map(prepared, query, asked, budget.rest(Budget::as_reported));
             drawn.answer = explain(prepared, query, budget.rest(Budget::as_reported));
             if (drawn.answer.solutions.empty() || drawn.answer.already_met) return;
             drawn.path = find_path(prepared, query, drawn.answer.best().point, false);
           });

  const MapView view{ensemble, schema, query, drawn.map, asked, drawn.answer, drawn.path, row};
  write_whole(flags.output, [&](const Output& output) {
    if (flags.output.format == "json") return to_json(view) + "\n";
    if (flags.output.format == "svg") {
      return to_svg(view, {flags.width, flags.height, flags.colour == "output"});
    }
    return to_table(view, {.colour = output.wants_colour()});
  });
  const bool limited = drawn.map.stop != Stop::finished || drawn.answer.stop != Stop::finished;
  return limited ? stopped : answered;
}

}  // namespace

Command add_map(CLI::App& program, Host& host) {
  CLI::App* app =
      program.add_subcommand("map", "draw the exact decision regions over two features");
  auto flags = std::make_shared<MapFlags>();
  add_question_flags(*app, flags->question);
  remove_flags(*app, {"--also"});
  hide_flags(*app, {"--agree", "--live", "--robust"});
  app->add_option("--row", flags->row, "row number, counted from 0")->required();
  const std::string group = "What is drawn";
  app->add_option("--x", flags->x, "feature along the x axis")->required()->group(group);
  app->add_option("--y", flags->y, "feature along the y axis")->required()->group(group);
  app->add_option("--x-view", flags->x_view, "range to show, as A:B (default: all thresholds)")
      ->group(group);
  app->add_option("--y-view", flags->y_view, "range to show along y, as A:B")->group(group);
  app->add_option("--radius", flags->radius,
                  "let the other features change by at most this distance to reach the outcome\n"
                  "(default: they keep their values)")
      ->group(group);
  app->add_option("--colour", flags->colour,
                  "what colours show: the class, or the output as a scale")
      ->check(CLI::IsMember({"class", "output"}))
      ->capture_default_str()
      ->group(group);
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  add_output_flags(*app, flags->output, {"table", "json", "svg"}, "table, json or svg");
  add_size_flags(*app, flags->width, flags->height);
  app->footer(
      "The cheapest change may involve other features than these two; the picture then says so.\n"
      "To allow only these two to change, add --only with both.\n\n"
      "Examples:\n"
      "  boxwood map model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --x duration --y credit_amount --format svg --output map.svg\n"
      "  boxwood map model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --x duration --y credit_amount --x-view 6:48 --y-view 500:9000 --radius 1\n\n"
      "Exit codes: 0 drawn, 1 bad input, 2 wrong usage, 3 a limit or Ctrl-C stopped it.");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
