// Statements about the outcome: want granted, want output >= +5%, model 2: want normal.
#include "query/text_parser.hpp"

#include "base/text.hpp"

#include <boxwood/error.hpp>
#include <boxwood/model_set.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace boxwood::text {
namespace {

/// The classes that a requirement permits; no value if it is not only about classes.
std::optional<std::vector<std::size_t>> classes_of(const Requirement& wanted) {
  if (wanted.negated) return std::nullopt;
  if (const auto* several = std::get_if<ClassIn>(&wanted.outcome)) return several->targets;
  const auto* one = std::get_if<ClassIs>(&wanted.outcome);
  if (!one || one->probability) return std::nullopt;
  return std::vector{one->target};
}

/// The range of an output or a score, and its index.
struct Ranged {
  Interval range;
  std::size_t kind = 0, output = 0;
  std::optional<std::size_t> rival{};
};
std::optional<Ranged> range_of(const Requirement& wanted) {
  if (wanted.negated) return std::nullopt;
  if (const auto* output = std::get_if<OutputIn>(&wanted.outcome)) {
    return Ranged{output->range, 0, output->output};
  }
  if (const auto* score = std::get_if<ScoreIn>(&wanted.outcome)) {
    return Ranged{score->range, 1, score->output, score->rival};
  }
  return std::nullopt;
}

bool contradict(const Requirement& a, const Requirement& b) {
  if (a.ensemble != b.ensemble) return false;
  const auto classes_a = classes_of(a), classes_b = classes_of(b);
  if (classes_a && classes_b) {
    return std::find_first_of(classes_a->begin(), classes_a->end(), classes_b->begin(),
                              classes_b->end()) == classes_a->end();
  }
  const auto range_a = range_of(a), range_b = range_of(b);
  if (!range_a || !range_b || range_a->kind != range_b->kind ||
      range_a->output != range_b->output || range_a->rival != range_b->rival) {
    return false;
  }
  const auto before = [](const Interval& one, const Interval& other) {
    return one.upper < other.lower ||
           (one.upper == other.lower && !(one.upper_closed && other.lower_closed));
  };
  return before(range_a->range, range_b->range) || before(range_b->range, range_a->range);
}

}  // namespace

/// `model NAME:`, where NAME is the name of a model or its number, counted from 1.
std::size_t Parser::model() {
  const Token& token = take();
  const auto named = std::find(models_.begin(), models_.end(), token.text);
  if (named != models_.end()) return static_cast<std::size_t>(named - models_.begin());
  std::size_t number = 0;
  const std::string& text = token.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && number >= 1 && number <= ensembles_.size()) return number - 1;
  std::string remedy = did_you_mean(text, models_);
  if (remedy.empty()) remedy = fmt::format("The models are 1 to {}", ensembles_.size());
  fail(token, fmt::format("no model \"{}\"", text), remedy);
}

void Parser::want() {
  const std::size_t first = at_;
  if (peek().is_word("every") || peek().is_word("at")) return want_of_several(first);
  std::size_t ensemble = 0;
  if (accept_word("model")) {
    ensemble = model();
    expect_symbol(":");
  }
  expect_word("want");
  Requirement requirement = wish(ensembles_[ensemble]);
  requirement.ensemble = ensemble;
  add_want(std::move(requirement), first);
}

/// `every model: want granted`, `at least 4 models: want granted`.
void Parser::want_of_several(std::size_t first_token) {
  const std::vector<std::size_t> models = deciding_models(ensembles_);
  std::size_t least = models.size();
  if (!accept_words({"every", "model"})) {
    expect_word("at");
    expect_word("least");
    const Token& number = peek();
    const double given = plain_number("a number of models");
    if (!(given >= 1 && given <= static_cast<double>(least) && given == std::floor(given))) {
      fail(number,
           fmt::format("there {} {} model{}", least == 1 ? "is" : "are", least,
                       least == 1 ? "" : "s"),
           fmt::format("Write a whole number from 1 to {}", least));
    }
    least = static_cast<std::size_t>(given);
    if (!accept_word("models")) expect_word("model");
  }
  if (draft_.query.agree) {
    fail(tokens_[first_token], "another statement already asks several models",
         "Ask all of them in one statement");
  }
  expect_symbol(":");
  expect_word("want");
  draft_.query.agree = least;
  const std::size_t wish_at = at_;
  for (const std::size_t e : models) {
    at_ = wish_at;
    Requirement requirement = wish(ensembles_[e]);
    requirement.ensemble = e;
    requirement.counted = true;
    // One of several outcomes may fail, so no other statement can contradict it.
    if (least == models.size()) {
      add_want(std::move(requirement), first_token);
    } else {
      draft_.query.requirements.push_back(std::move(requirement));
    }
  }
}

