// Why a query has no answer: a smallest set of constraints that together exclude the outcome.
//
// Call a set of constraints open if the query with only these has an answer, and blocking
// otherwise. A set blocks if and only if it is contained in no maximal open set, that is, if it has
// a member in the complement of every maximal open set. The smallest blocking set is therefore a
// smallest set that hits all these complements. They are found one by one: take a smallest set that
// hits those known so far. If it blocks, it is the answer. If it is open, grow it to a maximal open
// set, whose complement is one more to hit.
#include "analysis/exhausted.hpp"
#include "analysis/variables.hpp"
#include "base/infinity.hpp"
#include "grid/cuts.hpp"
#include "grid/linear_trees.hpp"
#include "query/derived.hpp"
#include "query/neighbours.hpp"

#include <boxwood/analysis.hpp>
#include <boxwood/budget.hpp>
#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace boxwood {
namespace {

using Chosen = std::vector<std::uint8_t>;  ///< of a rule: 1 if it is in the set

std::size_t count(const Chosen& set) {
  return static_cast<std::size_t>(std::count(set.begin(), set.end(), std::uint8_t{1}));
}

/// The smallest set that has a member in each of the given sets; of equally small ones the first in
/// order. It branches over the members of a set that is not hit yet.
class SmallestHit {
 public:
  SmallestHit(const std::vector<Chosen>& sets, std::size_t rules)
      : sets_(sets), best_(rules, 1), current_(rules, 0) {
    extend(0);
  }
  const Chosen& best() const { return best_; }
  bool exact() const { return steps_ < most_steps; }

 private:
  static constexpr std::size_t most_steps = 1'000'000;

  void extend(std::size_t size) {
    if (size >= count(best_) || ++steps_ >= most_steps) return;
    const auto missed = std::find_if(sets_.begin(), sets_.end(), [&](const Chosen& set) {
      for (std::size_t r = 0; r < set.size(); ++r) {
        if (set[r] && current_[r]) return false;
      }
      return true;
    });
    if (missed == sets_.end()) {
      best_ = current_;
      return;
    }
    for (std::size_t r = 0; r < missed->size(); ++r) {
      if (!(*missed)[r]) continue;
      current_[r] = 1;
      extend(size + 1);
      current_[r] = 0;
    }
  }

  const std::vector<Chosen>& sets_;
  Chosen best_, current_;
  std::size_t steps_ = 0;
};

/// Whether a point obeys one rule of a query; false also if a quick check cannot tell.
bool surely_obeys(const Query& query, const Rule& rule, std::span<const double> point,
                  Precision precision) {
  if (rule.kind == Rule::Kind::max_changes) {
    return change_count(query, point) <= *query.max_changes;
  }
  if (rule.kind == Rule::Kind::clause) {
    return holds(query.clauses[rule.index], query.point, point, precision);
  }
  for (const FeatureSet& set : changed_sets(query, point)) {
    if (std::count(set.columns.begin(), set.columns.end(), rule.index) > 0) {
      const double value = point[rule.index];
      if (rule.kind == Rule::Kind::range_lower) {
        return Interval{.lower = query.features[rule.index].range.lower, .lower_closed = false}
            .contains(value);
      }
      if (rule.kind == Rule::Kind::range_upper) {
        return Interval{.upper = query.features[rule.index].range.upper, .upper_closed = false}
            .contains(value);
      }
      return false;
    }
  }
  return true;  // an unchanged feature breaks no rule of its own
}

class Inquiry {
 public:
  Inquiry(const Prepared& prepared, const Query& query, std::span<const Rule> rules, Budget& budget)
      : prepared_(prepared), query_(query), rules_(rules), budget_(budget) {}

  /// The query in which only these of the liftable rules hold.
  Answer with_only(const Chosen& set) {
    std::vector<Rule> without;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (!set[r]) without.push_back(rules_[r]);
    }
    if (check_exhausted(budget_)) return {};  // unknown
    return budget_.note(explain(prepared_, lifted(query_, without), budget_.rest()));
  }

