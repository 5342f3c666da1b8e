#include "render/map_paint.hpp"

#include "base/text.hpp"
#include "render/axes.hpp"
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

/// The output that a scale shows: the one that the requirement is about, or the probability of its
/// class.
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
      return {fmt::format("probability of \"{}\"", class_words(view.ensemble, wanted->target)),
              wanted->target, 0};
    }
    if (const auto* output = std::get_if<OutputIn>(&outcome)) {
      const std::string name = outcome_words(view.schema);
      std::string title = view.ensemble.task == Task::regression && !name.empty() ? name : "output";
      if (!view.schema.output_unit.empty())
        title += fmt::format(" ({})", visible(view.schema.output_unit));
      return {title, std::nullopt, output->output};
    }
  }
  return {"output", std::nullopt, 0};
}

double shown_value(const MapView& view, const Shown& shown, const MapCell& cell) {
  if (shown.probability_of) return view.ensemble.probability(cell.outputs, *shown.probability_of);
  return cell.outputs[std::min(shown.output, cell.outputs.size() - 1)];
}

LegendEntry step_colour(std::size_t step, std::string words) {
  return {fmt::format("s{}", step), scale_colour(step), std::move(words)};
}

/// One colour for each value if there are only a few values, such as costs that count changes.
std::optional<Palette> few_values(const std::string& title, const std::vector<double>& values,
                                  const char* otherwise) {
  constexpr std::size_t most = 5;
  std::map<double, std::size_t> places;
  for (const double value : values) {
    if (std::isfinite(value)) places[value] = 0;
    if (places.size() > most) return std::nullopt;
  }
  Palette palette{title, {}, {}, true};
  for (auto& [value, place] : places) {
    place = palette.paints.size();
    const std::size_t shade =
        places.size() == 1 ? scale_steps / 2 : place * (scale_steps - 1) / (places.size() - 1);
    palette.paints.push_back(step_colour(shade, cost_text(value)));
    if (place > 0 && palette.paints[place - 1].words == palette.paints[place].words) {
      return std::nullopt;
    }
  }
  for (const double value : values) {
    palette.of_cell.push_back(std::isfinite(value) ? places[value] : places.size());
  }
  if (std::count(palette.of_cell.begin(), palette.of_cell.end(), places.size()) > 0) {
    palette.paints.push_back({"none", nothing_colour, otherwise});
  }
  return palette;
}

/// Colours for steps of equal round width from the least value to the largest. `otherwise` is the
/// meaning of values that are not finite; their colour comes last.
Palette scale(std::string title, const std::vector<double>& values, const char* otherwise) {
  if (auto palette = few_values(title, values, otherwise)) return *palette;
  Palette palette{std::move(title), {}, std::vector<std::size_t>(values.size()), true};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double width = 0;
  double first = 0;
  std::size_t steps = 1;
  // With wider steps, the rounded range may need one step more than the values themselves.
  for (std::size_t count = scale_steps; count > 0; --count) {
    width = round_step(low, high, count);
    if (!(width > 0)) break;  // the range is too wide or too narrow for floating point: one step
    first = std::floor(low / width + 1e-9);
    steps = static_cast<std::size_t>(std::max(1.0, std::ceil(high / width - 1e-9) - first));
    if (steps <= scale_steps) break;
  }
  const auto edge = [&](std::size_t k) {
    return width > 0 ? step_text((first + static_cast<double>(k)) * width, width)
                     : cost_text(k == 0 ? low : high);
  };
  for (std::size_t k = 0; k < steps; ++k) {
    const std::size_t shade = steps == 1 ? scale_steps / 2 : k * (scale_steps - 1) / (steps - 1);
    palette.paints.push_back(step_colour(shade, fmt::format("{} to {}", edge(k), edge(k + 1))));
  }
  bool other = false;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isfinite(values[c])) {
      palette.of_cell[c] = steps;
      other = true;
    } else if (steps > 1) {
      const double step = std::max(0.0, std::floor(values[c] / width + 1e-9) - first);
      palette.of_cell[c] = std::min(static_cast<std::size_t>(step), steps - 1);
    }
  }
  if (other) palette.paints.push_back({"none", nothing_colour, otherwise});
  return palette;
}

