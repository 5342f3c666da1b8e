// Rows of the data answered one after the other or side by side, with a progress line and Ctrl-C:
// what the commands that answer for rows share.
#pragma once

#include "cli/progress.hpp"
#include "cli/question.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct Batch {
  std::vector<std::size_t> rows;
  std::vector<Query> queries;  ///< of each row
};

/// The queries of all rows. Throws Error for a row that makes no sense, before any work is done.
Batch batch_for(const Question& question, const QuestionFlags& flags,
                const std::vector<std::size_t>& rows, bool with_target = true);

/// The same check without keeping the queries, for any number of rows. Returns the first query.
std::optional<Query> check_rows(const Question& question, const QuestionFlags& flags,
                                const std::vector<std::size_t>& rows);

/// The one row that a command is about.
std::size_t single_row(const std::string& text, std::size_t count);

/// Calls `work` for one row after the other until Ctrl-C; the options carry its flag and the
/// progress line. Says on standard error how many rows were not started, and returns whether all
/// were.
bool work_off(
    const Batch& batch, const Host& host, const Options& options,
    const std::function<void(std::size_t row, const Query& query, const Options& options)>& work);

/// The same for many rows: `work(place, options)` for as many at once as there are threads, one
/// thread a row, and `write(place)` in the order of `rows`. Fewer rows than threads are worked off
/// one by one, each with all threads. What `work` or `write` throws ends the work.
bool work_off(const std::vector<std::size_t>& rows, const Host& host, const Options& options,
              const std::function<void(std::size_t place, const Options& options)>& work,
              const std::function<void(std::size_t place)>& write);

/// A question about one row, ready to be searched: what the commands about one row begin with.
struct RowQuestion {
  Question question;
  std::size_t row = 0;
  Batch batch;  ///< of this row
  Prepared prepared;

  const Query& query() const { return batch.queries.front(); }
  /// The model that the outcome is about.
  const Ensemble& ensemble() const { return asked_model(question, query()); }
};
/// Reads everything. Throws Error, or UsageError where --row is not one row.
RowQuestion load_row_question(const QuestionFlags& flags, const std::string& row, Host& host);
/// Calls `work` with a progress line and Ctrl-C.
void work_on(const RowQuestion& asked, const Host& host, const SearchFlags& search,
             const std::function<void(const Query& query, const Options& options)>& work);

/// Reports faults on standard error for every format; true if there is any.
bool report_faults(std::size_t row, const std::vector<std::string>& faults);

/// The flags that say which outcome is wanted.
std::vector<std::string> outcome_flags();
/// Takes flags away again, for commands that have no use for them.
void remove_flags(CLI::App& command, const std::vector<std::string>& names);

/// Leaves flags out of `--help` that the command refuses with a reason.
void hide_flags(CLI::App& command, const std::vector<std::string>& names);

}  // namespace boxwood::cli
