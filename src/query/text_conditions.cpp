// Conditions: if employment changes then age does not fall; 6 <= duration < 36.
#include "query/text_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood::text {
namespace {

constexpr std::size_t deepest = 40;  // nested parentheses; the parser is recursive

std::string mirrored(std::string comparison) {
  if (comparison.front() == '<') {
    comparison.front() = '>';
  } else if (comparison.front() == '>') {
    comparison.front() = '<';
  }
  return comparison;
}

/// A condition that no value satisfies; its opposite holds for every value.
Formula never(std::size_t feature) {
  return formula_of({.feature = feature, .inside = false, .missing = false});
}

}  // namespace

void Parser::condition_statement() {
  const std::size_t first = at_;
  Formula formula;
  if (accept_word("if")) {
    Formula premise = condition();
    expect_word("then");
    formula = any_of({opposite(std::move(premise)), condition()});
  } else {
    formula = condition();
  }
  draft_.conditions.push_back({std::move(formula), part_from(first), compares_with_now_});
}

Formula Parser::condition() {
  std::vector<Formula> parts{conjunction()};
  while (accept_word("or")) parts.push_back(conjunction());
  return any_of(std::move(parts));
}

Formula Parser::conjunction() {
  std::vector<Formula> parts{negation()};
  while (accept_word("and")) parts.push_back(negation());
  return all_of(std::move(parts));
}

Formula Parser::negation() {
  bool negative = false;
  while (peek().is_word("not")) {
    ++at_;
    negative = !negative;
  }
  Formula formula;
  if (peek().is_symbol("(") && !at_linear_group()) {
    if (++depth_ > deepest) fail(peek(), "the parentheses are nested too deeply");
    ++at_;
    formula = condition();
    expect_symbol(")");
    --depth_;
  } else {
    formula = atom();
  }
  return negative ? opposite(std::move(formula)) : formula;
}

Formula Parser::atom() {
  const Token& at = peek();
  if (at_linear()) return linear();
  if (at.kind == TokenKind::number || at.is_symbol("-")) return number_first();
  if (!at.is_name()) expected("a statement, a feature or a condition");
  if (at.kind == TokenKind::word && !names_.find(at.text) && at_ == 0 && !peek(1).is_name() &&
      peek(1).kind == TokenKind::stop) {
    fail(at, fmt::format("\"{}\" alone is not a statement", at.text),
         "Write fix age, or duration <= 12");
  }
  const Subject found = subject();
  return about(found, at);
}

/// `6 <= duration < 36`: the first value is parsed after the feature, which gives its unit.
Formula Parser::number_first() {
  const std::size_t start = at_;
  std::size_t sign = at_;
  const auto is_comparison = [&](const Token& token) {
    return token.is_symbol("<=") || token.is_symbol("<") || token.is_symbol(">=") ||
           token.is_symbol(">") || token.is_symbol("=") || token.is_symbol("!=");
  };
  while (tokens_[sign].kind != TokenKind::stop && !is_comparison(tokens_[sign])) ++sign;
  if (tokens_[sign].kind == TokenKind::stop) {
    ++at_;
    expected("a comparison such as <=, and a feature");
  }
  at_ = sign;
  const Token& first_at = peek();
  const std::string first = mirrored(comparison());
  const Token& name_at = peek();
  const Subject found = subject();
  require_order(found, name_at, "it is not compared with numbers");
  const std::size_t after = at_;
  at_ = start;
  const double low = value(found);
  if (at_ != sign) expected("a comparison such as <=");
  at_ = after;
  Interval range = interval(first, low, first_at);
  if (!at_comparison()) {
    return std::isnan(low) ? never(found.index) : within(found, range);
  }
  const Token& second_at = peek();
  const std::string second = comparison();
  if (first.front() == second.front() || first == "=" || second == "=") {
    fail(second_at, "the two comparisons have opposite directions", "Write 6 <= x < 36");
  }
  const double high = value(found);
  if (std::isnan(low) || std::isnan(high)) return never(found.index);
  const Interval other = interval(second, high, second_at);
  if (std::isinf(range.lower)) {
    range.lower = other.lower;
    range.lower_closed = other.lower_closed;
  } else {
    range.upper = other.upper;
    range.upper_closed = other.upper_closed;
  }
  if (range.empty())
    fail(tokens_[start], "no value lies between these ends", "Give the smaller end first");
  return within(found, range);
}

Formula Parser::within(Subject subject, const Interval& range) const {
  return formula_of({.feature = subject.index, .range = range});
}

Formula Parser::about(Subject subject, const Token& at) {
  if (at_comparison()) {
    const Token& sign = peek();
    return compared(subject, comparison(), sign);
  }
  if (accept_word("in")) return member(subject);
  if (accept_words({"not", "in"})) return opposite(member(subject));
  if (accept_word("stays")) return movement(subject, at, "stay");
  if (accept_word("changes")) {
    if (peek().is_word("by")) {
      fail(peek(), "the size of a change cannot be part of a condition",
           "Compare with now instead: amount >= now + 500");
    }
    return opposite(movement(subject, at, "stay"));
  }
  if (accept_word("rises")) return movement(subject, at, "rise");
  if (accept_word("falls")) return movement(subject, at, "fall");
  if (accept_words({"does", "not"})) {
    if (accept_word("change")) return movement(subject, at, "stay");
    for (const char* direction : {"rise", "fall"}) {
      if (accept_word(direction)) return opposite(movement(subject, at, direction));
    }
    expected("\"rise\", \"fall\" or \"change\"");
  }
  if (accept_word("is")) {
    const bool negative = accept_word("not");
    expect_word("missing");
    if (subject.group) fail(at, "a one-hot group cannot be missing");
    // No number lies outside an unlimited interval, so only a missing value satisfies this.
    const Formula missing =
        formula_of({.feature = subject.index, .inside = false, .missing = true});
    return negative ? opposite(missing) : missing;
  }
  const std::string title = names_.title(subject);
  expected(is_categorical(subject)
               ? "=, !=, \"in\", \"changes\", \"stays\" or \"is missing\""
               : "a comparison such as <=, \"in\", \"changes\", \"stays\", \"rises\", \"falls\", "
                 "\"does not rise\", \"may only fall\", \"step\", \"integer\" or \"is missing\"");
}

