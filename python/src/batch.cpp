// Many queries at once, by the core's explain_batch.
#include "watched.hpp"

#include <algorithm>
#include <optional>

namespace boxwood::python {
namespace {

/// What a query led to; nothing where it was not begun or was cut short.
using Slots = std::vector<std::optional<BatchResult>>;

nb::object object_of(std::optional<BatchResult>& slot) {
  if (!slot) return nb::none();
  if (slot->answer) return nb::cast(std::move(*slot->answer));
  try {
    std::rethrow_exception(slot->error);
  } catch (const Error& error) {
    return exception_of(error);
  } catch (const std::exception& error) {
    return nb::borrow(PyExc_RuntimeError)(error.what());
  }
}

/// Tells Python how many queries are done, at most every 50 ms: each call needs the GIL.
class DoneReport {
 public:
  DoneReport(const nb::object& done, Control& control) : done_(done), control_(control) {}

  void add() {
    ++count_;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    tell();
  }
  void tell() {
    if (count_ > 0 && !done_.is_none()) control_.call(done_, count_);
    count_ = 0;
  }

 private:
  const nb::object& done_;
  Control& control_;
  std::size_t count_ = 0;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace

void bind_batch(nb::module_& module) {
  module.def(
      "explain_many",
      [](const Model& model, const std::vector<const Query*>& queries, const SearchOptions& given,
         const nb::object& done) {
        Control control;
        SearchOptions quiet = given;
        quiet.progress = nb::none();
        const Options options = options_of(quiet, control);
        DoneReport report(done, control);
        Slots slots(queries.size());
        const auto make = [&](std::size_t i) { return guarded(*queries[i], control); };
        const auto visit = [&](BatchResult result) {
          // What was cut short is not done: asked again, it may have an answer.
          if (result.answer && result.answer->stop == Stop::interrupt) return true;
          report.add();
          slots[result.index] = std::move(result);
          return true;
        };
        const Stop stop = watched(
            control,
            [&] {
              const Stop ended =
                  explain_batch(model.prepared, Queries{queries.size(), make}, visit, options);
              report.tell();
              return ended;
            },
            [](Stop) { return true; });
        nb::list answers;
        for (std::optional<BatchResult>& slot : slots) answers.append(object_of(slot));
        return std::pair(answers, stop == Stop::interrupt);
      },
      "model"_a, "queries"_a, "options"_a, "done"_a = nb::none(),
      "For each query an Answer, an exception, or None where it was not finished; and whether the "
      "batch was interrupted. Calls done(count) as queries are finished.");
}

}  // namespace boxwood::python
