// Places conditions in a query: as ranges and allowed values where these say the same, which keeps
// the search fast, and as clauses otherwise; and finds those that contradict each other.
#include "query/text_parser.hpp"
#include "query/text_values.hpp"

#include "model/arithmetic.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace boxwood {
namespace text {
namespace {

constexpr std::size_t most_allowed = 1000;  // values listed instead of a clause

class Meaning {
 public:
  Meaning(std::span<const Ensemble> ensembles, const Names& names, Draft& draft)
      : names_(names), draft_(draft), query_(draft.query) {
    const bool single = std::any_of(ensembles.begin(), ensembles.end(), [](const Ensemble& one) {
      return one.input == Precision::float32;
    });
    precision_ = single ? Precision::float32 : Precision::float64;
  }

  void run() {
    keep_only();
    for (const Condition& condition : draft_.conditions) {
      condition_ = &condition;
      const auto clauses = clauses_of(condition.formula);
      if (!clauses) too_large();
      for (const Clause& clause : *clauses) place(clause);
    }
  }

 private:
  [[noreturn]] void fail(const Part& part, const std::string& reason,
                         const std::string& remedy = {}) const {
    fail_at(*part.source, part.begin, reason, remedy);
  }
  [[noreturn]] void too_large() const {
    fail(condition_->part, "this condition has too many combinations",
         "Take it apart into several statements");
  }

  std::set<std::size_t> columns_of(const std::vector<Subject>& subjects) const {
    std::set<std::size_t> columns;
    for (const Subject subject : subjects) {
      if (!subject.group) {
        columns.insert(subject.index);
        continue;
      }
      const auto& all = query_.groups[subject.index].columns;
      columns.insert(all.begin(), all.end());
    }
    return columns;
  }

  void keep_only() {
    if (draft_.only.empty()) return;
    std::set<std::size_t> left = columns_of(draft_.only.front().subjects);
    for (const OnlyThese& more : draft_.only) {
      const std::set<std::size_t> listed = columns_of(more.subjects);
      std::erase_if(left, [&](std::size_t column) { return !listed.contains(column); });
      if (!left.empty()) continue;
      fail(more.part, fmt::format("with {} nothing may change", quote(draft_.only.front().part)),
           "List in one statement all that may change");
    }
    for (std::size_t i = 0; i < query_.features.size(); ++i) {
      if (!left.contains(i)) query_.features[i].fixed = true;
    }
  }

  Subject owner(const Literal& literal) const {
    const auto group = names_.group_of(literal.feature);
    return group ? Subject{*group, true} : Subject{literal.feature};
  }

  /// The values of a clause's only subject for which it holds: of a group the places of the hot
  /// column, their number for none.
  Values values_for(const Clause& clause, Subject subject) const {
    Values values;
    for (const Literal& literal : clause.any_of) {
      Values some = values_of(literal);
      if (subject.group) some = places(some, subject.index, literal.feature);
      values.insert(values.end(), some.begin(), some.end());
    }
    return in_order(std::move(values));
  }

  Values places(const Values& of_column, std::size_t group, std::size_t column) const {
    const bool hot = contains(of_column, 1), cold = contains(of_column, 0);
    const auto& columns = query_.groups[group].columns;
    Values values;
    for (std::size_t k = 0; k <= columns.size(); ++k) {
      const bool here = k < columns.size() && columns[k] == column;
      const auto place = static_cast<double>(k);
      if (here ? hot : cold) values.push_back({place, place});
    }
    return values;
  }

  void place(const Clause& clause) {
    const bool single =
        !clause.any_of.empty() &&
        std::all_of(clause.any_of.begin(), clause.any_of.end(), [&](const Literal& literal) {
          return owner(literal) == owner(clause.any_of.front());
        });
    if (single) {
      const Subject subject = owner(clause.any_of.front());
      const Values values = values_for(clause, subject);
      const bool missing = std::any_of(clause.any_of.begin(), clause.any_of.end(),
                                       [](const Literal& literal) { return literal.missing; });
      // Whether a comparison with now can be met depends on the row: that is for the search to say.
      if (!condition_->compares_with_now && !(values.empty() && !missing)) {
        check(subject, values, missing);
      }
      const bool holds_now = std::any_of(
          clause.any_of.begin(), clause.any_of.end(),
          [&](const Literal& literal) { return holds(literal, query_.point, precision_); });
      const bool done = subject.group
                            ? holds_now && restrict_group(subject.index, values)
                            : restrict_feature(subject.index, clause, values, missing, holds_now);
      if (done) return;
    }
    if (is_too_large(clause)) too_large();
    query_.clauses.push_back(clause);
  }

  bool leaves_nothing(Subject subject, const Values& values) const {
    if (values.empty()) return true;
    if (subject.group || query_.features[subject.index].kind == FeatureKind::continuous) {
      return false;
    }
    return !has_whole_number(values) && !contains(values, query_.point[subject.index]);
  }

  struct Demand {
    Values values;
    bool missing = false;
    Part part;
  };

