// LightGBM's text models (Booster.save_model, model_to_string) of versions 3.x and 4.x as an
// Ensemble. lightgbm.cpp reads the whole, lightgbm_tree.cpp one tree, lightgbm_objective.cpp knows
// the objectives, lightgbm_features.cpp what the file says about the columns.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/read.hpp>

#include "readers/lightgbm_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

Ensemble read_lightgbm(std::string_view bytes, std::string_view place, const Rounds& rounds);

/// How raw scores become predictions.
struct LightgbmObjective {
  std::string name;
  Task task = Task::regression;
  Link link = Link::identity;
  double steepness = 1;
};

/// `outputs` is the number of trees in a round. Throws Error for an objective that cannot be
/// represented.
LightgbmObjective lightgbm_objective(const LightgbmBlock& head, std::size_t outputs);

/// Renumbers the nodes so that children come after their parents.
Tree lightgbm_tree(const LightgbmBlock& block, std::size_t features);

/// Names and known categories, from the head.
std::vector<Feature> lightgbm_features(const LightgbmBlock& head);

/// From the lines behind the trees: which columns were declared categorical, the labels that pandas
/// had for their codes, how it was boosted, and the labels of classes that our Python module adds.
void add_lightgbm_labels(const LightgbmBlock& head, LightgbmLines lines, Ensemble& ensemble);

}  // namespace boxwood::readers
