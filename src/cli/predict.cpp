// boxwood predict: what the model says about rows of data, as its own library would.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "render/model_json.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace boxwood::cli {
namespace {

struct PredictFlags {
  ModelFlags model;
  std::string data;
  RowFlags rows;
  bool raw = false;
  std::string format = "table";
  std::string output;
};

std::string exact_text(double value, Precision precision) {
  return precision == Precision::float32 ? number_text(static_cast<float>(value))
                                         : number_text(value);
}

void write_raw(Output& output, const Ensemble& ensemble, const Data& data,
               const std::vector<std::size_t>& rows) {
  const std::size_t count = ensemble.base.size();
  for (std::size_t k = 0; k < count; ++k) {
    output.write(count == 1 ? "score" : fmt::format("{}score_{}", k == 0 ? "" : ",", k));
  }
  output.write("\n");
  for (const std::size_t row : rows) {
    const std::vector<double> scores = ensemble.predict(data.points[row]);
    for (std::size_t k = 0; k < count; ++k) {
      if (k > 0) output.write(",");
      output.write(exact_text(scores[k], ensemble.accumulator));
    }
    output.write("\n");
  }
}

/// Row, class and a probability for each class; or row and number.
std::vector<std::string> header_of(const Ensemble& ensemble, const Schema& schema) {
  std::vector<std::string> cells = {"row"};
  if (ensemble.task != Task::regression) cells.emplace_back("class");
  if (ensemble.has_probabilities()) {
    for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
      cells.push_back(class_words(ensemble, k));
    }
  } else if (ensemble.link != Link::winner) {
    for (std::size_t k = 0; k < ensemble.output_count(); ++k) {
      std::string name = schema.outcome.empty() ? "output" : outcome_words(schema);
      cells.push_back(ensemble.output_count() == 1 ? name : fmt::format("{} {}", name, k));
    }
  }
  return cells;
}

std::vector<std::string> cells_of(const Ensemble& ensemble, std::size_t row,
                                  const std::vector<double>& scores) {
  std::vector<std::string> cells = {std::to_string(row)};
  if (ensemble.task != Task::regression) {
    cells.push_back(class_words(ensemble, ensemble.classify(scores)));
  }
  if (ensemble.link == Link::winner) return cells;
  std::vector<double> outputs = ensemble.transform(scores);
  if (ensemble.has_probabilities()) {
    std::vector<double> probabilities;
    for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
      probabilities.push_back(ensemble.probability(outputs, k));
    }
    outputs = std::move(probabilities);
  }
  for (const double value : outputs) cells.push_back(exact_text(value, ensemble.accumulator));
  return cells;
}

void write_table(Output& output, const Model& model, const Data& data,
                 const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::string>> lines = {header_of(model.ensemble, model.schema)};
  for (const std::size_t row : rows) {
    lines.push_back(cells_of(model.ensemble, row, model.ensemble.predict(data.points[row])));
  }
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t c = 0; c + 1 < line.size(); ++c) text += padded(line[c], widths[c]) + "   ";
    output.write(text + line.back() + "\n");
  }
}

int run(const PredictFlags& flags, Host& host) {
  refuse_input_as_output(
      flags.output,
      {{"MODEL", flags.model.model}, {"--schema", flags.model.schema}, {"--data", flags.data}});
  const Model model = load_model(flags.model, host);
  const Data data = read_data(flags.data, model.ensemble, model.schema, keep_rows(flags.rows));
  const std::vector<std::size_t> rows = chosen_rows(flags.rows, data.points.size());
  Output output(flags.output, false);
  if (flags.format == "json") {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      output.write(i == 0 ? "[\n" : ",\n");
      output.write(prediction_json(model.ensemble, model.schema, data.points[rows[i]], rows[i]));
    }
    output.write("\n]\n");
  } else if (flags.raw) {
    write_raw(output, model.ensemble, data, rows);
  } else {
    write_table(output, model, data, rows);
  }
  output.finish();
  return answered;
}

}  // namespace

Command add_predict(CLI::App& program, Host& host) {
  CLI::App* app =
      program.add_subcommand("predict", "predict rows of data, exactly as the library does");
  auto flags = std::make_shared<PredictFlags>();
  add_model_flags(*app, flags->model);
  add_data_flag(*app, flags->data);
  add_row_flags(*app, flags->rows);
  auto* raw = app->add_flag("--raw", flags->raw,
                            "raw scores (before sigmoid, softmax, …) as CSV, with all digits");
  app->add_option("--format", flags->format, "table, or json: each row with its values")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str()
      ->excludes(raw);
  app->add_option("--output", flags->output, "write to this file instead of standard output");
  app->footer(
      "Examples:\n"
      "  boxwood predict model.ubj --data applicants.csv --schema schema.json\n"
      "  boxwood predict model.ubj --data applicants.csv --schema schema.json --raw > scores.csv");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
