// Rows of the data worked off one after the other, with a progress line and Ctrl-C; what the
// commands that answer for rows share.
#pragma once

#include "cli/progress.hpp"
#include "cli/question.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct Batch {
  std::vector<std::size_t> rows;
  std::vector<Query> queries;  ///< of each row
};

/// A row that makes no sense is found now, not after hours of work on the others.
Batch batch_for(const Question& question, const QuestionFlags& flags,
                const std::vector<std::size_t>& rows, bool with_target = true);

/// The one row that a command is about.
std::size_t single_row(const std::string& text, std::size_t count);

/// Calls `work` for each row until Ctrl-C; the options carry its flag and the progress line. Says
/// on standard error how many rows were not started, and returns whether all were.
bool work_off(
    const Batch& batch, const Options& options,
    const std::function<void(std::size_t row, const Query& query, const Options& options)>& work);

/// The time limit of a row, for the next of several calls.
class RowClock {
 public:
  explicit RowClock(const Options& options) : options_(options) {}
  double seconds() const;
  Options rest() const;

 private:
  const Options& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Loud on standard error whatever the format; true where there is any.
bool report_faults(std::size_t row, const std::vector<std::string>& faults);

/// The flags that say which outcome is wanted.
std::vector<std::string> outcome_flags();
/// Takes flags away again, for commands that have no use for them.
void remove_flags(CLI::App& command, const std::vector<std::string>& names);

}  // namespace boxwood::cli
