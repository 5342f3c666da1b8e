#include "grid/rule_trees.hpp"

#include "grid/cuts.hpp"
#include "grid/linear_trees.hpp"
#include "grid/tree_maker.hpp"

namespace boxwood {
namespace {

constexpr std::int32_t clause_score = 0, change_score = 1, first_free_score = 2;

/// The work of making the tree of a clause, besides its statements, in units of Pace.
constexpr std::size_t clause_work = 64;

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

/// Clauses on single features: those of the query, and those that linear conditions need.
std::vector<Clause> simple_clauses(const Query& query) {
  std::vector<Clause> simple;
  for (const Clause& clause : query.clauses) {
    if (clause.linear.empty()) {
      simple.push_back(clause);
      continue;
    }
    for (Clause& one : clauses_on_missing(query, clause)) simple.push_back(std::move(one));
  }
  return simple;
}

}  // namespace

bool has_rules(const Query& query) {
  return !query.clauses.empty() || query.max_changes.has_value();
}

Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts) {
  Pace unlimited;
  return rule_trees(ensembles, query, cuts, unlimited);
}

Ensemble rule_trees(std::span<const Ensemble> ensembles, const Query& query, const Cuts& cuts,
                    Pace& pace) {
  Ensemble rules;
  rules.source = "rules";
  rules.input = common_precision(ensembles);
  rules.accumulator = Precision::float64;
  rules.base = {0, 0};
  for (const Feature& feature : ensembles.front().features) {
    rules.features.push_back({feature.name, feature.kind});
  }
  for (const Clause& clause : simple_clauses(query)) {
    pace.work(clause_work + clause.any_of.size());
    if (!is_wide(clause.any_of)) {
      rules.trees.push_back(any_tree(clause.any_of, clause_score, 0, -1, rules.input));
      continue;
    }
    const auto output = static_cast<std::int32_t>(rules.base.size());
    rules.base.push_back(0);
    for (const Literal& literal : clause.any_of) {
      rules.trees.push_back(any_tree(std::span(&literal, 1), output, 1, 0, rules.input));
    }
  }
  for (const Clause& clause : query.clauses) {
    if (!clause.linear.empty()) add_linear_trees(query, clause, cuts, rules, pace);
  }
  if (!query.max_changes) return rules;
  std::vector<std::uint8_t> grouped(query.point.size(), 0);
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) grouped[column] = 1;
    rules.trees.push_back(change_tree(query, group.columns, rules.input));
  }
  for (std::size_t d = 0; d < query.point.size(); ++d) {
    if (grouped[d] || query.features[d].fixed || query.features[d].derived) continue;
    rules.trees.push_back(change_tree(query, std::span(&d, 1), rules.input));
  }
  return rules;
}

Query without_rules(const Query& query, std::size_t index) {
  Query plain = query;
  plain.clauses.clear();
  plain.max_changes.reset();
  // Scores are whole numbers, so the condition with half a unit less is equivalent. The local
  // search aims a little beyond a threshold and can reach that one.
  const auto at_most = [&](double count, std::int32_t output) {
    plain.requirements.push_back(
        {index, ScoreIn{{.lower = -count - 0.5}, static_cast<std::size_t>(output)}});
  };
  const std::vector<Clause> simple = simple_clauses(query);
  if (!simple.empty()) at_most(0, clause_score);
  std::int32_t next_score = first_free_score;
  for (const Clause& clause : simple) {
    if (is_wide(clause.any_of)) at_most(-1, next_score++);  // one statement at least
  }
  for (const Clause& clause : query.clauses) {
    if (clause.linear.empty()) continue;
    for (std::size_t side = linear_sides(clause.linear.front()); side > 0; --side) {
      const auto output = static_cast<std::size_t>(next_score++);
      plain.requirements.push_back({index, ScoreIn{{.lower = 0}, output}});
    }
    plain.exact_clauses.push_back(clause);
  }
  if (query.max_changes) at_most(static_cast<double>(*query.max_changes), change_score);
  return plain;
}

}  // namespace boxwood