void Parser::add_want(Requirement requirement, std::size_t first_token) {
  const Part part = part_from(first_token);
  draft_.query.requirements.push_back(requirement);
  if (compares_with_now_) return;  // whether it can hold depends on the row
  for (const auto& [other, where] : draft_.wants) {
    if (!contradict(requirement, other)) continue;
    fail(tokens_[first_token], fmt::format("it contradicts {}", quote(where)));
  }
  draft_.wants.emplace_back(std::move(requirement), part);
}

Requirement Parser::wish(const Ensemble& ensemble) {
  if (accept_words({"anything", "but"})) return classes_wish(ensemble, true);
  if (accept_words({"one", "of"})) return classes_wish(ensemble, false);
  if (accept_word("not")) {
    Requirement opposite = wish(ensemble);
    const auto* one = std::get_if<ClassIs>(&opposite.outcome);
    if (one && !one->probability && !one->margin && !opposite.negated) {
      return require_other_class(ensemble, one->target);
    }
    opposite.negated = !opposite.negated;
    return opposite;
  }
  if (accept_word("output")) return output_wish(ensemble);
  if (accept_word("score")) return score_wish(ensemble);
  return class_wish(ensemble);
}

std::size_t Parser::class_of(const Ensemble& ensemble) {
  const Token& at = peek();
  if (at.is_word("class") && peek(1).is_name()) ++at_;
  const std::string sign = accept_symbol("-") ? "-" : "";
  if (!peek().is_name()) expected("a class");
  if (ensemble.class_count() == 0) {
    fail(at, "the model predicts a number, not a class", "Write want output >= 5");
  }
  const Token& token = take();
  try {
    return ensemble.class_index(sign + token.text);
  } catch (const Error& error) {
    fail(at, error.reason(), error.remedy());
  }
}

Requirement Parser::classes_wish(const Ensemble& ensemble, bool but) {
  std::vector<std::size_t> named{class_of(ensemble)};
  while (accept_symbol(",") || accept_word("or")) named.push_back(class_of(ensemble));
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < ensemble.class_count(); ++k) {
    const bool is_named = std::find(named.begin(), named.end(), k) != named.end();
    if (is_named != but) wanted.push_back(k);
  }
  if (wanted.empty()) fail(peek(), "this leaves no class");
  if (wanted.size() == 1) return require_class(wanted.front());
  return {.outcome = ClassIn{wanted}};
}

Requirement Parser::class_wish(const Ensemble& ensemble) {
  const Token& first = peek();
  if (!first.is_name() && !first.is_symbol("-")) {
    expected("a class, \"one of\", \"anything but\", \"output\" or \"score\"");
  }
  ClassIs wanted{class_of(ensemble)};
  const Token& next = peek();
  if (accept_words({"by", "a", "margin", "of"})) {
    if (ensemble.link == Link::votes || ensemble.link == Link::composed) {
      fail(next,
           ensemble.link == Link::votes
               ? "the scores of this model are probabilities, so it has no margins"
               : "the model is made of several, so it has no margins",
           "Ask for a probability");
    }
    wanted.margin = plain_number("a number");
    return {.outcome = wanted};
  }
  if (!accept_word("with")) return {.outcome = wanted};
  expect_word("probability");
  const Token& at = peek();
  const std::string comparison = this->comparison();
  if (comparison != ">=" && comparison != "<") {
    fail(at, "expected >= or <", "Write with probability >= 0.8");
  }
  if (!ensemble.has_probabilities()) {
    fail(next, fmt::format("the model ({}) has no probabilities", ensemble.objective),
         "Ask for the class alone");
  }
  const Token& number = peek();
  double probability = plain_number("a probability");
  if (accept_symbol("%")) probability /= 100;
  if (!(probability >= 0 && probability <= 1)) {
    fail(number, "a probability must be a number from 0 to 1, or from 0 to 100 %");
  }
  wanted.probability = probability;
  return {.outcome = wanted, .negated = comparison == "<"};
}

