// The names and kinds of an ONNX graph's inputs, as features.
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>

#include "readers/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace boxwood::readers {

void name_onnx_features(const std::vector<const OnnxInput*>& parts, std::string_view place,
                        OnnxGraph& graph) {
  const bool one = parts.size() == 1;
  for (const OnnxInput* part : parts) {
    const std::string at = fmt::format("{}: input {}", place, in_quotes(part->name));
    const std::int64_t width = part->width;
    const bool whole = part->type == static_cast<std::int32_t>(OnnxType::int32) ||
                       part->type == static_cast<std::int32_t>(OnnxType::int64);
    const auto add = [&](std::string name) {
      graph.features.push_back(
          {std::move(name), whole ? FeatureKind::integer : FeatureKind::continuous, {}});
    };
    if (width <= 0 && !one) throw Error(at, "its number of columns is unknown");
    if (width > most_onnx_features ||
        width + static_cast<std::int64_t>(graph.features.size()) > most_onnx_features) {
      throw Error(at, fmt::format("{} columns; Boxwood reads models with up to {}", width,
                                  most_onnx_features));
    }
    if (one) {
      graph.width_is_known = width > 0;
      for (std::int64_t i = 0; i < width; ++i) add(fmt::format("f{}", i));
    } else if (width == 1) {
      add(std::string(part->name));
    } else {
      for (std::int64_t i = 0; i < width; ++i) add(fmt::format("{}_{}", part->name, i));
    }
  }
}

void check_onnx_names(const OnnxModel& model, std::string_view place) {
  std::set<std::string_view> names;
  for (const OnnxInput& input : model.inputs) {
    if (names.insert(input.name).second) continue;
    throw Error(std::string(place), fmt::format("two inputs are named {}", in_quotes(input.name)));
  }
  for (const OnnxTensor& constant : model.constants) names.insert(constant.name);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const std::string_view output : model.nodes[i].outputs) {
      // An output without a name is one that nobody reads.
      if (output.empty() || names.insert(output).second) continue;
      throw Error(model.nodes[i].where(i),
                  fmt::format("its output {} is the name of another value", in_quotes(output)));
    }
  }
}

void name_onnx_columns(const OnnxModel& model, const std::vector<OnnxColumn>& columns,
                       std::string_view place, OnnxGraph& graph) {
  std::vector<const OnnxInput*> used;
  for (const OnnxInput& input : model.inputs) {
    const bool read = std::any_of(columns.begin(), columns.end(),
                                  [&](const OnnxColumn& one) { return one.input == &input; });
    if (read) used.push_back(&input);
  }
  name_onnx_features(used, place, graph);
  std::map<const OnnxInput*, std::int64_t> first;
  std::int64_t count = 0;
  for (const OnnxInput* input : used) {
    first[input] = count;
    count += input->width;
  }
  graph.inputs = std::move(graph.features);
  graph.features.clear();
  graph.columns = columns;
  for (const OnnxColumn& column : graph.columns) {
    const auto at = static_cast<std::size_t>(first[column.input] + column.index);
    graph.input_of.push_back(static_cast<std::int32_t>(at));
    graph.features.push_back(graph.inputs[at]);
  }
}

}  // namespace boxwood::readers
