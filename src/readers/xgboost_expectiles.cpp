// Several expectiles of XGBoost. Expectile k is score 0 plus a positive step for each of the scores
// 1 to k, so that expectiles never cross: a composition of k + 1 models.
#include "readers/xgboost.hpp"

#include <boxwood/error.hpp>

#include "readers/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace boxwood::readers {
namespace {

constexpr float least_step = 1e-6F;  // that XGBoost adds to the softplus of a score

/// The score whose step leads from one intercept to the next; both are predictions.
double margin_of_step(double from, double to) {
  const float step = static_cast<float>(to) - static_cast<float>(from) - least_step;
  const float positive = std::max(step, least_step);
  return static_cast<double>(positive + std::log(-std::expm1(-positive)));
}

/// The part of a tree that adds to one output; without nodes if there is none.
Tree part_of(const Tree& tree, std::size_t output) {
  Tree part;
  if (tree.output != Tree::every_output) {
    if (static_cast<std::size_t>(tree.output) == output) part = tree;
    return part;
  }
  part.nodes = tree.nodes;
  part.sets = tree.sets;
  part.output = static_cast<std::int32_t>(output);
  for (Node& node : part.nodes) {
    if (node.kind != NodeKind::leaf) continue;
    part.values.push_back(tree.values[static_cast<std::size_t>(node.value) + output]);
    node.value = static_cast<std::int32_t>(part.values.size() - 1);
  }
  return part;
}

}  // namespace

void choose_expectile(const Field& learner, Ensemble& ensemble) {
  const std::size_t outputs = ensemble.base.size();
  const auto wanted = learner["attributes"].find("boxwood_output");
  if (!wanted) {
    refuse(
        learner["objective"]["name"],
        fmt::format("{} with {} expectiles: XGBoost adds up what it predicts for them, so one has "
                    "to be chosen",
                    ensemble.objective, outputs),
        "Choose one by its number from 0 before saving: booster.set_attr(boxwood_output=\"1\")");
  }
  const std::int64_t number = wanted->integer();
  if (number < 0 || static_cast<std::uint64_t>(number) >= outputs) {
    wanted->fail(fmt::format("expectile {} does not exist; the model has {}", number, outputs));
  }
  const auto last = static_cast<std::size_t>(number);
  ensemble.notes.push_back(fmt::format("expectile {} of {}, counted from 0", last, outputs));
  std::vector<Tree> trees;
  for (std::size_t k = 0; k <= last; ++k) {
    for (const Tree& tree : ensemble.trees) {
      Tree part = part_of(tree, k);
      if (!part.nodes.empty()) trees.push_back(std::move(part));
    }
  }
  ensemble.trees = std::move(trees);
  for (std::size_t k = last; k > 0; --k) {
    ensemble.base[k] = margin_of_step(ensemble.base[k - 1], ensemble.base[k]);
  }
  ensemble.base.resize(last + 1);
  if (last == 0) return;
  for (std::size_t k = 0; k <= last; ++k) {
    boxwood::Member member;  // not that of a document
    member.accumulator = Precision::float32;
    if (k > 0) {
      member.link = Link::softplus;
      member.calibrations.push_back({.kind = Calibration::Kind::affine,
                                     .shift = static_cast<double>(least_step),
                                     .precision = Precision::float32});
    }
    ensemble.composition.members.push_back(std::move(member));
  }
  ensemble.composition.sum = Precision::float32;
  ensemble.link = Link::composed;
  ensemble.accumulator = Precision::float64;  // of the members: float32
}

}  // namespace boxwood::readers
