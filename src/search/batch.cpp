// Many queries at once, in a pipeline of oneTBB: queries are begun in order, answered in parallel
// and visited in order again. Each is answered on one thread, so that its answer does not depend on
// the others nor on the number of threads, not even when a limit on nodes ends it.
#include <boxwood/explain.hpp>

#include "base/handover.hpp"
#include "search/engine_settings.hpp"
#include "search/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace boxwood {
namespace {

/// How many queries may be begun before the first of them is visited. It bounds the memory for
/// answers that wait for a slow one before them.
constexpr std::size_t most_waiting = 1024;

/// The progress of all running searches, added up.
class BatchProgress {
 public:
  explicit BatchProgress(const Options& options) : report_(options.progress) {}

  /// A callback for one query's searches; a search of the query may follow another.
  std::function<void(const Progress&)> for_one() {
    if (!report_) return nullptr;
    return [this, before = std::make_shared<std::uint64_t>(0)](const Progress& one) {
      const std::lock_guard lock(mutex_);
      nodes_ += one.nodes - std::min(one.nodes, *before);
      *before = one.nodes;
      tell();
    };
  }
  void tick() {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    tell();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void tell() {
    const double now = std::chrono::duration<double>(Clock::now() - start_).count();
    if (now < next_) return;
    next_ = now + report_interval;
    report_({std::numeric_limits<double>::infinity(), 0, nodes_, now});
  }

  const std::function<void(const Progress&)>& report_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  double next_ = report_interval;
  std::uint64_t nodes_ = 0;
};

}  // namespace

Stop run_batch(std::size_t count,
               const std::function<void(std::size_t index, const Options& one)>& work,
               const std::function<bool(std::size_t index)>& visit, const Options& options) {
  const int threads = thread_count(options.threads);
  const AllowThreads allow(threads);
  BatchProgress progress(options);
  const auto is_interrupted = [flag = options.limits.interrupt] { return flag && flag->load(); };
  std::atomic<bool> cancelled{false}, cut_short{false};
  std::size_t next = 0;
  bool enough = false;
  std::exception_ptr failure;

  // oneTBB runs `begin` and `show` one at a time and the stages of one query one after the other.
  // Taking a lock for a moment tells the thread sanitizer so.
  std::mutex order;
  const auto pass_on = [&] { const std::lock_guard lock(order); };
  const auto begin = [&]() -> std::optional<std::size_t> {
    const TaskScope scope;
    const std::lock_guard lock(order);
    if (next == count || cancelled.load() || is_interrupted()) return std::nullopt;
    return next++;
  };
  const auto answer = [&](std::size_t index) {
    const TaskScope scope;
    pass_on();
    Options one = options;
    one.threads = 1;
    one.limits.cancel = &cancelled;
    one.limits.poll = nullptr;
    one.progress = progress.for_one();
    work(index, one);
    if (is_interrupted()) cut_short = true;
    pass_on();
    return index;
  };
  const auto show = [&](std::size_t index) {
    const TaskScope scope;
    pass_on();
    if (cancelled.load()) return;
    progress.tick();
    try {
      enough = !visit(index);
    } catch (...) {
      failure = std::current_exception();
    }
    if (enough || failure) cancelled = true;
    pass_on();
  };
  hand_over();
  in_order(threads, std::max<std::size_t>(most_waiting, static_cast<std::size_t>(threads)),
           handed_over(begin), handed_over(answer), handed_over(show));
  take_over();
  if (failure) std::rethrow_exception(failure);
  if (enough) return Stop::visitor;
  return next < count || cut_short ? Stop::interrupt : Stop::finished;
}

Stop explain_batch(const Prepared& prepared, const Queries& queries, const BatchVisitor& visit,
                   const Options& options) {
  std::vector<std::unique_ptr<BatchResult>> results(queries.count);
  const auto work = [&](std::size_t index, const Options& one) {
    results[index] = std::make_unique<BatchResult>();
    results[index]->index = index;
    try {
      results[index]->answer = explain(prepared, queries.make(index), one);
    } catch (...) {
      results[index]->error = std::current_exception();
    }
  };
  const auto show = [&](std::size_t index) {
    const std::unique_ptr<BatchResult> result = std::move(results[index]);
    return visit(std::move(*result));
  };
  return run_batch(queries.count, work, show, options);
}

Stop explain_batch(const Prepared& prepared, std::span<const Query> queries,
                   const BatchVisitor& visit, const Options& options) {
  return explain_batch(prepared, Queries{queries.size(), [&](std::size_t i) { return queries[i]; }},
                       visit, options);
}

}  // namespace boxwood
