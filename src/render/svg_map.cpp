// A map as a picture: the exact rectangles, where the outcome changes, the row, the nearest change
// and the way there.
#include "render/map_paint.hpp"
#include "render/outcome.hpp"
#include "render/svg_axes.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

// Beyond this many a rectangle of its own for each cell is more than a viewer likes.
constexpr std::size_t most_rectangles = 4000;

/// Cells laid over the lines that bound them: which cell each piece of the plot belongs to.
struct Pieces {
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  std::vector<double> xs, ys;        // rising, drawn values
  std::vector<std::size_t> cell_at;  // (xs - 1) times (ys - 1)

  std::size_t columns() const { return xs.size() - 1; }
  std::size_t rows() const { return ys.size() - 1; }
  std::size_t at(std::size_t i, std::size_t j) const { return cell_at[j * columns() + i]; }
};

struct Rectangle {
  Interval x, y;
};

std::vector<Rectangle> drawn_cells(const MapView& view, const Frame& frame) {
  std::vector<Rectangle> drawn;
  const auto& schema = view.schema;
  for (const MapCell& cell : view.map.cells) {
    drawn.push_back(
        {drawn_interval(schema.features[view.asked.x], cell.x, frame.x, view.ensemble.input),
         drawn_interval(schema.features[view.asked.y], cell.y, frame.y, view.ensemble.input)});
  }
  return drawn;
}

bool is_seen(const Rectangle& cell) {
  return cell.x.lower < cell.x.upper && cell.y.lower < cell.y.upper;
}

void sort_out(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Pieces lay_out(const std::vector<Rectangle>& cells) {
  Pieces pieces;
  for (const Rectangle& cell : cells) {
    if (!is_seen(cell)) continue;
    pieces.xs.insert(pieces.xs.end(), {cell.x.lower, cell.x.upper});
    pieces.ys.insert(pieces.ys.end(), {cell.y.lower, cell.y.upper});
  }
  sort_out(pieces.xs);
  sort_out(pieces.ys);
  if (pieces.xs.size() < 2) return pieces;
  pieces.cell_at.assign(pieces.columns() * pieces.rows(), Pieces::nothing);
  const auto place = [](const std::vector<double>& lines, double value) {
    return static_cast<std::size_t>(std::lower_bound(lines.begin(), lines.end(), value) -
                                    lines.begin());
  };
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!is_seen(cells[c])) continue;
    const std::size_t right = place(pieces.xs, cells[c].x.upper);
    const std::size_t top = place(pieces.ys, cells[c].y.upper);
    for (std::size_t j = place(pieces.ys, cells[c].y.lower); j < top; ++j) {
      for (std::size_t i = place(pieces.xs, cells[c].x.lower); i < right; ++i) {
        pieces.cell_at[j * pieces.columns() + i] = c;
      }
    }
  }
  return pieces;
}

void draw_rectangle(Svg& svg, const Frame& frame, const Rectangle& cell, const std::string& css,
                    const std::string& hint) {
  const double left = frame.to_x(cell.x.lower);
  const double top = frame.to_y(cell.y.upper);
  svg.rectangle(left, top, frame.to_x(cell.x.upper) - left, frame.to_y(cell.y.lower) - top, css,
                hint);
}

/// Each cell by itself, or where there are too many, cells of one colour in a row together.
void draw_cells(Svg& svg, const Frame& frame, const MapView& view, const Palette& palette,
                const std::vector<Rectangle>& cells, const Pieces& pieces) {
  if (cells.size() <= most_rectangles) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!is_seen(cells[c])) continue;
      draw_rectangle(svg, frame, cells[c], palette.paints[palette.of_cell[c]].css + " cell",
                     cell_words(view, view.map.cells[c]));
    }
    return;
  }
  const auto paint_at = [&](std::size_t i, std::size_t j) {
    const std::size_t cell = pieces.at(i, j);
    return cell == Pieces::nothing ? Pieces::nothing : palette.of_cell[cell];
  };
  for (std::size_t j = 0; j < pieces.rows(); ++j) {
    for (std::size_t i = 0; i < pieces.columns();) {
      const std::size_t paint = paint_at(i, j);
      std::size_t end = i + 1;
      while (end < pieces.columns() && paint_at(end, j) == paint) ++end;
      if (paint != Pieces::nothing) {
        draw_rectangle(svg, frame,
                       {{pieces.xs[i], pieces.xs[end]}, {pieces.ys[j], pieces.ys[j + 1]}},
                       palette.paints[paint].css + " flat", "");
      }
      i = end;
    }
  }
}

