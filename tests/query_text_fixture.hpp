// A lender's model, schema and applicant for tests of query text. docs/query.md speaks of the same.
#pragma once

#include <boxwood/query_text.hpp>
#include <boxwood/schema.hpp>

#include "small_models.hpp"

#include <string>
#include <vector>

namespace lender {

using namespace boxwood;

enum : std::size_t { duration, amount, savings, purpose, age, income, red, green, blue };

/// Two classes, refused and granted; short loans and small amounts are granted.
inline Ensemble model() {
  Ensemble ensemble = binary_model(9, {stump(duration, 18, 1, -1), stump(amount, 4000, 1, -1)});
  const std::vector<std::string> names = {"duration", "credit_amount", "savings", "purpose", "age",
                                          "income",   "c_red",         "c_green", "c_blue"};
  for (std::size_t i = 0; i < names.size(); ++i) ensemble.features[i].name = names[i];
  ensemble.classes = {"refused", "granted"};
  return ensemble;
}

/// Predicts one number: 100 or 200, and 50 more where savings are much.
inline Ensemble price() {
  Ensemble ensemble = model();
  ensemble.trees = {stump(duration, 18, 200, 100), stump(savings, 2, 0, 50)};
  ensemble.classes.clear();
  ensemble.task = Task::regression;
  ensemble.link = Link::identity;
  ensemble.objective = "reg:squarederror";
  return ensemble;
}

/// Three classes: low, middle, high.
inline Ensemble grades() {
  Ensemble ensemble = model();
  ensemble.base = {0, 0, 0};
  ensemble.trees[1].output = 2;
  ensemble.classes = {"low", "middle", "high"};
  ensemble.task = Task::multiclass;
  ensemble.link = Link::softmax;
  ensemble.objective = "multi:softprob";
  return ensemble;
}

inline const char* const schema_text = R"({
  "boxwood_schema": 1, "output_unit": "EUR",
  "features": [
    {"name": "duration", "kind": "integer", "unit": "months", "range": [4, 72]},
    {"name": "credit_amount", "title": "credit amount", "unit": "DM"},
    {"name": "savings", "kind": "ordinal", "labels": ["none", "little", "much"]},
    {"name": "purpose", "kind": "categorical", "labels": ["car", "radio/tv", "new kitchen"]},
    {"name": "age", "kind": "integer", "unit": "years"}
  ],
  "one_hot": [{"title": "colour", "columns": ["c_red", "c_green", "c_blue"],
               "labels": ["red", "green", "blue"]}]
})";

inline Schema schema(const Ensemble& ensemble = model()) {
  return schema_from_json(schema_text, "schema.json", ensemble);
}

/// 24 months, 4870 DM, little, radio/tv, 35 years, no income known, green.
inline std::vector<double> point() {
  return {24, 4870, 1, 1, 35, std::numeric_limits<double>::quiet_NaN(), 0, 1, 0};
}

inline Query query(const Ensemble& ensemble = model()) {
  Query made = query_for(ensemble, point());
  apply(schema(ensemble), made);
  return made;
}

inline Query asked(const std::string& text, const std::vector<Ensemble>& ensembles = {model()}) {
  Query made = query(ensembles.front());
  add_text(text, "text", ensembles, schema(ensembles.front()), made);
  return made;
}

}  // namespace lender