/// The index of an output: a number, counted from 0, or the class that it belongs to.
std::size_t Parser::output_of(const Ensemble& ensemble, std::string_view what) {
  const Token& token = peek();
  const std::size_t count = what == "output" ? ensemble.output_count() : ensemble.base.size();
  if (ensemble.link == Link::composed && what == "output" && count > 1) return class_of(ensemble);
  if (count > 1 && ensemble.link != Link::composed && ensemble.class_count() == count)
    return class_of(ensemble);
  if (token.kind != TokenKind::number) expected(fmt::format("the number of a {}", what));
  ++at_;
  if (!(token.number == std::floor(token.number) && token.number < static_cast<double>(count))) {
    fail(token, fmt::format("there is no {} {}", what, token.text),
         count == 1 ? fmt::format("There is one {0}: {0} 0", what)
                    : fmt::format("They are 0 to {}", count - 1));
  }
  return static_cast<std::size_t>(token.number);
}

/// A number, or a difference from now: +5% is the present output plus 5 % of its absolute value.
double Parser::output_end(double now) {
  const std::string& unit_text = names_.schema().output_unit;
  const Token& at = peek();
  if (accept_word("now")) return from_now(now, unit_text, "output");
  const bool more = peek().is_symbol("+"), less = peek().is_symbol("-");
  const std::size_t number_at = more || less ? 1 : 0;
  if (peek(number_at).kind != TokenKind::number) expected("a number or now");
  if (unit_text != "%" && peek(number_at + 1).is_symbol("%")) {
    if (!more && !less) {
      fail(at, "a percentage needs a sign", "Write +5% or -5%, or a number without %");
    }
    return from_now(now, unit_text, "output");
  }
  if (more)
    fail(at, "a number must not start with a plus sign", "Write now + 5, or 5 without a sign");
  const double number = plain_number("a number");
  unit(unit_text, "output");
  return number;
}

Interval Parser::outcome_range(std::optional<double> now) {
  const Token& at = peek();
  const auto end = [&] { return now ? output_end(*now) : plain_number("a number"); };
  Interval range;
  if (accept_word("in")) {
    range.lower_closed = !accept_symbol("(");
    if (range.lower_closed) accept_symbol("[");
    range.lower = end();
    expect_symbol("..");
    range.upper = end();
    range.upper_closed = !accept_symbol(")");
    if (range.upper_closed) accept_symbol("]");
  } else {
    if (!at_comparison()) expected("a comparison such as >=, or \"in\"");
    const std::string written = comparison();
    range = interval(written, end(), at);
  }
  if (std::isnan(range.lower) || std::isnan(range.upper)) {
    fail(at, "the present output is NaN, so nothing can be compared with it");
  }
  if (range.empty()) fail(at, "this range is empty", "Give the smaller end first");
  return range;
}

Requirement Parser::output_wish(const Ensemble& ensemble) {
  const Token& at = peek();
  OutputIn wanted;
  if (ensemble.link == Link::winner) {
    fail(at, "the model's output is the index of a class", "Write want and the class");
  }
  if (!at_comparison() && !at.is_word("in")) {
    accept_word("of");
    wanted.output = output_of(ensemble, "output");
  } else if (ensemble.output_count() > 1) {
    fail(at, fmt::format("the model has {} outputs: choose one", ensemble.output_count()),
         "Write want output 0 >= 5");
  }
  const auto now = ensemble.transform(ensemble.predict(draft_.query.point));
  wanted.range = outcome_range(now[wanted.output]);
  return {.outcome = wanted};
}

Requirement Parser::score_wish(const Ensemble& ensemble) {
  const Token& at = peek();
  ScoreIn wanted;
  if (accept_word("of")) {
    wanted.output = output_of(ensemble, "score");
    if (accept_symbol("-")) {
      expect_word("score");
      expect_word("of");
      const Token& rival = peek();
      wanted.rival = output_of(ensemble, "score");
      if (wanted.rival == wanted.output) fail(rival, "a score is compared with itself");
    }
  } else if (ensemble.base.size() > 1) {
    fail(at, fmt::format("the model has {} scores: choose one", ensemble.base.size()),
         "Write want score of A >= 1");
  }
  wanted.range = outcome_range(std::nullopt);
  return {.outcome = wanted};
}

}  // namespace boxwood::text
