// boxwood explain: for each row the cheapest change that has the wanted outcome.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"

#include <boxwood/explain.hpp>
#include <boxwood/render.hpp>
#include <boxwood/verify.hpp>

#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace boxwood::cli {
namespace {

struct ExplainFlags {
  QuestionFlags question;
  SearchFlags search;
  RowFlags rows;
  std::size_t ties = Options{}.ties;
  std::string format = "table";
  std::string output;
  bool verify = false;
};

/// Writes one explanation after the other in the chosen format.
class Writer {
 public:
  Writer(const ExplainFlags& flags, const Ensemble& ensemble)
      : format_(flags.format), output_(flags.output, flags.format == "jsonl") {
    if (format_ == "csv") output_.write(csv_header(ensemble, flags.verify) + "\n");
    if (format_ == "json") output_.write("[");
  }

  void add(const Explanation& explanation) {
    if (format_ == "table") {
      if (!first_) output_.write("\n");
      output_.write(to_table(explanation, {.colour = output_.wants_colour()}));
    } else if (format_ == "csv") {
      output_.write(to_csv(explanation) + "\n");
    } else if (format_ == "json") {
      output_.write((first_ ? "\n" : ",\n") + to_json(explanation));
    } else {
      output_.write(to_json(explanation) + "\n");
    }
    first_ = false;
    output_.flush();
  }

  void finish() {
    if (format_ == "json") output_.write("\n]\n");
    output_.finish();
  }

 private:
  std::string format_;
  Output output_;
  bool first_ = true;
};

void report_skipped(std::size_t done, std::size_t count) {
  if (done == count) return;
  std::cerr << fmt::format("boxwood: interrupted; {} of {} rows not started\n", count - done,
                           count);
}

/// Loud on standard error whatever the format, and to the exit code.
bool report_faults(std::size_t row, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) {
    std::cerr << fmt::format("boxwood: row {}: VERIFICATION FAILED: {}\n", row, fault);
  }
  return !faults.empty();
}

int run(const ExplainFlags& flags) {
  const Question question = load_question(flags.question);
  const std::vector<std::size_t> rows = chosen_rows(flags.rows, question.data.points.size());
  Options options = options_for(flags.search);
  options.ties = flags.ties;

  // A row that makes no sense is found now, not after hours of work on the others.
  std::vector<Query> queries;
  for (const std::size_t row : rows) {
    queries.push_back(query_for_row(question, flags.question, row));
  }

  const InterruptGuard interrupt;
  options.limits.interrupt = interrupt.flag();
  const Prepared prepared(question.ensembles);
  const Ensemble& shown =
      queries.empty() ? question.ensembles.front() : asked_model(question, queries.front());
  Writer writer(flags, shown);
  bool limited = false;
  bool faulty = false;
  std::size_t done = 0;
  for (; done < rows.size() && !interrupt.raised(); ++done) {
    const Query& query = queries[done];
    Answer answer;
    {
      ProgressLine line(fmt::format("row {} ({} of {})", rows[done], done + 1, rows.size()),
                        options.limits.seconds);
      options.progress = [&line](const Progress& progress) { line.show(progress); };
      answer = explain(prepared, query, options);
    }
    Explanation explanation{shown, question.schema, query, answer, rows[done], std::nullopt};
    if (flags.verify) {
      explanation.faults = verify(question.ensembles, query, answer).faults;
      faulty = report_faults(rows[done], *explanation.faults) || faulty;
    }
    limited = limited || answer.stop != Stop::finished;
    writer.add(explanation);
  }
  writer.finish();
  report_skipped(done, rows.size());
  if (faulty) return bad_input;
  return limited || done < rows.size() ? stopped : answered;
}

}  // namespace

Command add_explain(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("explain", "the cheapest change that has the wanted outcome");
  auto flags = std::make_shared<ExplainFlags>();
  add_question_flags(*app, flags->question);
  add_row_flags(*app, flags->rows);
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  app->add_option("--ties", flags->ties, "most changes of equal cost to list")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str()
      ->group("Search");
  app->add_option("--format", flags->format, "table, json, jsonl (a line a row, at once) or csv")
      ->check(CLI::IsMember({"table", "json", "jsonl", "csv"}))
      ->capture_default_str()
      ->group("Output");
  app->add_option("--output", flags->output, "write to this file")->group("Output");
  app->add_flag("--verify", flags->verify, "check each answer again, from the model alone")
      ->group("Output");
  app->footer(
      "Without an outcome, a model of two classes is asked for the other one.\n\n"
      "Examples:\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json --row 3\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --class granted --probability 0.6 --fix duration --weights credit_amount=2\n"
      "  boxwood explain prices.json --data houses.csv --at-least 200000 --only garage,rooms\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --rule \"duration <= 24 months\" --rule \"at most 2 changes\" --norm l1\n"
      "  boxwood explain model.ubj --also last_year.ubj --data applicants.csv \\\n"
      "      --want \"want 1\" --want \"model 2: want 1 with probability >= 0.6\"\n"
      "  boxwood explain model.ubj --data applicants.csv --time-limit 10 --format jsonl\n\n"
      "Exit codes: 0 answered (also: proven impossible), 1 bad input, 2 wrong usage,\n"
      "3 stopped at a limit or by Ctrl-C before everything was proven.");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace boxwood::cli
