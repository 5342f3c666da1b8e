// Questions around the nearest answer: boxwood/analysis.hpp.
#include "watched.hpp"

#include <boxwood/reasons.hpp>

#include <cmath>

namespace boxwood::python {
namespace {

/// Runs `work(options, query)`; Ctrl-C raises unless `keeps` finds something in the result.
template <typename Work, typename Keeps>
auto analysed(const Query& query, const SearchOptions& given, const Work& work,
              const Keeps& keeps) {
  Control control;
  const Options options = options_of(given, control);
  const Query asked = guarded(query, control);
  return watched(
      control, [&] { return work(options, asked); }, keeps);
}

void bind_results(nb::module_& module) {
  nb::enum_<Apart>(module, "Apart", "How the answers of a menu differ.")
      .value("regions", Apart::regions)
      .value("features", Apart::features)
      .value("distance", Apart::distance);
  nb::class_<Menu>(module, "Menu", "Several alternative answers, cheapest first.")
      .def_ro("answers", &Menu::answers)
      .def_ro("complete", &Menu::complete)
      .def_ro("stop", &Menu::stop);
  nb::class_<WideRegion>(module, "WideRegion", "A box in which everything has the outcome.")
      .def_ro("region", &WideRegion::region)
      .def_ro("values", &WideRegion::values)
      .def_ro("maximal", &WideRegion::maximal)
      .def_ro("stop", &WideRegion::stop);

  nb::class_<Rule> rule(module, "Rule", "One rule of a query that can be lifted.");
  nb::enum_<Rule::Kind>(rule, "Kind")
      .value("fixed", Rule::Kind::fixed)
      .value("range_lower", Rule::Kind::range_lower)
      .value("range_upper", Rule::Kind::range_upper)
      .value("allowed", Rule::Kind::allowed)
      .value("step", Rule::Kind::step)
      .value("direction", Rule::Kind::direction)
      .value("least_change", Rule::Kind::least_change)
      .value("most_change", Rule::Kind::most_change)
      .value("missing", Rule::Kind::missing)
      .value("clause", Rule::Kind::clause)
      .value("max_changes", Rule::Kind::max_changes);
  rule.def(
          "__init__",
          [](Rule* self, Rule::Kind kind, std::size_t index) {
            new (self) Rule{kind, index};
          },
          "kind"_a, "index"_a = 0)
      .def_ro("kind", &Rule::kind)
      .def_ro("index", &Rule::index);
  nb::class_<Blocker>(module, "Blocker", "A rule that blocks, and the answer without it.")
      .def_ro("rule", &Blocker::rule)
      .def_ro("without", &Blocker::without);
  nb::class_<WhyNot>(module, "WhyNot", "Why there is no answer.")
      .def_ro("answer", &WhyNot::answer)
      .def_ro("blockers", &WhyNot::blockers)
      .def_ro("smallest", &WhyNot::smallest)
      .def_ro("impossible", &WhyNot::impossible)
      .def_ro("stop", &WhyNot::stop);
  nb::class_<PathStep>(module, "PathStep", "One change of an answer.")
      .def_ro("features", &PathStep::features)
      .def_prop_ro(
          "point", [](const PathStep& self) { return array_of(self.point, {self.point.size()}); },
          nb::rv_policy::automatic)
      .def_ro("outputs", &PathStep::outputs)
      .def_ro("without", &PathStep::without);
  nb::class_<SweepPoint>(module, "SweepPoint", "The answer for one level.")
      .def_ro("level", &SweepPoint::level)
      .def_ro("answer", &SweepPoint::answer);
  nb::class_<Best>(module, "Best", "The most that a budget brings.")
      .def_ro("status", &Best::status)
      .def_ro("stop", &Best::stop)
      .def_ro("before", &Best::before)
      .def_ro("value", &Best::value)
      .def_ro("bound", &Best::bound)
      .def_ro("answer", &Best::answer);
  nb::class_<BestStep>(module, "BestStep", "One step of the curve of cost against output.")
      .def_ro("value", &BestStep::value)
      .def_ro("answer", &BestStep::answer);
  nb::class_<BestCurve>(module, "BestCurve", "The most for every cost up to a budget.")
      .def(
          "__init__",
          [](BestCurve* self, const Best& best) {
            new (self) BestCurve{best, {}, false, best.stop};
          },
          "best"_a, "The most for a budget, without its curve.")
      .def_ro("best", &BestCurve::best)
      .def_ro("steps", &BestCurve::steps)
      .def_ro("complete", &BestCurve::complete)
      .def_ro("stop", &BestCurve::stop);
  nb::class_<Reason>(module, "Reason", "What one feature contributes to an answer.")
      .def_ro("features", &Reason::features)
      .def_ro("changes", &Reason::changes)
      .def_ro("without", &Reason::without)
      .def_ro("alone", &Reason::alone)
      .def_ro("most", &Reason::most)
      .def_prop_ro("sufficiency", &Reason::sufficiency)
      .def_prop_ro("gain", &Reason::gain);
  nb::class_<Reasons>(module, "Reasons", "What each feature contributes to an answer.")
      .def_ro("answer", &Reasons::answer)
      .def_ro("reasons", &Reasons::reasons)
      .def("necessity", &Reasons::necessity, "reason"_a)
      .def_ro("stop", &Reasons::stop);
  nb::class_<Map>(module, "Map", "The exact decision regions over two features.")
      .def_ro("x_view", &Map::x_view)
      .def_ro("y_view", &Map::y_view)
      .def_ro("stop", &Map::stop)
      .def("__len__", [](const Map& self) { return self.cells.size(); })
      .def_prop_ro(
          "bounds",
          [](const Map& self) {
            std::vector<double> all;
            for (const MapCell& cell : self.cells) {
              for (const double end : {cell.x.lower, cell.x.upper, cell.y.lower, cell.y.upper}) {
                all.push_back(end);
              }
            }
            return array_of(std::move(all), {self.cells.size(), std::size_t{4}});
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "labels",
          [](const Map& self) {
            std::vector<std::int64_t> all;
            for (const MapCell& cell : self.cells) {
              all.push_back(cell.label ? static_cast<std::int64_t>(*cell.label) : -1);
            }
            const std::size_t count = all.size();
            return array_of(std::move(all), {count});
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "meets",
          [](const Map& self) {
            std::vector<std::uint8_t> all;
            for (const MapCell& cell : self.cells) all.push_back(cell.meets);
            const std::size_t count = all.size();
            return array_of(std::move(all), {count});
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "costs",
          [](const Map& self) {
            std::vector<double> all;
            for (const MapCell& cell : self.cells) all.push_back(cell.cost);
            const std::size_t count = all.size();
            return array_of(std::move(all), {count});
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "outputs",
          [](const Map& self) {
            std::vector<double> all;
            const std::size_t width = self.cells.empty() ? 0 : self.cells.front().outputs.size();
            for (const MapCell& cell : self.cells) {
              all.insert(all.end(), cell.outputs.begin(), cell.outputs.end());
            }
            return array_of(std::move(all), {self.cells.size(), width});
          },
          nb::rv_policy::automatic);
}

}  // namespace

void bind_analysis(nb::module_& module) {
  bind_results(module);
  module.def(
      "find_menu",
      [](const Model& model, const Query& query, std::size_t count, Apart apart, double distance,
         const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_menu(model.prepared, asked, {count, apart, distance}, options);
            },
            [](const Menu& menu) {
              return !menu.answers.empty() && !menu.answers[0].solutions.empty();
            });
      },
      "model"_a, "query"_a, "count"_a, "apart"_a, "distance"_a, "options"_a);
  module.def(
      "find_wide_region",
      [](const Model& model, const Query& query, const Point& point,
         const std::vector<std::size_t>& order, const SearchOptions& given) {
        const std::vector<double> from = vector_of(point);
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_wide_region(model.prepared, asked, from, order, options);
            },
            [](const WideRegion& wide) { return !wide.region.empty(); });
      },
      "model"_a, "query"_a, "point"_a, "order"_a, "options"_a);
  module.def("rules_of", &rules_of, "query"_a, "Every rule that can be lifted.");
  module.def(
      "lifted",
      [](const Query& query, const std::vector<Rule>& rules) { return lifted(query, rules); },
      "query"_a, "rules"_a, "The query without these rules.");
  module.def(
      "find_why_not",
      [](const Model& model, const Query& query, const std::vector<Rule>& liftable,
         const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_why_not(model.prepared, asked, {.liftable = liftable}, options);
            },
            [](const WhyNot& why) {
              return !why.blockers.empty() || !why.answer.solutions.empty();
            });
      },
      "model"_a, "query"_a, "liftable"_a, "options"_a);
  module.def(
      "find_path",
      [](const Model& model, const Query& query, const Point& to, bool resolve,
         const SearchOptions& given) {
        const std::vector<double> end = vector_of(to);
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_path(model.prepared, asked, end, resolve, options);
            },
            [](const std::vector<PathStep>& steps) { return !steps.empty(); });
      },
      "model"_a, "query"_a, "to"_a, "resolve"_a, "options"_a);
  module.def(
      "find_sweep",
      [](const Model& model, const Query& query, const std::vector<double>& levels,
         const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_sweep(model.prepared, asked, levels, {}, options);
            },
            [](const std::vector<SweepPoint>& points) { return !points.empty(); });
      },
      "model"_a, "query"_a, "levels"_a, "options"_a);
  module.def(
      "find_robust_sweep",
      [](const Model& model, const Query& query, const std::vector<double>& multiples,
         const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_robust_sweep(model.prepared, asked, multiples, {}, options);
            },
            [](const std::vector<SweepPoint>& points) { return !points.empty(); });
      },
      "model"_a, "query"_a, "multiples"_a, "options"_a);
  module.def("with_distances", &with_distances, "query"_a, "multiple"_a,
             "The query with multiplied robust distances.");
  module.def(
      "holding",
      [](const Query& query, const std::vector<std::size_t>& features, bool others) {
        return holding(query, features, others);
      },
      "query"_a, "features"_a, "others"_a,
      "The query in which these features must stay, or all others.");
  module.def(
      "find_reasons",
      [](const Model& model, const Query& query, const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_reasons(model.prepared, asked, options);
            },
            [](const Reasons& found) { return !found.answer.solutions.empty(); });
      },
      "model"_a, "query"_a, "options"_a);
  module.def(
      "find_best",
      [](const Model& model, const Query& query, double budget, bool curve,
         const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              if (curve) return find_best_curve(model.prepared, asked, budget, {}, options);
              const Best best = find_best(model.prepared, asked, budget, options);
              return BestCurve{best, {}, false, best.stop};
            },
            [](const BestCurve& found) { return !found.best.answer.solutions.empty(); });
      },
      "model"_a, "query"_a, "budget"_a, "curve"_a, "options"_a);
  module.def(
      "best_query",
      [](const Model& model, const Query& query, double value) {
        Query at = query;
        at.requirements.front() = best_requirement(model.prepared, query, value);
        return at;
      },
      "model"_a, "query"_a, "value"_a, "The query for what reaches this value.");
  module.def(
      "find_robustness",
      [](const Model& model, const Query& query, double tolerance, const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_robustness(model.prepared, asked, tolerance, options);
            },
            [](const Answer& answer) { return !answer.solutions.empty(); });
      },
      "model"_a, "query"_a, "tolerance"_a, "options"_a);
  module.def(
      "other_outcome",
      [](const Model& model, const Point& point, double tolerance) {
        return other_outcome(model.ensembles().front(), vector_of(point), tolerance);
      },
      "model"_a, "point"_a, "tolerance"_a = 0.0,
      "The requirement that anything else comes out than at this point.");
  module.def(
      "standing",
      [](const Model& model, const Requirement& requirement, const std::vector<double>& scores) {
        return standing(requirement, model.ensembles().at(requirement.ensemble), scores);
      },
      "model"_a, "requirement"_a, "scores"_a);
  module.def(
      "find_map",
      [](const Model& model, const Query& query, std::size_t x, std::size_t y,
         const Interval& x_view, const Interval& y_view, std::optional<double> radius,
         std::size_t most_cells, const SearchOptions& given) {
        return analysed(
            query, given,
            [&](const Options& options, const Query& asked) {
              return find_map(model.prepared, asked, {x, y, x_view, y_view, radius, most_cells},
                              options);
            },
            [](const Map&) { return false; });
      },
      "model"_a, "query"_a, "x"_a, "y"_a, "x_view"_a, "y_view"_a, "radius"_a.none(), "most_cells"_a,
      "options"_a);
  module.def(
      "find_rounded",
      [](const Model& model, const Query& query, const Point& point, double tolerance) {
        std::vector<double> round;
        {
          const std::vector<double> from = vector_of(point);
          const Released released;
          round = find_rounded(model.prepared, query, from, tolerance);
        }
        const std::size_t count = round.size();
        return array_of(std::move(round), {count});
      },
      "model"_a, "query"_a, "point"_a, "tolerance"_a);
}

}  // namespace boxwood::python
