// The search: the cheapest admissible point with the wanted outcome, for one query or many, and the
// regions around a point.
//
//   const boxwood::Prepared prepared(boxwood::read_model("model.json"));   // once for all queries
//   boxwood::Query query = boxwood::query_for(prepared.ensembles()[0], point);
//   query.requirements = {boxwood::require_class(1)};
//   boxwood::Answer answer = boxwood::explain(prepared, query);
//   if (!answer.solutions.empty()) use(answer.best().point, answer.status);
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/model_set.hpp>
#include <boxwood/query.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// Both engines solve the same problem and give the same answers. `fast` is the default. `paper`
/// follows the publication; it is used to check `fast` and to enumerate regions.
enum class Engine : std::uint8_t { fast, paper };
const char* to_string(Engine engine);

/// The state of a running search. From one report to the next the best cost never rises and the
/// lower bound never falls.
struct Progress {
  double best_cost = std::numeric_limits<double>::infinity();  ///< of the best point so far
  double lower_bound = 0;                                      ///< no admissible point costs less
  std::uint64_t nodes = 0;                                     ///< boxes examined so far
  double seconds = 0;
};

/// A search that reaches a limit stops soon after and returns its best point with a valid lower
/// bound; it does not throw. The limits include the preparation of the models, which the first
/// query does. The one exception: Error is thrown if `bytes` is too small to prepare the models at
/// all; it says how much they need.
struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();  ///< boxes to examine
  std::uint64_t bytes = std::uint64_t{4} << 30;  ///< memory besides that of the models themselves
  const std::atomic<bool>* interrupt = nullptr;  ///< any thread may set it to stop the search
  const std::atomic<bool>* cancel = nullptr;     ///< a second flag of the same effect
  /// If given, the thread that asks calls it very often (for every box, and several times a second
  /// while other threads search), for example to look at signals and set `interrupt`. It must
  /// not throw and should be fast. Batches do not call it.
  std::function<void()> poll;
};

/// Internal settings for tests and benchmarks; see src/search/engine_settings.hpp.
struct EngineSettings;

struct Options {
  Engine engine = Engine::fast;
  int threads = 0;        ///< 0: all cores
  std::size_t ties = 16;  ///< the most points of equal cost to return
  Limits limits;
  /// Points that may have the outcome, for example training data. The fast engine starts from the
  /// nearest of them that has it. They must outlive the call.
  std::span<const std::vector<double>> examples;
  /// Run the paper's engine as published, without Boxwood's additions (docs/engine.md). The fast
  /// engine ignores this.
  bool published = false;
  /// If set, the search only decides whether some point costs at most this. It ends with the first
  /// one that it finds (`feasible`, or `optimal` if that is proven to be the cheapest).
  /// `infeasible` then means that no point costs so little. The point may depend on the number of
  /// threads.
  std::optional<double> any_within{};
  std::shared_ptr<const EngineSettings> engine_settings;  ///< for the library's own tests
  std::function<void(const Progress&)> progress;          ///< called by one thread at a time
};

struct PreparedParts;  // internal

/// Models made ready for queries: build it once, ask it many times. It owns its models, is cheap to
/// copy (copies share everything) and may be used by several threads at once. The first query
/// builds the tables that all queries use; making a Prepared takes next to no time.
class Prepared {
 public:
  explicit Prepared(Ensemble ensemble);
  explicit Prepared(std::vector<Ensemble> ensembles);
  explicit Prepared(ModelSet models);

  std::span<const Ensemble> ensembles() const;
  const ModelSet& models() const;

 private:
  friend struct PreparedParts;
  Prepared() = default;

  std::shared_ptr<const PreparedParts> parts_;
};

/// Finds the cheapest admissible point that meets every requirement. Throws Error if the query does
/// not fit the models. A limit is not an error: it ends in Status::feasible or Status::unknown.
Answer explain(const Prepared& prepared, const Query& query, const Options& options = {});
Answer explain(std::span<const Ensemble> ensembles, const Query& query,
               const Options& options = {});
Answer explain(const Ensemble& ensemble, const Query& query, const Options& options = {});

/// Many queries that are made when they are needed: `make(i)` is called once for each i below
/// `count`, from several threads at once. What it throws becomes the result of query i.
struct Queries {
  std::size_t count = 0;
  std::function<Query(std::size_t index)> make;
};

/// The result of one query of a batch: an answer, or the exception that the query caused.
struct BatchResult {
  std::size_t index = 0;  ///< of the query
  std::optional<Answer> answer;
  std::exception_ptr error;
};

/// Called for each result in the order of the queries, by one thread at a time; return false to
/// stop the batch.
using BatchVisitor = std::function<bool(BatchResult result)>;

/// Answers many queries at once, each on one thread, `options.threads` of them at a time (0: all
/// cores).
///
///   boxwood::explain_batch(
///       prepared, {rows.size(), [&](std::size_t i) { return query_at(rows[i]); }},
///       [&](boxwood::BatchResult result) { print(result); return true; });
///
/// The results and their order do not depend on the number of threads. `options.limits` apply to
/// each query by itself, except `interrupt`, which stops the batch: running queries end with what
/// they have found (Answer::stop is `interrupt`) and are visited; no others are begun.
/// `options.progress` reports on the whole batch; it has `seconds`, and the `nodes` of searches
/// that ran long enough to report them. Returns why the batch ended: `finished`, `interrupt` or
/// `visitor`. What `visit` throws stops the batch and is rethrown.
Stop explain_batch(const Prepared& prepared, const Queries& queries, const BatchVisitor& visit,
                   const Options& options = {});
Stop explain_batch(const Prepared& prepared, std::span<const Query> queries,
                   const BatchVisitor& visit, const Options& options = {});

/// The same for other work than explain, for example find_menu. `work(i, one)` is called once for
/// each i below `count`, several at once, with the options for one query; `visit(i)` follows in
/// ascending order of i, one at a time. `work` keeps its result until then and must not throw.
Stop run_batch(std::size_t count,
               const std::function<void(std::size_t index, const Options& one)>& work,
               const std::function<bool(std::size_t index)>& visit, const Options& options = {});

/// A box in which the scores of every model are constant, with its nearest admissible point.
struct Region {
  Solution nearest;
  double cost = 0;                          ///< of the nearest point
  std::vector<std::vector<double>> scores;  ///< raw scores, one vector for each model
};

/// Called for each region; return false to stop.
using RegionVisitor = std::function<bool(const Region&)>;

/// Visits every region that meets the query's requirements (all regions if it has none) and holds
/// an admissible point within `radius`, a distance from the query's point (infinity: no limit).
/// Each region is visited once, on the calling thread. Constraints on several features cut the
/// boxes, so that every point of a region satisfies them. Returns why it ended: `finished` means
/// that all regions were visited.
Stop visit_regions(const Prepared& prepared, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});
Stop visit_regions(std::span<const Ensemble> ensembles, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});
Stop visit_regions(const Ensemble& ensemble, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});

/// The regions in which the rows of some data lie, for Query::live. Make it once for many queries.
LiveRegions find_live_regions(std::span<const Ensemble> ensembles,
                              std::span<const std::vector<double>> rows);

/// For each feature the number of cells: the intervals of its axis between neighbouring thresholds.
std::vector<std::size_t> cell_counts(const Ensemble& ensemble);

}  // namespace boxwood
