// Asks a model a file of questions and times each answer: what bench/run.py measures Boxwood with.
// It calls the public API; only the switches for experiments (--without, --tune) come from an
// internal header. It prints one JSON object a line as soon as it is known, so that a crash loses
// no earlier answer. bench/README.md describes the files.
#include "kinds.hpp"
#include "search/engine_settings.hpp"

#include <boxwood/boxwood.hpp>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double long_seconds = 0.1;  // of processor time: such a question is not repeated

struct Arguments {
  std::string model;
  std::string questions;
  std::string engine;
  std::string norm = "squared_l2";
  std::string kind = "plain";
  std::string rows;
  std::string proofs;
  std::vector<std::string> without;
  std::vector<std::string> tune;
  int threads = 0;
  double time_limit = infinity;
  double processor_limit = infinity;
  double proof_seconds = 600;
  int repeat = 1;
  bool trace = false;
  bool batch = false;
};

struct Question {
  std::size_t row = 0;
  boxwood::Query query;
  std::vector<boxwood::Clause> rules;  // of the kind "ten linear rules"
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double processor_seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Ends a search after so many seconds of processor time of all threads of this process, which other
// work on the machine does not use up. A thread looks at the clock and sets the flag that the
// search reads. (A timer of the process would do without, but makes the clock itself coarse.)
class ProcessorLimit {
 public:
  explicit ProcessorLimit(double seconds) : seconds_(seconds) {
    if (seconds < infinity) watcher_ = std::thread([this] { watch(); });
  }
  ~ProcessorLimit() {
    ended_ = true;
    if (watcher_.joinable()) watcher_.join();
  }
  ProcessorLimit(const ProcessorLimit&) = delete;
  ProcessorLimit& operator=(const ProcessorLimit&) = delete;

  void begin() {
    const std::lock_guard lock(mutex_);
    begun_ = std::clock();
    passed_ = seconds_ <= 0;
  }
  static const std::atomic<bool>* passed() { return &passed_; }

 private:
  void watch() {
    while (!ended_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::lock_guard lock(mutex_);
      if (processor_seconds_since(begun_) > seconds_) passed_ = true;
    }
  }

