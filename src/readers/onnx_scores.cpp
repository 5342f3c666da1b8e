// From sums to outputs and classes, as onnxruntime computes them for one row. For two classes its
// result depends on which classes have weights and whether any weight is negative.
#include "readers/onnx.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "readers/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace boxwood::readers {
namespace {

constexpr const char* other_export = "Export the model with another converter or another version";

[[noreturn]] void refuse(const OnnxForest& forest, const std::string& reason) {
  throw UnsupportedModel(forest.place, reason, other_export);
}

bool has_weights_of(const OnnxForest& forest, std::int64_t output) {
  return std::any_of(forest.weights.begin(), forest.weights.end(),
                     [&](const OnnxForest::Weight& weight) { return weight.output == output; });
}

/// Every leaf has opposite weights for the two classes: their sums are opposite too,
/// because rounding is symmetric.
bool has_opposite_weights(const OnnxForest& forest) {
  for (const OnnxForest::Node& node : forest.nodes) {
    if (node.mode != OnnxForest::Mode::leaf) continue;
    if (node.weights != 2) return false;
    const OnnxForest::Weight& one = forest.weights[node.first_weight];
    const OnnxForest::Weight& other = forest.weights[node.first_weight + 1];
    if (one.output == other.output || one.value != -other.value) return false;
  }
  return true;
}

/// Whether scores are shares of votes: never below 0, and at most about 1 together, because the
/// numbers of every leaf add up to at most the share of its tree.
bool are_votes(const OnnxForest& forest) {
  if (!forest.all_positive || !forest.base.empty()) return false;
  double largest = 0;
  for (const OnnxForest::Node& node : forest.nodes) {
    if (node.mode != OnnxForest::Mode::leaf) continue;
    double sum = 0;
    for (std::size_t w = 0; w < node.weights; ++w) {
      sum += forest.weights[node.first_weight + w].value;
    }
    largest = std::max(largest, sum);
  }
  return largest * static_cast<double>(forest.roots.size()) <= 1.001;
}

std::vector<std::int32_t> two_classes(const OnnxForest& forest, Ensemble& ensemble) {
  ensemble.task = Task::binary;
  const bool logistic = forest.post_transform == "LOGISTIC";
  const bool first = has_weights_of(forest, 0);
  const bool second = has_weights_of(forest, 1);
  if (first && second) {
    if (!has_opposite_weights(forest)) {
      refuse(forest,
             "two classes with weights that are not opposite: onnxruntime answers the second one "
             "whenever its score is above 0, regardless of the score of the first class");
    }
    if (!logistic && forest.post_transform != "NONE") {
      refuse(forest, fmt::format("{} of two opposite scores", forest.post_transform));
    }
    if (forest.base.size() == 1) refuse(forest, "one base value for two classes with weights");
    ensemble.link = logistic ? Link::sigmoid : Link::identity;
    ensemble.decision = Decision::score_above_zero;
    // With base values onnxruntime uses the score of the first class and the base of the second.
    ensemble.base = {forest.base.empty() ? 0.0 : forest.base[1]};
    return forest.base.empty() ? std::vector<std::int32_t>{-1, 0}
                               : std::vector<std::int32_t>{0, -1};
  }
  if (second) refuse(forest, "two classes with weights for the second alone");
  if (forest.base.size() == 2) refuse(forest, "two base values, but weights for one class alone");
  // One score for both: SOFTMAX and SOFTMAX_ZERO leave it as it is.
  ensemble.base = {forest.base.empty() ? 0.0 : forest.base[0]};
  const bool votes = are_votes(forest);
  ensemble.link = logistic ? Link::sigmoid : votes ? Link::votes : Link::identity;
  ensemble.decision = forest.all_positive ? Decision::score_above_half : Decision::score_above_zero;
  return {0, -1};
}

void several_outputs(const OnnxForest& forest, bool classes, Ensemble& ensemble) {
  const std::string& transform = forest.post_transform;
  if (transform == "SOFTMAX_ZERO") refuse(forest, "SOFTMAX_ZERO is not supported");
  const bool softmax = transform == "SOFTMAX";
  ensemble.task = classes || softmax ? Task::multiclass : Task::regression;
  if (classes) ensemble.decision = Decision::largest_score;
  ensemble.link = softmax                        ? Link::softmax
                  : transform == "LOGISTIC"      ? Link::sigmoid
                  : classes && are_votes(forest) ? Link::votes
                                                 : Link::identity;
}

/// What the graph does with the scores after the operator.
void take_steps(const OnnxForest& forest, const OnnxSteps& steps, Ensemble& ensemble) {
  const bool scales = steps.factor != 1 || steps.divisor != 1 || steps.added != nullptr;
  const auto fail = [&](const std::string& reason) {
    throw UnsupportedModel(steps.first, reason,
                           "Export the model without the steps after the trees");
  };
  if (scales || steps.exponential) {
    const bool plain = !forest.is_classifier && ensemble.link == Link::identity;
    const bool same_type = forest.newest || forest.precision == Precision::float32;
    if (!plain || !same_type)
      fail("it changes scores after post_transform was applied; this is not supported");
  }
  if (steps.takes_largest) {
    if (forest.is_classifier || forest.outputs < 2) fail("it does not select one of these classes");
    ensemble.task = Task::multiclass;
    if (steps.classes) ensemble.classes = *steps.classes;
    if (steps.classes && steps.classes->size() != forest.outputs) {
      fail(fmt::format("{} labels for {} classes", steps.classes->size(), forest.outputs));
    }
  }
  if (scales) {
    const bool has_base = std::any_of(ensemble.base.begin(), ensemble.base.end(),
                                      [](double value) { return value != 0; });
    if (has_base || forest.average)
      fail("scaling or shifting scores that have base values is not supported");
    ensemble.factor = steps.factor;
    ensemble.divisor = steps.divisor;
    if (steps.added) {
      if (steps.added->size() != 1 && steps.added->size() != ensemble.base.size()) {
        fail(fmt::format("{} numbers for {} scores", steps.added->size(), ensemble.base.size()));
      }
      for (std::size_t k = 0; k < ensemble.base.size(); ++k) {
        ensemble.base[k] = (*steps.added)[steps.added->size() == 1 ? 0 : k];
      }
    }
  }
  if (steps.exponential) ensemble.link = Link::exponential;
  if (steps.to_float32) ensemble.link_form = LinkForm::onnxruntime;
}

}  // namespace

