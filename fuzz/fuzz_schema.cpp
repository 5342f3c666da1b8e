// Any bytes as a schema: an Error, or a schema that is written and read again as the same and that
// a query takes.
#include "exercise.hpp"

#include <boxwood/query_text.hpp>
#include <boxwood/schema.hpp>

#include <cstdint>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const boxwood::Ensemble model = [] {
    boxwood::Ensemble small;
    small.objective = "fuzz";
    small.task = boxwood::Task::binary;
    small.link = boxwood::Link::sigmoid;
    small.base = {0};
    for (const char* name : {"age", "amount", "purpose", "red", "green"}) {
      small.features.push_back({name});
    }
    return small;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const boxwood::Schema schema = boxwood::schema_from_json(text, "schema", model);
    const std::string written = boxwood::to_json(schema);
    const boxwood::Schema again = boxwood::schema_from_json(written, "written", model);
    boxwood_fuzz::require(boxwood::to_json(again) == written);
    boxwood::Query query = boxwood::query_for(model, std::vector<double>{35, 0.5, 1, 0, 1});
    boxwood::apply(schema, query);
    const std::vector<boxwood::QueryText> texts = boxwood::rule_texts(schema);
    boxwood::add_text(texts, std::span(&model, 1), schema, query);
    boxwood::validate(query, std::span(&model, 1));
  } catch (const boxwood::Error& error) {
    boxwood_fuzz::require(!error.place().empty() && !error.reason().empty());
  }
  return 0;
}