  double seconds_;
  static inline std::atomic<bool> passed_ = false;
  std::mutex mutex_;
  std::clock_t begun_ = std::clock();
  std::atomic<bool> ended_ = false;
  std::thread watcher_;
};

void print(const Json& line) { std::cout << line.dump() << '\n' << std::flush; }

boxwood::Engine engine_named(const std::string& name) {
  if (name.empty()) return boxwood::Options{}.engine;
  for (const boxwood::Engine engine : {boxwood::Engine::fast, boxwood::Engine::paper}) {
    if (name == boxwood::to_string(engine)) return engine;
  }
  throw boxwood::Error("--engine", "no engine is called \"" + name + "\"");
}

boxwood::Norm norm_named(const std::string& name) {
  if (name == "squared_l2") return boxwood::Norm::squared_l2;
  if (name == "l1") return boxwood::Norm::l1;
  if (name == "l0") return boxwood::Norm::l0;
  if (name == "linf") return boxwood::Norm::linf;
  throw boxwood::Error("--norm", "\"" + name + "\" is none of squared_l2, l1, l0, linf");
}

boxwood::FeatureKind kind_named(const std::string& name) {
  if (name == "continuous") return boxwood::FeatureKind::continuous;
  if (name == "integer") return boxwood::FeatureKind::integer;
  if (name == "ordinal") return boxwood::FeatureKind::ordinal;
  if (name == "categorical") return boxwood::FeatureKind::categorical;
  throw boxwood::Error("features", "no kind is called \"" + name + "\"");
}

double number_or(const Json& value, double otherwise) {
  return value.is_null() ? otherwise : value.get<double>();
}

// `null` and an absent key are an open end.
boxwood::Interval interval_of(const Json& object) {
  boxwood::Interval interval;
  if (object.contains("lower")) interval.lower = number_or(object["lower"], -infinity);
  if (object.contains("upper")) interval.upper = number_or(object["upper"], infinity);
  return interval;
}

std::vector<boxwood::FeatureRule> rules_of(const Json& features) {
  std::vector<boxwood::FeatureRule> rules;
  for (const Json& feature : features) {
    boxwood::FeatureRule rule;
    rule.kind = kind_named(feature.value("kind", std::string("continuous")));
    rule.fixed = feature.value("fixed", false);
    rule.range = interval_of(feature);
    rule.weight = feature.value("weight", 1.0);
    rule.scale = feature.value("scale", 1.0);
    rules.push_back(rule);
  }
  return rules;
}

boxwood::Query query_of(const Json& entry, const std::vector<boxwood::FeatureRule>& rules,
                        boxwood::Norm norm) {
  boxwood::Query query;
  for (const Json& value : entry.at("point")) {
    query.point.push_back(number_or(value, std::numeric_limits<double>::quiet_NaN()));
  }
  query.features = rules;
  if (entry.contains("ranges")) {
    for (const auto& [feature, ends] : entry["ranges"].items()) {
      boxwood::Interval& range = query.features.at(std::stoul(feature)).range;
      range.lower = number_or(ends.at(0), -infinity);
      range.upper = number_or(ends.at(1), infinity);
    }
  }
  query.requirements = {entry.contains("class")
                            ? boxwood::require_class(entry["class"].get<std::size_t>())
                            : boxwood::require_output(interval_of(entry))};
  query.norm = norm;
  return query;
}

// "0,3,7-9", both ends in; everything where nothing is said. Rows past the end are left out.
std::vector<std::size_t> rows_of(const std::string& text, std::size_t count) {
  std::vector<std::size_t> rows;
  std::istringstream parts(text.empty() ? "0-" + std::to_string(count) : text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const std::size_t first = std::stoul(part.substr(0, dash));
    const std::size_t last = dash == std::string::npos ? first : std::stoul(part.substr(dash + 1));
    for (std::size_t row = first; row <= last && row < count; ++row) rows.push_back(row);
  }
  return rows;
}

std::vector<Question> read_questions(const Arguments& arguments) {
  std::ifstream file(arguments.questions);
  if (!file) throw boxwood::Error(arguments.questions, "cannot be read");
  const Json document = Json::parse(file);
  const std::vector<boxwood::FeatureRule> rules = rules_of(document.at("features"));
  const boxwood::Norm norm = norm_named(arguments.norm);
  const Json& entries = document.at("queries");
  std::vector<boxwood::Query> queries;
  for (const Json& entry : entries) queries.push_back(query_of(entry, rules, norm));
  const std::vector<boxwood::Clause> of_rows = rules_of_rows(queries);
  std::vector<Question> questions;
  for (const std::size_t row : rows_of(arguments.rows, entries.size())) {
    questions.push_back({row, queries[row], of_rows});
  }
  return questions;
}

boxwood::Options options_of(const Arguments& arguments) {
  boxwood::Options options;
  options.engine = engine_named(arguments.engine);
  options.threads = arguments.threads;
  options.limits.seconds = arguments.time_limit;
  options.limits.interrupt = ProcessorLimit::passed();
  boxwood::EngineSettings settings;
  for (const std::string& part : arguments.without) {
    if (part == "start") settings.parts.start = false;
    if (part == "probe") settings.parts.probe = false;
    if (part == "dual") settings.parts.dual = false;
  }
  for (const std::string& text : arguments.tune) {
    const std::size_t sign = text.find('=');
    const std::string number = sign == std::string::npos ? "" : text.substr(sign + 1);
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0') {
      throw boxwood::Error("--tune " + text, "there is no number", "Give NAME=VALUE");
    }
    boxwood::fast::set(settings.tuning, text.substr(0, sign), value);
  }
  boxwood::set(options, settings);
  return options;
}

