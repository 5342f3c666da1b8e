// Models: ensembles put together with a schema and asked for predictions; and the words that are
// made of a model, a question and its answer.
#include "at_exit.hpp"
#include "common.hpp"

#include <algorithm>

namespace boxwood::python {
namespace {

ModelSet set_of(std::vector<Ensemble> ensembles, const std::string& schema_text,
                std::vector<std::string> names) {
  std::optional<Schema> schema;
  if (!schema_text.empty() && !ensembles.empty()) {
    schema = schema_from_json(schema_text, "schema", ensembles.front());
  }
  return make_model_set(std::move(ensembles), std::move(names), std::move(schema));
}

const Ensemble& ensemble_at(const Model& model, std::size_t index) {
  if (index < model.ensembles().size()) return model.ensembles()[index];
  throw Error("model", "there is no model " + std::to_string(index),
              "There are " + std::to_string(model.ensembles().size()));
}

/// An array with a row of `columns` numbers for each point. `row(ensemble, scores, numbers)` writes
/// one row from the raw scores.
template <typename Number, typename Row>
auto for_rows(const Model& model, std::size_t index, std::size_t columns, const Points& points,
              const Row& row) {
  const Ensemble& ensemble = ensemble_at(model, index);
  const std::size_t count = points.shape(0), width = points.shape(1);
  std::vector<Number> all(count * columns);
  {
    const Released released;
    std::vector<double> scores(ensemble.base.size());
    for (std::size_t r = 0; r < count; ++r) {
      ensemble.predict({points.data() + r * width, width}, scores);
      row(ensemble, std::span<const double>(scores), std::span(all).subspan(r * columns, columns));
    }
  }
  return array_of(std::move(all), {count, columns});
}

void bind_schema(nb::module_& module) {
  module.def(
      "check_same_columns",
      [](const std::vector<const Ensemble*>& ensembles, const std::vector<std::string>& names) {
        check_same_columns(ensembles, names);
      },
      "ensembles"_a, "names"_a, "Raises an Error unless all models mean the same by every column.");
  nb::enum_<Spread>(module, "Spread", "How far the values of a feature spread.")
      .value("range", Spread::range)
      .value("deviation", Spread::deviation)
      .value("median_deviation", Spread::median_deviation)
      .value("quantiles", Spread::quantiles);
  module.def(
      "known_labels",
      [](const Ensemble& ensemble) {
        std::vector<std::vector<std::string>> labels;
        for (FeatureSchema& feature : schema_for(ensemble).features) {
          labels.push_back(std::move(feature.labels));
        }
        return labels;
      },
      "ensemble"_a, "By feature the labels of codes 0, 1, …; none where the model lacks one.");
  module.def(
      "measure",
      [](const std::vector<FeatureKind>& kinds, const Points& points, Spread spread) {
        Schema schema;
        schema.features.resize(kinds.size());
        for (std::size_t i = 0; i < kinds.size(); ++i) schema.features[i].kind = kinds[i];
        std::vector<std::vector<double>> rows;
        for (std::size_t r = 0; r < points.shape(0); ++r) {
          const double* row = points.data() + r * points.shape(1);
          rows.emplace_back(row, row + points.shape(1));
        }
        measure(schema, rows, spread);
        std::vector<std::pair<double, std::vector<double>>> found;
        for (FeatureSchema& feature : schema.features) {
          found.emplace_back(feature.scale, std::move(feature.quantiles));
        }
        return found;
      },
      "kinds"_a, "points"_a, "spread"_a, "By feature the scale and the quantiles of data.");
}

}  // namespace

Model::Model(std::vector<Ensemble> given, const std::string& schema_text,
             std::vector<std::string> called)
    : prepared(set_of(std::move(given), schema_text, std::move(called))) {}

void bind_model(nb::module_& module) {
  bind_schema(module);
  nb::enum_<Statements>(module, "Statements", "Which statements a text may hold.")
      .value("all", Statements::all)
      .value("wants", Statements::wants)
      .value("rules", Statements::rules);

  nb::class_<Model>(module, "Model", "Models that are asked together, made ready once.")
      .def(nb::init<std::vector<Ensemble>, const std::string&, std::vector<std::string>>(),
           "ensembles"_a, "schema"_a = "", "names"_a = std::vector<std::string>{})
      .def_prop_ro(
          "deciding_models", [](const Model& self) { return deciding_models(self.ensembles()); },
          "The indices of all models but isolation forests beside others.")
      .def("__len__", [](const Model& self) { return self.ensembles().size(); })
      .def("ensemble", &ensemble_at, "index"_a = 0, nb::rv_policy::reference_internal)
      .def(
          "scores",
          [](const Model& self, const Points& points, std::size_t index) {
            return for_rows<double>(self, index, ensemble_at(self, index).base.size(), points,
                                    [](const Ensemble&, auto scores, auto numbers) {
                                      std::copy(scores.begin(), scores.end(), numbers.begin());
                                    });
          },
          "points"_a, "index"_a = 0, "Raw scores, a row for each point.")
      .def(
          "outputs",
          [](const Model& self, const Points& points, std::size_t index) {
            return for_rows<double>(self, index, ensemble_at(self, index).output_count(), points,
                                    [](const Ensemble& ensemble, auto scores, auto numbers) {
                                      ensemble.transform(scores, numbers);
                                    });
          },
          "points"_a, "index"_a = 0, "What the library's link makes of the scores.")
      .def(
          "probabilities",
          [](const Model& self, const Points& points, std::size_t index) {
            const Ensemble& asked = ensemble_at(self, index);
            std::vector<double> outputs(asked.output_count());
            return for_rows<double>(self, index, asked.class_count(), points,
                                    [&](const Ensemble& ensemble, auto scores, auto numbers) {
                                      ensemble.transform(scores, outputs);
                                      for (std::size_t k = 0; k < numbers.size(); ++k) {
                                        numbers[k] = ensemble.probability(outputs, k);
                                      }
                                    });
          },
          "points"_a, "index"_a = 0, "The probability of each class.")
      .def(
          "classes",
          [](const Model& self, const Points& points, std::size_t index) {
            return for_rows<std::int64_t>(
                self, index, 1, points, [](const Ensemble& ensemble, auto scores, auto numbers) {
                  numbers[0] = static_cast<std::int64_t>(ensemble.classify(scores));
                });
          },
          "points"_a, "index"_a = 0, "The index of the class that the library answers.")
      .def(
          "query",
          [](const Model& self, const Point& point) {
            Query query = query_for(self.ensembles().front(), vector_of(point));
            apply(self.schema(), query);
            return query;
          },
          "point"_a, "A query at this point with the schema's rules and no requirement.")
      .def(
          "require_above",
          [](const Model& self, const Point& other, std::size_t output, std::size_t index) {
            Requirement above = require_above(ensemble_at(self, index), vector_of(other), output);
            above.ensemble = index;
            return above;
          },
          "other"_a, "output"_a = 0, "index"_a = 0, "To rank above another point.")
      .def(
          "add_text",
          [](const Model& self, Query& query,
             const std::vector<std::tuple<std::string, std::string, Statements>>& texts) {
            std::vector<QueryText> all = rule_texts(self.schema());
            for (const auto& [text, place, may_hold] : texts) {
              all.push_back({text, place, may_hold});
            }
            add_text(all, self.ensembles(), self.schema(), query, self.names());
          },
          "query"_a, "texts"_a,
          "Adds what the schema's rules and (text, place, statements) say to a query.")
      .def(
          "validate",
          [](const Model& self, const Query& query) { validate(query, self.ensembles()); },
          "query"_a)
      .def(
          "live_rows",
          [](const Model& self, const std::vector<std::vector<double>>& rows) {
            const nb::gil_scoped_release released;
            return LiveRows{
                std::make_shared<const LiveRegions>(find_live_regions(self.ensembles(), rows))};
          },
          "rows"_a, "The regions in which these rows lie.")
      .def(
          "rows_around",
          [](const Model&, const Query& query, const Point& point) {
            return rows_around(query, vector_of(point));
          },
          "query"_a, "point"_a, "How many rows of `live_regions` are in the region of a point.")
      .def(
          "agreeing",
          [](const Model& self, const Query& query, const Point& point) {
            return agreeing(query, self.ensembles(), vector_of(point));
          },
          "query"_a, "point"_a, "How many counted requirements hold in a point.")
      .def(
          "meets",
          [](const Model& self, const Query& query, const Point& point) {
            return meets(query, self.ensembles(), vector_of(point));
          },
          "query"_a, "point"_a)
      .def(
          "verify",
          [](const Model& self, const Query& query, const Answer& answer, std::size_t samples,
             std::uint64_t seed) {
            const Verification found = verify(self.ensembles(), query, answer, samples, seed);
            return std::pair(found.faults, found.points_checked);
          },
          "query"_a, "answer"_a, "samples"_a = 256, "seed"_a = 1,
          "What an independent check finds wrong, and how many points it looked at.")
      .def(
          "value_text",
          [](const Model& self, std::size_t feature, double value) {
            return value_text(self.schema().features.at(feature), value, self.ensembles()[0].input);
          },
          "feature"_a, "value"_a)
      .def(
          "rule_text",
          [](const Model& self, const Query& query, const Rule& rule) {
            return rule_text(self.ensembles().front(), self.schema(), query, rule);
          },
          "query"_a, "rule"_a)
      .def(
          "changes_in_words",
          [](const Model& self, const Query& query, const Solution& solution) {
            const std::size_t asked =
                query.requirements.empty() ? 0 : query.requirements.front().ensemble;
            return changes_in_words(self.ensembles()[asked], self.schema(), query, solution);
          },
          "query"_a, "solution"_a)
      .def(
          "wide_text",
          [](const Model& self, const Query& query, const WideRegion& wide, const Point& point,
             std::size_t feature) {
            return wide_text(self.ensembles().front(), self.schema(), query, wide, vector_of(point),
                             feature);
          },
          "query"_a, "wide"_a, "point"_a, "feature"_a)
      .def(
          "interval_text",
          [](const Model& self, std::size_t feature, const Interval& interval,
             std::optional<double> now) {
            return interval_text(self.schema().features.at(feature), interval,
                                 self.ensembles()[0].input, now);
          },
          "feature"_a, "interval"_a, "now"_a = nb::none());
}

}  // namespace boxwood::python
