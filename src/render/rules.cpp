// The rules of a query in words, as a list of blockers names them.
#include "base/infinity.hpp"
#include "base/text.hpp"
#include "render/changes.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// A number in the feature's unit that is not a value of the feature, such as the size of a change.
std::string amount_text(const FeatureSchema& feature, double amount) {
  FeatureSchema plain;
  plain.unit = feature.unit;
  return value_text(plain, amount, Precision::float64);
}

std::string literal_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         const Literal& literal) {
  FeatureSchema words = schema.features[literal.feature];
  words.range = {};  // an end that equals the schema's has to be shown here
  const std::string title = title_of(words);
  const double now = query.point[literal.feature];
  const Interval& range = literal.range;
  if (!literal.codes.empty()) {
    std::vector<std::string> labels;
    for (const std::int32_t code : literal.codes) {
      labels.push_back(value_text(words, static_cast<double>(code), ensemble.input));
    }
    return fmt::format("{} is {}{}", title, literal.inside ? "" : "not ", or_list(labels));
  }
  if (range.lower == now && range.upper == now) {
    return fmt::format("{} {}", title, literal.inside ? "stays" : "changes");
  }
  if (range.lower == now && !range.lower_closed && range.upper == infinity) {
    return fmt::format("{} {}", title, literal.inside ? "rises" : "does not rise");
  }
  if (range.upper == now && !range.upper_closed && range.lower == -infinity) {
    return fmt::format("{} {}", title, literal.inside ? "falls" : "does not fall");
  }
  const Values values = interval_values(words, range, ensemble.input);
  std::string text =
      fmt::format("{} is {}{}", title, literal.inside ? "" : "not ",
                  values.kind == Values::Kind::number ? values.words : text_of(values));
  if (literal.missing && query.features[literal.feature].missing_allowed) text += " or missing";
  return text;
}

std::string end_text(const FeatureSchema& feature, double end, bool closed, bool lower,
                     Precision precision) {
  const char* word =
      lower ? (closed ? "at least" : "more than") : (closed ? "at most" : "less than");
  return fmt::format("{} {} {}", title_of(feature), word, value_text(feature, end, precision));
}

/// "income", "change of income", "(purpose is car)".
std::string term_name(const Ensemble& ensemble, const Schema& schema, const LinearTerm& term) {
  const FeatureSchema& feature = schema.features[term.feature];
  if (const GroupSchema* group = group_of(schema, term.feature)) {
    for (std::size_t k = 0; k < group->columns.size(); ++k) {
      if (group->columns[k] != term.feature) continue;
      return fmt::format("({} is {})", shown_title(schema, term.feature),
                         label_of(schema, *group, k));
    }
  }
  if (term.of == LinearTerm::Of::change) return "change of " + title_of(feature);
  if (term.of == LinearTerm::Of::size) return "size of the change of " + title_of(feature);
  if (term.of == LinearTerm::Of::value) return title_of(feature);
  std::vector<std::string> labels;
  for (const std::int32_t code : term.codes) {
    labels.push_back(value_text(feature, static_cast<double>(code), ensemble.input));
  }
  return fmt::format("({} is {})", title_of(feature), or_list(labels));
}

/// "0.4 × income + savings"; `factor` multiplies every coefficient.
std::string terms_text(const Ensemble& ensemble, const Schema& schema,
                       const std::vector<LinearTerm>& terms, double factor) {
  std::string text;
  for (const LinearTerm& term : terms) {
    const double coefficient = factor * term.coefficient;
    if (!text.empty()) text += coefficient < 0 ? " - " : " + ";
    if (text.empty() && coefficient < 0) text += "-";
    const double size = std::abs(coefficient);
    if (size != 1) text += number_text(size) + " × ";
    text += term_name(ensemble, schema, term);
  }
  return text;
}

