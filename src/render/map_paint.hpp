// The colours of the rectangles of a map: classes, steps of a scale of outputs, or with a radius
// steps of a scale of costs.
#pragma once

#include <boxwood/picture.hpp>

#include <string>
#include <vector>

namespace boxwood {

/// The colours of a map, and the index of each cell's colour.
struct Palette {
  std::string title;                ///< "class", "probability of "granted"", "cost of the others"
  std::vector<LegendEntry> paints;  ///< of a scale in ascending order
  std::vector<std::size_t> of_cell;
  bool is_scale = false;
};

Palette palette_for(const MapView& view, bool by_output);

/// The content of a cell in a few words: "granted · probability 0.53".
std::string cell_words(const MapView& view, const MapCell& cell);

/// Sentences below a map: "All other features are as they are now.", what a limit left undecided,
/// and what the answer changes besides the two features.
std::vector<std::string> map_notes(const MapView& view);

}  // namespace boxwood
