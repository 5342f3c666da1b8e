// Many questions at once: one thread a question, as many at a time as there are cores. An answer
// depends on its question alone, so the number of threads changes nothing but the time.
#include "watched.hpp"

#include <algorithm>

namespace boxwood::python {
namespace {

/// An answer, or what was wrong with the question; neither where it was not finished.
struct Slot {
  std::optional<Answer> answer;
  std::exception_ptr error;
};

nb::object object_of(Slot& slot) {
  if (slot.answer) return nb::cast(std::move(*slot.answer));
  if (!slot.error) return nb::none();
  try {
    std::rethrow_exception(slot.error);
  } catch (const Error& error) {
    return exception_of(error);
  } catch (const std::exception& error) {
    return nb::borrow(PyExc_RuntimeError)(error.what());
  }
}

class Pool {
 public:
  Pool(const Model& model, const std::vector<const Query*>& queries, const Options& options,
       const Control& control)
      : model_(model),
        queries_(queries),
        options_(options),
        control_(control),
        slots_(queries.size()) {
    options_.threads = 1;
  }

  void start(std::size_t threads) {
    running_ = std::min(std::max<std::size_t>(threads, 1), queries_.size());
    for (std::size_t t = running_; t > 0; --t) workers_.emplace_back([this] { work(); });
  }
  /// Waits without the GIL; `report(done)` has it, every 50 ms at most and at the end.
  void wait(Control& control, const auto& report) {
    std::size_t reported = 0;
    bool over = false;
    while (!over) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return running_ == 0; });
      over = running_ == 0;
      const std::size_t done = done_;
      lock.unlock();
      const nb::gil_scoped_acquire held;
      control.look_at_signals();
      if (done > reported) report(std::exchange(reported, done), done);
    }
    for (std::thread& worker : workers_) worker.join();
  }
  std::vector<Slot>& slots() { return slots_; }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= queries_.size() || control_.stopped()) break;
      Slot& slot = slots_[index];
      try {
        Answer answer = explain(model_.prepared, *queries_[index], options_);
        // What was cut short is not done: asked again it may well have an answer.
        if (answer.stop == Stop::interrupt) continue;
        slot.answer.emplace(std::move(answer));
      } catch (...) {
        slot.error = std::current_exception();
      }
      const std::lock_guard guard(mutex_);
      ++done_;
    }
    const std::lock_guard guard(mutex_);
    if (--running_ == 0) changed_.notify_all();
  }

  const Model& model_;
  const std::vector<const Query*>& queries_;
  Options options_;
  const Control& control_;
  std::vector<Slot> slots_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::size_t> next_{0};
  std::size_t running_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

void bind_batch(nb::module_& module) {
  module.def(
      "explain_many",
      [](const Model& model, const std::vector<const Query*>& queries, const SearchOptions& given,
         std::size_t threads, const nb::object& done) {
        if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
        Control control;
        SearchOptions quiet = given;
        quiet.progress = nb::none();
        std::vector<Query> copies;  // a custom cost needs its guard
        std::vector<const Query*> asked = queries;
        if (std::any_of(queries.begin(), queries.end(),
                        [](const Query* q) { return bool(q->term); })) {
          for (const Query* query : queries) copies.push_back(guarded(*query, control));
          for (std::size_t i = 0; i < copies.size(); ++i) asked[i] = &copies[i];
        }
        Pool pool(model, asked, options_of(quiet, control), control);
        {
          const nb::gil_scoped_release released;
          pool.start(threads);
          pool.wait(control, [&](std::size_t before, std::size_t now) {
            if (!done.is_none()) control.call(done, now - before);
          });
        }
        control.raise_failure();
        control.raise_signal(true);
        nb::list answers;
        for (Slot& slot : pool.slots()) answers.append(object_of(slot));
        return std::pair(answers, control.stopped());
      },
      "model"_a, "queries"_a, "options"_a, "threads"_a = 0, "done"_a = nb::none(),
      "For each query an Answer, an exception, or None where it was not finished; and whether it "
      "was interrupted. Calls done(count) as queries are finished.");
}

}  // namespace boxwood::python
