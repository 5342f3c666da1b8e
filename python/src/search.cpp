// Options and the search itself: explain, and the stream of regions.
#include "watched.hpp"

namespace boxwood::python {

void bind_search(nb::module_& module) {
  nb::enum_<Engine>(module, "Engine", "Both give the same answers.")
      .value("fast", Engine::fast)
      .value("paper", Engine::paper);
  nb::class_<SearchOptions>(module, "Options", "Engine, threads, ties, limits and callbacks.")
      .def("__init__",
           [](SearchOptions* self) {
             new (self) SearchOptions{{}, {}, nb::none()};
           })
      .def_prop_rw(
          "engine", [](const SearchOptions& self) { return self.values.engine; },
          [](SearchOptions& self, Engine engine) { self.values.engine = engine; })
      .def_prop_rw(
          "threads", [](const SearchOptions& self) { return self.values.threads; },
          [](SearchOptions& self, int threads) { self.values.threads = threads; })
      .def_prop_rw(
          "ties", [](const SearchOptions& self) { return self.values.ties; },
          [](SearchOptions& self, std::size_t ties) { self.values.ties = ties; })
      .def_prop_rw(
          "seconds", [](const SearchOptions& self) { return self.values.limits.seconds; },
          [](SearchOptions& self, double seconds) { self.values.limits.seconds = seconds; })
      .def_prop_rw(
          "nodes", [](const SearchOptions& self) { return self.values.limits.nodes; },
          [](SearchOptions& self, std::uint64_t nodes) { self.values.limits.nodes = nodes; })
      .def_prop_rw(
          "bytes", [](const SearchOptions& self) { return self.values.limits.bytes; },
          [](SearchOptions& self, std::uint64_t bytes) { self.values.limits.bytes = bytes; })
      .def_prop_rw(
          "examples", [](const SearchOptions& self) { return self.examples; },
          [](SearchOptions& self, std::vector<std::vector<double>> examples) {
            self.examples = std::move(examples);
          })
      .def_prop_rw(
          "progress", [](const SearchOptions& self) { return self.progress; },
          [](SearchOptions& self, nb::object progress) { self.progress = std::move(progress); },
          nb::arg("value").none());

  module.def(
      "explain",
      [](const Model& model, const Query& query, const SearchOptions& given) {
        Control control;
        Options options = options_of(given, control);
        const Query asked = guarded(query, control);
        return polled(
            control,
            [&](std::function<void()> poll) {
              options.limits.poll = std::move(poll);
              return explain(model.prepared, asked, options);
            },
            [](const Answer& answer) { return !answer.solutions.empty(); });
      },
      "model"_a, "query"_a, "options"_a, "The cheapest admissible point with the outcome.");

  module.def(
      "prove",
      [](const Model& model, const Query& query, const Answer& answer) {
        Control control;
        const Options options = options_of(SearchOptions{{}, {}, nb::none()}, control);
        ProofLimits limits;
        limits.interrupt = options.limits.interrupt;
        return watched(
            control,
            [&] {
              const Proof proof = prove(model.ensembles(), query, answer, limits);
              if (proof.stop == Stop::nodes) {
                throw Error("proof", "it needs more boxes than a certificate may have",
                            "Ask without a proof");
              }
              return proof.text;
            },
            [](const std::string& text) { return !text.empty(); });
      },
      "model"_a, "query"_a, "answer"_a, "The certificate of an answer.");

  module.def(
      "visit_regions",
      [](const Model& model, const Query& query, double radius, const nb::object& visit,
         const SearchOptions& given) {
        Control control;
        const Options options = options_of(given, control);
        const Query asked = guarded(query, control);
        return watched(
            control,
            [&] {
              return visit_regions(
                  model.prepared, asked, radius,
                  [&](const Region& region) {
                    bool more = true;
                    const Held held;
                    try {
                      more = !visit(region).is(nb::handle(Py_False));
                    } catch (...) {
                      control.fail(std::current_exception());
                    }
                    return more && !control.stopped();
                  },
                  options);
            },
            [](Stop) { return true; });
      },
      "model"_a, "query"_a, "radius"_a, "visit"_a, "options"_a,
      "Calls visit(region) for each pure box within the radius, until it returns False.");
}

}  // namespace boxwood::python