Json describe(std::size_t row, const boxwood::Answer& answer, double seconds) {
  Json line = {{"row", row},          {"status", boxwood::to_string(answer.status)},
               {"cost", answer.cost}, {"lower_bound", answer.lower_bound},
               {"seconds", seconds},  {"nodes", answer.statistics.nodes},
               {"point", nullptr},    {"already_met", answer.already_met}};
  if (!answer.solutions.empty()) line["point"] = answer.best().point;
  return line;
}

// Proves an answer and writes question and proof beside the model, for the checkers.
void add_proof(const boxwood::Prover& prover, const Question& question,
               const boxwood::Answer& answer, const Arguments& arguments, Json& line) {
  const std::string name = arguments.proofs + "/" + std::to_string(question.row);
  try {
    const std::clock_t start = std::clock();
    const boxwood::Proof proof = prover.prove(
        question.query, answer, {.boxes = 10'000'000, .seconds = arguments.proof_seconds});
    const double processor = processor_seconds_since(start);
    if (proof.stop != boxwood::Stop::finished) {
      line["proof_error"] =
          std::string("stopped by the limit on ") + boxwood::to_string(proof.stop);
      return;
    }
    std::ofstream(name + ".question.json") << boxwood::question_text(question.query);
    std::ofstream(name + ".proof.json") << proof.text;
    line["proof_seconds"] = proof.seconds;
    line["proof_processor_seconds"] = processor;
    line["proof_boxes"] = proof.boxes;
    line["proof_bytes"] = proof.text.size();
  } catch (const boxwood::Error& error) {
    line["proof_error"] = error.what();
  }
}

// Repeated, the times are the least: the answer is always the same, and other work on the machine
// only ever adds. What takes long is not repeated.
void answer_one(const boxwood::Prepared& prepared, const boxwood::Prover* prover,
                const Question& question, const Arguments& arguments, ProcessorLimit& limit) {
  boxwood::Options options = options_of(arguments);
  const Ask ask = kinds(question.rules).at(arguments.kind);
  std::clock_t processor_start = 0;
  boxwood::Answer answer;
  std::vector<std::array<double, 3>> reports;
  if (arguments.trace) {
    options.progress = [&](const boxwood::Progress& progress) {
      reports.push_back(
          {processor_seconds_since(processor_start), progress.best_cost, progress.lower_bound});
    };
  }
  double seconds = infinity, processor_seconds = infinity;
  for (int turn = 0; turn < std::max(1, arguments.repeat); ++turn) {
    reports.clear();
    limit.begin();
    const Clock::time_point start = Clock::now();
    processor_start = std::clock();
    answer = ask(prepared, question.query, options);
    processor_seconds = std::min(processor_seconds, processor_seconds_since(processor_start));
    seconds = std::min(seconds, seconds_since(start));
    if (processor_seconds > long_seconds) break;
  }
  Json line = describe(question.row, answer, seconds);
  line["processor_seconds"] = processor_seconds;
  if (arguments.trace) line["trace"] = reports;
  if (!arguments.proofs.empty()) {
    add_proof(*prover, question, answer, arguments, line);
  }
  print(line);
}

void answer_in_turn(const boxwood::Prepared& prepared, const std::vector<Question>& questions,
                    const Arguments& arguments) {
  std::optional<boxwood::Prover> prover;
  if (!arguments.proofs.empty()) prover.emplace(prepared.ensembles());
  ProcessorLimit limit(arguments.processor_limit);
  for (const Question& question : questions) {
    try {
      answer_one(prepared, prover ? &*prover : nullptr, question, arguments, limit);
    } catch (const std::exception& fault) {
      print({{"row", question.row}, {"status", "error"}, {"error", fault.what()}});
    }
  }
}

