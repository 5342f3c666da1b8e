#include "grid/rule_trees.hpp"

#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "model/arithmetic.hpp"

#include <cmath>

namespace boxwood {
namespace {

constexpr std::int32_t clause_score = 0, change_score = 1, first_wide_score = 2;
/// A clause is one tree, which gives the best bounds, unless it needs more than this many leaves
/// for points that break it. Then each statement is a tree of its own, and their scores are
/// counted.
constexpr std::size_t most_ends = 32;

/// Every statement that can fail on both sides doubles the leaves of the statements after it.
bool is_wide(const Clause& clause) {
  std::size_t ends = 1;
  for (const Literal& literal : clause.any_of) {
    const bool two_sided = literal.codes.empty() && literal.inside &&
                           literal.range.lower > -infinity && literal.range.upper < infinity;
    if (two_sided) ends *= 2;
    if (ends > most_ends) return true;
  }
  return false;
}

/// Builds a tree from its open ends, parents before children.
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
                 bool missing_left) {
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

  /// Adds a statement at `at`. Returns the open ends: where it holds and where it does not.
  struct Ends {
    std::vector<std::size_t> yes, no;
  };
  Ends ask(std::size_t at, const Literal& literal, Precision precision) {
    if (!literal.codes.empty()) return ask_codes(at, literal);
    const Interval range{as_read(literal.range.lower, precision),
                         as_read(literal.range.upper, precision), literal.range.lower_closed,
                         literal.range.upper_closed};
    Ends ends;
    std::vector<std::size_t>& inside = literal.inside ? ends.yes : ends.no;
    std::vector<std::size_t>& outside = literal.inside ? ends.no : ends.yes;
    const bool missing_inside = literal.missing == literal.inside;
    // Two ends even if one is infinite: a missing value needs another way to go.
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

  Ends ask_codes(std::size_t at, const Literal& literal) {
    const Children children =
        split(at, NodeKind::in_set, literal.feature, 0, literal.missing == literal.inside);
    tree_.nodes[at].value = static_cast<std::int32_t>(tree_.sets.size());
    tree_.sets.push_back(literal.codes);
    if (literal.inside) return {{children.left}, {children.right}};
    return {{children.right}, {children.left}};
  }

  Tree finish() { return std::move(tree_); }

 private:
  Tree tree_;
};

Tree clause_tree(const Clause& clause, Precision precision) {
  TreeMaker maker(clause_score);
  std::vector<std::size_t> open{0};
  for (const Literal& literal : clause.any_of) {
    std::vector<std::size_t> next;
    for (const std::size_t at : open) {
      const TreeMaker::Ends ends = maker.ask(at, literal, precision);
      for (const std::size_t yes : ends.yes) maker.leaf(yes, 0);
      next.insert(next.end(), ends.no.begin(), ends.no.end());
    }
    open = std::move(next);
  }
  for (const std::size_t at : open) maker.leaf(at, -1);
  return maker.finish();
}

/// 1 where a statement holds, else 0.
Tree literal_tree(const Literal& literal, std::int32_t output, Precision precision) {
  TreeMaker maker(output);
  const TreeMaker::Ends ends = maker.ask(0, literal, precision);
  for (const std::size_t yes : ends.yes) maker.leaf(yes, 1);
  for (const std::size_t no : ends.no) maker.leaf(no, 0);
  return maker.finish();
}

/// Scores one change: of a feature, or of the columns of a group.
Tree change_tree(const Query& query, std::span<const std::size_t> columns, Precision precision) {
  TreeMaker maker(change_score);
  std::vector<std::size_t> open{0};
  for (const std::size_t column : columns) {
    std::vector<std::size_t> next;
    for (const std::size_t at : open) {
      const TreeMaker::Ends ends = maker.ask(at, stays(query, column), precision);
      for (const std::size_t no : ends.no) maker.leaf(no, -1);
      next.insert(next.end(), ends.yes.begin(), ends.yes.end());
    }
    open = std::move(next);
  }
  for (const std::size_t at : open) maker.leaf(at, 0);
  return maker.finish();
}

}  // namespace

bool has_rules(const Query& query) {
  return !query.clauses.empty() || query.max_changes.has_value();
}

Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query) {
  Ensemble rules;
  rules.source = "rules";
  rules.input = common_precision(ensembles);
  rules.accumulator = Precision::float64;
  rules.base = {0, 0};
  for (const Feature& feature : ensembles.front().features) {
    rules.features.push_back({feature.name, feature.kind});
  }
  for (const Clause& clause : query.clauses) {
    if (!is_wide(clause)) {
      rules.trees.push_back(clause_tree(clause, rules.input));
      continue;
    }
    const auto output = static_cast<std::int32_t>(rules.base.size());
    rules.base.push_back(0);
    for (const Literal& literal : clause.any_of) {
      rules.trees.push_back(literal_tree(literal, output, rules.input));
    }
  }
  if (!query.max_changes) return rules;
  std::vector<std::uint8_t> grouped(query.point.size(), 0);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) grouped[column] = 1;
    rules.trees.push_back(change_tree(query, group.columns, rules.input));
  }
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    if (grouped[d] || query.features[d].fixed) continue;
    rules.trees.push_back(change_tree(query, std::span(&d, 1), rules.input));
  }
  return rules;
}

Query without_rules(const Query& query, std::size_t index) {
  Query plain = query;
  plain.clauses.clear();
  plain.max_changes.reset();
  // Scores are whole numbers, so half a unit less is the same condition. The local search, which
  // aims a little beyond a threshold, can then reach it.
  const auto at_most = [&](double count, std::int32_t output) {
    plain.requirements.push_back(
        {index, ScoreIn{{.lower = -count - 0.5}, static_cast<std::size_t>(output)}});
  };
  if (!query.clauses.empty()) at_most(0, clause_score);
  std::int32_t wide_score = first_wide_score;
  for (const Clause& clause : query.clauses) {
    if (is_wide(clause)) at_most(-1, wide_score++);  // one statement at least
  }
  if (query.max_changes) at_most(static_cast<double>(*query.max_changes), change_score);
  return plain;
}

}  // namespace boxwood
