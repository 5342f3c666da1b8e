// Parser of query text: cursor, names, numbers, values, and the choice of the statement.
#include "query/text_parser.hpp"

#include "base/text.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace boxwood::text {
namespace {

constexpr std::array comparisons{"<=", ">=", "<", ">", "=", "!="};

/// Words that may follow a value and are not units.
constexpr std::array after_values{"and", "or", "then", "at", "up", "down"};

/// The labels for an error message, if there are only a few.
std::string listed(const std::vector<std::string>& labels) {
  constexpr std::size_t most = 10;
  if (labels.empty()) return {};
  if (labels.size() <= most) return fmt::format("Labels: {}", fmt::join(labels, "; "));
  return fmt::format("{} labels: {}; …", labels.size(),
                     fmt::join(std::span(labels).first(most), "; "));
}

}  // namespace

bool is_factor(double value) { return value >= 1e-30 && value <= 1e30; }

Parser::Parser(const Source& source, Statements may_hold, std::span<const Ensemble> ensembles,
               std::span<const std::string> models, const Names& names, Draft& draft)
    : source_(source),
      may_hold_(may_hold),
      ensembles_(ensembles),
      models_(models),
      names_(names),
      draft_(draft),
      tokens_(tokens_of(source)) {}

void Parser::run() {
  while (at_ < tokens_.size()) {
    if (!at_stop()) statement();
    if (!at_stop()) expected("the end of the statement");
    ++at_;
  }
}

const Token& Parser::peek(std::size_t ahead) const {
  // Never beyond the end of the statement.
  std::size_t i = at_;
  while (ahead > 0 && tokens_[i].kind != TokenKind::stop) {
    ++i;
    --ahead;
  }
  return tokens_[i];
}

const Token& Parser::take() {
  const Token& token = tokens_[at_];
  if (token.kind != TokenKind::stop) ++at_;
  return token;
}

bool Parser::accept_word(std::string_view word) { return accept_words({word}); }

bool Parser::accept_words(std::initializer_list<std::string_view> words) {
  std::size_t ahead = 0;
  for (const std::string_view word : words) {
    if (!peek(ahead++).is_word(word)) return false;
  }
  at_ += words.size();
  return true;
}

bool Parser::accept_symbol(std::string_view symbol) {
  if (!peek().is_symbol(symbol)) return false;
  ++at_;
  return true;
}

void Parser::expect_word(std::string_view word) {
  if (!accept_word(word)) expected(fmt::format("\"{}\"", word));
}

void Parser::expect_symbol(std::string_view symbol) {
  if (!accept_symbol(symbol)) expected(fmt::format("\"{}\"", symbol));
}

void Parser::fail(const Token& token, const std::string& reason, const std::string& remedy) const {
  fail_at(source_, token.begin, reason, remedy);
}

void Parser::expected(const std::string& what) const { fail(peek(), "expected " + what); }

Part Parser::part_from(std::size_t first_token) const {
  return {&source_, tokens_[first_token].begin, tokens_[at_ > first_token ? at_ - 1 : at_].end};
}

Subject Parser::subject() {
  const Token& token = peek();
  if (!token.is_name()) expected("a feature");
  if (const auto found = names_.find(token.text)) {
    ++at_;
    return *found;
  }
  // A name of several words without its quotes.
  std::string words = token.text;
  for (std::size_t ahead = 1; ahead < 8 && peek(ahead).is_name(); ++ahead) {
    words += " " + peek(ahead).text;
    if (names_.find(words)) {
      fail(token, "a name with spaces needs quotes", fmt::format("Write \"{}\"", words));
    }
  }
  // An operator without blanks is part of a word.
  for (const char sign : {'/', '-'}) {
    const std::size_t place =
        token.kind == TokenKind::word ? token.text.find(sign) : token.text.npos;
    if (place == token.text.npos || !names_.find(token.text.substr(0, place)) ||
        !names_.find(token.text.substr(place + 1))) {
      continue;
    }
    fail(token, fmt::format("no feature \"{}\"", token.text),
         fmt::format("Write {} {} {}, with blanks", token.text.substr(0, place), sign,
                     token.text.substr(place + 1)));
  }
  fail(token, fmt::format("no feature \"{}\"", token.text), names_.near(token.text));
}