/// Lines where the class, or whether the wanted outcome is there, changes.
std::string edges(const Frame& frame, const MapView& view, const Pieces& pieces) {
  const auto differ = [&](std::size_t a, std::size_t b) {
    if (a == Pieces::nothing || b == Pieces::nothing) return false;
    const MapCell& one = view.map.cells[a];
    const MapCell& other = view.map.cells[b];
    return one.label != other.label || one.meets != other.meets;
  };
  std::string path;
  for (std::size_t i = 1; i < pieces.columns(); ++i) {
    for (std::size_t j = 0; j < pieces.rows();) {
      std::size_t end = j;
      while (end < pieces.rows() && differ(pieces.at(i - 1, end), pieces.at(i, end))) ++end;
      if (end > j) {
        path += fmt::format("M{} {}V{}", pixels(frame.to_x(pieces.xs[i])),
                            pixels(frame.to_y(pieces.ys[j])), pixels(frame.to_y(pieces.ys[end])));
      }
      j = end + 1;
    }
  }
  for (std::size_t j = 1; j < pieces.rows(); ++j) {
    for (std::size_t i = 0; i < pieces.columns();) {
      std::size_t end = i;
      while (end < pieces.columns() && differ(pieces.at(end, j - 1), pieces.at(end, j))) ++end;
      if (end > i) {
        path += fmt::format("M{} {}H{}", pixels(frame.to_x(pieces.xs[i])),
                            pixels(frame.to_y(pieces.ys[j])), pixels(frame.to_x(pieces.xs[end])));
      }
      i = end + 1;
    }
  }
  return path;
}

using Spot = std::pair<double, double>;

std::optional<Spot> spot_of(const Frame& frame, const MapView& view,
                            const std::vector<double>& point) {
  const double x = point[view.asked.x];
  const double y = point[view.asked.y];
  const bool inside =
      x >= frame.x.low && x <= frame.x.high && y >= frame.y.low && y <= frame.y.high;
  if (!inside) return std::nullopt;  // a missing value is inside of nothing
  return Spot{frame.to_x(x), frame.to_y(y)};
}

/// A line with a head that ends short of the mark at its end.
void draw_way(Svg& svg, std::vector<Spot> spots) {
  spots.erase(std::unique(spots.begin(), spots.end()), spots.end());
  if (spots.size() < 2) return;
  const auto [x0, y0] = spots[spots.size() - 2];
  const auto [x1, y1] = spots.back();
  const double length = std::hypot(x1 - x0, y1 - y0);
  if (length < 18) {
    svg.polyline(spots, "way");
    return;
  }
  const double dx = (x1 - x0) / length;
  const double dy = (y1 - y0) / length;
  const Spot tip{x1 - 6 * dx, y1 - 6 * dy};
  const Spot neck{tip.first - 8 * dx, tip.second - 8 * dy};
  spots.back() = neck;
  svg.polyline(spots, "halo");
  svg.polyline(spots, "way");
  svg.path(fmt::format("M{} {}L{} {}L{} {}Z", pixels(tip.first), pixels(tip.second),
                       pixels(neck.first - 4 * dy), pixels(neck.second + 4 * dx),
                       pixels(neck.first + 4 * dy), pixels(neck.second - 4 * dx)),
           "head-of-way");
}

void draw_marks(Svg& svg, const Frame& frame, const MapView& view) {
  const auto now = spot_of(frame, view, view.query.point);
  const bool moves = !view.answer.solutions.empty() && !view.answer.already_met;
  std::optional<Spot> then;
  if (moves) then = spot_of(frame, view, view.answer.best().point);
  if (now && then) {
    std::vector<Spot> spots = {*now};
    for (const PathStep& step : view.path) {
      if (const auto spot = spot_of(frame, view, step.point)) spots.push_back(*spot);
    }
    spots.push_back(*then);
    draw_way(svg, spots);
  }
  if (now) svg.circle(now->first, now->second, 5, "now", subject_text(view.schema, view.row));
  if (then) svg.circle(then->first, then->second, 5, "then", "nearest change");
}

