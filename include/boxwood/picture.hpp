// The contents of the pictures of maps and sweeps, computed before anything is drawn: axes with
// their ticks, colours with their meaning, shapes in the units of the axes, and every text.
// `to_svg` and the plots of the Python package both draw these values, so that their pictures say
// the same.
#pragma once

#include <boxwood/render.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace boxwood {

struct Tick {
  double at = 0;
  std::string label;
};

/// How values are placed along an axis. `logit` spreads probabilities near 0 and 1.
enum class AxisScale { linear, logit };

/// Values from `low` to `high`; both finite, low < high; with `logit` also 0 < low and high < 1.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks{};
  std::string title{};
  std::string unit{};  ///< empty where there is none
  AxisScale scale = AxisScale::linear;

  /// Where a value lies: 0 at `low`, 1 at `high`.
  double position(double value) const;
  /// The title, with the unit in parentheses.
  std::string title_with_unit() const;
};

/// About `count` ticks at multiples of 1, 2 or 5 times a power of ten.
std::vector<Tick> round_ticks(double low, double high, std::size_t count);

/// An entry of a legend: a colour or a mark, and its meaning.
struct LegendEntry {
  std::string css;     ///< class of the style sheet of SVG pictures
  std::string colour;  ///< the same colour on a light page, "#9ed8c3"
  std::string words;
};

/// A rectangle of a map in one colour.
struct Tile {
  Interval x, y;
  std::size_t colour = 0;  ///< index of MapPicture::colours
  std::string hint;        ///< what the tile is; empty where neighbours were merged
};

using Spot = std::pair<double, double>;

struct MapPicture {
  std::string title;
  Axis x, y;
  std::string colours_title;  ///< what the colours mean: "class", "cost of the other features"
  std::vector<LegendEntry> colours;
  bool is_scale = false;  ///< the colours are steps of a scale, in ascending order
  std::vector<Tile> tiles;
  /// Lines between points whose class differs, or of which one has the wanted outcome.
  std::vector<std::pair<Spot, Spot>> borders;
  std::optional<Spot> now, then;   ///< the row and its answer, where they lie in the view
  std::vector<Spot> path;          ///< from one to the other; empty unless both are there
  std::vector<LegendEntry> marks;  ///< css "now", "then", "edge"
  std::vector<std::string> notes;  ///< sentences
};

/// `by_output`: colours show outputs, also for classifiers.
MapPicture picture_of(const MapView& view, const RowLabel& row, bool by_output = false);

/// One answer of a sweep.
struct SweepMark {
  double level = 0;
  double cost = 0;
  double lower_bound = 0;
  bool is_proven = true;
  bool is_repeated = false;  ///< it changes the same features to the same values as the one before
  std::string hint;
};

/// Costs between two levels: one known cost where low_cost == high_cost, otherwise a range.
struct SweepSpan {
  double from = 0, to = 0;  ///< levels
  double low_cost = 0, high_cost = 0;
};

struct SweepPicture {
  std::string title, subtitle;
  Axis x, y;
  std::vector<SweepMark> marks;  ///< of the levels that have an answer
  std::vector<SweepSpan> known;
  std::vector<SweepSpan> between;
  std::optional<Interval> impossible;  ///< levels on the axis that are proven impossible
  std::vector<LegendEntry> legend;     ///< css "dot", "ring", "curve", "gap", "bar", "never"
};

SweepPicture picture_of(const SweepView& view, const RowLabel& row);

}  // namespace boxwood
