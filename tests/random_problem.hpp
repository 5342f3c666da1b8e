// Random models and queries that hit the corners: thresholds that coincide, values on thresholds,
// leaves with equal scores, missing values, both comparisons, both precisions, infinite and
// denormal thresholds, sums that overflow, several requirements and several ensembles. Small enough
// for brute force unless a size is given.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

struct RandomProblem {
  std::vector<boxwood::Ensemble> ensembles;
  boxwood::Query query;
};

/// Each number is drawn from the first of its range up to the last.
struct ProblemSize {
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Range features{1, 4};
  Range rounds{1, 4};  ///< trees of one output
  Range splits{0, 4};  ///< of a tree
  std::size_t thresholds = 7;
  bool overflows = true;  ///< sums may: then nothing but trying every point helps
};

/// For tests that solve each problem many times.
inline ProblemSize small_size() {
  return {.features = {2, 3}, .rounds = {2, 4}, .overflows = false};
}

class ProblemMaker {
 public:
  explicit ProblemMaker(std::uint64_t seed, ProblemSize size = {}) : random_(seed), size_(size) {}

  RandomProblem make();

 private:
  using Ensemble = boxwood::Ensemble;
  using Node = boxwood::Node;
  using NodeKind = boxwood::NodeKind;

  std::size_t below(std::size_t count) { return random_() % count; }
  std::size_t draw(ProblemSize::Range range);
  bool coin() { return below(2) == 0; }
  double uniform(double low, double high);

  double threshold(boxwood::Precision input);

  double leaf_value(boxwood::Precision precision);

  boxwood::Tree make_tree(const Ensemble& ensemble, std::size_t output);

  void choose_kind(boxwood::Tree& tree, Node& node);

  /// What forests, LightGBM and CatBoost add: averages, other links and decisions.
  void vary(Ensemble& ensemble);

  Ensemble make_ensemble(std::size_t width);

  boxwood::Requirement make_requirement(const Ensemble& ensemble, std::size_t index);

  /// Lists, steps, tables of categories, missing values that may appear, one-hot groups.
  void restrict_values(boxwood::Query& query);

  boxwood::Query make_query(const std::vector<Ensemble>& ensembles);

  std::mt19937_64 random_;
  ProblemSize size_;
  bool whole_ = false;
  bool odd_thresholds_ = false;
  bool huge_values_ = false;
  bool split_kinds_ = false;
};