std::vector<Subject> Parser::subjects() {
  std::vector<Subject> all{subject()};
  while (accept_symbol(",")) all.push_back(subject());
  return all;
}

std::size_t Parser::number_feature(std::string_view what) {
  const Token& at = peek();
  const Subject found = subject();
  require_order(found, at, std::string(what));
  return found.index;
}

double Parser::plain_number(std::string_view what) {
  const bool negative = accept_symbol("-");
  if (peek().kind != TokenKind::number) expected(std::string(what));
  const double number = take().number;
  return negative ? -number : number;
}

double Parser::factor(std::string_view what) {
  const Token& at = peek();
  const double number = plain_number("a number above 0");
  if (!is_factor(number)) fail(at, fmt::format("{} must be a number from 1e-30 to 1e30", what));
  return number;
}

double Parser::size_of_change(std::size_t feature) {
  const Token& at = peek();
  const double number = plain_number("a number");
  if (number < 0) fail(at, "the size of a change must be ≥ 0");
  unit(feature_unit(feature), names_.title({feature}));
  return number;
}

std::string Parser::feature_unit(std::size_t feature) const {
  return names_.schema().features[feature].unit;
}

/// A unit after a number is optional, but it must be the right one.
void Parser::unit(const std::string& unit, const std::string& owner) {
  const Token& next = peek();
  if (next.kind == TokenKind::stop) return;
  if (next.kind == TokenKind::quoted && next.text == unit) {
    ++at_;
    return;
  }
  if (!unit.empty() && source_.text.substr(next.begin).starts_with(unit)) {
    // It may be several tokens: "EUR / m" or "%".
    for (std::size_t i = at_; tokens_[i].kind != TokenKind::stop; ++i) {
      if (tokens_[i].end - next.begin < unit.size()) continue;
      if (tokens_[i].end - next.begin > unit.size()) break;
      at_ = i + 1;
      return;
    }
  }
  const bool goes_on = next.kind == TokenKind::symbol ||
                       std::any_of(after_values.begin(), after_values.end(),
                                   [&](const char* word) { return next.is_word(word); });
  if (goes_on && !next.is_symbol("%")) return;
  fail(next, fmt::format("\"{}\" is not the unit of \"{}\"", next.text, owner),
       unit.empty() ? "It has none" : fmt::format("Its unit is {}", unit));
}

/// The code of a label (for a group: the position of a column); no value for a number or `now`.
std::optional<double> Parser::labelled_value(Subject subject) {
  const Token& token = peek();
  if (!token.is_name()) return std::nullopt;
  if (const auto code = names_.code(subject, token.text)) {
    ++at_;
    return static_cast<double>(*code);
  }
  if (!subject.group && (token.kind == TokenKind::number || token.is_word("now"))) {
    return std::nullopt;
  }
  const std::vector<std::string> labels = names_.labels(subject);
  const std::string& title = names_.title(subject);
  if (labels.empty()) {
    fail(token, fmt::format("\"{}\" is not a number, and \"{}\" has no labels", token.text, title));
  }
  std::string words = token.text;
  for (std::size_t ahead = 1; ahead < 8 && peek(ahead).is_name(); ++ahead) {
    words += " " + peek(ahead).text;
    if (names_.code(subject, words)) {
      fail(token, "a label with spaces needs quotes", fmt::format("Write \"{}\"", words));
    }
  }
  std::string remedy = did_you_mean(token.text, labels);
  if (remedy.empty()) remedy = listed(labels);
  fail(token, fmt::format("no label \"{}\" of \"{}\"", token.text, title), remedy);
}

