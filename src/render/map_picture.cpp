// What the picture of a map shows: its rectangles, where the outcome changes, the row, the nearest
// change and the path there.
#include "render/axes.hpp"
#include "render/map_paint.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <boxwood/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

// With more cells than this, neighbours of one colour are merged: viewers become slow.
constexpr std::size_t most_tiles = 4000;

/// The lines that bound any cell cut the plot into pieces: the index of the cell that covers each.
struct Pieces {
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  std::vector<double> xs, ys;        // ascending, in the units of the axes
  std::vector<std::size_t> cell_at;  // (xs - 1) times (ys - 1)

  std::size_t columns() const { return xs.size() - 1; }
  std::size_t rows() const { return ys.size() - 1; }
  std::size_t at(std::size_t i, std::size_t j) const { return cell_at[j * columns() + i]; }
};

struct Rectangle {
  Interval x, y;
};

std::vector<Rectangle> drawn_cells(const MapView& view, const Axis& x, const Axis& y) {
  std::vector<Rectangle> drawn;
  const auto& schema = view.schema;
  for (const MapCell& cell : view.map.cells) {
    drawn.push_back(
        {drawn_interval(schema.features[view.asked.x], cell.x, x, view.ensemble.input),
         drawn_interval(schema.features[view.asked.y], cell.y, y, view.ensemble.input)});
  }
  return drawn;
}

bool is_seen(const Rectangle& cell) {
  return cell.x.lower < cell.x.upper && cell.y.lower < cell.y.upper;
}

void sort_unique(std::vector<double>& values) {
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
  sort_unique(pieces.xs);
  sort_unique(pieces.ys);
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

/// A tile for each cell, or where there are too many, for neighbours of one colour in a row.
std::vector<Tile> tiles_of(const MapView& view, const Palette& palette,
                           const std::vector<Rectangle>& cells, const Pieces& pieces) {
  std::vector<Tile> tiles;
  if (cells.size() <= most_tiles) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!is_seen(cells[c])) continue;
      tiles.push_back(
          {cells[c].x, cells[c].y, palette.of_cell[c], cell_words(view, view.map.cells[c])});
    }
    return tiles;
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
        tiles.push_back(
            {{pieces.xs[i], pieces.xs[end]}, {pieces.ys[j], pieces.ys[j + 1]}, paint, {}});
      }
      i = end;
    }
  }
  return tiles;
}

std::vector<std::pair<Spot, Spot>> borders_of(const MapView& view, const Pieces& pieces) {
  const auto differ = [&](std::size_t a, std::size_t b) {
    if (a == Pieces::nothing || b == Pieces::nothing) return false;
    const MapCell& one = view.map.cells[a];
    const MapCell& other = view.map.cells[b];
    return one.label != other.label || one.meets != other.meets;
  };
  std::vector<std::pair<Spot, Spot>> borders;
  for (std::size_t i = 1; i < pieces.columns(); ++i) {
    for (std::size_t j = 0; j < pieces.rows();) {
      std::size_t end = j;
      while (end < pieces.rows() && differ(pieces.at(i - 1, end), pieces.at(i, end))) ++end;
      if (end > j)
        borders.push_back({{pieces.xs[i], pieces.ys[j]}, {pieces.xs[i], pieces.ys[end]}});
      j = end + 1;
    }
  }
  for (std::size_t j = 1; j < pieces.rows(); ++j) {
    for (std::size_t i = 0; i < pieces.columns();) {
      std::size_t end = i;
      while (end < pieces.columns() && differ(pieces.at(end, j - 1), pieces.at(end, j))) ++end;
      if (end > i)
        borders.push_back({{pieces.xs[i], pieces.ys[j]}, {pieces.xs[end], pieces.ys[j]}});
      i = end + 1;
    }
  }
  return borders;
}

std::optional<Spot> spot_of(const MapView& view, const MapPicture& picture,
                            const std::vector<double>& point) {
  const double x = point[view.asked.x];
  const double y = point[view.asked.y];
  const bool inside = x >= picture.x.low && x <= picture.x.high && y >= picture.y.low &&
                      y <= picture.y.high;  // false for missing values
  return inside ? std::optional(Spot{x, y}) : std::nullopt;
}

void add_marks(MapPicture& picture, const MapView& view, const RowLabel& row) {
  picture.now = spot_of(view, picture, view.query.point);
  if (!view.answer.solutions.empty() && !view.answer.already_met) {
    picture.then = spot_of(view, picture, view.answer.best().point);
  }
  if (picture.now) {
    picture.marks.push_back({"now", "", subject_text(view.schema, row) + " now"});
  }
  if (picture.then) picture.marks.push_back({"then", "", "change to"});
  if (!picture.borders.empty()) {
    const bool by_class = !picture.is_scale;
    picture.marks.push_back({"edge", "",
                             by_class            ? "border of an outcome"
                             : view.asked.radius ? "border of reach"
                                                 : "border of wanted outcome"});
  }
  if (!picture.now || !picture.then) return;
  picture.path.push_back(*picture.now);
  for (const PathStep& step : view.path) {
    if (const auto spot = spot_of(view, picture, step.point)) picture.path.push_back(*spot);
  }
  picture.path.push_back(*picture.then);
  picture.path.erase(std::unique(picture.path.begin(), picture.path.end()), picture.path.end());
}

}  // namespace

MapPicture picture_of(const MapView& view, const RowLabel& row, bool by_output) {
  const Palette palette = palette_for(view, by_output);
  MapPicture picture;
  picture.title = fmt::format("{}: {}", subject_text(view.schema, row),
                              outcome_text(view.ensemble, view.schema, view.query,
                                           view.ensemble.predict(view.query.point)));
  picture.x = feature_axis(view.schema.features[view.asked.x], view.map.x_view);
  picture.y = feature_axis(view.schema.features[view.asked.y], view.map.y_view);
  picture.colours_title = palette.title;
  picture.colours = palette.paints;
  picture.is_scale = palette.is_scale;
  const std::vector<Rectangle> cells = drawn_cells(view, picture.x, picture.y);
  const Pieces pieces = lay_out(cells);
  if (pieces.xs.size() > 1) {
    picture.tiles = tiles_of(view, palette, cells, pieces);
    picture.borders = borders_of(view, pieces);
  }
  add_marks(picture, view, row);
  picture.notes = map_notes(view);
  return picture;
}

}  // namespace boxwood
