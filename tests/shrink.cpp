#include "shrink.hpp"

#include "print_problem.hpp"

#include <gtest/gtest-spi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

class Shrinker {
 public:
  Shrinker(RandomProblem problem, const Fails& fails)
      : problem_(std::move(problem)), fails_(fails) {}

  /// The smallest problem found that still fails. Every step is tried until none helps any more.
  RandomProblem smallest() {
    do {
      changed_ = false;
      drop_ensembles();
      drop_all(&boxwood::Query::requirements, 1);
      drop_trees();
      cut_splits();
      drop_all(&boxwood::Query::clauses, 0);
      drop_all(&boxwood::Query::groups, 0);
      simplify_question();
      simplify_rules();
      drop_features();
      simplify_numbers();
    } while (changed_);
    return problem_;
  }

 private:
  using Query = boxwood::Query;
  using Ensemble = boxwood::Ensemble;
  using Tree = boxwood::Tree;
  using Node = boxwood::Node;
  using FeatureRule = boxwood::FeatureRule;

  /// Keeps the change if the problem then still makes sense and still fails.
  template <class Change>
  bool attempt(Change change) {
    RandomProblem candidate = problem_;
    change(candidate);
    try {
      for (const Ensemble& ensemble : candidate.ensembles) ensemble.validate();
      validate(candidate.query, candidate.ensembles);
    } catch (const std::exception&) {
      return false;
    }
    if (!fails_(candidate)) return false;
    problem_ = std::move(candidate);
    return changed_ = true;
  }

  /// Tries to drop pieces of a list: halves of it first, then smaller ones, then one at a time.
  template <class Drop>
  void drop_pieces(std::size_t count, std::size_t least, Drop drop) {
    for (std::size_t piece = std::max<std::size_t>(count / 2, 1); piece > 0; piece /= 2) {
      for (std::size_t first = 0; first < count && count > least;) {
        const std::size_t last = std::min(first + piece, count);
        if (count - (last - first) >= least &&
            attempt([&](RandomProblem& problem) { drop(problem, first, last); })) {
          count -= last - first;
        } else {
          first = last;
        }
      }
    }
  }