std::vector<std::int32_t> onnx_scores(const OnnxForest& forest, const OnnxGraph& graph,
                                      Ensemble& ensemble) {
  constexpr std::array known{"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"};
  if (std::find(known.begin(), known.end(), forest.post_transform) == known.end()) {
    refuse(forest,
           fmt::format("post_transform {} is not supported", in_quotes(forest.post_transform)));
  }
  ensemble.objective = std::string(graph.trees->type);
  if (forest.post_transform != "NONE") ensemble.objective += " " + forest.post_transform;
  ensemble.input = graph.input;
  ensemble.accumulator = forest.precision;
  ensemble.order = SumOrder::base_last;
  ensemble.classes = forest.classes;
  std::vector<std::int32_t> to_output(forest.outputs);
  std::iota(to_output.begin(), to_output.end(), 0);
  if (forest.is_classifier && forest.outputs == 2) {
    to_output = two_classes(forest, ensemble);
  } else {
    ensemble.base = forest.base;
    ensemble.base.resize(forest.outputs, 0.0);
    // A single target is never transformed.
    if (forest.outputs > 1) several_outputs(forest, forest.is_classifier, ensemble);
  }
  if (forest.average) ensemble.divisor = static_cast<double>(forest.roots.size());
  // Only TreeEnsemble returns doubles, and only if no transform is applied.
  const bool keeps_doubles = forest.newest && ensemble.link == Link::identity;
  ensemble.link_form = keeps_doubles ? LinkForm::plain : LinkForm::onnxruntime;
  take_steps(forest, graph.after, ensemble);
  return to_output;
}

void check_onnx_scores(const OnnxForest& forest, const OnnxTrees& built) {
  if (!forest.is_classifier) return;
  if (forest.outputs == 2) {
    const bool scored = built.always_scored[0] || forest.base.empty();
    if (!scored) refuse(forest, "for some rows the class would have no score");
    return;
  }
  // A class to which no leaf has added cannot win, even if the other scores are below 0. With base
  // values every class counts as added to. With positive weights, classes that nothing was added to
  // are never ahead.
  if (!forest.base.empty() || (forest.all_positive && built.always_positive)) return;
  const auto found = std::find(built.always_scored.begin(), built.always_scored.end(), false);
  if (found == built.always_scored.end()) return;
  refuse(forest, fmt::format("for some rows class {} would have no score",
                             found - built.always_scored.begin()));
}

}  // namespace boxwood::readers
