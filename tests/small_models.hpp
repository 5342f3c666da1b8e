// Models small enough to check by hand.
#pragma once

#include <boxwood/ensemble.hpp>

#include <string>
#include <vector>

/// One split of `feature`: `low` left of the threshold, `high` right of it.
inline boxwood::Tree stump(std::int32_t feature, double threshold, double low, double high,
                           boxwood::NodeKind kind = boxwood::NodeKind::less) {
  boxwood::Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0] = {.kind = kind, .feature = feature, .left = 1, .right = 2, .threshold = threshold};
  tree.nodes[1].value = 0;
  tree.nodes[2].value = 1;
  tree.values = {low, high};
  return tree;
}

inline boxwood::Ensemble binary_model(std::size_t features, std::vector<boxwood::Tree> trees,
                                      double base = 0) {
  boxwood::Ensemble model;
  model.source = "hand";
  model.objective = "binary:logistic";
  model.task = boxwood::Task::binary;
  model.link = boxwood::Link::sigmoid;
  model.base = {base};
  for (std::size_t d = 0; d < features; ++d) {
    model.features.push_back({"f" + std::to_string(d), boxwood::FeatureKind::continuous});
  }
  model.trees = std::move(trees);
  model.validate();
  return model;
}
