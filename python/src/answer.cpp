// What comes back: answers, solutions, statistics, progress and regions, all to read only.
#include "pickle.hpp"

#include <cstdint>

namespace boxwood::python {

void bind_answer(nb::module_& module) {
  nb::class_<Interval> interval(module, "Interval", "Values between two ends, each in or out.");
  interval
      .def(
          "__init__",
          [](Interval* self, double lower, double upper, bool lower_closed, bool upper_closed) {
            new (self) Interval{lower, upper, lower_closed, upper_closed};
          },
          "lower"_a = -std::numeric_limits<double>::infinity(),
          "upper"_a = std::numeric_limits<double>::infinity(), "lower_closed"_a = true,
          "upper_closed"_a = true)
      .def_rw("lower", &Interval::lower)
      .def_rw("upper", &Interval::upper)
      .def_rw("lower_closed", &Interval::lower_closed)
      .def_rw("upper_closed", &Interval::upper_closed)
      .def_prop_ro("empty", &Interval::empty)
      .def("__contains__", &Interval::contains, "value"_a)
      .def(
          "__eq__",
          [](const Interval& self, nb::handle other) {
            return nb::isinstance<Interval>(other) && self == nb::cast<const Interval&>(other);
          },
          "other"_a)
      .def("__hash__",
           [](const Interval& self) {
             return nb::hash(
                 nb::make_tuple(self.lower, self.upper, self.lower_closed, self.upper_closed));
           })
      .def("__repr__", [](const Interval& self) {
        return nb::str("{}{}, {}{}")
            .format(self.lower_closed ? "[" : "(", self.lower, self.upper,
                    self.upper_closed ? "]" : ")");
      });
  add_pickling<Interval>(interval);

  nb::enum_<Status>(module, "Status", "What is proven about an answer.")
      .value("optimal", Status::optimal)
      .value("feasible", Status::feasible)
      .value("infeasible", Status::infeasible)
      .value("unknown", Status::unknown);
  nb::enum_<Stop>(module, "Stop", "Why a search ended.")
      .value("finished", Stop::finished)
      .value("time", Stop::time)
      .value("nodes", Stop::nodes)
      .value("memory", Stop::memory)
      .value("interrupt", Stop::interrupt)
      .value("visitor", Stop::visitor)
      .value("precision", Stop::precision);

  nb::class_<ChangeText>(module, "ChangeText", "A change as people see it.")
      .def_ro("title", &ChangeText::title)
      .def_ro("now", &ChangeText::now)
      .def_ro("then", &ChangeText::then)
      .def_ro("anything", &ChangeText::anything)
      .def_ro("feature", &ChangeText::feature);
  nb::class_<Solution> solution(module, "Solution", "A point and the box around it.");
  solution
      .def_prop_ro(
          "point", [](const Solution& self) { return array_of(self.point, {self.point.size()}); },
          nb::rv_policy::automatic)
      .def_ro("region", &Solution::region)
      .def_ro("codes", &Solution::codes);
  add_pickling<Solution>(solution);

  nb::class_<Statistics> statistics(module, "Statistics", "What a search did.");
  statistics.def_ro("nodes", &Statistics::nodes)
      .def_ro("open_nodes", &Statistics::open_nodes)
      .def_ro("peak_bytes", &Statistics::peak_bytes)
      .def_ro("threads", &Statistics::threads)
      .def_ro("seconds", &Statistics::seconds);
  add_pickling<Statistics>(statistics);

  nb::class_<Progress>(module, "Progress", "What a running search knows.")
      .def_ro("best_cost", &Progress::best_cost)
      .def_ro("lower_bound", &Progress::lower_bound)
      .def_ro("nodes", &Progress::nodes)
      .def_ro("seconds", &Progress::seconds)
      .def("__repr__", [](const Progress& self) {
        return nb::str("Progress(best_cost={}, lower_bound={}, nodes={}, seconds={:.3f})")
            .format(self.best_cost, self.lower_bound, self.nodes, self.seconds);
      });

  nb::class_<Answer> answer(module, "Answer", "What a search found and what it proved.");
  answer.def_ro("status", &Answer::status)
      .def_ro("stop", &Answer::stop)
      .def_ro("already_met", &Answer::already_met)
      .def_ro("cost", &Answer::cost)
      .def_ro("distance", &Answer::distance)
      .def_ro("lower_bound", &Answer::lower_bound)
      .def_prop_ro("gap", &Answer::gap)
      .def_prop_ro("count", [](const Answer& self) { return self.solutions.size(); })
      .def(
          "solution",
          [](const Answer& self, std::size_t index) -> const Solution& {
            return self.solutions.at(index);
          },
          "index"_a = 0, nb::rv_policy::reference_internal)
      .def_ro("more_ties", &Answer::more_ties)
      .def_ro("output_before", &Answer::output_before)
      .def_ro("output_after", &Answer::output_after)
      .def_ro("statistics", &Answer::statistics);
  add_pickling<Answer>(answer);

  nb::class_<Region>(module, "Region", "A box in which every model is constant.")
      .def_ro("nearest", &Region::nearest)
      .def_ro("cost", &Region::cost)
      .def_ro("scores", &Region::scores);
}

}  // namespace boxwood::python