/// "debt at most 0.4 × income": if the limit is 0, subtracted terms move to the other side. The
/// first term is written without a coefficient if the other coefficients stay short.
std::string linear_text(const Ensemble& ensemble, const Schema& schema,
                        const LinearCondition& sum) {
  const Interval& range = sum.range;
  const bool equal = range.lower == range.upper;
  const bool upper = range.lower == -infinity;
  if (!equal && !upper && range.upper < infinity) {
    return fmt::format("{} between {} and {}", terms_text(ensemble, schema, sum.terms, 1),
                       number_text(range.lower), number_text(range.upper));
  }
  const char* words = equal   ? "exactly"
                      : upper ? (range.upper_closed ? "at most" : "less than")
                              : (range.lower_closed ? "at least" : "more than");
  const double limit = upper ? range.upper : range.lower;
  std::vector<LinearTerm> left, right;
  for (const LinearTerm& term : sum.terms) {
    (term.coefficient > 0 ? left : right).push_back(term);
  }
  double factor = 1;
  if (!left.empty()) {
    constexpr std::size_t longest = 6;
    const double unit = left.front().coefficient;
    const auto is_short = [&](double number) {
      return number_text(std::abs(number / unit)).size() <= longest;
    };
    const bool shorter = is_short(limit) &&
                         std::all_of(sum.terms.begin(), sum.terms.end(),
                                     [&](const auto& term) { return is_short(term.coefficient); });
    if (shorter) factor = 1 / unit;
  }
  const auto scaled = [&](std::vector<LinearTerm> terms, double sign) {
    for (LinearTerm& term : terms) {
      term.coefficient =
          factor == 1 ? term.coefficient : term.coefficient / left.front().coefficient;
    }
    return terms_text(ensemble, schema, terms, sign);
  };
  if (limit == 0 && !left.empty() && !right.empty()) {
    return fmt::format("{} {} {}", scaled(left, 1), words, scaled(right, -1));
  }
  const double shown = factor == 1 ? limit : limit / left.front().coefficient;
  return fmt::format("{} {} {}", scaled(sum.terms, 1), words, number_text(shown));
}

}  // namespace

std::string rule_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                      const Rule& rule) {
  if (rule.kind == Rule::Kind::max_changes) {
    const std::size_t most = query.max_changes.value_or(0);
    return fmt::format("at most {} feature{}", most, most == 1 ? " changes" : "s change");
  }
  if (rule.kind == Rule::Kind::clause) {
    std::vector<std::string> parts;
    for (const Literal& literal : query.clauses[rule.index].any_of) {
      parts.push_back(literal_text(ensemble, schema, query, literal));
    }
    for (const LinearCondition& sum : query.clauses[rule.index].linear) {
      parts.push_back(linear_text(ensemble, schema, sum));
    }
    return or_list(parts);
  }
  const FeatureSchema& feature = schema.features[rule.index];
  const FeatureRule& says = query.features[rule.index];
  const std::string title = shown_title(schema, rule.index);
  const Precision precision = ensemble.input;
  switch (rule.kind) {
    case Rule::Kind::fixed:
      return title + " fixed";
    case Rule::Kind::range_lower:
      return end_text(feature, says.range.lower, says.range.lower_closed, true, precision);
    case Rule::Kind::range_upper:
      return end_text(feature, says.range.upper, says.range.upper_closed, false, precision);
    case Rule::Kind::allowed: {
      std::vector<std::string> values;
      if (const GroupSchema* group = group_of(schema, rule.index)) {
        for (std::size_t k = 0; k < group->columns.size(); ++k) {
          if (query.features[group->columns[k]].range.contains(1)) {
            values.push_back(label_of(schema, *group, k));
          }
        }
        return fmt::format("{} only {}", title, or_list(values));
      }
      for (const double value : says.allowed) {
        values.push_back(value_text(feature, value, precision));
      }
      return fmt::format("{} only {}", title, or_list(values));
    }
    case Rule::Kind::step:
      return fmt::format("{} in steps of {}", title, amount_text(feature, says.step));
    case Rule::Kind::direction:
      return fmt::format("{} may only {}", title,
                         says.direction == Direction::up ? "rise" : "fall");
    case Rule::Kind::least_change:
      return fmt::format("{} changes by at least {} or not at all", title,
                         amount_text(feature, says.least_change));
    case Rule::Kind::most_change:
      return fmt::format("{} changes by at most {}", title, amount_text(feature, says.most_change));
    case Rule::Kind::missing:
      return title + " stays missing";
    case Rule::Kind::clause:
    case Rule::Kind::max_changes:
      break;
  }
  return title;
}

}  // namespace boxwood
