// Linear conditions: debt <= 0.4 * income; a + b + c = 100; premium + 20*(type = house) <= 100.
#include "query/reach.hpp"
#include "query/text_parser.hpp"

#include "base/infinity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace boxwood::text {
namespace {

constexpr const char* too_long = "the numbers of this rule have too many digits";

bool is_comparison(const Token& token) {
  constexpr std::array signs{"<=", ">=", "<", ">", "=", "!="};
  return std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return token.is_symbol(sign); });
}

bool is_operator(const Token& token) {
  return token.is_symbol("+") || token.is_symbol("-") || token.is_symbol("*") || token.is_word("/");
}

Expression constant(Fraction number) { return {.top = {.constant = number}}; }

Expression of_term(LinearTerm term) {
  return {.top = {.terms = {std::move(term)}, .factors = {{1, 1}}}};
}

}  // namespace

/// Whether a condition starts here that is about several features or calculates: it contains an
/// operator, a change, or a feature compared with a feature.
bool Parser::at_linear() const {
  int depth = 0;
  for (std::size_t i = at_; tokens_[i].kind != TokenKind::stop; ++i) {
    const Token& token = tokens_[i];
    const Token& next = tokens_[i + 1];
    if (token.is_symbol("(")) ++depth;
    if (token.is_symbol(")") && --depth < 0) return false;
    if (depth == 0 && (token.is_word("and") || token.is_word("or") || token.is_word("then"))) {
      return false;
    }
    const bool named = next.kind == TokenKind::word || next.kind == TokenKind::quoted;
    const bool feature_next = named && !next.is_word("now") && names_.find(next.text);
    if (token.is_symbol("*") || (token.is_word("change") && next.is_symbol("("))) return true;
    const bool operand_next = feature_next || next.is_symbol("(") || next.kind == TokenKind::number;
    if (token.is_word("/") && operand_next) return true;
    const bool word_next = named && !next.is_word("now");
    if (token.is_symbol("-") && (word_next || next.is_symbol("("))) return true;
    if (i == at_) continue;
    const bool in_words = tokens_[i - 1].is_word("at") && i > at_ + 1 &&
                          (token.is_word("least") || token.is_word("most"));
    const Token& before = tokens_[in_words ? i - 2 : i - 1];
    const bool after_operand =
        (before.is_name() && !before.is_word("now")) || before.is_symbol(")");
    if ((token.is_symbol("+") || token.is_symbol("-")) && after_operand) return true;
    if (!is_comparison(token) && !in_words) continue;
    if (next.is_symbol("(") || (feature_next && before.is_symbol(")"))) return true;
    if (!feature_next || !before.is_name()) continue;
    const auto subject = names_.find(before.text);
    if (subject && !names_.code(*subject, next.text)) return true;
  }
  return false;
}

/// Whether the parenthesis that opens here is part of a sum and not around a condition.
bool Parser::at_linear_group() const {
  int depth = 0;
  for (std::size_t i = at_; tokens_[i].kind != TokenKind::stop; ++i) {
    if (tokens_[i].is_symbol("(")) ++depth;
    if (tokens_[i].is_symbol(")") && --depth == 0) {
      return is_operator(tokens_[i + 1]) || is_comparison(tokens_[i + 1]);
    }
  }
  return false;
}

Formula Parser::linear() {
  const Expression first = expression();
  const Token& first_at = peek();
  const std::string comparison_text = comparison();
  const Expression second = expression();
  Formula formula = linear_between(first, comparison_text, second, first_at);
  if (!at_comparison()) return formula;
  const Token& second_at = peek();
  const std::string next = comparison();
  if (next.front() != comparison_text.front() || next.front() == '=') {
    fail(second_at, "the two comparisons have opposite directions", "Write 6 <= a + b < 36");
  }
  return all_of({std::move(formula), linear_between(second, next, expression(), second_at)});
}

