#include "render/svg_axes.hpp"

#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr double letter = 11;       // pixels, as the style sheet has it
constexpr double slant = 35;        // degrees, of labels that are too wide for their place
constexpr double line_height = 16;  // of text
constexpr double radians = slant * 3.14159265358979 / 180;

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, letter));
  return width;
}

/// Whether labels along the x axis would touch each other.
bool is_crowded(const Axis& axis, double pixels_wide) {
  for (std::size_t k = 1; k < axis.ticks.size(); ++k) {
    const double apart =
        (axis.position(axis.ticks[k].at) - axis.position(axis.ticks[k - 1].at)) * pixels_wide;
    const double needed =
        (text_width(axis.ticks[k].label, letter) + text_width(axis.ticks[k - 1].label, letter)) / 2;
    if (needed + 6 > apart) return true;
  }
  return false;
}

/// The title and unit of an axis. The title is cut if both together are longer than the axis.
std::string fitting_title(const Axis& axis, double length) {
  const double unit =
      axis.unit.empty() ? 0 : text_width(axis.unit, letter) + text_width(" ()", letter);
  Axis shown = axis;
  shown.title = fitting(axis.title, std::max(length - unit, 50.0), letter);
  return shown.title_with_unit();
}

/// Removes every second tick until neighbours are far enough from each other, in pixels.
void thin_out(std::vector<Tick>& ticks, const Axis& axis, double length, double apart) {
  const auto is_dense = [&] {
    for (std::size_t k = 1; k < ticks.size(); ++k) {
      const double between = axis.position(ticks[k].at) - axis.position(ticks[k - 1].at);
      if (between * length < apart) return true;
    }
    return false;
  };
  while (is_dense()) {
    std::vector<Tick> fewer;
    for (std::size_t k = 0; k < ticks.size(); k += 2) fewer.push_back(std::move(ticks[k]));
    ticks = std::move(fewer);
  }
}

}  // namespace

void make_room_for_axes(Frame& frame) {
  thin_out(frame.y.ticks, frame.y, frame.bottom - frame.top - 3 * line_height, line_height - 2);
  frame.left += widest(frame.y.ticks) + 10 + line_height + 4;
  const bool crowded = is_crowded(frame.x, frame.right - frame.left);
  frame.bottom -=
      (crowded ? widest(frame.x.ticks) * std::sin(radians) + 14 : line_height) + line_height + 8;
  if (frame.x.ticks.empty()) return;
  if (crowded) {
    // Slanted labels end below their tick: the first one reaches to the left of the plot.
    for (const Tick& tick : frame.x.ticks) {
      const double start = frame.to_x(tick.at) - text_width(tick.label, letter) * std::cos(radians);
      if (start < 4) frame.left += 4 - start;
    }
    thin_out(frame.x.ticks, frame.x, frame.right - frame.left, (letter + 2) / std::sin(radians));
    return;
  }
  // Half of the last label stands beside the plot.
  const double over = frame.to_x(frame.x.ticks.back().at) +
                      text_width(frame.x.ticks.back().label, letter) / 2 - frame.right;
  if (over > 0) frame.right -= std::min(over, 40.0);
}

void draw_axes(Svg& svg, const Frame& frame, bool grid) {
  const bool crowded = is_crowded(frame.x, frame.right - frame.left);
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.to_x(tick.at);
    if (grid) svg.line(x, frame.top, x, frame.bottom, "grid");
    svg.line(x, frame.bottom, x, frame.bottom + 4, "tick");
    if (crowded) {
      svg.text(x + 3, frame.bottom + 14, tick.label, "", Anchor::end, -slant);
    } else {
      svg.text(x, frame.bottom + line_height, tick.label, "", Anchor::middle);
    }
  }
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.to_y(tick.at);
    if (grid) svg.line(frame.left, y, frame.right, y, "grid");
    svg.line(frame.left - 4, y, frame.left, y, "tick");
    svg.text(frame.left - 7, y + 4, tick.label, "", Anchor::end);
  }
  const double below = crowded ? widest(frame.x.ticks) * std::sin(radians) + 14 : line_height;
  svg.text((frame.left + frame.right) / 2, frame.bottom + below + line_height + 2,
           fitting_title(frame.x, frame.right - frame.left), "soft", Anchor::middle);
  svg.text(frame.left - widest(frame.y.ticks) - 10 - 8, (frame.top + frame.bottom) / 2,
           fitting_title(frame.y, frame.bottom - frame.top), "soft", Anchor::middle, -90);
  svg.rectangle(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top, "frame");
}

}  // namespace boxwood
