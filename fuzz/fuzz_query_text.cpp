// Any bytes as query text: an Error that shows the place, or a query that is sound.
#include "exercise.hpp"

#include <boxwood/query_text.hpp>

#include <cstdint>
#include <string_view>

namespace {

boxwood::Ensemble small_model() {
  boxwood::Ensemble model;
  model.objective = "fuzz";
  model.task = boxwood::Task::multiclass;
  model.link = boxwood::Link::softmax;
  model.base = {0.25, 0, 0.5};
  model.classes = {"low", "middle", "high"};
  for (const char* name : {"age", "amount", "purpose", "red", "green"}) {
    model.features.push_back({name});
  }
  return model;
}

const char* const schema_text = R"({"boxwood_schema": 1, "features": [
  {"name": "age", "kind": "integer", "unit": "years", "range": [0, 100]},
  {"name": "purpose", "kind": "categorical", "labels": ["car", "radio/tv", "other"]}],
  "one_hot": [{"title": "colour", "columns": ["red", "green"]}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<boxwood::Ensemble> models(2, small_model());
  static const boxwood::Schema schema =
      boxwood::schema_from_json(schema_text, "schema", models.front());
  boxwood::Query query =
      boxwood::query_for(models.front(), std::vector<double>{35, std::nan(""), 1, 0, 1});
  boxwood::apply(schema, query);
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    boxwood::add_text(text, "text", models, schema, query);
  } catch (const boxwood::Error& error) {
    boxwood_fuzz::require(!error.place().empty() && !error.reason().empty());
    return 0;
  }
  boxwood::validate(query, models);  // whatever text says makes sense, or it is an Error above
  return 0;
}
