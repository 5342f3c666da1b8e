// The frame of an SVG picture: the plot, its axes and their labels, in pixels.
#pragma once

#include "render/axes.hpp"
#include "render/svg_canvas.hpp"

namespace boxwood {

/// A plot with its axes: where it lies in the picture, in pixels.
struct Frame {
  double left = 0, top = 0, right = 0, bottom = 0;
  Axis x, y;

  double to_x(double value) const { return left + x.position(value) * (right - left); }
  double to_y(double value) const { return bottom - y.position(value) * (bottom - top); }
};

/// Shrinks a frame, which is all the available room, to the plot, so that the axes' labels fit
/// around it.
void make_room_for_axes(Frame& frame);
/// Draws ticks, labels and titles; with `grid` also lines across the plot.
void draw_axes(Svg& svg, const Frame& frame, bool grid);

}  // namespace boxwood
