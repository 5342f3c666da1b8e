// boxwood explain: for each row the cheapest change that has the wanted outcome, and what else is
// asked about it.
#include "base/text.hpp"
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/explain_extras.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"
#include "cli/writer.hpp"

#include <boxwood/explain.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/question_file.hpp>
#include <boxwood/render.hpp>
#include <boxwood/verify.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

namespace boxwood::cli {
namespace {

struct ExplainFlags {
  QuestionFlags question;
  SearchFlags search;
  RowFlags rows;
  ExtraFlags extras;
  OutputFlags output;
  std::size_t ties = Options{}.ties;
  bool verify = false;
  bool show_query = false;
  std::string save_question;
  std::string proof;
};

/// Everything that was found for a row. `shown` refers to `query` and `found`.
struct RowAnswer {
  Query query;
  Extras found;
  std::vector<Explanation> shown;
  bool interrupted = false;
  Stop unproven = Stop::finished;  ///< why there is no certificate, if one was asked for
};

std::string text_of(const std::vector<Explanation>& shown) {
  std::vector<std::string> paragraphs;
  for (const Explanation& one : shown) {
    paragraphs.push_back(fmt::format("{}\n", fmt::join(sentences(one), "\n")));
  }
  return fmt::format("{}", fmt::join(paragraphs, "\n"));
}

/// A menu is one object and one block; in CSV each alternative is a record with its number.
Result result_of(const std::vector<Explanation>& shown, const Extras& found,
                 const ExtrasAsked& asked, const std::string& format, bool colour) {
  const TableStyle style{.colour = colour, .why_not = "add --why-not."};
  Result result;
  if (asked.menu) {
    const auto view = [&] { return MenuView{shown, found.menu, *asked.menu}; };
    result.table = [=] { return to_table(view(), style); };
    result.json = [=] { return to_json(view()); };
    result.csv = [&shown] {
      std::vector<std::string> records;
      for (std::size_t k = 0; k < shown.size(); ++k) {
        records.push_back(fmt::format("{},{}", k + 1, to_csv(shown[k])));
      }
      return fmt::format("{}", fmt::join(records, "\n"));
    };
  } else {
    result.table = [&shown, style] { return to_table(shown.front(), style); };
    result.json = [&shown] { return to_json(shown.front()); };
    result.csv = [&shown] { return to_csv(shown.front()); };
  }
  if (format == "text") result.table = [&shown] { return text_of(shown); };
  return result;
}

void check_one_row(const std::string& flag, const std::vector<std::size_t>& rows) {
  if (rows.size() == 1) return;
  throw UsageError(flag, fmt::format("a file holds one row, not {}", rows.size()),
                   "Choose one row: --row 0");
}

void check_proof_flags(const ExplainFlags& flags, const ExtrasAsked& asked,
                       const std::vector<std::size_t>& rows) {
  if (flags.proof.empty()) return;
  check_one_row("--proof", rows);
  if (asked.menu) throw UsageError("--proof", "cannot be combined with --k");
  if (flags.output.resume) throw UsageError("--proof", "cannot be combined with --resume");
}

/// Answers one row, and checks and proves the answer where the flags ask for it.
std::unique_ptr<RowAnswer> answer_row(const Prepared& prepared, const Question& question,
                                      const ExplainFlags& flags, const ExtrasAsked& asked,
                                      const Ensemble& ensemble, std::size_t row,
                                      const Options& options) {
  auto one = std::make_unique<RowAnswer>();
  one->query = query_for_row(question, flags.question, row);
  one->found = find_extras(prepared, one->query, asked, options);
  one->interrupted = one->found.limited && options.limits.interrupt->load();
  for (std::size_t k = 0; k < one->found.answers.size(); ++k) {
    const Answer& answer = one->found.answers[k];
    Explanation& shown = one->shown.emplace_back(Explanation{
        ensemble, question.schema, one->query, answer, row, std::nullopt, one->found.findings[k]});
    shown.findings.earlier_alternatives = k;
    shown.findings.models = several_models(question.ensembles, question.names, one->query, answer);
    if (flags.verify) shown.faults = verify(question.ensembles, one->query, answer).faults;
  }
  if (flags.proof.empty()) return one;
  // The proof may take as much time as the search.
  const ProofLimits limits{.seconds = options.limits.seconds,
                           .interrupt = options.limits.interrupt};
  const Proof proof = prove(question.ensembles, one->query, one->found.answers.front(), limits);
  one->unproven = proof.stop;
  if (proof.stop == Stop::finished) write_file(flags.proof, proof.text);
  return one;
}

void report_unproven(Stop stop, const std::string& file) {
  std::cerr << fmt::format("boxwood: --proof: {}; {} was not written\n",
                           stop == Stop::interrupt ? "interrupted before the proof was complete"
                           : stop == Stop::time
                               ? "stopped at the time limit before the proof was complete"
                               : "the proof needs more boxes than a certificate may have",
                           visible(file));
}

int run(const ExplainFlags& flags, const CLI::App& command, Host& host) {
  if (flags.question.data.empty() && flags.question.file.empty()) {
    throw UsageError("--data", "is required unless --question is given",
                     "Give the CSV file with the rows");
  }
  const std::vector<InputFile> inputs = files_of(flags.question);
  refuse_input_as_output(flags.output.output, inputs);
  refuse_input_as_output(flags.save_question, inputs, "--save-question");
  refuse_input_as_output(flags.proof, inputs, "--proof");
  const Question question = load_question(flags.question, host, keep_rows(flags.rows));
  const ExtrasAsked asked = extras_asked(flags.extras, question.schema);
  Options options = options_for(flags.search);
  options.ties = flags.ties;
  std::vector<std::size_t> rows = chosen_rows(flags.rows, question.data.points.size());
  const std::optional<Query> first = check_rows(question, flags.question, rows);

  if (!flags.save_question.empty()) {
    check_one_row("--save-question", rows);
    write_file(flags.save_question,
               question_text(query_for_row(question, flags.question, rows.front())));
  }
  check_proof_flags(flags, asked, rows);
  if (flags.show_query) {
    for (const std::size_t row : rows) {
      std::cout << to_json(query_for_row(question, flags.question, row)) << "\n";
    }
    return answered;
  }
  const Prepared prepared = prepare(question, flags.question, host);
  const Ensemble& ensemble = first ? asked_model(question, *first) : question.ensembles.front();
  Writer writer(flags.output,
                (asked.menu ? "alternative," : "") + csv_header(ensemble, flags.verify),
                identity_of(command, inputs), rows);
  bool limited = writer.earlier().limited;
  bool faulty = false;
  std::vector<std::unique_ptr<RowAnswer>> answers(rows.size());
  const auto work = [&](std::size_t place, const Options& watched) {
    answers[place] = answer_row(prepared, question, flags, asked, ensemble, rows[place], watched);
  };
  const auto write = [&](std::size_t place) {
    const std::unique_ptr<RowAnswer> one = std::move(answers[place]);
    limited = limited || one->found.limited || one->unproven != Stop::finished;
    if (one->unproven != Stop::finished) report_unproven(one->unproven, flags.proof);
    bool wrong = false;
    for (const Explanation& shown : one->shown) {
      if (shown.faults) wrong = report_faults(rows[place], *shown.faults) || wrong;
    }
    faulty = faulty || wrong;
    writer.add(result_of(one->shown, one->found, asked, flags.output.format, writer.colour()),
               !wrong && !one->interrupted);
  };
  const bool all = work_off(rows, host, options, work, write);
  writer.finish();
  if (faulty) return bad_input;
  return limited || !all ? stopped : answered;
}

}  // namespace

Command add_explain(CLI::App& program, Host& host) {
  CLI::App* app = program.add_subcommand(
      "explain", "find the cheapest change that leads to the wanted outcome");
  auto flags = std::make_shared<ExplainFlags>();
  add_question_flags(*app, flags->question);
  add_question_file_flag(*app, flags->question);
  add_row_flags(*app, flags->rows);
  add_extra_flags(*app, flags->extras);
  add_search_flags(*app, flags->search);
  add_threads_flag(*app, flags->search);
  app->add_option("--ties", flags->ties, "how many answers of equal cost to list at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str()
      ->group("Search");
  add_output_flags(
      *app, flags->output, {"table", "text", "json", "jsonl", "csv"},
      "table, text (sentences), json, jsonl (one line per row, written at once) or csv");
  add_resume_flag(*app, flags->output);
  app->add_flag("--verify", flags->verify,
                "check each answer with an independent evaluation of the model")
      ->group("Output");
  app->add_flag("--show-query", flags->show_query, "print the query of each row as JSON and stop")
      ->group("Output");
  app->add_option("--save-question", flags->save_question,
                  "write the question of the row to this file (JSON), for --question")
      ->group("Output");
  app->add_option("--proof", flags->proof,
                  "write a proof of the answer to this file, for boxwood_check.py (docs/proof.md)")
      ->group("Output");
  app->footer(
      "If no outcome is given, a model with two classes is asked for the other class.\n\n"
      "Examples:\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json --row 3\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --class granted --probability 0.6 --fix duration --weights credit_amount=2\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --rule \"duration <= 24 months\" --rule \"at most 2 changes\" --norm l1\n"
      "  boxwood explain model.ubj --also last_year.ubj --data applicants.csv --schema schema.json "
      "\\\n"
      "      --want \"want 1\" --want \"model 2: want 1 with probability >= 0.6\"\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json --row 3 \\\n"
      "      --k 3 --widen --round 0.05\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json --row 0 \\\n"
      "      --only own_telephone --why-not\n"
      "  boxwood explain prices.json --data houses.csv --at-least 200000 --only garage,rooms\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --time-limit 10 --format jsonl --output answers.jsonl\n"
      "  … the same again after it was stopped, for the rows that are missing:\n"
      "  boxwood explain model.ubj --data applicants.csv --schema schema.json \\\n"
      "      --time-limit 10 --format jsonl --output answers.jsonl --resume\n\n"
      "Exit codes: 0 answered or proven impossible, 1 bad input, 2 wrong usage,\n"
      "3 a limit or Ctrl-C stopped the search before everything was proven.");
  return {app, [flags, app, &host] { return run(*flags, *app, host); }};
}

}  // namespace boxwood::cli
