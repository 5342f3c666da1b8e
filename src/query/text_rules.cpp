// Simple rules and costs: fix age; amount step 100; at most 3 changes; cost l1 + 0.1 l0.
#include "query/reach.hpp"
#include "query/text_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace boxwood::text {
namespace {

/// One norm taken once is that norm: "l1" and "1 l1" are the same cost.
Norm norm_of(const Mixture& mixture) {
  if (mixture == Mixture{.squared_l2 = 1}) return Norm::squared_l2;
  if (mixture == Mixture{.l1 = 1}) return Norm::l1;
  if (mixture == Mixture{.l0 = 1}) return Norm::l0;
  return Norm::mixture;
}

}  // namespace

bool Parser::is_categorical(Subject subject) const {
  return subject.group || draft_.query.features[subject.index].kind == FeatureKind::categorical;
}

void Parser::require_order(Subject subject, const Token& at, const std::string& what) const {
  if (!is_categorical(subject)) return;
  fail(at, fmt::format("\"{}\" is categorical, so {}", names_.title(subject), what));
}

void Parser::fix(std::size_t first_token) {
  std::vector<std::size_t> columns;
  for (const Subject subject : subjects()) {
    if (!subject.group) {
      columns.push_back(subject.index);
      continue;
    }
    const auto& all = draft_.query.groups[subject.index].columns;
    columns.insert(columns.end(), all.begin(), all.end());
  }
  for (const std::size_t column : columns) {
    draft_.query.features[column].fixed = true;
    if (source_.is_default) {
      draft_.default_fixed.insert(column);
    } else {
      draft_.fixed.try_emplace(column, part_from(first_token));
    }
  }
}

void Parser::only() {
  const std::size_t first = at_ - 1;
  std::vector<Subject> listed = subjects();
  draft_.only.push_back({std::move(listed), part_from(first), source_.is_default});
}

void Parser::max_changes() {
  const Token& at = peek();
  const double count = plain_number("a number of changes");
  if (!(count >= 0 && count <= 1e9 && count == std::floor(count))) {
    fail(at, "the number of changes must be a whole number ≥ 0");
  }
  if (!accept_word("change")) expect_word("changes");
  std::optional<std::size_t>& most = draft_.query.max_changes;
  const auto wanted = static_cast<std::size_t>(count);
  most = most ? std::min(*most, wanted) : wanted;
}

void Parser::fewest_first(bool fewest, std::size_t first_token) {
  if (source_.is_default) {
    draft_.default_fewest_first = fewest;
    return;
  }
  const FewestStatement said{fewest, part_from(first_token)};
  if (draft_.fewest_first && draft_.fewest_first->fewest_first != fewest) {
    fail(tokens_[first_token], fmt::format("it contradicts {}", quote(draft_.fewest_first->part)),
         "Give one of the two");
  }
  draft_.fewest_first = said;
}

void Parser::cost() {
  const std::size_t start = at_ - 1;
  CostStatement said;
  if (accept_word("fewest")) {
    said.fewest_first = true;
    expect_word("then");
  }
  Mixture& mixture = said.mixture;
  const Token& first = peek();
  if (accept_word("linf")) {
    if (peek().is_symbol("+")) fail(peek(), "linf, the largest change, cannot be part of a sum");
    said.norm = Norm::linf;
  } else {
    bool begins = true;
    do {
      const bool has_number = peek().kind == TokenKind::number;
      const double share = has_number ? factor("a part of the cost") : 1;
      if (has_number) accept_symbol("*");
      if (accept_word("l2")) {
        mixture.squared_l2 += share;
      } else if (accept_word("l1")) {
        mixture.l1 += share;
      } else if (accept_word("l0")) {
        mixture.l0 += share;
      } else if (peek().is_word("linf")) {
        fail(peek(), "linf, the largest change, cannot be part of a sum");
      } else {
        expected(begins && !said.fewest_first && !has_number
                     ? "l2, l1, l0, linf, a number, or \"fewest then\""
                     : "l2, l1 or l0");
      }
      begins = false;
    } while (accept_symbol("+"));
    said.norm = norm_of(mixture);
    if (said.norm != Norm::mixture) mixture = {};
    if (!(std::max({mixture.squared_l2, mixture.l1, mixture.l0}) <= 1e30)) {
      fail(first, "a part of the cost must be a number from 1e-30 to 1e30");
    }
  }
  said.part = part_from(start);
  Query& query = draft_.query;
  if (source_.is_default) {
    if (query.norm == Norm::custom) return;  // a custom cost overrides this one
    query.norm = said.norm;
    query.mixture = said.mixture;
    query.fewest_first = said.fewest_first;
    return;
  }
  if (query.norm == Norm::custom) {
    fail(tokens_[start], "the question has a cost function already", "Give one cost");
  }
  if (draft_.cost && !draft_.cost->same_cost(said)) {
    fail(tokens_[start], fmt::format("it contradicts {}", quote(draft_.cost->part)),
         "Give one cost");
  }
  draft_.cost = said;
}

