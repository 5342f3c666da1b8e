// Reads an ONNX file: producer, features, trees, and the link applied to their sums.
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace boxwood::readers {
namespace {

/// Shortens the version: some producers write long texts into it.
std::string source_of(const OnnxModel& model) {
  std::string source = "ONNX";
  if (model.producer.empty()) return source;
  source += fmt::format(" by {}", model.producer);
  constexpr std::size_t longest = 40;
  const std::string_view version = model.producer_version;
  if (!version.empty() && version.size() <= longest &&
      version.find('\n') == std::string_view::npos) {
    source += fmt::format(" {}", version);
  }
  return source;
}

/// Determines the number of features if the graph does not declare it.
void count_features(const OnnxForest& forest, OnnxGraph& graph) {
  if (graph.width_is_known) return;
  std::int64_t count = 0;
  for (const OnnxForest::Node& node : forest.nodes) {
    if (node.mode != OnnxForest::Mode::leaf) count = std::max(count, node.feature + 1);
  }
  if (count > most_onnx_features) {
    throw Error(forest.place, fmt::format("feature {} exceeds the limit of {} features", count - 1,
                                          most_onnx_features));
  }
  const FeatureKind kind = graph.integers ? FeatureKind::integer : FeatureKind::continuous;
  for (std::int64_t i = 0; i < count; ++i) {
    graph.features.push_back({fmt::format("f{}", i), kind, {}});
  }
}

/// Features that are only compared with integers for equality become categorical.
void find_categories(Ensemble& ensemble) {
  std::vector<std::set<std::int32_t>> codes(ensemble.features.size());
  std::vector<bool> ordered(ensemble.features.size(), false);
  for (const Tree& tree : ensemble.trees) {
    for (const Node& node : tree.nodes) {
      if (node.kind == NodeKind::leaf) continue;
      const auto feature = static_cast<std::size_t>(node.feature);
      if (node.kind == NodeKind::in_set) {
        const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
        codes[feature].insert(set.begin(), set.end());
      } else if (node.kind == NodeKind::equal && node.threshold >= 0 && node.threshold < 0x1p31 &&
                 node.threshold == std::floor(node.threshold)) {
        codes[feature].insert(static_cast<std::int32_t>(node.threshold));
      } else {
        ordered[feature] = true;
      }
    }
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const bool is_known = !ensemble.features[i].categories.empty();  // by an encoder
    if (is_known || ordered[i] || codes[i].empty()) continue;
    ensemble.features[i].kind = FeatureKind::categorical;
    for (const std::int32_t code : codes[i]) ensemble.features[i].categories.push_back({code, {}});
  }
}

}  // namespace

Ensemble read_onnx(std::string_view bytes, std::string_view place, const Rounds& rounds) {
  if (rounds.first || rounds.choice == Rounds::Choice::best) {
    throw Error(std::string(place), "ONNX files do not record rounds",
                "Choose the rounds when the original model is converted");
  }
  const OnnxModel model = load_onnx(bytes, place);
  check_onnx_names(model, place);
  OnnxGraph graph = walk_onnx(model, place);
  const OnnxForest forest = load_onnx_forest(graph);
  count_features(forest, graph);
  Ensemble ensemble;
  ensemble.library = Library::onnx;
  ensemble.source = source_of(model);
  const auto to_output = onnx_scores(forest, graph, ensemble);
  // The size of expanded shared nodes is bounded in proportion to the file.
  const std::size_t most = 1'000'000 + 16 * bytes.size();
  OnnxTrees built = build_onnx_trees(forest, to_output, graph.features.size(), most);
  check_onnx_scores(forest, built);
  ensemble.features = std::move(graph.features);
  ensemble.trees = std::move(built.trees);
  if (!graph.columns.empty()) {
    push_onnx_columns(graph.columns, graph.input_of, forest.place, most, graph.inputs,
                      ensemble.trees);
    ensemble.features = std::move(graph.inputs);
  }
  find_categories(ensemble);
  return ensemble;
}

}  // namespace boxwood::readers
