// Reads a LightGBM text model: header, trees in order, and the parameters after them.
//
// LightGBM's arithmetic: values are doubles, of which those within zero_size of zero count as zero;
// `x <= threshold` goes left; each output is a double sum of its trees in their order, from zero; a
// random forest divides it by the number of rounds before the link.
#include "readers/lightgbm.hpp"

#include <boxwood/error.hpp>

#include "readers/document.hpp"
#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace boxwood::readers {
namespace {

constexpr std::string_view tree_start = "Tree=";
constexpr std::string_view trees_end = "end of trees";
constexpr std::int64_t most_outputs = 1 << 20;

[[noreturn]] void fail_cut_off(std::string_view place, std::size_t trees) {
  throw Error(std::string(place),
              fmt::format("the file ends after {} trees, without \"{}\"", trees, trees_end),
              "The file is truncated; save it again with save_model");
}

LightgbmBlock read_head(LightgbmLines& lines, std::string_view place) {
  LightgbmBlock head{std::string(place)};
  for (;; lines.next()) {
    const auto line = lines.peek();
    if (!line) fail_cut_off(place, 0);
    if (line->starts_with(tree_start) || *line == trees_end) return head;
    if (!line->empty()) head.add(*line);
  }
}

/// A tree ends at an empty line.
LightgbmBlock read_block(LightgbmLines& lines, std::string_view place, std::size_t index) {
  LightgbmBlock block(fmt::format("{}: {}{}", place, tree_start, index));
  for (lines.next();; lines.next()) {
    const auto line = lines.peek();
    if (!line) fail_cut_off(place, index);
    if (line->empty()) return block;
    block.add(*line);
  }
}

/// `lefts`: how many bytes were left where each tree begins and where the last one ends.
std::vector<Tree> read_trees(LightgbmLines& lines, std::string_view place, std::size_t features,
                             std::size_t outputs, std::vector<std::size_t>& lefts) {
  std::vector<Tree> trees;
  for (;;) {
    lines.skip_blank();
    const auto line = lines.peek();
    if (!line) fail_cut_off(place, trees.size());
    lefts.push_back(lines.bytes_left());
    if (*line == trees_end) {
      lines.next();
      return trees;
    }
    if (!line->starts_with(tree_start)) {
      throw Error(fmt::format("{}: after tree {}", place, trees.size()),
                  fmt::format("expected a tree, found {}", in_quotes(*line)));
    }
    trees.push_back(lightgbm_tree(read_block(lines, place, trees.size()), features));
    trees.back().output = static_cast<std::int32_t>((trees.size() - 1) % outputs);
  }
}

/// LightGBM's files do not record the best iteration: save_model omits the rounds after it.
std::size_t round_count(const Rounds& rounds, std::size_t available, std::string_view place) {
  if (!rounds.first) {
    if (rounds.choice != Rounds::Choice::best) return available;
    throw Error(std::string(place), "LightGBM's model files do not record the best iteration",
                "Use all rounds: after early stopping, save_model writes only the rounds up to the "
                "best one");
  }
  if (*rounds.first > available) {
    throw Error(std::string(place), fmt::format("{} rounds were requested, but the model has {}",
                                                *rounds.first, available));
  }
  return *rounds.first;
}

/// LightGBM finds the trees by these sizes. If they are wrong, it reads other trees than the file
/// contains, or none. Line breaks of Windows are one byte longer.
void check_tree_sizes(const LightgbmField& field, std::string_view bytes,
                      const std::vector<std::size_t>& lefts) {
  const std::size_t trees = lefts.size() - 1;
  if (field.words().size() != trees) {
    field.fail(fmt::format("it lists {} trees, but the file has {}", field.words().size(), trees));
  }
  const auto sizes = field.integers(trees, "the number of trees");
  for (std::size_t t = 0; t < trees; ++t) {
    const auto text = bytes.substr(bytes.size() - lefts[t], lefts[t] - lefts[t + 1]);
    const auto size = static_cast<std::int64_t>(text.size()) -
                      static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\r'));
    if (sizes[t] == size) continue;
    throw Error(fmt::format("{}[{}]", field.where(), t),
                fmt::format("it says {} bytes, but the tree has {}", sizes[t], size),
                "Delete the line tree_sizes; LightGBM finds trees by it");
  }
}

void check_tree_count(const LightgbmBlock& head, std::size_t trees, std::size_t outputs) {
  if (trees % outputs != 0) {
    head["num_tree_per_iteration"].fail(
        fmt::format("{} trees cannot be divided into rounds of {}", trees, outputs));
  }
}

}  // namespace

Ensemble read_lightgbm(std::string_view bytes, std::string_view place, const Rounds& rounds) {
  LightgbmLines lines(bytes);
  const LightgbmBlock head = read_head(lines, place);
  const LightgbmField version = head["version"];
  if (version.text() != "v2" && version.text() != "v3" && version.text() != "v4") {
    refuse(version,
           fmt::format("{} is unknown; Boxwood reads v2, v3 and v4", in_quotes(version.text())),
           "Load and save the model with LightGBM 3 or 4");
  }
  const auto outputs =
      static_cast<std::size_t>(head["num_tree_per_iteration"].integer(1, most_outputs));
  const LightgbmField classes = head["num_class"];
  if (static_cast<std::size_t>(classes.integer(1, most_outputs)) != outputs) {
    classes.fail(
        fmt::format("it is {}, but num_tree_per_iteration is {}", classes.text(), outputs));
  }
  LightgbmObjective objective = lightgbm_objective(head, outputs);

  Ensemble ensemble;
  ensemble.library = Library::lightgbm;
  ensemble.source = fmt::format("LightGBM (model format {})", version.text());
  ensemble.objective = std::move(objective.name);
  ensemble.task = objective.task;
  ensemble.link = objective.link;
  ensemble.steepness = objective.steepness;
  ensemble.input = Precision::float64;
  ensemble.accumulator = Precision::float64;
  ensemble.order = SumOrder::base_first;
  ensemble.base.assign(outputs, 0.0);
  ensemble.features = lightgbm_features(head);
  std::vector<std::size_t> lefts;
  ensemble.trees = read_trees(lines, place, ensemble.features.size(), outputs, lefts);
  check_tree_count(head, ensemble.trees.size(), outputs);
  const std::size_t count = round_count(rounds, ensemble.trees.size() / outputs, place);
  ensemble.trees.resize(count * outputs);
  if (head.has("average_output")) {
    if (count == 0) throw Error(std::string(place), "this random forest has no trees");
    ensemble.divisor = static_cast<double>(count);
  }
  add_lightgbm_labels(head, lines, ensemble);
  if (const auto sizes = head.find("tree_sizes")) check_tree_sizes(*sizes, bytes, lefts);
  return ensemble;
}

}  // namespace boxwood::readers