  /// That all demands on one subject can be met at once, as far as its values go.
  void check(Subject subject, const Values& values, bool missing) {
    std::vector<Demand>& demands = demands_[subject];
    Values left = values;
    bool left_missing = missing;
    for (const Demand& other : demands) {
      left = common(left, other.values);
      left_missing = left_missing && other.missing;
    }
    if (!left_missing && leaves_nothing(subject, left)) {
      for (const Demand& other : demands) {
        if ((missing && other.missing) || !leaves_nothing(subject, common(values, other.values))) {
          continue;
        }
        const bool itself = other.part.source == condition_->part.source &&
                            other.part.begin == condition_->part.begin;
        fail(condition_->part, itself ? "it contradicts itself"
                                      : fmt::format("it contradicts {}", quote(other.part)));
      }
      fail(condition_->part, demands.empty() ? "no whole number is like that"
                                             : "with the statements before it nothing is left");
    }
    demands.push_back({values, missing, condition_->part});
  }

  Interval as_read(const Interval& range) const {
    return {boxwood::as_read(range.lower, precision_), boxwood::as_read(range.upper, precision_),
            range.lower_closed, range.upper_closed};
  }

  /// Where the statement holds now, limits on what the value may change to say the same.
  bool restrict_feature(std::size_t feature, const Clause& clause, const Values& values,
                        bool missing, bool holds_now) {
    FeatureRule& rule = query_.features[feature];
    const double now = query_.point[feature];
    const bool may_be_missing = rule.missing_allowed || std::isnan(now);
    if (holds_now && (!may_be_missing || missing)) {
      if (values.size() == 1) {
        const Interval range = intersection(rule.range, as_read(values.front()));
        if (!range.empty()) rule.range = range;
        return !range.empty();
      }
      return list_values(rule, values);
    }
    // A long list would be too large a clause: it is what may be changed to, and it has to change.
    if (holds_now || may_be_missing || !is_too_large(clause)) return false;
    if (!list_values(rule, values)) return false;
    query_.clauses.push_back({{changes(query_, feature)}});
    return true;
  }

  bool list_values(FeatureRule& rule, const Values& values) const {
    const auto read = [&](double one) { return boxwood::as_read(one, precision_); };
    const bool points = std::all_of(values.begin(), values.end(), [](const Interval& range) {
      return range.lower == range.upper;
    });
    std::vector<double> listed;
    if (!rule.allowed.empty()) {
      Values as_are;
      for (const Interval& range : values) as_are.push_back(as_read(range));
      for (const double one : rule.allowed) {
        if (contains(as_are, read(one))) listed.push_back(one);
      }
    } else if (points) {
      for (const Interval& one : values) {
        const bool whole = rule.kind == FeatureKind::continuous || has_whole_number({one});
        const bool step = rule.step == 0 || std::remainder(one.lower, rule.step) == 0;
        if (whole && step) listed.push_back(one.lower);
      }
    } else if (rule.kind != FeatureKind::continuous) {
      listed = whole_numbers(common(values, Values{rule.range}), rule.step, most_allowed);
    }
    if (listed.empty()) return false;
    rule.allowed = std::move(listed);
    rule.step = 0;
    return true;
  }

  bool restrict_group(std::size_t index, const Values& values) {
    OneHot& group = query_.groups[index];
    const auto none = static_cast<double>(group.columns.size());
    // That some column is hot may have been open before: then this is a rule of its own.
    if (!contains(values, none) && group.none_allowed) return false;
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
      if (contains(values, static_cast<double>(k))) continue;
      Interval& range = query_.features[group.columns[k]].range;
      const Interval cold = intersection(range, Interval{.upper = 0});
      if (cold.empty()) return false;
      range = cold;
    }
    return true;
  }

  const Names& names_;
  Draft& draft_;
  Query& query_;
  Precision precision_ = Precision::float64;
  const Condition* condition_ = nullptr;
  std::map<Subject, std::vector<Demand>> demands_;
};

void check_sizes(std::span<const Ensemble> ensembles, const Schema& schema, const Query& query) {
  if (ensembles.empty()) throw Error("query", "there is no model");
  const std::size_t width = query.point.size();
  bool agree = schema.features.size() == width && query.features.size() == width &&
               schema.groups.size() <= query.groups.size();
  for (const Ensemble& ensemble : ensembles) agree = agree && ensemble.features.size() == width;
  for (const OneHot& group : query.groups) {
    for (const std::size_t column : group.columns) agree = agree && column < width;
  }
  for (std::size_t g = 0; agree && g < schema.groups.size(); ++g) {
    agree = schema.groups[g].columns == query.groups[g].columns;
  }
  if (!agree) {
    throw Error("query", "the models, the schema and the point have different features",
                "Apply the schema to the query first");
  }
}

}  // namespace
}  // namespace text

void add_text(std::span<const QueryText> texts, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query, std::span<const std::string> models) {
  text::check_sizes(ensembles, schema, query);
  text::Draft draft{.query = query};
  const text::Names names(ensembles, schema, draft.query);
  std::vector<text::Source> sources;  // parts point into it
  for (const QueryText& one : texts) sources.push_back({one.text, one.place});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    text::Parser(sources[i], texts[i].may_hold, ensembles, models, names, draft).run();
  }
  text::Meaning(ensembles, names, draft).run();
  query = std::move(draft.query);
}

std::vector<QueryText> rule_texts(const Schema& schema) {
  std::vector<QueryText> texts;
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const std::string file = schema.place.empty() ? "schema" : schema.place;
    texts.push_back({schema.rules[i], fmt::format("{}: rules[{}]", file, i), Statements::rules});
  }
  return texts;
}

void add_text(std::string_view text, std::string_view place, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query) {
  const QueryText one{std::string(text), std::string(place), Statements::all};
  add_text(std::span(&one, 1), ensembles, schema, query);
}

}  // namespace boxwood