  /// Extends an open set to one to which no rule can be added. A search that does not end counts as
  /// "not open", which can only make the complement larger, and is remembered.
  Chosen grown(Chosen set, const Answer& answer) {
    add_obeyed(set, answer);
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (set[r]) continue;
      set[r] = 1;
      const Answer more = with_only(set);
      if (more.solutions.empty()) {
        set[r] = 0;
      } else {
        add_obeyed(set, more);
      }
    }
    return set;
  }

  /// Reduces a blocking set to one in which every member is needed.
  Chosen shrunk(Chosen set) {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (!set[r]) continue;
      set[r] = 0;
      if (with_only(set).status != Status::infeasible) set[r] = 1;
    }
    return set;
  }

 private:
  void add_obeyed(Chosen& set, const Answer& answer) const {
    const Precision precision = common_precision(prepared_.ensembles());
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (surely_obeys(query_, rules_[r], answer.best().point, precision)) set[r] = 1;
    }
  }

  const Prepared& prepared_;
  const Query& query_;
  std::span<const Rule> rules_;
  Budget& budget_;
};

/// Without its limits a feature of a linear rule may have too many values to list, and some costs
/// do not support that. Lifting more limits only adds values, so it is enough to check with all
/// limits lifted.
void check_lifted_limits(const Prepared& prepared, const Query& query) {
  std::vector<Rule> limits = rules_of(query);
  std::erase_if(limits, [](const Rule& rule) { return rule.kind == Rule::Kind::clause; });
  try {
    check_spread_costs(lifted(query, limits), prepared.ensembles());
  } catch (const Error& error) {
    throw Error("why-not",
                fmt::format("it does not support this question, because it asks what lifting the "
                            "limits of features gives: {}",
                            error.what()));
  }
}

/// The values that are possible without any rules. Codes of categories are never negative.
Interval domain_of(const FeatureRule& rule) {
  if (rule.kind != FeatureKind::categorical) return rule.domain;
  return intersection(rule.domain, {.lower = 0});
}

/// Whether a column of a one-hot group may not be 0, or may not be 1.
bool keeps_out(const FeatureRule& rule) {
  return !rule.range.contains(0) || !rule.range.contains(1);
}

}  // namespace

std::vector<Rule> rules_of(const Query& query) {
  std::vector<Rule> rules;
  for (const FeatureSet& set : feature_sets(query)) {
    const std::size_t d = set.columns.front();
    const bool fixed = std::any_of(set.columns.begin(), set.columns.end(), [&](std::size_t column) {
      return query.features[column].fixed;
    });
    const auto add = [&](bool there, Rule::Kind kind) {
      if (there) rules.push_back({kind, d});
    };
    add(fixed, Rule::Kind::fixed);
    if (set.group) {
      add(std::any_of(set.columns.begin(), set.columns.end(),
                      [&](std::size_t column) { return keeps_out(query.features[column]); }),
          Rule::Kind::allowed);
      continue;
    }
    const FeatureRule& rule = query.features[d];
    const Interval domain = domain_of(rule);
    add(rule.range.lower > domain.lower, Rule::Kind::range_lower);
    add(rule.range.upper < domain.upper, Rule::Kind::range_upper);
    add(!rule.allowed.empty(), Rule::Kind::allowed);
    add(rule.step > 0, Rule::Kind::step);
    add(rule.direction != Direction::both, Rule::Kind::direction);
    add(rule.least_change > 0, Rule::Kind::least_change);
    add(rule.most_change < infinity, Rule::Kind::most_change);
    const bool argument =
        std::any_of(query.derived.begin(), query.derived.end(), [&](const Derived& derived) {
          return reads(derived, d);
        });  // derived columns of missing values stay missing
    add(std::isnan(query.point[d]) && !rule.missing_allowed && !argument, Rule::Kind::missing);
  }
  for (std::size_t c = 0; c < query.clauses.size(); ++c) {
    rules.push_back({Rule::Kind::clause, c});
  }
  if (query.max_changes) rules.push_back({Rule::Kind::max_changes, 0});
  return rules;
}