Formula Parser::linear_between(const Expression& left, const std::string& comparison_text,
                               const Expression& right, const Token& at) {
  if (comparison_text == "!=") return opposite(linear_between(left, "=", right, at));
  std::string sign = comparison_text;
  Sum difference;
  if (left.bottom || right.bottom) {
    const Expression& quotient = left.bottom ? left : right;
    const Expression& other = left.bottom ? right : left;
    if (other.bottom || !other.top.is_constant()) {
      fail(at, "a quotient can only be compared with a number", "Write the rule as a product");
    }
    const Interval range = range_of(*quotient.bottom);
    const bool positive = range.lower > 0, negative = range.upper < 0;
    if (!positive && !negative) {
      fail(at, "the sign of the divisor is not known from its range",
           "Write the rule as a product, or give the divisor a range without 0 in the schema");
    }
    const auto without = times(other.top.constant, {-1, 1});
    const auto sum = without ? added(quotient.top, *quotient.bottom, *without) : std::nullopt;
    if (!sum) fail(at, too_long);
    difference = *sum;
    if ((&quotient == &left) != positive && sign != "=") {
      sign.front() = sign.front() == '<' ? '>' : '<';
    }
  } else {
    const auto sum = added(left.top, right.top, {-1, 1});
    if (!sum) fail(at, too_long);
    difference = *sum;
  }
  if (left.top.now.top != 0 || right.top.now.top != 0) {
    // `now` is the present value of the other side, so the rule is about the change of that side.
    const bool on_the_left = left.top.now.top != 0;
    const Sum& side = on_the_left ? right.top : left.top;
    const Sum& other = on_the_left ? left.top : right.top;
    if (left.bottom || right.bottom || side.terms.empty() || side.now.top != 0 ||
        !other.terms.empty() || other.now.top != other.now.bottom) {
      fail(at, "\"now\" must stand for the present value of the other side",
           "Write a + b <= now + 3");
    }
    for (LinearTerm& term : difference.terms) {
      if (term.of == LinearTerm::Of::value) term.of = LinearTerm::Of::change;
    }
    for (std::size_t i = 0; i < difference.terms.size(); ++i) {
      const LinearTerm& term = difference.terms[i];
      const double now = draft_.query.point[term.feature];
      const bool named =
          term.of == LinearTerm::Of::codes && now > -1 && now < 0x1p31 &&
          std::binary_search(term.codes.begin(), term.codes.end(), static_cast<std::int32_t>(now));
      const auto less = named ? times(difference.factors[i], {-1, 1}) : Fraction{};
      const auto rest = less ? plus(difference.constant, *less) : std::nullopt;
      if (!rest) fail(at, too_long);
      difference.constant = *rest;
    }
  }
  const auto condition = condition_of(std::move(difference), sign);
  if (!condition) fail(at, too_long);
  if (condition->terms.empty()) fail(at, "no feature is left in this comparison");
  for (const LinearTerm& term : condition->terms) {
    const bool from_now = term.of == LinearTerm::Of::change || term.of == LinearTerm::Of::size;
    if (!from_now || !std::isnan(draft_.query.point[term.feature])) continue;
    // A missing value has no change: the comparison never holds, and its negation always holds.
    return formula_of(Literal{.feature = term.feature, .inside = false, .missing = false});
  }
  if (condition->terms.size() == 1 && condition->terms.front().of == LinearTerm::Of::value) {
    // This is a comparison with a number and needs no sum, unless the division rounds.
    const LinearTerm& term = condition->terms.front();
    Interval range = condition->range;
    range.lower /= term.coefficient;
    range.upper /= term.coefficient;
    const auto exact = [&](double quotient, double end) {
      return std::isinf(end) || std::fma(quotient, term.coefficient, -end) == 0;
    };
    if (exact(range.lower, condition->range.lower) && exact(range.upper, condition->range.upper)) {
      return formula_of(Literal{.feature = term.feature, .range = range});
    }
  }
  return formula_of(*condition);
}

