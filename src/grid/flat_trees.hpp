// The trees of an ensemble in few bytes, for walks from the roots to the leaves that hold a point.
// A walk waits for memory most of the time: a node here takes 8 bytes instead of 32, and several
// trees are walked at once, so that the waits overlap. The leaves are those of Ensemble::predict.
#pragma once

#include "base/pace.hpp"

#include <boxwood/ensemble.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace boxwood {

class FlatTrees {
 public:
  /// Null unless the ensemble adds up trees, reads float32, and every split sends numbers less than
  /// a float32 to the left, as XGBoost's do. Copies trees; throws Pace::Stopped at a limit.
  static std::shared_ptr<const FlatTrees> of(const Ensemble& ensemble, Pace& pace);

  /// What the splits on the way to all leaves say of each feature.
  struct Ends {
    /// Of a feature: the least threshold above its value and, next, minus the largest one that is
    /// not; infinite where there is none.
    std::vector<float> nearest;
    explicit Ends(std::size_t features);
    double upper(std::size_t feature) const;
    double lower(std::size_t feature) const;
  };
  /// Writes for each tree the position of its leaf's first number in Tree::values, and narrows
  /// `ends` if it is given. `read` has the values as the model reads them. False, and nothing is
  /// written, if a value is missing: then splits have rules of their own.
  bool leaves_at(std::span<const float> read, std::span<std::uint32_t> leaf_values,
                 Ends* ends = nullptr) const;

  std::size_t tree_count() const { return roots_.size(); }
  std::size_t bytes() const;
  /// The most that bytes() can be.
  static std::size_t most_bytes(std::size_t nodes, std::size_t trees);

 private:
  /// The right child follows the left one. A leaf leads to itself, because no number is less than
  /// NaN: its left child is the node before it.
  struct Node {
    float threshold;
    std::uint16_t feature;
    std::uint16_t left;  ///< counted from the root, modulo 2^16
  };
  template <bool with_ends>
  void walk(std::span<const float> read, std::span<std::uint32_t> leaf_values, Ends* ends) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> value_of_;  ///< of a node, if it is a leaf
  std::vector<std::uint32_t> roots_;     ///< of a tree
  std::vector<std::uint32_t> depths_;    ///< of a tree: the most splits on a path
};

}  // namespace boxwood
