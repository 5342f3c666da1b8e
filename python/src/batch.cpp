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
        std::atomic<std::size_t> finished{0};  // and not yet told
        Slots slots(queries.size());
        const auto make = [&](std::size_t i) { return guarded(*queries[i], control); };
        const auto visit = [&](BatchResult result) {
          // What was cut short is not done: asked again, it may have an answer.
          if (result.answer && result.answer->stop == Stop::interrupt) return true;
          ++finished;
          slots[result.index] = std::move(result);
          return true;
        };
        const Stop stop = watched(
            control,
            [&] {
              return explain_batch(model.prepared, Queries{queries.size(), make}, visit, options);
            },
            [](Stop) { return true; },
            [&] {
              const std::size_t count = finished.exchange(0);
              if (count > 0 && !done.is_none()) control.call(done, count);
            });
        nb::list answers;
        for (std::optional<BatchResult>& slot : slots) answers.append(object_of(slot));
        return std::pair(answers, stop == Stop::interrupt);
      },
      "model"_a, "queries"_a, "options"_a, "done"_a = nb::none(),
      "For each query an Answer, an exception, or None where it was not finished; and whether the "
      "batch was interrupted. Calls done(count) as queries are finished.");
}

}  // namespace boxwood::python
