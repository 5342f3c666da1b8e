#include "render/map_paint.hpp"

#include "render/changes.hpp"
#include "render/outcome.hpp"
#include "render/svg_canvas.hpp"
#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace boxwood {
namespace {

/// The output that a scale shows: the one asked for, or the probability of the class asked for.
struct Shown {
  std::string title;
  std::optional<std::size_t> probability_of;
  std::size_t output = 0;
};

Shown shown_output(const MapView& view) {
  const auto& requirements = view.query.requirements;
  if (!requirements.empty()) {
    const auto& outcome = requirements.front().outcome;
    const auto* wanted = std::get_if<ClassIs>(&outcome);
    if (wanted && view.ensemble.has_probabilities()) {
      return {fmt::format("probability of \"{}\"", view.ensemble.class_name(wanted->target)),
              wanted->target, 0};
    }
    if (const auto* output = std::get_if<OutputIn>(&outcome)) {
      const std::string& name = view.schema.outcome;
      std::string title = view.ensemble.task == Task::regression && !name.empty() ? name : "output";
      if (!view.schema.output_unit.empty()) title += fmt::format(" ({})", view.schema.output_unit);
      return {title, std::nullopt, output->output};
    }
  }
  return {"output", std::nullopt, 0};
}

double shown_value(const MapView& view, const Shown& shown, const MapCell& cell) {
  if (shown.probability_of) return view.ensemble.probability(cell.outputs, *shown.probability_of);
  return cell.outputs[std::min(shown.output, cell.outputs.size() - 1)];
}

/// Colours of equal steps from the least value to the largest; cells that are not shown are last.
Palette scale(std::string title, const std::vector<double>& values, const char* otherwise) {
  Palette palette{std::move(title), {}, std::vector<std::size_t>(values.size()), true};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const bool any = low <= high;
  const std::size_t steps = !any ? 0 : low == high ? 1 : scale_steps;
  const double width = steps > 1 ? (high - low) / static_cast<double>(steps) : 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double from = low + width * static_cast<double>(k);
    palette.paints.push_back(
        {fmt::format("s{}", k), steps == 1 ? fmt::format("{:.3g}", low)
                                           : fmt::format("{:.3g} to {:.3g}", from, from + width)});
  }
  bool other = false;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isfinite(values[c])) {
      palette.of_cell[c] = steps;
      other = true;
    } else if (steps > 1) {
      const auto step = static_cast<std::size_t>((values[c] - low) / width);
      palette.of_cell[c] = std::min(step, steps - 1);
    }
  }
  if (other) palette.paints.push_back({"none", otherwise});
  return palette;
}

Palette by_class(const MapView& view) {
  Palette palette{view.schema.outcome.empty() ? "class" : view.schema.outcome, {}, {}, false};
  std::map<std::size_t, std::size_t> places;
  for (const MapCell& cell : view.map.cells) places[*cell.label] = 0;
  for (auto& [label, place] : places) {
    place = palette.paints.size();
    palette.paints.push_back(
        {fmt::format("k{}", label % class_colours), view.ensemble.class_name(label)});
  }
  for (const MapCell& cell : view.map.cells) palette.of_cell.push_back(places[*cell.label]);
  return palette;
}

bool has_labels(const MapView& view) {
  return !view.map.cells.empty() &&
         std::all_of(view.map.cells.begin(), view.map.cells.end(),
                     [](const MapCell& cell) { return cell.label.has_value(); });
}

}  // namespace

Palette palette_for(const MapView& view, bool by_output) {
  std::vector<double> values;
  if (view.asked.radius) {
    for (const MapCell& cell : view.map.cells) {
      values.push_back(cell.meets ? cell.cost : std::numeric_limits<double>::quiet_NaN());
    }
    return scale("cost of the other features", values, "out of reach");
  }
  if (!by_output && has_labels(view)) return by_class(view);
  const Shown shown = shown_output(view);
  for (const MapCell& cell : view.map.cells) values.push_back(shown_value(view, shown, cell));
  return scale(shown.title, values, "no number");
}

std::string cell_words(const MapView& view, const MapCell& cell) {
  if (view.asked.radius) {
    return cell.meets ? fmt::format("within reach at cost {}", cost_text(cell.cost))
                      : std::string("out of reach");
  }
  const std::string value = fmt::format("{:.4g}", shown_value(view, shown_output(view), cell));
  return cell.label ? fmt::format("{} · {}", view.ensemble.class_name(*cell.label), value) : value;
}

std::vector<std::string> map_notes(const MapView& view) {
  const auto& [ensemble, schema, query, map, asked, answer, path, row] = view;
  std::vector<std::string> notes;
  if (asked.radius) {
    notes.push_back(
        fmt::format("All other features may change for at most {} (distance) to reach the outcome.",
                    cost_text(*asked.radius)));
  } else {
    notes.emplace_back("All other features are as they are now.");
  }
  if (map.stop != Stop::finished) {
    notes.push_back(fmt::format("Not all of it is drawn ({}).", stop_text(map.stop)));
  }
  if (answer.solutions.empty()) {
    if (answer.status == Status::infeasible)
      notes.emplace_back("No allowed change has the outcome.");
    return notes;
  }
  if (answer.already_met) return notes;
  std::vector<std::string> others;
  std::vector<double> elsewhere = answer.best().point;
  elsewhere[asked.x] = query.point[asked.x];
  elsewhere[asked.y] = query.point[asked.y];
  const std::string line = changes_line(ensemble, schema, query, elsewhere, "; ");
  if (!line.empty()) {
    notes.push_back(fmt::format(
        "The nearest change also changes what is not drawn ({}): the colour at its end need not be "
        "its outcome.",
        line));
  }
  const auto outside = [](const Interval& range, double value) {
    return !(value >= range.lower && value <= range.upper);
  };
  if (outside(map.x_view, query.point[asked.x]) || outside(map.y_view, query.point[asked.y])) {
    notes.push_back(fmt::format("{} lies outside.", subject_text(schema, row)));
  }
  const std::vector<double>& to = answer.best().point;
  if (outside(map.x_view, to[asked.x]) || outside(map.y_view, to[asked.y])) {
    notes.emplace_back("The nearest change lies outside.");
  }
  return notes;
}

}  // namespace boxwood