void Parser::weight() {
  const std::size_t start = at_ - 1;
  const Token& at = peek();
  const Subject found = subject();
  if (!found.group && names_.group_of(found.index)) {
    fail(at,
         fmt::format("\"{}\" is a column of a one-hot group, so its own weight does not count",
                     names_.title(found)),
         fmt::format("Write weight \"{}\"", names_.title({*names_.group_of(found.index), true})));
  }
  bool any = peek().kind == TokenKind::number;
  if (any) set_factor(found, Factor::weight, start);
  for (const Factor direction : {Factor::up, Factor::down}) {
    const Token& word = peek();
    if (!accept_word(direction == Factor::up ? "up" : "down")) continue;
    require_order(found, word, "it has no direction");
    set_factor(found, direction, start);
    any = true;
  }
  if (!any) expected("a number, \"up\" or \"down\"");
}

void Parser::scale() {
  const std::size_t start = at_ - 1;
  const std::size_t feature = number_feature("its changes have no size");
  set_factor({feature}, Factor::scale, start);
  draft_.query.features[feature].quantiles.clear();  // they would override the scale
  draft_.query.scale_name.clear();
  unit(feature_unit(feature), names_.title({feature}));
}

/// `robust 0.05`, or `robust duration 1 month, purpose in {car, tv}`.
void Parser::robust() {
  const std::size_t start = at_ - 1;
  if (peek().kind == TokenKind::number) {
    const Token& at = peek();
    const double share = plain_number("a share of the ranges");
    if (!(share >= 0 && share <= 1)) {
      fail(at, "the share of the ranges must be a number from 0 to 1",
           "Write robust 0.05, or robust NAME NUMBER for a distance in units");
    }
    draft_.robust_share = RobustShare{share, part_from(start)};
    return;
  }
  do {
    const Token& at = peek();
    robust_in(subject(), at);
  } while (accept_symbol(","));
}

void Parser::robust_in(Subject subject, const Token& at) {
  if (!subject.group && names_.group_of(subject.index)) {
    fail(at, "an answer cannot be robust in a single column of a one-hot group",
         "Name the group and its categories");
  }
  if (!is_categorical(subject)) {
    draft_.query.features[subject.index].robust = size_of_change(subject.index);
    return;
  }
  expect_word("in");
  expect_symbol("{");
  std::set<std::int32_t> codes;
  do {
    codes.insert(static_cast<std::int32_t>(value(subject)));
  } while (accept_symbol(","));
  expect_symbol("}");
  if (!subject.group) {
    draft_.query.features[subject.index].robust_codes.assign(codes.begin(), codes.end());
    return;
  }
  OneHot& group = draft_.query.groups[subject.index];
  group.robust.assign(codes.begin(), codes.end());
  if (group.robust.back() == group.columns.size()) {
    fail(at, "an answer cannot be robust to a row without any category of the group",
         "Leave it out of the list");
  }
}

void Parser::set_factor(Subject subject, Factor which, std::size_t first_token) {
  const double number = factor(which == Factor::scale ? "a scale" : "a weight");
  if (subject.group) {
    draft_.query.groups[subject.index].weight = number;
  } else {
    FeatureRule& rule = draft_.query.features[subject.index];
    double& place = which == Factor::weight ? rule.weight
                    : which == Factor::up   ? rule.up
                    : which == Factor::down ? rule.down
                                            : rule.scale;
    place = number;
  }
  if (source_.is_default) return;
  const FactorStatement said{number, part_from(first_token)};
  const auto [known, is_new] = draft_.factors.try_emplace({subject, which}, said);
  if (is_new || known->second.number == number) return;
  fail(tokens_[first_token], fmt::format("it contradicts {}", quote(known->second.part)),
       "Give one number");
}

