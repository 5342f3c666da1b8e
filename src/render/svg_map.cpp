// A map as an SVG picture.
#include "render/svg_axes.hpp"
#include "render/words.hpp"

#include <boxwood/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

void draw_tiles(Svg& svg, const Frame& frame, const MapPicture& picture) {
  for (const Tile& tile : picture.tiles) {
    const double left = frame.to_x(tile.x.lower);
    const double top = frame.to_y(tile.y.upper);
    const std::string& css = picture.colours[tile.colour].css;
    svg.rectangle(left, top, frame.to_x(tile.x.upper) - left, frame.to_y(tile.y.lower) - top,
                  css + (tile.hint.empty() ? " flat" : " cell"), tile.hint);
  }
  std::string lines;
  for (const auto& [from, to] : picture.borders) {
    lines += fmt::format("M{} {}", pixels(frame.to_x(from.first)), pixels(frame.to_y(from.second)));
    lines += from.first == to.first ? fmt::format("V{}", pixels(frame.to_y(to.second)))
                                    : fmt::format("H{}", pixels(frame.to_x(to.first)));
  }
  if (lines.empty()) return;
  svg.path(lines, "rim");  // seen on dark colours too
  svg.path(lines, "edge");
}

/// An arrow that ends just before the mark at its end.
void draw_way(Svg& svg, std::vector<Spot> spots) {
  if (spots.size() < 2) return;
  const auto [x0, y0] = spots[spots.size() - 2];
  const auto [x1, y1] = spots.back();
  const double length = std::hypot(x1 - x0, y1 - y0);
  if (length < 18) {
    svg.polyline(spots, "path");
    return;
  }
  const double dx = (x1 - x0) / length;
  const double dy = (y1 - y0) / length;
  const Spot tip{x1 - 6 * dx, y1 - 6 * dy};
  const Spot neck{tip.first - 8 * dx, tip.second - 8 * dy};
  spots.back() = neck;
  svg.polyline(spots, "halo");
  svg.polyline(spots, "path");
  svg.path(fmt::format("M{} {}L{} {}L{} {}Z", pixels(tip.first), pixels(tip.second),
                       pixels(neck.first - 4 * dy), pixels(neck.second + 4 * dx),
                       pixels(neck.first + 4 * dy), pixels(neck.second - 4 * dx)),
           "head-of-path");
}

std::string words_of(const MapPicture& picture, std::string_view css) {
  for (const LegendEntry& mark : picture.marks) {
    if (mark.css == css) return mark.words;
  }
  return {};
}

void draw_marks(Svg& svg, const Frame& frame, const MapPicture& picture) {
  const auto seen = [&](const Spot& spot) {
    return Spot{frame.to_x(spot.first), frame.to_y(spot.second)};
  };
  std::vector<Spot> spots;
  for (const Spot& spot : picture.path) spots.push_back(seen(spot));
  draw_way(svg, spots);
  double radius = 5;
  if (picture.now && picture.then) {
    const auto [x, y] = seen(*picture.now);
    const auto [to_x, to_y] = seen(*picture.then);
    if (std::hypot(to_x - x, to_y - y) < 6) radius = 9;  // so that both are seen
  }
  for (const auto& [spot, css] : {std::pair(picture.now, "now"), std::pair(picture.then, "then")}) {
    if (spot) {
      svg.circle(seen(*spot).first, seen(*spot).second, radius, css, words_of(picture, css));
    }
    radius = 5;
  }
}

/// The legend to the right of the plot: a line for each colour and each mark.
struct Legend {
  std::string title;
  std::vector<LegendEntry> colours;
  std::vector<LegendEntry> marks;
  double line = 18;  ///< height of a colour's line
  double width = 0;
};

Legend legend_for(const MapPicture& picture, double height) {
  constexpr std::size_t longest = 26;
  Legend legend{shortened(picture.colours_title, longest), picture.colours, picture.marks};
  if (picture.is_scale) {  // the largest on top, as on an axis
    legend.line = 14;
    const auto steps = std::find_if(legend.colours.begin(), legend.colours.end(),
                                    [](const LegendEntry& entry) { return entry.css == "none"; });
    std::reverse(legend.colours.begin(), steps);
  }
  const double room = height - 20 - 22 - 18 * static_cast<double>(legend.marks.size());
  const auto most = static_cast<std::size_t>(std::max(2.0, room / legend.line));
  if (legend.colours.size() > most) {
    const std::size_t left = legend.colours.size() - most + 1;
    legend.colours.resize(most - 1);
    legend.colours.push_back({"", "", fmt::format("and {} more", left)});
  }
  legend.width = text_width(legend.title, 11) - 20;
  for (auto* entries : {&legend.colours, &legend.marks}) {
    for (LegendEntry& entry : *entries) {
      entry.words = shortened(entry.words, longest);
      legend.width = std::max(legend.width, text_width(entry.words, 11));
    }
  }
  legend.width += 20;
  return legend;
}

void draw_legend(Svg& svg, const Legend& legend, double x, double y) {
  svg.text(x, y + 9, legend.title, "soft");
  y += 20;
  for (const LegendEntry& entry : legend.colours) {
    if (entry.css == "none") y += 6;
    if (!entry.css.empty()) {
      svg.rectangle(x, y, 14, std::min(legend.line, 14.0), entry.css + " flat");
    }
    svg.text(x + 20, y + 11, entry.words, "");
    y += legend.line;
  }
  y += 16;
  for (const LegendEntry& mark : legend.marks) {
    if (mark.css == "edge") {
      svg.line(x, y, x + 14, y, mark.css);
    } else {
      svg.circle(x + 7, y, 5, mark.css);
    }
    svg.text(x + 20, y + 4, mark.words, "");
    y += 18;
  }
}

std::vector<std::string> lines_of(const std::vector<std::string>& notes, double width) {
  std::string all;
  for (const std::string& note : notes) all += (all.empty() ? "" : " ") + note;
  const auto letters = static_cast<std::size_t>(width / text_width("n", 11));
  const std::string broken = wrapped(all, std::max<std::size_t>(letters, 20), "");
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= broken.size();) {
    const std::size_t end = std::min(broken.find('\n', start), broken.size());
    lines.push_back(broken.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

}  // namespace

std::string to_svg(const MapView& view, const PictureStyle& style) {
  const MapPicture picture = picture_of(view, view.row, style.by_output);
  Svg svg(style.width, style.height, picture.title);
  svg.text(16, 26, fitting(picture.title, style.width - 32, 15), "head");
  const std::vector<std::string> notes = lines_of(picture.notes, style.width - 32);
  constexpr double line_height = 15;
  const double foot = static_cast<double>(notes.size()) * line_height;
  const Legend legend = legend_for(picture, style.height - foot - 54);
  Frame frame{12,        42,       style.width - legend.width - 36, style.height - foot - 12,
              picture.x, picture.y};
  make_room_for_axes(frame);
  draw_tiles(svg, frame, picture);
  draw_axes(svg, frame, false);
  draw_marks(svg, frame, picture);
  draw_legend(svg, legend, style.width - legend.width - 20, frame.top);
  for (std::size_t k = 0; k < notes.size(); ++k) {
    const double from_end = static_cast<double>(notes.size() - 1 - k) * line_height;
    svg.text(16, style.height - 10 - from_end, notes[k], "soft");
  }
  return svg.finish();
}

}  // namespace boxwood
