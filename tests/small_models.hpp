// Models small enough to check by hand, and a question about them.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

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

/// Six trees, each about one bit of the categories of eight features: `yes` where one of them has
/// it, or with `all` where every one has it, else `no`. No order of the 64 categories has all the
/// sets in one piece.
inline boxwood::Ensemble bits_model(double yes, double no, bool all = false) {
  boxwood::Ensemble model = binary_model(8, {});
  for (int bit = 0; bit < 6; ++bit) {
    boxwood::Tree tree;
    tree.sets.resize(1);
    for (std::int32_t code = 0; code < 64; ++code) {
      if (code >> bit & 1) tree.sets[0].push_back(code);
    }
    for (std::int32_t d = 0; d < 8; ++d) {
      tree.nodes.push_back({.kind = boxwood::NodeKind::in_set,
                            .feature = d,
                            .left = 2 * d + (all ? 2 : 1),
                            .right = 2 * d + (all ? 1 : 2),
                            .value = 0});
      tree.nodes.push_back({.kind = boxwood::NodeKind::leaf, .value = 0});
    }
    tree.nodes.push_back({.kind = boxwood::NodeKind::leaf, .value = 1});
    tree.values = all ? std::vector{no, yes} : std::vector{yes, no};
    model.trees.push_back(tree);
  }
  model.validate();
  return model;
}

/// Classes refused and granted of duration, savings and income: granted when duration < 20; the
/// others do nothing.
inline boxwood::Ensemble duration_model() {
  boxwood::Ensemble model = binary_model(3, {stump(0, 20, 0.75, -1.5)}, -0.5);
  model.features[0].name = "duration";
  model.features[1].name = "savings";
  model.features[2].name = "income";
  model.classes = {"refused", "granted"};
  return model;
}

/// Asks for class 1 by L1, with whole numbers from 0 to `highest` in all features.
inline boxwood::Query whole_query(const boxwood::Ensemble& model, const std::vector<double>& point,
                                  double highest) {
  boxwood::Query query = boxwood::query_for(model, point);
  for (boxwood::FeatureRule& rule : query.features) {
    rule.kind = boxwood::FeatureKind::integer;
    rule.range = {0, highest};
  }
  query.norm = boxwood::Norm::l1;
  query.requirements = {boxwood::require_class(1)};
  return query;
}