void Parser::change_size(std::size_t feature, std::size_t first_token) {
  FeatureRule& rule = draft_.query.features[feature];
  const bool least = accept_words({"at", "least"});
  if (!least && !accept_words({"at", "most"})) expected("\"at least\" or \"at most\"");
  const double size = size_of_change(feature);
  if (least) {
    rule.least_change = std::max(rule.least_change, size);
  } else {
    rule.most_change = std::min(rule.most_change, size);
  }
  (least ? draft_.least : draft_.most)[feature] = part_from(first_token);
  if (rule.least_change <= rule.most_change) return;
  const auto& others = least ? draft_.most : draft_.least;
  const auto other = others.find(feature);
  fail(tokens_[first_token],
       other == others.end()
           ? fmt::format("\"{}\" cannot change at all then", names_.title({feature}))
           : fmt::format("it contradicts {}", quote(other->second)),
       fmt::format("Write fix \"{}\" if it must not change", names_.title({feature})));
}

/// A rule has one direction; if both are given, the second one becomes a condition.
void Parser::set_direction(Direction direction, Subject subject, const Token& at) {
  require_order(subject, at, "it cannot rise or fall");
  FeatureRule& rule = draft_.query.features[subject.index];
  if (rule.direction == Direction::both || rule.direction == direction) {
    rule.direction = direction;
    return;
  }
  const Literal forbidden = direction == Direction::down ? rises(draft_.query, subject.index)
                                                         : falls(draft_.query, subject.index);
  draft_.conditions.push_back(
      {formula_of(opposite(forbidden)), {&source_, at.begin, tokens_[at_ - 1].end}, true});
}

/// Unlike "does not fall", this expects that the feature may change.
void Parser::may_only(Direction direction, Subject subject, std::size_t first_token) {
  set_direction(direction, subject, tokens_[first_token]);
  if (source_.is_default) {
    draft_.default_directions.try_emplace(subject.index, direction);
  } else {
    draft_.directions.push_back({subject.index, direction, part_from(first_token)});
  }
}

/// Parses a rule about one feature that is not a condition; consumes nothing if it is one.
bool Parser::simple_rule() {
  const std::size_t first = at_;
  const Token& at = peek();
  if (!at.is_name() || !names_.find(at.text)) return false;
  const Subject found = subject();
  const auto ends = [&] { return at_stop(); };
  if (accept_words({"may", "only", "rise"})) return may_only(Direction::up, found, first), true;
  if (accept_words({"may", "only", "fall"})) return may_only(Direction::down, found, first), true;
  if (accept_words({"does", "not", "rise"}) && ends()) {
    return set_direction(Direction::down, found, at), true;
  }
  at_ = first + 1;
  if (accept_words({"does", "not", "fall"}) && ends()) {
    return set_direction(Direction::up, found, at), true;
  }
  at_ = first + 1;
  if ((accept_word("stays") || accept_words({"does", "not", "change"})) && ends()) {
    at_ = first;
    fix(first);
    while (!at_stop()) ++at_;
    return true;
  }
  at_ = first + 1;
  if (peek().is_word("may")) {
    ++at_;
    const bool allowed = !accept_word("not");
    if (!accept_words({"be", "missing"})) {
      expected("\"only rise\", \"only fall\", \"be missing\" or \"not be missing\"");
    }
    if (found.group) fail(at, "a one-hot group cannot be missing");
    draft_.query.features[found.index].missing_allowed = allowed;
    return true;
  }
  if (accept_word("step")) {
    require_order(found, at, "it has no step");
    FeatureRule& rule = draft_.query.features[found.index];
    const Token& number = peek();
    const double step = factor("a step");
    if (rule.kind != FeatureKind::continuous && step != std::floor(step)) {
      fail(number, "the step must be a whole number, because the values are whole numbers");
    }
    unit(feature_unit(found.index), names_.title(found));
    rule.step = step;
    if (rule.allowed.empty()) return true;
    // A rule cannot have a list and a step: keep the multiples of the step in the list.
    rule.step = 0;
    std::erase_if(rule.allowed, [&](double one) { return !is_multiple(one, step); });
    if (rule.allowed.empty()) fail(at, "none of the allowed values is a multiple of the step");
    return true;
  }
  if (accept_word("integer")) {
    require_order(found, at, "it is not a number");
    FeatureRule& rule = draft_.query.features[found.index];
    if (rule.kind == FeatureKind::continuous) rule.kind = FeatureKind::integer;
    if (rule.step != std::floor(rule.step)) {
      fail(at, fmt::format("its step {} is not a whole number", rule.step));
    }
    return true;
  }
  if (accept_words({"changes", "by"})) {
    require_order(found, at, "its changes have no size");
    change_size(found.index, first);
    return true;
  }
  at_ = first;
  return false;
}

}  // namespace boxwood::text