Expression Parser::expression() {
  Expression sum = product();
  while (peek().is_symbol("+") || peek().is_symbol("-")) {
    const Token& at = take();
    const Fraction sign{at.is_symbol("+") ? 1 : -1, 1};
    const Expression more = product();
    if ((sum.bottom || more.bottom) && (more.bottom || !more.top.is_constant())) {
      fail(at, "only a number can be added to a quotient", "Write the rule as a product");
    }
    std::optional<Sum> result;
    if (sum.bottom) {
      const auto factor = times(more.top.constant, sign);
      if (factor) result = added(sum.top, *sum.bottom, *factor);
    } else {
      result = added(sum.top, more.top, sign);
    }
    if (!result) fail(at, too_long);
    sum.top = std::move(*result);
  }
  return sum;
}

Expression Parser::product() {
  Expression result = operand();
  while (peek().is_symbol("*") || peek().is_word("/")) {
    const Token& at = take();
    Expression next = operand();
    if (at.is_word("/")) {
      if (next.bottom || result.bottom) fail(at, "a quotient cannot be divided again");
      if (!next.top.is_constant()) {
        if (next.top.now.top != 0) fail(at, "nothing can be divided by \"now\"");
        result.bottom = std::move(next.top);
        continue;
      }
      if (next.top.constant.top == 0) fail(at, "division by 0");
      Fraction& number = next.top.constant;
      std::swap(number.top, number.bottom);
      if (number.bottom < 0) number = {-number.top, -number.bottom};
    }
    if (!next.top.is_constant() && !next.bottom && result.top.is_constant() && !result.bottom) {
      std::swap(result, next);
    }
    if (next.bottom || !next.top.is_constant()) {
      fail(at, "a feature can only be multiplied by a number");
    }
    const auto scaled = added({}, result.top, next.top.constant);
    if (!scaled) fail(at, too_long);
    result.top = *scaled;
  }
  return result;
}

Expression Parser::operand() {
  const Token& at = peek();
  bool turned = false;
  while (accept_symbol("-")) turned = !turned;
  Expression found = operand_without_sign();
  if (!turned) return found;
  const auto sum = added({}, found.top, {-1, 1});
  if (!sum) fail(at, too_long);
  found.top = *sum;
  return found;
}

Expression Parser::operand_without_sign() {
  const Token& at = peek();
  if (at.kind == TokenKind::number) {  // a feature with the name 5 is written in quotes
    const auto number = fraction_of(at.text);
    if (!number) fail(at, too_long, "Use at most 15 digits");
    ++at_;
    if (peek().is_symbol("%")) fail(peek(), "% is not supported in sums", "Write 0.4 for 40 %");
    return constant(*number);
  }
  if (at.is_word("change") && peek(1).is_symbol("(")) return change_of();
  if (at.is_word("now")) {
    ++at_;
    compares_with_now_ = true;
    return {.top = {.now = {1, 1}}};
  }
  if (!at.is_symbol("(")) {
    if (!at.is_name()) expected("a number, a feature or \"(\"");
    if (peek(1).is_symbol("(") && !names_.find(at.text)) {
      fail(at, "rules do not have this function",
           "Use +, -, *, / and numbers, and change(a) for the size of a change");
    }
    return of_subject(subject(), at);
  }
  if (peek(1).is_name()) {
    const auto inside = names_.find(peek(1).text);
    const bool tested = is_comparison(peek(2)) || peek(2).is_word("in");
    if (inside && tested) return category();
  }
  constexpr std::size_t deepest = 40;  // the parser is recursive
  if (++depth_ > deepest) fail(at, "the parentheses are nested too deeply");
  ++at_;
  Expression inner = expression();
  expect_symbol(")");
  --depth_;
  return inner;
}

Expression Parser::of_subject(Subject subject, const Token& at) const {
  if (is_categorical(subject)) {
    fail(at, fmt::format("\"{}\" is categorical, so it is not a number", names_.title(subject)),
         fmt::format("Write ({} = label), which is 1 or 0", at.text));
  }
  return of_term({.feature = subject.index});
}

