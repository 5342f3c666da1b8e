// Adds conditions to a query: as ranges and allowed values where these are equivalent, because the
// search is faster with them, otherwise as clauses. Finds conditions that contradict each other.
#include "query/linear_choices.hpp"
#include "query/reach.hpp"
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

constexpr std::size_t most_allowed =
    1000;  // the longest list of allowed values that replaces a clause

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
    set_cost();
    check_directions();
    keep_only();
    for (const Condition& condition : draft_.conditions) {
      condition_ = &condition;
      const auto clauses = clauses_of(condition.formula);
      if (!clauses) too_large();
      for (const Clause& clause : *clauses) {
        if (clause.linear.empty()) {
          place(clause);
        } else {
          place_linear(clause);
        }
      }
    }
    derive();
    spread_robustness();
  }

 private:
  [[noreturn]] void fail(const Part& part, const std::string& reason,
                         const std::string& remedy = {}) const {
    fail_at(*part.source, part.begin, reason, remedy);
  }
  [[noreturn]] void too_large() const {
    fail(condition_->part, "this condition has too many combinations",
         "Split it into several statements");
  }

  /// At the end, because the rules of a derived column become conditions on its value.
  void derive() {
    for (auto& [derived, part] : draft_.derived) {
      try {
        add_derived(query_, derived);
      } catch (const Error& error) {
        fail(part, error.reason(), error.remedy());
      }
    }
  }

  bool is_derived(std::size_t column) const {
    return query_.features[column].derived ||
           std::any_of(draft_.derived.begin(), draft_.derived.end(),
                       [&](const auto& one) { return one.first.feature == column; });
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

  /// The cost of the question replaces the cost of a schema, including "fewest". "Fewest changes
  /// first" can be combined with any cost; "lowest cost first" overrides the schema, but not the
  /// cost of the question.
  void set_cost() {
    if (draft_.default_fewest_first) query_.fewest_first = *draft_.default_fewest_first;
    const auto& said = draft_.fewest_first;
    if (said && !said->fewest_first && draft_.cost && draft_.cost->fewest_first) {
      fail(said->part, fmt::format("it contradicts {}", quote(draft_.cost->part)),
           "Give one of the two");
    }
    if (draft_.cost) {
      query_.norm = draft_.cost->norm;
      query_.mixture = draft_.cost->mixture;
      query_.fewest_first = draft_.cost->fewest_first;
    }
    if (said) query_.fewest_first = said->fewest_first;
  }

  /// A share of the ranges applies to all numbers that may change and have no distance of their
  /// own.
  void spread_robustness() {
    if (!draft_.robust_share) return;
    const auto& [share, part] = *draft_.robust_share;
    std::vector<std::uint8_t> grouped(query_.point.size(), 0);
    for (const OneHot& group : query_.groups) {
      for (const std::size_t column : group.columns) grouped[column] = 1;
    }
    for (std::size_t d = 0; d < query_.point.size(); ++d) {
      FeatureRule& rule = query_.features[d];
      if (grouped[d] || rule.fixed || rule.kind == FeatureKind::categorical) continue;
      if (rule.robust > 0 || share == 0) continue;
      const Interval& range = names_.schema().features[d].range;
      double width = range.upper - range.lower;
      if (!std::isfinite(width) && query_.scale_name == "range") width = rule.scale;
      if (!std::isfinite(width)) {
        fail(part, fmt::format("the range of \"{}\" is not known", names_.title({d})),
             "Give its range in the schema, or write robust NAME NUMBER for each feature");
      }
      rule.robust = share * width;
    }
  }

  bool is_fixed_by_schema(std::size_t column) const {
    return names_.schema().features[column].fixed || draft_.default_fixed.contains(column);
  }

  Direction direction_in_schema(std::size_t column) const {
    const auto found = draft_.default_directions.find(column);
    return found != draft_.default_directions.end() ? found->second
                                                    : names_.schema().features[column].direction;
  }

  /// Refuses "may only rise" where the feature cannot change or may only fall.
  void check_directions() const {
    std::map<std::size_t, const DirectionStatement*> seen;
    for (const DirectionStatement& one : draft_.directions) {
      const std::string title = names_.title({one.feature});
      if (const auto fixed = draft_.fixed.find(one.feature); fixed != draft_.fixed.end()) {
        fail(one.part, fmt::format("\"{}\" cannot change: {}", title, quote(fixed->second)),
             "Name it in one of the two statements");
      }
      if (is_fixed_by_schema(one.feature)) {
        fail(one.part, fmt::format("\"{}\" is fixed by the schema", title),
             "Remove it here, or permit it to change in the schema");
      }
      const auto [other, is_first] = seen.try_emplace(one.feature, &one);
      if (!is_first && other->second->direction != one.direction) {
        fail(one.part, fmt::format("it contradicts {}", quote(other->second->part)),
             fmt::format("Write fix \"{}\" if it must not change", title));
      }
      const Direction in_schema = direction_in_schema(one.feature);
      if (in_schema != Direction::both && in_schema != one.direction) {
        fail(one.part,
             fmt::format("the schema says that \"{}\" may only {}", title,
                         in_schema == Direction::up ? "rise" : "fall"),
             "Remove it here, or change its direction in the schema");
      }
    }
  }

  void keep_only() {
    if (draft_.only.empty()) return;
    std::set<std::size_t> left = columns_of(draft_.only.front().subjects);
    for (const OnlyThese& statement : draft_.only) {
      for (Subject subject : statement.subjects) {
        if (const auto group = names_.group_of(subject.index); !subject.group && group) {
          subject = {*group, true};
        }
        const std::set<std::size_t> columns = columns_of({subject});
        if (statement.is_default ||
            !std::all_of(columns.begin(), columns.end(),
                         [&](std::size_t column) { return is_fixed_by_schema(column); })) {
          continue;
        }
        fail(statement.part, fmt::format("\"{}\" is fixed by the schema", names_.title(subject)),
             "Remove it here, or permit it to change in the schema");
      }
    }
    for (const OnlyThese& more : draft_.only) {
      const std::set<std::size_t> listed = columns_of(more.subjects);
      for (const auto& [column, part] : draft_.fixed) {
        if (more.is_default || !listed.contains(column)) continue;
        fail(more.part,
             fmt::format("\"{}\" cannot change: {}", names_.title({column}), quote(part)),
             "Name it in one of the two statements");
      }
      std::erase_if(left, [&](std::size_t column) { return !listed.contains(column); });
      if (!left.empty()) continue;
      fail(more.part,
           fmt::format("together with {} it leaves no feature that may change",
                       quote(draft_.only.front().part)),
           "List all features that may change in one statement");
    }
    for (std::size_t i = 0; i < query_.features.size(); ++i) {
      if (!left.contains(i) && !is_derived(i)) query_.features[i].fixed = true;
    }
  }

  Subject owner(const Literal& literal) const {
    const auto group = names_.group_of(literal.feature);
    return group ? Subject{*group, true} : Subject{literal.feature};
  }

  /// The values for which a clause about a single subject holds. For a group these are positions of
  /// the hot column; the number of columns stands for none.
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
      // Whether a comparison with now can hold depends on the row; the search decides it.
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

  /// A linear condition, and the literals that may hold instead of it.
  void place_linear(Clause clause) {
    std::erase_if(clause.any_of, [&](const Literal& literal) {
      const bool only_missing = literal.missing && !literal.inside && literal.codes.empty() &&
                                literal.range == Interval{};
      return only_missing && !std::isnan(query_.point[literal.feature]) &&
             !query_.features[literal.feature].missing_allowed;
    });
    if (is_too_large(clause)) too_large();
    query_.clauses.push_back(std::move(clause));
    if (linear_choices(query_.clauses) > most_linear_choices) {
      fail(condition_->part,
           fmt::format("the sums of which one has to hold leave more than {} choices",
                       most_linear_choices),
           "Use \"or\", \"!=\" and \"if\" between sums less often");
    }
  }

  bool leaves_nothing(Subject subject, const Values& values) const {
    if (values.empty()) return true;
    if (subject.group) return false;
    const FeatureRule& rule = query_.features[subject.index];
    const double now = query_.point[subject.index];
    if (contains(values, now)) return false;
    if (rule.kind != FeatureKind::continuous && !has_whole_number(values)) return true;
    return !std::isnan(now) && rule.step > 0 &&
           std::none_of(values.begin(), values.end(), [&](const Interval& range) {
             return has_multiple(range, rule.step, precision_);
           });
  }

  /// Says why no value of the subject satisfies the only condition on it.
  std::string nothing_left(Subject subject) const {
    const double step = subject.group ? 0 : query_.features[subject.index].step;
    if (step == 0 || step == 1) return "no whole number satisfies this";
    return fmt::format("no value satisfies this: \"{}\" changes to multiples of {} only",
                       names_.title(subject), step);
  }

  struct Stated {
    Values values;
    bool missing = false;
    Part part;
  };

  /// Checks that some value of the subject satisfies all conditions on it.
  void check(Subject subject, const Values& values, bool missing) {
    std::vector<Stated>& stated = stated_[subject];
    Values left = values;
    bool left_missing = missing;
    for (const Stated& other : stated) {
      left = common(left, other.values);
      left_missing = left_missing && other.missing;
    }
    if (!left_missing && leaves_nothing(subject, left)) {
      for (const Stated& other : stated) {
        if ((missing && other.missing) || !leaves_nothing(subject, common(values, other.values))) {
          continue;
        }
        const bool itself = other.part.source == condition_->part.source &&
                            other.part.begin == condition_->part.begin;
        fail(condition_->part, itself ? "this condition contradicts itself"
                                      : fmt::format("it contradicts {}", quote(other.part)));
      }
      fail(condition_->part,
           stated.empty() ? nothing_left(subject)
                          : "no value satisfies this together with the statements before it");
    }
    stated.push_back({values, missing, condition_->part});
  }

  Interval as_read(const Interval& range) const {
    return {boxwood::as_read(range.lower, precision_), boxwood::as_read(range.upper, precision_),
            range.lower_closed, range.upper_closed};
  }

  /// If the condition holds now, limits on the values that the feature may change to are
  /// equivalent.
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
    // A long list would be too large as a clause: permit only these values, and require a change.
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
        const bool step = rule.step == 0 || is_multiple(one.lower, rule.step);
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
    // If all columns may be 0, the condition that one is 1 needs a clause.
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
  std::map<Subject, std::vector<Stated>> stated_;
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
  for (const QueryText& one : texts) sources.push_back({one.text, one.place, one.is_default});
  for (const bool is_default : {true, false}) {  // a question's costs replace the defaults
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].is_default != is_default) continue;
      text::Parser(sources[i], texts[i].may_hold, ensembles, models, names, draft).run();
    }
  }
  text::Meaning(ensembles, names, draft).run();
  query = std::move(draft.query);
}

std::vector<QueryText> rule_texts(const Schema& schema) {
  std::vector<QueryText> texts;
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const std::string file = schema.place.empty() ? "schema" : schema.place;
    texts.push_back(
        {schema.rules[i], fmt::format("{}: rules[{}]", file, i), Statements::rules, true});
  }
  return texts;
}

void add_text(std::string_view text, std::string_view place, std::span<const Ensemble> ensembles,
              const Schema& schema, Query& query) {
  const QueryText one{std::string(text), std::string(place), Statements::all};
  add_text(std::span(&one, 1), ensembles, schema, query);
}

}  // namespace boxwood