struct Legend {
  double width = 0;
  std::vector<Paint> paints;
};

Legend legend_for(const MapView& view, const Palette& palette) {
  constexpr std::size_t most = 24;
  Legend legend;
  legend.paints = palette.paints;
  if (palette.is_scale) {  // the largest on top, as on an axis
    const auto steps = std::find_if(legend.paints.begin(), legend.paints.end(),
                                    [](const Paint& paint) { return paint.css == "none"; });
    std::reverse(legend.paints.begin(), steps);
  }
  if (legend.paints.size() > most) legend.paints.resize(most);
  for (Paint& paint : legend.paints) {
    paint.words = shortened(paint.words, 22);
    legend.width = std::max(legend.width, text_width(paint.words, 11));
  }
  legend.width = std::max({legend.width, text_width("nearest change", 11),
                           text_width(shortened(palette.title, 26), 11) - 20,
                           text_width(subject_text(view.schema, view.row) + " now", 11)}) +
                 20;
  return legend;
}

void draw_legend(Svg& svg, const MapView& view, const Palette& palette, const Legend& legend,
                 double x, double y) {
  svg.text(x, y + 9, shortened(palette.title, 26), "soft");
  y += 20;
  const double height = palette.is_scale ? 14 : 18;
  for (const Paint& paint : legend.paints) {
    if (paint.css == "none" && palette.is_scale) y += 6;
    svg.rectangle(x, y, 14, palette.is_scale ? height : 12, paint.css + " flat");
    svg.text(x + 20, y + 10, paint.words, "");
    y += height;
  }
  y += 16;
  svg.circle(x + 7, y, 5, "now");
  svg.text(x + 20, y + 4, subject_text(view.schema, view.row) + " now", "");
  if (view.answer.solutions.empty() || view.answer.already_met) return;
  svg.circle(x + 7, y + 18, 5, "then");
  svg.text(x + 20, y + 22, "nearest change", "");
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
  const Palette palette = palette_for(view, style.by_output);
  const Legend legend = legend_for(view, palette);
  const std::string title = fmt::format("{}: {}", subject_text(view.schema, view.row),
                                        outcome_text(view.ensemble, view.schema, view.query,
                                                     view.ensemble.predict(view.query.point)));
  Svg svg(style.width, style.height, title);
  svg.text(16, 26, shortened(title, 80), "head");
  const std::vector<std::string> notes = lines_of(map_notes(view), style.width - 32);
  constexpr double line_height = 15;
  const double foot = static_cast<double>(notes.size()) * line_height;
  Frame frame{12, 42, style.width - legend.width - 36, style.height - foot - 12, {}, {}};
  frame.x = feature_axis(view.schema.features[view.asked.x], view.map.x_view);
  frame.y = feature_axis(view.schema.features[view.asked.y], view.map.y_view);
  make_room_for_axes(frame);
  const std::vector<Rectangle> cells = drawn_cells(view, frame);
  const Pieces pieces = lay_out(cells);
  if (pieces.xs.size() > 1) {
    draw_cells(svg, frame, view, palette, cells, pieces);
    if (const std::string lines = edges(frame, view, pieces); !lines.empty()) {
      svg.path(lines, "rim");  // seen on dark colours too
      svg.path(lines, "edge");
    }
  }
  draw_axes(svg, frame, false);
  draw_marks(svg, frame, view);
  draw_legend(svg, view, palette, legend, style.width - legend.width - 20, frame.top);
  for (std::size_t k = 0; k < notes.size(); ++k) {
    const double from_end = static_cast<double>(notes.size() - 1 - k) * line_height;
    svg.text(16, style.height - 10 - from_end, notes[k], "soft");
  }
  return svg.finish();
}

}  // namespace boxwood