Query lifted(const Query& query, std::span<const Rule> rules) {
  Query free = query;
  std::vector<std::uint8_t> dropped(query.clauses.size(), 0);
  for (const Rule& rule : rules) {
    if (rule.kind == Rule::Kind::clause) {
      dropped[rule.index] = 1;
      continue;
    }
    if (rule.kind == Rule::Kind::max_changes) {
      free.max_changes.reset();
      continue;
    }
    FeatureRule& own = free.features[rule.index];
    const Interval domain = domain_of(own);
    switch (rule.kind) {
      case Rule::Kind::fixed:
        own.fixed = false;
        for (const OneHot& group : free.groups) {
          if (group.columns.front() != rule.index) continue;
          for (const std::size_t column : group.columns) free.features[column].fixed = false;
        }
        break;
      case Rule::Kind::range_lower:
        own.range.lower = domain.lower;
        own.range.lower_closed = domain.lower_closed;
        break;
      case Rule::Kind::range_upper:
        own.range.upper = domain.upper;
        own.range.upper_closed = domain.upper_closed;
        break;
      case Rule::Kind::allowed:
        own.allowed.clear();
        own.range = intersection(own.range, domain);
        for (const OneHot& group : free.groups) {
          if (group.columns.front() != rule.index) continue;
          for (const std::size_t column : group.columns) free.features[column].range = {0, 1};
        }
        break;
      case Rule::Kind::step:
        own.step = 0;
        break;
      case Rule::Kind::direction:
        own.direction = Direction::both;
        break;
      case Rule::Kind::least_change:
        own.least_change = 0;
        break;
      case Rule::Kind::most_change:
        own.most_change = infinity;
        break;
      case Rule::Kind::missing:
        own.missing_allowed = true;
        break;
      case Rule::Kind::clause:
      case Rule::Kind::max_changes:
        break;  // above
    }
  }
  free.clauses.clear();
  for (std::size_t c = 0; c < query.clauses.size(); ++c) {
    if (!dropped[c]) free.clauses.push_back(query.clauses[c]);
  }
  return free;
}

WhyNot find_why_not(const Prepared& prepared, const Query& query, const WhyNotOptions& asked,
                    const Options& options) {
  refuse_live(query, "why-not");
  check_lifted_limits(prepared, query);
  Budget budget(options);
  WhyNot why;
  why.answer = budget.note(explain(prepared, query, budget.rest()));
  if (why.answer.status != Status::infeasible) {
    why.stop = budget.stop();
    return why;
  }
  const std::vector<Rule> rules = asked.liftable ? *asked.liftable : rules_of(query);
  Inquiry inquiry(prepared, query, rules, budget);
  std::vector<Chosen> to_hit;
  Chosen set(rules.size(), 0);
  Answer answer = inquiry.with_only(set);
  why.impossible = answer.status == Status::infeasible;
  bool exact = true;
  while (!why.impossible && !answer.solutions.empty() && to_hit.size() < asked.rounds &&
         !budget.stopped()) {
    Chosen complement = inquiry.grown(set, answer);
    for (std::uint8_t& member : complement) member = member ? 0 : 1;
    to_hit.push_back(std::move(complement));
    const SmallestHit hit(to_hit, rules.size());
    exact = exact && hit.exact();
    set = hit.best();
    answer = inquiry.with_only(set);
  }
  why.smallest =
      !why.impossible && answer.status == Status::infeasible && exact && !budget.stopped();
  if (!why.impossible && !why.smallest && !budget.stopped()) {
    set = inquiry.shrunk(answer.status == Status::infeasible ? set : Chosen(rules.size(), 1));
  }
  for (std::size_t r = 0; r < rules.size() && !why.impossible && !budget.stopped(); ++r) {
    if (!set[r]) continue;
    const Rule one[] = {rules[r]};
    why.blockers.push_back(
        {rules[r], budget.note(explain(prepared, lifted(query, one), budget.rest()))});
  }
  why.stop = budget.stop();
  return why;
}

}  // namespace boxwood
