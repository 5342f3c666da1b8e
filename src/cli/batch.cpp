#include "cli/batch.hpp"

#include "cli/lists.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace boxwood::cli {

Batch batch_for(const Question& question, const QuestionFlags& flags,
                const std::vector<std::size_t>& rows, bool with_target) {
  Batch batch{rows, {}};
  for (const std::size_t row : rows) {
    batch.queries.push_back(query_for_row(question, flags, row, with_target));
  }
  return batch;
}

std::size_t single_row(const std::string& text, std::size_t count) {
  const std::vector<std::size_t> rows = parse_rows(text, count, "--row");
  if (rows.size() != 1) throw UsageError("--row", "give just one row");
  return rows.front();
}

bool work_off(
    const Batch& batch, const Options& options,
    const std::function<void(std::size_t row, const Query& query, const Options& options)>& work) {
  const InterruptGuard interrupt;
  std::size_t done = 0;
  for (; done < batch.rows.size() && !interrupt.raised(); ++done) {
    const std::size_t row = batch.rows[done];
    const std::string name =
        batch.rows.size() == 1 ? fmt::format("row {}", row)
                               : fmt::format("row {} ({} of {})", row, done + 1, batch.rows.size());
    ProgressLine line(name, options.limits.seconds);
    Options watched = options;
    watched.limits.interrupt = interrupt.flag();
    watched.progress = [&line](const Progress& progress) { line.show(progress); };
    work(row, batch.queries[done], watched);
  }
  if (done == batch.rows.size()) return true;
  std::cerr << fmt::format("boxwood: interrupted; {} of {} rows not started\n",
                           batch.rows.size() - done, batch.rows.size());
  return false;
}

double RowClock::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Options RowClock::rest() const {
  Options rest = options_;
  rest.limits.seconds = std::max(0.0, options_.limits.seconds - seconds());
  return rest;
}

bool report_faults(std::size_t row, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) {
    std::cerr << fmt::format("boxwood: row {}: VERIFICATION FAILED: {}\n", row, fault);
  }
  return !faults.empty();
}

std::vector<std::string> outcome_flags() {
  return {"--class",   "--probability",  "--range", "--at-least",
          "--at-most", "--output-index", "--want"};
}

void remove_flags(CLI::App& command, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (CLI::Option* option = command.get_option_no_throw(name)) command.remove_option(option);
  }
}

}  // namespace boxwood::cli
