// Any bytes as CSV: an Error that names the file, or as many numbers as the model has features for
// every row.
#include "exercise.hpp"

#include "cli/csv.hpp"

#include <boxwood/schema.hpp>

#include <cstdint>
#include <string_view>

namespace {

boxwood::Ensemble small_model() {
  boxwood::Ensemble model;
  model.objective = "fuzz";
  model.base = {0};
  for (const char* name : {"age", "amount", "purpose"}) model.features.push_back({name});
  return model;
}

const char* const schema_text = R"({"boxwood_schema": 1, "features": [
  {"name": "amount", "title": "credit amount"},
  {"name": "purpose", "kind": "categorical", "labels": ["car", "radio/tv", "other, \"new\""]}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const boxwood::Ensemble model = small_model();
  static const boxwood::Schema schema = boxwood::schema_from_json(schema_text, "schema", model);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const boxwood::cli::Data all = boxwood::cli::parse_data(text, "data", model, schema);
    boxwood_fuzz::require(!all.points.empty() && all.points.size() == all.lines.size());
    for (const std::vector<double>& point : all.points) boxwood_fuzz::require(point.size() == 3);
    // Rows that are not kept do not change the others.
    const auto odd = [](std::size_t row) { return row % 2 == 1; };
    const boxwood::cli::Data half = boxwood::cli::parse_data(text, "data", model, schema, odd);
    boxwood_fuzz::require(half.lines == all.lines);
    for (std::size_t row = 0; row < all.points.size(); ++row) {
      boxwood_fuzz::require(half.points[row].size() == (odd(row) ? 3U : 0U));
    }
  } catch (const boxwood::Error& error) {
    boxwood_fuzz::require(error.place().starts_with("data") && !error.reason().empty());
  }
  return 0;
}