/// `change(a)`: how far a feature moves in either direction.
Expression Parser::change_of() {
  at_ += 2;
  const Token& at = peek();
  const Subject found = subject();
  require_order(found, at, "its change has no size");
  expect_symbol(")");
  compares_with_now_ = true;
  return of_term({.feature = found.index, .of = LinearTerm::Of::size});
}

/// `(type = house)`: 1 if it is, otherwise 0.
Expression Parser::category() {
  ++at_;
  const Token& at = peek();
  const Subject found = subject();
  if (!is_categorical(found)) {
    fail(at, fmt::format("\"{}\" is a number", names_.title(found)),
         "Only categories can be compared within a sum");
  }
  std::vector<double> values;
  bool negated = false;
  if (accept_word("in")) {
    expect_symbol("{");
    do {
      values.push_back(value(found));
    } while (accept_symbol(","));
    expect_symbol("}");
  } else {
    const Token& sign = peek();
    const std::string comparison_text = comparison();
    negated = comparison_text == "!=";
    if (!negated && comparison_text != "=") fail(sign, "expected =, != or in");
    values.push_back(value(found));
  }
  expect_symbol(")");
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Sum sum;
  const auto add = [&](const Sum& more, std::int64_t factor) {
    const auto both = added(sum, more, {factor, 1});
    if (!both) fail(at, too_long);
    sum = *both;
  };
  if (found.group) {
    const std::vector<std::size_t>& columns = draft_.query.groups[found.index].columns;
    for (const double place : values) {
      if (place < static_cast<double>(columns.size())) {
        add(of_term({.feature = columns[static_cast<std::size_t>(place)]}).top, 1);
        continue;
      }
      add(constant({1, 1}).top, 1);  // no column is 1
      for (const std::size_t column : columns) add(of_term({.feature = column}).top, -1);
    }
  } else {
    LinearTerm term{.feature = found.index, .of = LinearTerm::Of::codes};
    for (const double code : values) term.codes.push_back(static_cast<std::int32_t>(code));
    add(of_term(std::move(term)).top, 1);
  }
  if (!negated) return {.top = std::move(sum)};
  Expression rest = constant({1, 1});
  const auto both = added(rest.top, sum, {-1, 1});
  if (!both) fail(at, too_long);
  rest.top = *both;
  return rest;
}

/// Between which numbers a sum lies, whatever the answer is.
Interval Parser::range_of(const Sum& sum) const {
  const Query& query = draft_.query;
  Interval whole{sum.constant.number(), sum.constant.number()};
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const LinearTerm& term = sum.terms[i];
    const FeatureRule& rule = query.features[term.feature];
    const double now = query.point[term.feature];
    Interval range{0, 1};
    if (term.of == LinearTerm::Of::size) range = {.lower = 0};
    if (term.of == LinearTerm::Of::value && !names_.group_of(term.feature)) {
      const Reach reach = reach_of(rule, now, Precision::float64);
      range = {now, now};
      for (const Interval& part : {reach.above, reach.below}) {
        if (rule.fixed || part.empty()) continue;
        range.lower = std::fmin(range.lower, part.lower);
        range.upper = std::fmax(range.upper, part.upper);
      }
    }
    const double factor = sum.factors[i].number();
    whole.lower += factor * (factor > 0 ? range.lower : range.upper);
    whole.upper += factor * (factor > 0 ? range.upper : range.lower);
  }
  if (std::isnan(whole.lower) || std::isnan(whole.upper)) return {};
  // Sums of doubles are rounded.
  const double error = 1e-9 * std::max(std::isfinite(whole.lower) ? std::abs(whole.lower) : 0.0,
                                       std::isfinite(whole.upper) ? std::abs(whole.upper) : 0.0);
  const bool single = sum.terms.size() == 1 && sum.constant.top == 0;
  if (single) return whole;
  return {whole.lower - error, whole.upper + error};
}

}  // namespace boxwood::text
