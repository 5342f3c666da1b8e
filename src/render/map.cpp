// Maps as JSON and as a table of what they hold.
#include "render/columns.hpp"
#include "render/json_parts.hpp"
#include "render/map_paint.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <cmath>

namespace boxwood {

std::string to_table(const MapView& view, const TableStyle& style) {
  const auto& [ensemble, schema, query, map, asked, answer, path, row] = view;
  const FeatureSchema& x = schema.features[asked.x];
  const FeatureSchema& y = schema.features[asked.y];
  const Palette palette = palette_for(view, ensemble.task == Task::regression);
  std::vector<std::size_t> counts(palette.paints.size());
  for (const std::size_t paint : palette.of_cell) ++counts[paint];
  std::string text =
      inked(fmt::format("{}: {}", subject_text(schema, row),
                        outcome_text(ensemble, schema, query, ensemble.predict(query.point))),
            Ink::bold, style) +
      "\n";
  const auto range = [&](const FeatureSchema& feature, const Interval& view_of) {
    return fmt::format("{} from {} to {}", title_of(feature),
                       value_text(feature, view_of.lower, view.ensemble.input),
                       value_text(feature, view_of.upper, view.ensemble.input));
  };
  text += fmt::format("{} exact rectangle{}: {}, {}\n\n", grouped_count(map.cells.size()),
                      map.cells.size() == 1 ? "" : "s", range(x, map.x_view), range(y, map.y_view));
  Lines lines = {{palette.title, "rectangles"}};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) lines.push_back({palette.paints[k].words, grouped_count(counts[k])});
  }
  text += ruled_columns(lines, style);
  for (const std::string& note : map_notes(view)) {
    text += fmt::format("  {}\n", wrapped(note, page_width - 2, "  "));
  }
  return text;
}

std::string to_json(const MapView& view) {
  const auto& [ensemble, schema, query, map, asked, answer, path, row] = view;
  Json object;
  object["boxwood_map"] = 1;
  object["row"] = row_json(row);
  object["x"] = ensemble.features[asked.x].name;
  object["y"] = ensemble.features[asked.y].name;
  object["x_view"] = interval_json(map.x_view);
  object["y_view"] = interval_json(map.y_view);
  object["radius"] = asked.radius ? number_json(*asked.radius) : Json(nullptr);
  object["stop"] = to_string(map.stop);
  object["cells"] = Json::array();
  for (const MapCell& cell : map.cells) {
    Json entry;
    entry["x"] = interval_json(cell.x);
    entry["y"] = interval_json(cell.y);
    if (asked.radius) {
      entry["meets"] = cell.meets;
      entry["cost"] = cell.meets ? number_json(cell.cost) : Json(nullptr);
    } else {
      entry["output"] = numbers_json(cell.outputs);
      if (cell.label) entry["class"] = ensemble.class_name(*cell.label);
      entry["meets"] = cell.meets;
    }
    object["cells"].push_back(std::move(entry));
  }
  object["path"] = Json::array();
  for (const PathStep& step : path) object["path"].push_back(point_json(step.point));
  object["answer"] = answer_json({ensemble, schema, query, answer, row, std::nullopt});
  return one_line(object);
}

}  // namespace boxwood
