// Axes of pictures: numbers at round steps, labels of ordered and unordered categories, and the
// frame that both stand around.
#pragma once

#include "render/svg_canvas.hpp"

#include <boxwood/render.hpp>

#include <string>
#include <vector>

namespace boxwood {

struct Tick {
  double at = 0;
  std::string label;
};

/// Values from `low` to `high`; both finite, low < high.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;
  std::string title;
};

/// About `count` ticks at steps of 1, 2 or 5 times a power of ten.
std::vector<Tick> round_ticks(double low, double high, std::size_t count);

/// Of a feature in a view. Whole numbers stand in the middle of their place: 18 months are drawn
/// from 17.5 to 18.5, so that what holds for them fills it.
Axis feature_axis(const FeatureSchema& feature, const Interval& view);

/// What an interval of the feature covers on its axis, cut to it; empty where nothing can be there.
Interval drawn_interval(const FeatureSchema& feature, const Interval& interval, const Axis& axis,
                        Precision precision);

/// A plot with its axes: where it lies in the picture, in pixels.
struct Frame {
  double left = 0, top = 0, right = 0, bottom = 0;
  Axis x, y;

  double to_x(double value) const {
    return left + (value - x.low) / (x.high - x.low) * (right - left);
  }
  double to_y(double value) const {
    return bottom - (value - y.low) / (y.high - y.low) * (bottom - top);
  }
};

/// Leaves room for the axes' labels: `frame` comes as the room there is and goes as the plot.
void make_room_for_axes(Frame& frame);
/// Ticks, labels and titles; with `grid` lines across the plot.
void draw_axes(Svg& svg, const Frame& frame, bool grid);

}  // namespace boxwood