Palette by_class(const MapView& view) {
  Palette palette{
      view.schema.outcome.empty() ? "class" : outcome_words(view.schema), {}, {}, false};
  std::map<std::size_t, std::size_t> places;
  for (const MapCell& cell : view.map.cells) places[*cell.label] = 0;
  for (auto& [label, place] : places) {
    place = palette.paints.size();
    palette.paints.push_back({fmt::format("k{}", label % class_colours), class_colour(label),
                              class_words(view.ensemble, label)});
  }
  for (const MapCell& cell : view.map.cells) palette.of_cell.push_back(places[*cell.label]);
  return palette;
}

bool has_labels(const MapView& view) {
  return !view.map.cells.empty() &&
         std::all_of(view.map.cells.begin(), view.map.cells.end(),
                     [](const MapCell& cell) { return cell.label.has_value(); });
}

/// The changes of the answer that the map does not show, the first few in words.
std::string other_changes(const MapView& view) {
  constexpr std::size_t most = 3;
  std::vector<double> point = view.answer.best().point;
  for (const std::size_t drawn : {view.asked.x, view.asked.y})
    point[drawn] = view.query.point[drawn];
  std::vector<std::string> told;  // titles already listed; the columns of a one-hot group share one
  for (const std::size_t i : changed_features(view.query, point)) {
    const std::string title = shown_title(view.schema, i);
    if (std::find(told.begin(), told.end(), title) == told.end()) told.push_back(title);
    const auto place = std::find(told.begin(), told.end(), title) - told.begin();
    if (static_cast<std::size_t>(place) >= most) point[i] = view.query.point[i];
  }
  std::string line = changes_line(view.ensemble, view.schema, view.query, point, "; ");
  if (told.size() > most) line += fmt::format("; {} more", told.size() - most);
  return line;
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
  return cell.label ? fmt::format("{} · {}", class_words(view.ensemble, *cell.label), value)
                    : value;
}

std::vector<std::string> map_notes(const MapView& view) {
  const auto& [ensemble, schema, query, map, asked, answer, path, row] = view;
  std::vector<std::string> notes;
  if (asked.radius) {
    notes.push_back(fmt::format(
        "All other features may change by a distance of at most {} to reach the outcome.",
        cost_text(*asked.radius)));
  } else {
    notes.emplace_back("All other features are as they are now.");
  }
  if (map.stop != Stop::finished) {
    notes.push_back(fmt::format("The map is incomplete ({}).", stop_text(map.stop)));
  }
  if (answer.solutions.empty()) {
    if (answer.status == Status::infeasible)
      notes.emplace_back("No allowed change leads to the outcome.");
    return notes;
  }
  if (answer.already_met) return notes;
  // With a radius the colours count the changes of other features already.
  if (const std::string others = other_changes(view); !asked.radius && !others.empty()) {
    notes.push_back(
        fmt::format("The answer also changes features that are not drawn ({}), so its outcome may "
                    "differ from the colour at its mark.",
                    others));
  }
  const auto outside = [](const Interval& range, double value) {
    return !(value >= range.lower && value <= range.upper);
  };
  if (outside(map.x_view, query.point[asked.x]) || outside(map.y_view, query.point[asked.y])) {
    notes.push_back(fmt::format("{} lies outside the map.", subject_text(schema, row)));
  }
  const std::vector<double>& to = answer.best().point;
  if (outside(map.x_view, to[asked.x]) || outside(map.y_view, to[asked.y])) {
    notes.emplace_back("The answer lies outside the map.");
  }
  return notes;
}

}  // namespace boxwood
