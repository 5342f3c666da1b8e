// Simple rules and costs: fix age; amount step 100; at most 3 changes; cost l1 + 0.1 l0.
#include "query/text_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood::text {

bool Parser::is_categorical(Subject subject) const {
  return subject.group || draft_.query.features[subject.index].kind == FeatureKind::categorical;
}

void Parser::require_order(Subject subject, const Token& at, const std::string& what) const {
  if (!is_categorical(subject)) return;
  fail(at, fmt::format("\"{}\" is categorical, so {}", names_.title(subject), what));
}

void Parser::fix() {
  for (const Subject subject : subjects()) {
    if (!subject.group) {
      draft_.query.features[subject.index].fixed = true;
      continue;
    }
    for (const std::size_t column : draft_.query.groups[subject.index].columns) {
      draft_.query.features[column].fixed = true;
    }
  }
}

void Parser::only() {
  const std::size_t first = at_ - 1;
  std::vector<Subject> listed = subjects();
  draft_.only.push_back({std::move(listed), part_from(first)});
}

void Parser::most_changes() {
  const Token& at = peek();
  const double count = plain_number("a number of changes");
  if (!(count >= 0 && count <= 1e9 && count == std::floor(count))) {
    fail(at, "the number of changes is a whole number from 0 on");
  }
  if (!accept_word("change")) expect_word("changes");
  std::optional<std::size_t>& most = draft_.query.most_changes;
  const auto wanted = static_cast<std::size_t>(count);
  most = most ? std::min(*most, wanted) : wanted;
}

void Parser::cost() {
  Query& query = draft_.query;
  query.fewest_first = false;
  if (accept_word("fewest")) {
    query.fewest_first = true;
    expect_word("then");
  }
  query.mixture = {};
  std::size_t parts = 0;
  bool plain = true;
  Norm norm = Norm::squared_l2;
  const Token& first = peek();
  do {
    double share = 1;
    const Token& at = peek();
    if (at.kind == TokenKind::number) {
      share = factor("a part of the cost");
      plain = false;
      accept_symbol("*");
    }
    if (accept_word("l2")) {
      norm = Norm::squared_l2;
      query.mixture.squared_l2 += share;
    } else if (accept_word("l1")) {
      norm = Norm::l1;
      query.mixture.l1 += share;
    } else if (accept_word("l0")) {
      norm = Norm::l0;
      query.mixture.l0 += share;
    } else if (plain && parts == 0 && peek().is_word("linf")) {
      ++at_;
      norm = Norm::linf;
      if (peek().is_symbol("+")) fail(peek(), "linf, the largest change, is no part of a mixture");
    } else if (peek().is_word("linf")) {
      fail(peek(), "linf, the largest change, is no part of a mixture");
    } else {
      expected(parts == 0 && !query.fewest_first && plain
                   ? "l2, l1, l0, linf, a number, or \"fewest then\""
                   : "l2, l1 or l0");
    }
    ++parts;
  } while (accept_symbol("+"));
  if (plain && parts == 1) {
    query.norm = norm;
    query.mixture = {};
    return;
  }
  query.norm = Norm::mixture;
  const Mixture& mixture = query.mixture;
  if (!(std::max({mixture.squared_l2, mixture.l1, mixture.l0}) <= 1e30)) {
    fail(first, "a part of the cost is a number from 1e-30 to 1e30");
  }
}

void Parser::weight() {
  const Token& at = peek();
  const Subject found = subject();
  if (!found.group && names_.group_of(found.index)) {
    fail(at,
         fmt::format("\"{}\" is a column of a one-hot group, so its own weight does not count",
                     names_.title(found)),
         fmt::format("Write weight \"{}\"", names_.title({*names_.group_of(found.index), true})));
  }
  bool any = false;
  if (peek().kind == TokenKind::number) {
    any = true;
    const double number = factor("a weight");
    if (found.group) {
      draft_.query.groups[found.index].weight = number;
    } else {
      draft_.query.features[found.index].weight = number;
    }
  }
  for (const bool up : {true, false}) {
    const Token& way = peek();
    if (!accept_word(up ? "up" : "down")) continue;
    require_order(found, way, "it has no up and down");
    any = true;
    FeatureRule& rule = draft_.query.features[found.index];
    (up ? rule.up : rule.down) = factor("a weight");
  }
  if (!any) expected("a number, \"up\" or \"down\"");
}

void Parser::scale() {
  const std::size_t feature = number_feature("its changes have no size");
  FeatureRule& rule = draft_.query.features[feature];
  rule.scale = factor("a scale");
  rule.quantiles.clear();  // or the scale would not count
  unit(feature_unit(feature), names_.title({feature}));
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
           ? fmt::format("\"{}\" can then not change at all", names_.title({feature}))
           : fmt::format("it contradicts {}", quote(other->second)),
       fmt::format("Write fix \"{}\" if it must not change", names_.title({feature})));
}

/// Both ways at once is what a direction cannot say: then the second one is a condition.
void Parser::set_direction(Direction direction, Subject subject, const Token& at) {
  require_order(subject, at, "it neither rises nor falls");
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

/// What is said of a feature and is no condition; nothing is taken where it is one.
bool Parser::simple_rule() {
  const std::size_t first = at_;
  const Token& at = peek();
  if (!at.is_name() || !names_.find(at.text)) return false;
  const Subject found = subject();
  const auto ends = [&] { return at_stop(); };
  if (accept_words({"may", "only", "rise"})) return set_direction(Direction::up, found, at), true;
  if (accept_words({"may", "only", "fall"})) return set_direction(Direction::down, found, at), true;
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
    fix();
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
    if (found.group) fail(at, "a one-hot group is never missing");
    draft_.query.features[found.index].missing_allowed = allowed;
    return true;
  }
  if (accept_word("step")) {
    require_order(found, at, "it has no step");
    FeatureRule& rule = draft_.query.features[found.index];
    const Token& number = peek();
    const double step = factor("a step");
    if (rule.kind != FeatureKind::continuous && step != std::floor(step)) {
      fail(number, "the step is not whole, as the values are");
    }
    unit(feature_unit(found.index), names_.title(found));
    rule.step = step;
    if (rule.allowed.empty()) return true;
    // A list of values with the step's multiples taken out of it says the same.
    rule.step = 0;
    std::erase_if(rule.allowed, [&](double one) { return std::remainder(one, step) != 0; });
    if (rule.allowed.empty()) fail(at, "none of the allowed values is a multiple of the step");
    return true;
  }
  if (accept_word("integer")) {
    require_order(found, at, "it is no number");
    FeatureRule& rule = draft_.query.features[found.index];
    if (rule.kind == FeatureKind::continuous) rule.kind = FeatureKind::integer;
    if (rule.step != std::floor(rule.step)) {
      fail(at, fmt::format("its step {} is not whole", rule.step));
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
