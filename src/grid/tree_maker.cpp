#include "grid/tree_maker.hpp"

#include "base/infinity.hpp"
#include "model/arithmetic.hpp"

#include <span>

namespace boxwood {
namespace {

/// A clause becomes one tree, which gives the best bounds. If that tree needed more than this many
/// leaves for points that break the clause, each statement becomes a tree of its own, and their
/// scores are counted.
constexpr std::size_t most_ends = 32;

}  // namespace

/// A statement that can fail on both sides of an interval doubles the leaves of the statements
/// after it.
bool is_wide(std::span<const Literal> any_of) {
  std::size_t ends = 1;
  for (const Literal& literal : any_of) {
    const bool two_sided = literal.codes.empty() && literal.inside &&
                           literal.range.lower > -infinity && literal.range.upper < infinity;
    if (two_sided) ends *= 2;
    if (ends > most_ends) return true;
  }
  return false;
}

TreeMaker::Children TreeMaker::split(std::size_t at, NodeKind kind, std::size_t feature,
                                     double threshold, bool missing_left) {
  const std::size_t left = tree_.nodes.size();
  tree_.nodes.resize(left + 2);
  Node& node = tree_.nodes[at];
  node.kind = kind;
  node.feature = static_cast<std::int32_t>(feature);
  node.threshold = threshold + 0.0;
  node.missing_left = missing_left;
  node.left = static_cast<std::int32_t>(left);
  node.right = static_cast<std::int32_t>(left + 1);
  return {left, left + 1};
}

TreeMaker::Ends TreeMaker::ask(std::size_t at, const Literal& literal, Precision precision) {
  if (!literal.codes.empty()) return ask_codes(at, literal);
  const Interval range{as_read(literal.range.lower, precision),
                       as_read(literal.range.upper, precision), literal.range.lower_closed,
                       literal.range.upper_closed};
  Ends ends;
  std::vector<std::size_t>& inside = literal.inside ? ends.yes : ends.no;
  std::vector<std::size_t>& outside = literal.inside ? ends.no : ends.yes;
  const bool missing_inside = literal.missing == literal.inside;
  // There are two ends even if one is infinite, because a missing value needs a branch of its own.
  if (range.lower > -infinity) {
    const auto kind = range.lower_closed ? NodeKind::less : NodeKind::less_equal;
    const Children children = split(at, kind, literal.feature, range.lower, !missing_inside);
    outside.push_back(children.left);
    at = children.right;
  }
  if (range.upper < infinity || range.lower == -infinity) {
    const auto kind =
        range.upper_closed || range.upper == infinity ? NodeKind::less_equal : NodeKind::less;
    const Children children = split(at, kind, literal.feature, range.upper, missing_inside);
    outside.push_back(children.right);
    at = children.left;
  }
  inside.push_back(at);
  return ends;
}

TreeMaker::Ends TreeMaker::ask_codes(std::size_t at, const Literal& literal) {
  const Children children =
      split(at, NodeKind::in_set, literal.feature, 0, literal.missing == literal.inside);
  tree_.nodes[at].value = static_cast<std::int32_t>(tree_.sets.size());
  tree_.sets.push_back(literal.codes);
  if (literal.inside) return {{children.left}, {children.right}};
  return {{children.right}, {children.left}};
}

Tree any_tree(std::span<const Literal> any_of, std::int32_t output, double yes, double no,
              Precision precision) {
  TreeMaker maker(output);
  std::vector<std::size_t> open{0};
  for (const Literal& literal : any_of) {
    std::vector<std::size_t> next;
    for (const std::size_t at : open) {
      const TreeMaker::Ends ends = maker.ask(at, literal, precision);
      for (const std::size_t good : ends.yes) maker.leaf(good, yes);
      next.insert(next.end(), ends.no.begin(), ends.no.end());
    }
    open = std::move(next);
  }
  for (const std::size_t at : open) maker.leaf(at, no);
  return maker.finish();
}

}  // namespace boxwood
