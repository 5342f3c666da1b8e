// The question as a value: boxwood/query.hpp, field by field.
#include "pickle.hpp"

namespace boxwood::python {
namespace {

void bind_outcomes(nb::module_& module) {
  nb::class_<ClassIs>(module, "ClassIs", "The classifier answers this class.")
      .def(
          "__init__",
          [](ClassIs* self, std::size_t target, std::optional<double> probability,
             std::optional<double> margin) {
            new (self) ClassIs{target, probability, margin};
          },
          "target"_a, "probability"_a = nb::none(), "margin"_a = nb::none())
      .def_ro("target", &ClassIs::target)
      .def_ro("probability", &ClassIs::probability)
      .def_ro("margin", &ClassIs::margin);
  nb::class_<ClassIn>(module, "ClassIn", "The classifier answers one of these.")
      .def(
          "__init__",
          [](ClassIn* self, std::vector<std::size_t> targets) {
            new (self) ClassIn{std::move(targets)};
          },
          "targets"_a)
      .def_ro("targets", &ClassIn::targets);
  nb::class_<OutputIn>(module, "OutputIn", "An output lies in a range.")
      .def(
          "__init__",
          [](OutputIn* self, const Interval& range, std::size_t output) {
            new (self) OutputIn{range, output};
          },
          "range"_a, "output"_a = 0)
      .def_ro("range", &OutputIn::range)
      .def_ro("output", &OutputIn::output);
  nb::class_<ScoreIn>(module, "ScoreIn", "A raw score, or its lead over another, lies in a range.")
      .def(
          "__init__",
          [](ScoreIn* self, const Interval& range, std::size_t output,
             std::optional<std::size_t> rival) {
            new (self) ScoreIn{range, output, rival};
          },
          "range"_a, "output"_a = 0, "rival"_a = nb::none())
      .def_ro("range", &ScoreIn::range)
      .def_ro("output", &ScoreIn::output)
      .def_ro("rival", &ScoreIn::rival);

  using Outcome = std::variant<ClassIs, ClassIn, OutputIn, ScoreIn>;
  nb::class_<Requirement>(module, "Requirement", "One requirement on the outcome of one model.")
      .def(
          "__init__",
          [](Requirement* self, Outcome outcome, std::size_t ensemble, bool negated, bool counted) {
            new (self) Requirement{ensemble, std::move(outcome), negated, counted};
          },
          "outcome"_a, "ensemble"_a = 0, "negated"_a = false, "counted"_a = false)
      .def_ro("outcome", &Requirement::outcome)
      .def_ro("ensemble", &Requirement::ensemble)
      .def_ro("negated", &Requirement::negated)
      .def_ro("counted", &Requirement::counted);
}

void bind_rules(nb::module_& module) {
  nb::enum_<Direction>(module, "Direction", "In which direction a feature may change.")
      .value("both", Direction::both)
      .value("up", Direction::up)
      .value("down", Direction::down);
  nb::class_<FeatureRule>(module, "FeatureRule", "What may happen to a feature and what it costs.")
      .def_rw("kind", &FeatureRule::kind)
      .def_rw("fixed", &FeatureRule::fixed)
      .def_rw("range", &FeatureRule::range)
      .def_rw("domain", &FeatureRule::domain)
      .def_rw("allowed", &FeatureRule::allowed)
      .def_rw("step", &FeatureRule::step)
      .def_rw("missing_allowed", &FeatureRule::missing_allowed)
      .def_rw("changes", &FeatureRule::changes)
      .def_rw("direction", &FeatureRule::direction)
      .def_rw("least_change", &FeatureRule::least_change)
      .def_rw("most_change", &FeatureRule::most_change)
      .def_rw("robust", &FeatureRule::robust)
      .def_rw("robust_codes", &FeatureRule::robust_codes)
      .def_rw("weight", &FeatureRule::weight)
      .def_rw("up", &FeatureRule::up)
      .def_rw("down", &FeatureRule::down)
      .def_rw("scale", &FeatureRule::scale)
      .def_rw("quantiles", &FeatureRule::quantiles);
  nb::class_<OneHot>(module, "OneHot", "Columns of zeros with a single 1.")
      .def(
          "__init__",
          [](OneHot* self, std::vector<std::size_t> columns, double weight, bool none_allowed) {
            new (self) OneHot{std::move(columns), weight, none_allowed, {}};
          },
          "columns"_a, "weight"_a = 1.0, "none_allowed"_a = false)
      .def_ro("columns", &OneHot::columns)
      .def_ro("weight", &OneHot::weight)
      .def_ro("none_allowed", &OneHot::none_allowed)
      .def_ro("robust", &OneHot::robust);
  nb::class_<Literal>(module, "Literal", "A statement about the value of a feature.")
      .def(
          "__init__",
          [](Literal* self, std::size_t feature, const Interval& range, bool inside, bool missing,
             std::vector<std::int32_t> codes) {
            new (self) Literal{feature, range, inside, missing, std::move(codes)};
          },
          "feature"_a, "range"_a = Interval{}, "inside"_a = true, "missing"_a = false,
          "codes"_a = std::vector<std::int32_t>{})
      .def_ro("feature", &Literal::feature)
      .def_ro("range", &Literal::range)
      .def_ro("inside", &Literal::inside)
      .def_ro("missing", &Literal::missing)
      .def_ro("codes", &Literal::codes);
  nb::class_<Clause>(module, "Clause", "At least one of these holds in the answer.")
      .def(
          "__init__",
          [](Clause* self, std::vector<Literal> any_of) { new (self) Clause{std::move(any_of)}; },
          "any_of"_a)
      .def_ro("any_of", &Clause::any_of);
  nb::enum_<Norm>(module, "Norm", "What the cost adds up.")
      .value("squared_l2", Norm::squared_l2)
      .value("l1", Norm::l1)
      .value("l0", Norm::l0)
      .value("linf", Norm::linf)
      .value("mixture", Norm::mixture)
      .value("custom", Norm::custom);
  nb::class_<Mixture>(module, "Mixture", "How much of each norm a mixture has.")
      .def(
          "__init__",
          [](Mixture* self, double squared_l2, double l1, double l0) {
            new (self) Mixture{squared_l2, l1, l0};
          },
          "squared_l2"_a = 0.0, "l1"_a = 0.0, "l0"_a = 0.0)
      .def_ro("squared_l2", &Mixture::squared_l2)
      .def_ro("l1", &Mixture::l1)
      .def_ro("l0", &Mixture::l0);
}

// A cost written in Python may know the answer that knows its question: with these two the garbage
// collector sees such rings.
int traverse_query(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const nb::object term = nb::find(nb::inst_ptr<Query>(self)->term);
  Py_VISIT(term.ptr());
  return 0;
}

int clear_query(PyObject* self) {
  nb::inst_ptr<Query>(self)->term = nullptr;
  return 0;
}

PyType_Slot query_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_query)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_query)},
    {0, nullptr},
};

}  // namespace