// One thread a query, many queries at once: what a service that explains a whole table does.
void answer_as_batch(const boxwood::Prepared& prepared, const std::vector<Question>& questions,
                     const Arguments& arguments) {
  boxwood::Options options = options_of(arguments);
  options.threads = 1;
  const int cores = tbb::this_task_arena::max_concurrency();
  const int threads = arguments.threads > 0 ? arguments.threads : cores;
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  std::vector<std::string> outcomes(questions.size());
  const auto answer_some = [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      try {
        outcomes[i] =
            boxwood::to_string(boxwood::explain(prepared, questions[i].query, options).status);
      } catch (const std::exception&) {
        outcomes[i] = "error";
      }
    }
  };
  double seconds = infinity, processor_seconds = infinity;
  for (int turn = 0; turn < std::max(1, arguments.repeat); ++turn) {
    const Clock::time_point start = Clock::now();
    const std::clock_t processor_start = std::clock();
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, questions.size()), answer_some);
    seconds = std::min(seconds, seconds_since(start));
    processor_seconds = std::min(processor_seconds, processor_seconds_since(processor_start));
  }
  Json counts = Json::object();
  for (const std::string& outcome : outcomes) counts[outcome] = counts.value(outcome, 0) + 1;
  print({{"answers", questions.size()},
         {"threads", threads},
         {"seconds", seconds},
         {"processor_seconds", processor_seconds},
         {"answers_per_second", static_cast<double>(questions.size()) / seconds},
         {"statuses", counts}});
}

void run(const Arguments& arguments) {
  options_of(arguments);  // complains about an unknown engine before the model is read
  const Clock::time_point read_start = Clock::now();
  const boxwood::Ensemble model = boxwood::read_model(arguments.model);
  const double read_seconds = seconds_since(read_start);
  const Clock::time_point prepare_start = Clock::now();
  const boxwood::Prepared prepared(model);
  const double prepare_seconds = seconds_since(prepare_start);
  const std::vector<Question> questions = read_questions(arguments);
  if (!arguments.proofs.empty()) {
    std::filesystem::create_directories(arguments.proofs);
    std::ofstream(arguments.proofs + "/model.json") << boxwood::to_json(model);
  }
  print({{"read_seconds", read_seconds},
         {"prepare_seconds", prepare_seconds},
         {"trees", model.trees.size()},
         {"leaves", model.leaf_count()},
         {"features", model.features.size()}});
  if (arguments.batch) {
    answer_as_batch(prepared, questions, arguments);
  } else {
    answer_in_turn(prepared, questions, arguments);
  }
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  CLI::App app("Asks a model a file of questions and times each answer.");
  app.add_option("model", arguments.model, "model file")->required();
  app.add_option("questions", arguments.questions, "questions as JSON")->required();
  app.add_option("--engine", arguments.engine, "paper or fast; the library's default otherwise");
  app.add_option("--without", arguments.without, "parts of the fast engine to leave out")
      ->delimiter(',')
      ->check(CLI::IsMember({"start", "probe", "dual"}));
  app.add_option("--tune", arguments.tune,
                 "NAME=VALUE,...: parameters of the fast engine (src/search/fast/tuning.hpp)")
      ->delimiter(',');
  app.add_option("--norm", arguments.norm, "squared_l2, l1, l0 or linf");
  std::vector<std::string> names;
  for (const auto& [name, ask] : kinds({})) names.push_back(name);
  app.add_option("--kind", arguments.kind, "what is asked")->check(CLI::IsMember(names));
  app.add_option("--threads", arguments.threads, "0: all cores");
  app.add_option("--time-limit", arguments.time_limit, "seconds a question may take");
  app.add_option("--processor-limit", arguments.processor_limit,
                 "seconds of processor time that a question may take");
  app.add_option("--rows", arguments.rows, "0,3,7-9: only these, counted from 0");
  app.add_option("--repeat", arguments.repeat, "ask this often and print the least time");
  app.add_option("--proofs", arguments.proofs,
                 "prove each answer; write model, questions and proofs into this folder");
  app.add_option("--proof-seconds", arguments.proof_seconds, "seconds that a proof may take (600)");
  app.add_flag("--trace", arguments.trace, "print [seconds, best, bound] of every report");
  app.add_flag("--batch", arguments.batch, "answer all in parallel, one thread each");
  CLI11_PARSE(app, count, words);
  try {
    run(arguments);
  } catch (const std::exception& fault) {
    std::cerr << "boxwood_ask: " << fault.what() << '\n';
    return 1;
  }
  return 0;
}