  template <class T>
  static void erase(std::vector<T>& list, std::size_t first, std::size_t last) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(first),
               list.begin() + static_cast<std::ptrdiff_t>(last));
  }

  template <class T>
  void drop_all(std::vector<T> Query::*list, std::size_t least) {
    drop_pieces((problem_.query.*list).size(), least,
                [list](RandomProblem& problem, std::size_t first, std::size_t last) {
                  erase(problem.query.*list, first, last);
                });
  }

  void drop_ensembles() {
    drop_pieces(problem_.ensembles.size(), 1,
                [](RandomProblem& problem, std::size_t first, std::size_t last) {
                  erase(problem.ensembles, first, last);
                  std::erase_if(problem.query.requirements, [&](const auto& requirement) {
                    return requirement.ensemble >= first && requirement.ensemble < last;
                  });
                  for (auto& requirement : problem.query.requirements) {
                    if (requirement.ensemble >= last) requirement.ensemble -= last - first;
                  }
                });
  }

  void drop_trees() {
    for (std::size_t e = 0; e < problem_.ensembles.size(); ++e) {
      drop_pieces(problem_.ensembles[e].trees.size(), 0,
                  [e](RandomProblem& problem, std::size_t first, std::size_t last) {
                    erase(problem.ensembles[e].trees, first, last);
                  });
    }
  }

  /// Puts one of its children in the place of a split.
  void cut_splits() {
    for (std::size_t e = 0; e < problem_.ensembles.size(); ++e) {
      for (std::size_t t = 0; t < problem_.ensembles[e].trees.size(); ++t) {
        for (std::size_t n = 0; n < problem_.ensembles[e].trees[t].nodes.size(); ++n) {
          const Node node = problem_.ensembles[e].trees[t].nodes[n];
          if (node.kind == boxwood::NodeKind::leaf) continue;
          for (const std::int32_t child : {node.left, node.right}) {
            if (attempt([&](RandomProblem& problem) {
                  Tree& tree = problem.ensembles[e].trees[t];
                  tree = with_child(tree, n, child);
                })) {
              --n;  // The child is in this place now.
              break;
            }
          }
        }
      }
    }
  }

  /// The tree with a child in the place of its parent, and without the nodes that nothing reaches.
  static Tree with_child(Tree tree, std::size_t parent, std::int32_t child) {
    tree.nodes[parent] = tree.nodes[static_cast<std::size_t>(child)];
    // Children come after their parents, also once a child took its parent's place.
    std::vector<std::int32_t> place(tree.nodes.size(), -1);
    place[0] = 0;
    std::vector<Node> kept;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      if (place[n] < 0) continue;
      place[n] = static_cast<std::int32_t>(kept.size());
      kept.push_back(tree.nodes[n]);
      if (tree.nodes[n].kind == boxwood::NodeKind::leaf) continue;
      for (const std::int32_t next : {tree.nodes[n].left, tree.nodes[n].right}) {
        place[static_cast<std::size_t>(next)] = 0;
      }
    }
    for (Node& node : kept) {
      if (node.kind == boxwood::NodeKind::leaf) continue;
      node.left = place[static_cast<std::size_t>(node.left)];
      node.right = place[static_cast<std::size_t>(node.right)];
    }
    tree.nodes = std::move(kept);
    keep_used_values(tree);
    return tree;
  }

  static void keep_used_values(Tree& tree) {
    if (tree.output == Tree::every_output) return;
    std::vector<double> values;
    for (Node& node : tree.nodes) {
      if (node.kind != boxwood::NodeKind::leaf) continue;
      values.push_back(tree.values[static_cast<std::size_t>(node.value)]);
      node.value = static_cast<std::int32_t>(values.size()) - 1;
    }
    tree.values = std::move(values);
  }

  void simplify_question() {
    const Query plain;
    const Query& query = problem_.query;
    if (query.max_changes) attempt([](RandomProblem& p) { p.query.max_changes.reset(); });
    if (query.fewest_first) attempt([](RandomProblem& p) { p.query.fewest_first = false; });
    if (query.norm != plain.norm) attempt([&](RandomProblem& p) { p.query.norm = plain.norm; });
    for (std::size_t c = 0; c < query.clauses.size(); ++c) {
      drop_pieces(query.clauses[c].any_of.size(), 1,
                  [c](RandomProblem& problem, std::size_t first, std::size_t last) {
                    erase(problem.query.clauses[c].any_of, first, last);
                  });
    }
  }

  /// Takes back what a feature's rule says: all of it, or else one thing after the other.
  void simplify_rules() {
    for (std::size_t d = 0; d < problem_.query.features.size(); ++d) {
      const auto reset = [&](auto... members) {
        const FeatureRule& rule = problem_.query.features[d];
        FeatureRule plain = rule;
        ((plain.*members = FeatureRule{}.*members), ...);
        if (plain == rule) return true;
        return attempt([&](RandomProblem& problem) { problem.query.features[d] = plain; });
      };
      const auto each = [&](auto... members) {
        if (!reset(members...)) (reset(members), ...);
      };
      each(&FeatureRule::fixed, &FeatureRule::range, &FeatureRule::domain, &FeatureRule::allowed,
           &FeatureRule::step, &FeatureRule::missing_allowed, &FeatureRule::changes,
           &FeatureRule::direction, &FeatureRule::least_change, &FeatureRule::most_change,
           &FeatureRule::weight, &FeatureRule::up, &FeatureRule::down, &FeatureRule::scale,
           &FeatureRule::quantiles);
      if (problem_.query.features[d].kind == boxwood::FeatureKind::continuous) continue;
      attempt([&](RandomProblem& problem) {
        problem.query.features[d].kind = boxwood::FeatureKind::continuous;
        for (Ensemble& one : problem.ensembles) one.features[d] = {one.features[d].name};
      });
    }
  }

  /// Drops the features that nothing speaks of any more.
  void drop_features() {
    for (std::size_t d = problem_.query.point.size(); d-- > 0;) {
      if (problem_.query.point.size() == 1 || is_used(d)) continue;
      attempt([&](RandomProblem& problem) {
        const auto lower = [d](auto& place) {
          if (place > static_cast<std::remove_reference_t<decltype(place)>>(d)) --place;
        };
        erase(problem.query.point, d, d + 1);
        erase(problem.query.features, d, d + 1);
        for (auto& group : problem.query.groups) {
          for (std::size_t& column : group.columns) lower(column);
        }
        for (auto& clause : problem.query.clauses) {
          for (auto& literal : clause.any_of) lower(literal.feature);
          for (auto& sum : clause.linear) {
            for (auto& term : sum.terms) lower(term.feature);
          }
        }
        for (Ensemble& ensemble : problem.ensembles) {
          erase(ensemble.features, d, d + 1);
          for (Tree& tree : ensemble.trees) {
            for (Node& node : tree.nodes) lower(node.feature);
          }
        }
      });
    }
  }

  bool is_used(std::size_t d) const {
    for (const auto& group : problem_.query.groups) {
      if (std::count(group.columns.begin(), group.columns.end(), d) > 0) return true;
    }
    for (const auto& clause : problem_.query.clauses) {
      for (const auto& literal : clause.any_of) {
        if (literal.feature == d) return true;
      }
      for (const auto& sum : clause.linear) {
        for (const auto& term : sum.terms) {
          if (term.feature == d) return true;
        }
      }
    }
    for (const Ensemble& ensemble : problem_.ensembles) {
      for (const Tree& tree : ensemble.trees) {
        for (const Node& node : tree.nodes) {
          if (node.kind != boxwood::NodeKind::leaf && node.feature == static_cast<int>(d))
            return true;
        }
      }
    }
    return false;
  }

  /// Replaces numbers by whole ones near them, or by 0.
  void simplify_numbers() {
    const auto simplify = [&](auto find) {
      const double old = *find(problem_);
      for (const double simple : {0.0, std::round(old)}) {
        if (!std::isfinite(old) || old == 0 || old == simple) return;
        if (attempt([&](RandomProblem& problem) { *find(problem) = simple; })) return;
      }
    };
    for (std::size_t d = 0; d < problem_.query.point.size(); ++d) {
      simplify([d](RandomProblem& problem) { return &problem.query.point[d]; });
    }
    for (std::size_t e = 0; e < problem_.ensembles.size(); ++e) {
      for (std::size_t i = 0; i < problem_.ensembles[e].base.size(); ++i) {
        simplify([e, i](RandomProblem& problem) { return &problem.ensembles[e].base[i]; });
      }
      for (std::size_t t = 0; t < problem_.ensembles[e].trees.size(); ++t) {
        const std::size_t values = problem_.ensembles[e].trees[t].values.size();
        const std::size_t nodes = problem_.ensembles[e].trees[t].nodes.size();
        for (std::size_t v = 0; v < values; ++v) {
          simplify([=](RandomProblem& p) { return &p.ensembles[e].trees[t].values[v]; });
        }
        for (std::size_t n = 0; n < nodes; ++n) {
          simplify([=](RandomProblem& p) { return &p.ensembles[e].trees[t].nodes[n].threshold; });
        }
      }
    }
  }

  RandomProblem problem_;
  const Fails& fails_;
  bool changed_ = false;
};

/// Whether a check of a problem reports a failure or throws; what it reports is not shown.
bool fails_quietly(const RandomProblem& problem, const Check& check) {
  testing::TestPartResultArray results;
  const testing::ScopedFakeTestPartResultReporter reporter(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
  try {
    check(problem);
  } catch (const std::exception&) {
    return true;
  }
  for (int i = 0; i < results.size(); ++i) {
    if (results.GetTestPartResult(i).failed()) return true;
  }
  return false;
}

}  // namespace

RandomProblem shrink(const RandomProblem& problem, const Fails& fails) {
  return Shrinker(problem, fails).smallest();
}

void report_smallest(const RandomProblem& problem, const Check& check) {
  const RandomProblem small =
      shrink(problem, [&](const RandomProblem& one) { return fails_quietly(one, check); });
  std::cout << "A small problem that fails too:\n\n" << as_test(small, "Shrunk") << std::endl;
  check(small);
}

void expect_or_shrink(const RandomProblem& problem, const Check& check) {
  check(problem);
  if (testing::Test::HasFailure()) report_smallest(problem, check);
}
