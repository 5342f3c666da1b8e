#include "cli/batch.hpp"

#include "base/text.hpp"
#include "cli/lists.hpp"
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iostream>
#include <limits>
#include <thread>

namespace boxwood::cli {
namespace {

bool say_if_not_all(std::size_t done, std::size_t count) {
  if (done == count) return true;
  std::cerr << fmt::format("boxwood: interrupted; {} of {} rows not started\n", count - done,
                           count);
  return false;
}

/// One row after the other until Ctrl-C; returns how many were worked on.
std::size_t one_by_one(const std::vector<std::size_t>& rows, const Host& host,
                       const Options& options, const InterruptGuard& interrupt,
                       const std::function<void(std::size_t place, const Options& options)>& work) {
  std::size_t done = 0;
  for (; done < rows.size() && !interrupt.raised(); ++done) {
    const std::string name =
        rows.size() == 1 ? fmt::format("row {}", rows[done])
                         : fmt::format("row {} ({} of {})", rows[done], done + 1, rows.size());
    ProgressLine line(name, options.limits.seconds);
    Options watched = options;
    watched.limits.interrupt = interrupt.flag();
    watched.progress = [&](const Progress& progress) {
      host.progress ? host.progress(progress) : line.show(progress);
    };
    work(done, watched);
  }
  return done;
}

/// Several rows at once, one thread each; returns how many were worked on.
std::size_t side_by_side(const std::vector<std::size_t>& rows, const Host& host,
                         const Options& options, const InterruptGuard& interrupt,
                         const std::function<void(std::size_t place, const Options& options)>& work,
                         const std::function<void(std::size_t place)>& write) {
  std::atomic<std::size_t> done = 0;
  ProgressLine line("", std::numeric_limits<double>::infinity());
  Options watched = options;
  watched.limits.interrupt = interrupt.flag();
  watched.progress = [&](const Progress& progress) {
    if (host.progress) return host.progress(progress);
    line.rename(fmt::format("{} of {} rows", done.load(), rows.size()));
    line.show(progress);
  };
  std::vector<std::exception_ptr> failures(rows.size());
  const auto careful = [&](std::size_t place, const Options& one) {
    try {
      work(place, one);
    } catch (...) {
      failures[place] = std::current_exception();
    }
  };
  const auto show = [&](std::size_t place) {
    if (failures[place]) std::rethrow_exception(failures[place]);
    line.hide();
    write(place);
    ++done;
    return true;
  };
  run_batch(rows.size(), careful, show, watched);
  return done;
}

}  // namespace

Batch batch_for(const Question& question, const QuestionFlags& flags,
                const std::vector<std::size_t>& rows, bool with_target) {
  Batch batch{rows, {}};
  for (const std::size_t row : rows) {
    batch.queries.push_back(query_for_row(question, flags, row, with_target));
  }
  return batch;
}

std::optional<Query> check_rows(const Question& question, const QuestionFlags& flags,
                                const std::vector<std::size_t>& rows) {
  std::optional<Query> first;
  for (const std::size_t row : rows) {
    Query query = query_for_row(question, flags, row);
    if (!first) first = std::move(query);
  }
  return first;
}

std::size_t single_row(const std::string& text, std::size_t count) {
  const std::vector<std::size_t> rows = parse_rows(text, count, "--row");
  if (rows.size() != 1) throw UsageError("--row", "must be one row");
  return rows.front();
}

bool work_off(
    const Batch& batch, const Host& host, const Options& options,
    const std::function<void(std::size_t row, const Query& query, const Options& options)>& work) {
  const InterruptGuard interrupt;
  const auto work_on = [&](std::size_t place, const Options& watched) {
    work(batch.rows[place], batch.queries[place], watched);
  };
  return say_if_not_all(one_by_one(batch.rows, host, options, interrupt, work_on),
                        batch.rows.size());
}

bool work_off(const std::vector<std::size_t>& rows, const Host& host, const Options& options,
              const std::function<void(std::size_t place, const Options& options)>& work,
              const std::function<void(std::size_t place)>& write) {
  const InterruptGuard interrupt;
  const std::size_t threads = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                  : std::thread::hardware_concurrency();
  if (rows.size() >= std::max<std::size_t>(threads, 2)) {
    return say_if_not_all(side_by_side(rows, host, options, interrupt, work, write), rows.size());
  }
  const auto work_and_write = [&](std::size_t place, const Options& watched) {
    work(place, watched);
    write(place);
  };
  return say_if_not_all(one_by_one(rows, host, options, interrupt, work_and_write), rows.size());
}

RowQuestion load_row_question(const QuestionFlags& flags, const std::string& row, Host& host) {
  Question question = load_question(flags, host, keep_rows(row));
  const std::size_t one = single_row(row, question.data.points.size());
  Batch batch = batch_for(question, flags, {one});
  Prepared prepared = prepare(question, flags, host);
  return {std::move(question), one, std::move(batch), std::move(prepared)};
}

void work_on(const RowQuestion& asked, const Host& host, const SearchFlags& search,
             const std::function<void(const Query& query, const Options& options)>& work) {
  work_off(asked.batch, host, options_for(search),
           [&](std::size_t, const Query& query, const Options& watched) { work(query, watched); });
}

bool report_faults(std::size_t row, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) {
    std::cerr << fmt::format("boxwood: row {}: VERIFICATION FAILED: {}\n", row, visible(fault));
  }
  return !faults.empty();
}

std::vector<std::string> outcome_flags() {
  return {"--class",   "--probability",  "--range", "--at-least",
          "--at-most", "--output-index", "--beat",  "--want"};
}

void remove_flags(CLI::App& command, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (CLI::Option* option = command.get_option_no_throw(name)) command.remove_option(option);
  }
}

void hide_flags(CLI::App& command, const std::vector<std::string>& names) {
  for (const std::string& name : names) command.get_option(name)->group("");
}

}  // namespace boxwood::cli