/// Parses what follows `now`: nothing, or plus or minus a number.
double Parser::from_now(double now, const std::string& unit_text, const std::string& owner) {
  compares_with_now_ = true;
  const bool more = peek().is_symbol("+");
  if (!more && !peek().is_symbol("-")) return now;
  ++at_;
  if (peek().kind != TokenKind::number) expected("a number");
  const double number = take().number;
  const bool share = unit_text != "%" && accept_symbol("%");
  if (!share) unit(unit_text, owner);
  const double size = share ? std::abs(now) * (number / 100) : number;
  return more ? now + size : now - size;
}

/// NaN where it is compared with a missing value.
double Parser::value(Subject subject) {
  if (const auto code = labelled_value(subject)) return *code;
  const std::string& title = names_.title(subject);
  if (subject.group) expected(fmt::format("a label of \"{}\"", title));
  const std::string unit_text = feature_unit(subject.index);
  if (accept_word("now")) return from_now(draft_.query.point[subject.index], unit_text, title);
  if (peek().is_symbol("+")) {
    fail(peek(), "a number must not start with a plus sign", "Write now + 5, or 5 without a sign");
  }
  const bool labels = !names_.labels(subject).empty();
  const double number = plain_number(
      labels ? fmt::format("a number, now or a label of \"{}\"", title) : "a number or now");
  unit(unit_text, title);
  return number;
}

bool Parser::at_comparison() const {
  const bool words = peek().is_word("at") && (peek(1).is_word("least") || peek(1).is_word("most"));
  return words || std::any_of(comparisons.begin(), comparisons.end(),
                              [&](const char* one) { return peek().is_symbol(one); });
}

std::string Parser::comparison() {
  if (accept_words({"at", "least"})) return ">=";
  if (accept_words({"at", "most"})) return "<=";
  if (!at_comparison()) expected("a comparison such as <= or >=");
  return take().text;
}

Interval Parser::interval(const std::string& comparison, double value, const Token& at) const {
  Interval range;
  if (comparison == "!=") fail(at, "expected <=, <, >=, > or =");
  if (comparison.starts_with('>') || comparison == "=") {
    range.lower = value;
    range.lower_closed = comparison != ">";
  }
  if (comparison.starts_with('<') || comparison == "=") {
    range.upper = value;
    range.upper_closed = comparison != "<";
  }
  return range;
}

/// A feature may be called "weight": `weight <= 80` is about it, `weight age 2` is not.
bool Parser::is_about_keyword() const {
  const Token& next = peek(1);
  if (!peek().is_name() || !names_.find(peek().text)) return false;
  const bool measured =
      peek().is_word("cost") &&
      (next.kind == TokenKind::number || next.text.starts_with('l') || next.is_word("fewest"));
  return !measured && !(next.is_name() && names_.find(next.text));
}

void Parser::statement() {
  compares_with_now_ = false;
  const Token& first = peek();
  const bool of_several = (first.is_word("every") && peek(1).is_word("model")) ||
                          (first.is_word("at") && peek(1).is_word("least"));
  const bool wants = first.is_word("want") || of_several ||
                     (first.is_word("model") && peek(1).is_name() && peek(2).is_symbol(":"));
  if (wants) {
    if (may_hold_ == Statements::rules) {
      fail(first, "a wanted outcome is not allowed here, only rules and costs are");
    }
    return want();
  }
  if (may_hold_ == Statements::wants) {
    fail(first, "expected \"want\", \"model NAME: want\" or \"at least 2 models: want\"",
         "Rules and costs are not allowed here");
  }
  if (!is_about_keyword()) {
    if (accept_word("fix")) return fix(at_ - 1);
    if (accept_word("only")) return only();
    if (accept_words({"at", "most"})) return max_changes();
    if (accept_words({"fewest", "changes", "first"})) return fewest_first(true, at_ - 3);
    if (accept_words({"lowest", "cost", "first"})) return fewest_first(false, at_ - 3);
    if (accept_word("cost")) return cost();
    if (accept_word("column")) return derived_column(at_ - 1);
    if (accept_word("weight")) return weight();
    if (accept_word("scale")) return scale();
    if (accept_word("robust")) return robust();
  }
  if (!simple_rule()) condition_statement();
}

}  // namespace boxwood::text