void bind_query(nb::module_& module) {
  nb::enum_<FeatureKind>(module, "FeatureKind", "What the values of a feature mean.")
      .value("continuous", FeatureKind::continuous)
      .value("integer", FeatureKind::integer)
      .value("ordinal", FeatureKind::ordinal)
      .value("categorical", FeatureKind::categorical);
  bind_outcomes(module);
  bind_rules(module);

  nb::class_<LiveRows>(module, "LiveRows", "The regions in which the rows of some data lie.")
      .def("__len__", [](const LiveRows& self) { return self.regions->regions.size(); });
  auto query = nb::class_<Query>(module, "Query", nb::type_slots(query_slots),
                                 "From this point, what is wanted, allowed and paid.");
  query
      .def_prop_ro(
          "point", [](const Query& self) { return array_of(self.point, {self.point.size()}); },
          nb::rv_policy::automatic)
      .def_rw("requirements", &Query::requirements)
      .def("__len__", [](const Query& self) { return self.features.size(); })
      .def(
          "feature",
          [](Query& self, std::size_t index) -> FeatureRule& { return self.features.at(index); },
          "index"_a, nb::rv_policy::reference_internal)
      .def_rw("groups", &Query::groups)
      .def_rw("clauses", &Query::clauses)
      .def_rw("max_changes", &Query::max_changes, nb::arg("value").none())
      .def_rw("agree", &Query::agree, nb::arg("value").none())
      .def_ro("live", &Query::live)
      .def(
          "set_live",
          [](Query& self, std::size_t least, const LiveRows& rows) {
            self.live = least;
            self.live_regions = rows.regions;
          },
          "least"_a, "rows"_a, "The answer's region must hold at least so many of the rows.")
      .def_rw("norm", &Query::norm)
      .def_rw("mixture", &Query::mixture)
      .def_rw("term", &Query::term)
      .def_rw("fewest_first", &Query::fewest_first)
      .def(
          "at",
          [](const Query& self, const Point& point) {
            Query copy = self;
            copy.point = vector_of(point);
            return copy;
          },
          "point"_a, "The same question from another point.")
      .def(
          "to_json", [](const Query& self) { return to_json(self); },
          "The query as one line of JSON: the same for equivalent questions.")
      .def(
          "question_text", [](const Query& self) { return question_text(self); },
          "The text of a question file.")
      .def(
          "total_cost",
          [](const Query& self, const Point& to) { return total_cost(self, vector_of(to)); },
          "to"_a)
      .def(
          "change_count",
          [](const Query& self, const Point& to) { return change_count(self, vector_of(to)); },
          "to"_a)
      .def(
          "changes", [](const Query& self, std::size_t i) { return changes(self, i); }, "feature"_a)
      .def(
          "stays", [](const Query& self, std::size_t i) { return stays(self, i); }, "feature"_a)
      .def(
          "rises", [](const Query& self, std::size_t i) { return rises(self, i); }, "feature"_a)
      .def(
          "falls", [](const Query& self, std::size_t i) { return falls(self, i); }, "feature"_a);
  add_pickling<Query>(query);
  module.def("negated", &negated, "literal"_a, "The opposite statement.");
  module.def("distance", &distance, "norm"_a, "cost"_a);
  module.def(
      "unify_missing",
      [](const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& point) {
        for (std::size_t i = 0; i < point.size(); ++i) {
          double& value = point.data()[i];
          if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
        }
      },
      "point"_a, "Gives all missing values of a point the same bits.");
}

}  // namespace boxwood::python
