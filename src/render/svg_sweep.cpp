// The curve of a sweep as an SVG picture.
#include "render/svg_axes.hpp"

#include <boxwood/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

void draw_impossible(Svg& svg, const Frame& frame, const Interval& levels) {
  const double from = frame.to_x(levels.lower);
  const double to = frame.to_x(levels.upper);
  svg.rectangle(from, frame.top, to - from, frame.bottom - frame.top, "never");
  if (to - from <= text_width("impossible", 11) + 8) return;  // the legend says it
  svg.text((from + to) / 2, frame.top + 16, "impossible", "soft", Anchor::middle);
}

void draw_curve(Svg& svg, const Frame& frame, const SweepPicture& picture) {
  for (const SweepSpan& span : picture.between) {
    const double from = frame.to_x(span.from);
    const double to = frame.to_x(span.to);
    const double top = frame.to_y(span.high_cost);
    svg.rectangle(std::min(from, to), top, std::abs(to - from), frame.to_y(span.low_cost) - top,
                  "gap");
  }
  for (const SweepSpan& span : picture.known) {
    const double y = frame.to_y(span.low_cost);
    svg.line(frame.to_x(span.from), y, frame.to_x(span.to), y, "curve");
  }
  for (const SweepMark& mark : picture.marks) {
    const double x = frame.to_x(mark.level);
    const double y = frame.to_y(mark.cost);
    if (!mark.is_proven) svg.line(x, y, x, frame.to_y(mark.lower_bound), "bar");
    svg.circle(x, y, mark.is_repeated ? 3 : 5, mark.is_repeated ? "ring" : "dot", mark.hint);
  }
}

/// Draws the legend in as many lines as it needs; if `svg` is empty, only counts them.
int legend_lines(Svg* svg, const SweepPicture& picture, double width, double y) {
  constexpr double start = 16;
  double x = start;
  int lines = 1;
  for (const LegendEntry& entry : picture.legend) {
    const double wide = 18 + text_width(entry.words, 11) + 18;
    if (x > start && x + wide > width) {
      x = start;
      y += 16;
      ++lines;
    }
    if (svg) {
      if (entry.css == "dot" || entry.css == "ring") {
        svg->circle(x + 5, y, entry.css == "dot" ? 5 : 3, entry.css);
      } else if (entry.css == "curve") {
        svg->line(x, y, x + 12, y, entry.css);
      } else if (entry.css == "bar") {
        svg->line(x + 6, y - 6, x + 6, y + 6, entry.css);
      } else {
        svg->rectangle(x, y - 5, 12, 10, entry.css);
      }
      svg->text(x + 18, y + 4, entry.words, "soft");
    }
    x += wide;
  }
  return lines;
}

}  // namespace

std::string to_svg(const SweepView& view, const PictureStyle& style) {
  const SweepPicture picture = picture_of(view, view.row);
  Svg svg(style.width, style.height, picture.title);
  svg.text(16, 26, fitting(picture.title, style.width - 32, 15), "head");
  svg.text(16, 44, fitting(picture.subtitle, style.width - 32, 11), "soft");
  const double top = 62 + 16.0 * legend_lines(nullptr, picture, style.width, 62);
  Frame frame{12, top, style.width - 20, style.height - 8, picture.x, picture.y};
  make_room_for_axes(frame);
  draw_axes(svg, frame, true);
  if (picture.impossible) draw_impossible(svg, frame, *picture.impossible);
  draw_curve(svg, frame, picture);
  legend_lines(&svg, picture, style.width, 62);
  return svg.finish();
}

}  // namespace boxwood
