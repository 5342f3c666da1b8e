// What the rectangles of a map are coloured by: classes, outputs on a scale, or with a radius what
// reaching the outcome costs.
#pragma once

#include <boxwood/render.hpp>

#include <string>
#include <vector>

namespace boxwood {

/// One colour of a map: the class of the style sheet and what it stands for.
struct Paint {
  std::string css;
  std::string words;
};

/// The colours of a map and which cell has which.
struct Palette {
  std::string title;          ///< "class", "probability of "granted"", "cost of the others"
  std::vector<Paint> paints;  ///< in the order of the legend; those that occur
  std::vector<std::size_t> of_cell;
  bool is_scale = false;
};

Palette palette_for(const MapView& view, bool by_output);

/// What a cell is, in a few words: "granted · probability 0.53".
std::string cell_words(const MapView& view, const MapCell& cell);

/// What is shown beside the two features: "All other features are as they are now." and what the
/// answer does that the map cannot show.
std::vector<std::string> map_notes(const MapView& view);

}  // namespace boxwood
