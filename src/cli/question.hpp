// What explain and regions share: model, schema, data and the rules of a query, read from flags.
#pragma once

#include "cli/csv.hpp"
#include "cli/host.hpp"
#include "cli/output.hpp"
#include "cli/target.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/model_set.hpp>
#include <boxwood/query.hpp>
#include <boxwood/query_text.hpp>
#include <boxwood/read.hpp>
#include <boxwood/schema.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace boxwood::cli {

struct ModelFlags {
  std::string model;
  std::string rounds;
  std::string schema;
};

struct QuestionFlags {
  ModelFlags model;
  std::vector<std::string> also;
  std::string data;
  std::string file;  ///< --question: instead of the data and of everything below
  TargetFlags target;
  std::vector<std::string> fix;
  std::vector<std::string> only;
  std::vector<std::string> rule;
  std::vector<std::string> rules;
  std::optional<std::size_t> max_changes;
  std::vector<std::string> robust;
  std::optional<std::size_t> agree;
  std::size_t live = 0;
  std::vector<std::string> weights;
  std::string weights_from;
  std::string training;
  std::string norm;
};

/// `--rows` or `--row`; errors name the flag that was given.
struct RowFlags {
  std::string rows = "all";
  std::optional<std::string> row;
};

struct SearchFlags {
  std::string engine = "fast";
  int threads = 0;
  double time_limit = std::numeric_limits<double>::infinity();
  std::uint64_t node_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t memory_limit = 4096;
  bool published = false;
};

void add_model_flags(CLI::App& command, ModelFlags& flags);
void add_data_flag(CLI::App& command, std::string& data);
void add_question_flags(CLI::App& command, QuestionFlags& flags);
/// `--question`, which excludes the data and every flag that is part of a question.
void add_question_file_flag(CLI::App& command, QuestionFlags& flags);
void add_row_flags(CLI::App& command, RowFlags& flags);
void add_search_flags(CLI::App& command, SearchFlags& flags);
void add_threads_flag(CLI::App& command, SearchFlags& flags);

/// The files that a command reads.
std::vector<InputFile> files_of(const QuestionFlags& flags);

std::vector<std::size_t> chosen_rows(const RowFlags& flags, std::size_t count);
/// Which rows of the data these flags need in memory.
KeepRow keep_rows(const RowFlags& flags);

/// Reads the model, unless the host has it.
Model load_model(const ModelFlags& flags, Host& host);

/// MODEL and the models of `--also`, the data, and the query texts of all flags.
struct Question : ModelSet {
  Data data;
  std::vector<QueryText> texts;
  std::vector<double> beaten{};               ///< the point of --beat
  std::shared_ptr<const LiveRegions> live{};  ///< the regions of the training rows
  std::optional<Query> saved;  ///< of --question: the whole query; `data` is then its point
};
/// Reads everything and checks every flag that does not depend on the row. Without `with_target`,
/// no outcome is required. The points of rows that are not kept are empty.
Question load_question(const QuestionFlags& flags, Host& host, const KeepRow& keep,
                       bool with_target = true);

/// The models of the question, ready for searches. If they are the same as those of the last
/// question, the prepared models are reused.
Prepared prepare(const Question& question, const QuestionFlags& flags, Host& host);

/// The query for one row. Throws Error naming the line of the data if its values are invalid.
Query query_for_row(const Question& question, const QuestionFlags& flags, std::size_t row,
                    bool with_target = true);

/// The model that a query's first requirement is about; the first model if it has no requirement.
const Ensemble& asked_model(const Question& question, const Query& query);

Options options_for(const SearchFlags& flags);

}  // namespace boxwood::cli