Formula Parser::compared(Subject subject, const std::string& comparison, const Token& at) {
  const bool equal = comparison == "=", unequal = comparison == "!=";
  if (!equal && !unequal) require_order(subject, at, "nothing is less or more; use =, != or in");
  const double number = value(subject);
  Formula formula;
  if (subject.group) {
    formula = group_is(subject.index, {static_cast<std::size_t>(number)});
  } else if (std::isnan(number)) {
    formula = never(subject.index);
  } else if (equal || unequal) {
    formula = values_are(subject.index, {number});
  } else {
    return within(subject, interval(comparison, number, at));
  }
  return unequal ? opposite(std::move(formula)) : formula;
}

/// After `in`: {a, b} or a..b.
Formula Parser::member(Subject subject) {
  const Token& at = peek();
  if (accept_symbol("{")) {
    std::vector<double> values{value(subject)};
    while (accept_symbol(",")) values.push_back(value(subject));
    if (!accept_symbol("}")) expected("\",\" or \"}\"");
    if (!subject.group) return values_are(subject.index, std::move(values));
    std::vector<std::size_t> places;
    for (const double place : values) places.push_back(static_cast<std::size_t>(place));
    return group_is(subject.index, places);
  }
  if (is_categorical(subject)) expected("a set such as {a, b}");
  Interval range;
  range.lower_closed = !accept_symbol("(");
  if (range.lower_closed) accept_symbol("[");
  range.lower = value(subject);
  if (!accept_symbol("..")) expected("\"..\", as in 6..36, or a set such as {6, 12}");
  range.upper = value(subject);
  range.upper_closed = !accept_symbol(")");
  if (range.upper_closed) accept_symbol("]");
  if (std::isnan(range.lower) || std::isnan(range.upper)) return never(subject.index);
  if (range.empty()) fail(at, "this range is empty", "Give the smaller end first");
  return within(subject, range);
}

Formula Parser::movement(Subject subject, const Token& at, std::string_view direction) {
  const Query& query = draft_.query;
  compares_with_now_ = true;
  if (direction == "stay") {
    return subject.group ? group_stays(subject.index) : formula_of(stays(query, subject.index));
  }
  require_order(subject, at, "it neither rises nor falls");
  return formula_of(direction == "rise" ? rises(query, subject.index)
                                        : falls(query, subject.index));
}

/// One of these columns is 1; the place after the last column: none is. Columns are 0 or 1, so one
/// end of the interval is enough.
Formula Parser::group_is(std::size_t group, const std::vector<std::size_t>& places) const {
  std::vector<Formula> hot;
  for (const std::size_t place : places) {
    if (place == draft_.query.groups[group].columns.size()) {
      hot.push_back(group_is_none(group));
      continue;
    }
    const std::size_t column = draft_.query.groups[group].columns[place];
    hot.push_back(formula_of({.feature = column, .range = {.lower = 1}}));
  }
  return any_of(std::move(hot));
}

Formula Parser::group_stays(std::size_t group) const {
  const OneHot& columns = draft_.query.groups[group];
  const std::size_t none = columns.columns.size();
  const std::size_t hot = hot_column(columns, draft_.query.point).value_or(none);
  return hot == none ? group_is_none(group) : group_is(group, {hot});
}

Formula Parser::group_is_none(std::size_t group) const {
  std::vector<Formula> cold;
  for (std::size_t k = 0; k < draft_.query.groups[group].columns.size(); ++k) {
    cold.push_back(opposite(group_is(group, {k})));
  }
  return all_of(std::move(cold));
}

/// Codes take one question for all; but a number that is not whole now has none.
Formula Parser::values_are(std::size_t feature, std::vector<double> values) const {
  std::erase_if(values, [](double one) { return std::isnan(one); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty()) return never(feature);
  const auto is_code = [](double one) {
    return one >= 0 && one < 0x1p31 && one == std::floor(one);
  };
  const double now = draft_.query.point[feature];
  const bool whole = draft_.query.features[feature].kind != FeatureKind::continuous &&
                     (std::isnan(now) || now == std::floor(now));
  if (whole && (values.size() > 1 || is_categorical({feature})) &&
      std::all_of(values.begin(), values.end(), is_code)) {
    Literal literal{.feature = feature};
    for (const double one : values) literal.codes.push_back(static_cast<std::int32_t>(one));
    return formula_of(std::move(literal));
  }
  std::vector<Formula> points;
  for (const double one : values) points.push_back(within({feature}, {one, one}));
  return any_of(std::move(points));
}

}  // namespace boxwood::text
