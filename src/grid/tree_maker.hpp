// Builds the trees of rules from their open ends, parents before children.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstdint>
#include <vector>

namespace boxwood {

class TreeMaker {
 public:
  explicit TreeMaker(std::int32_t output) {
    tree_.output = output;
    tree_.nodes.emplace_back();
  }

  std::size_t size() const { return tree_.nodes.size(); }

  void leaf(std::size_t at, double score) {
    tree_.nodes[at].value = static_cast<std::int32_t>(tree_.values.size());
    tree_.values.push_back(score);
  }

  struct Children {
    std::size_t left, right;
  };
  Children split(std::size_t at, NodeKind kind, std::size_t feature, double threshold,
                 bool missing_left);

  /// Adds a statement at `at`. Returns the open ends: where it holds and where it does not.
  struct Ends {
    std::vector<std::size_t> yes, no;
  };
  Ends ask(std::size_t at, const Literal& literal, Precision precision);
  Ends ask_codes(std::size_t at, const Literal& literal);

  Tree finish() { return std::move(tree_); }

 private:
  Tree tree_;
};

/// A tree that scores `yes` where at least one statement holds, and `no` elsewhere.
Tree any_tree(std::span<const Literal> any_of, std::int32_t output, double yes, double no,
              Precision precision);

/// Whether such a tree would need too many leaves. Then each statement is a tree of its own.
bool is_wide(std::span<const Literal> any_of);

}  // namespace boxwood
