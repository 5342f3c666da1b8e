// The parts of an explanation around its table: the headline, the verdict, what is reached and
// proven, equal costs, and notes.
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace boxwood {
namespace {

/// The smallest change that the model can notice.
bool is_next_float(double from, double to, Precision precision) {
  if (precision == Precision::float32) {
    const auto start = static_cast<float>(from);
    const auto end = static_cast<float>(to);
    return start != end && end == std::nextafter(start, end);
  }
  return from != to && to == std::nextafter(from, to);
}

/// A change that only a computer can make: to the next float, or by less than a millionth.
bool is_too_small(double from, double to, Precision precision) {
  return std::abs(to - from) <= 1e-6 * std::max(std::abs(from), std::abs(to)) ||
         is_next_float(from, to, precision);
}

/// Whether the row itself has the outcome but breaks a rule.
bool only_breaks_rules(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.already_met || query.requirements.empty() || query.agree) return false;
  const std::size_t asked = query.requirements.front().ensemble;
  const std::vector<double> scores = ensemble.predict(query.point);
  return std::all_of(
      query.requirements.begin(), query.requirements.end(), [&](const Requirement& requirement) {
        return requirement.ensemble == asked && meets(requirement, explanation.ensemble, scores);
      });
}

/// The features whose missing value has to stay missing although a condition needs a number.
std::vector<std::string> missing_but_needed(const Explanation& explanation) {
  const Query& query = explanation.query;
  std::vector<std::string> titles;
  for (const Clause& clause : query.clauses) {
    const bool never =
        clause.linear.empty() &&
        std::all_of(clause.any_of.begin(), clause.any_of.end(), [&](const Literal& literal) {
          const FeatureRule& rule = query.features[literal.feature];
          return std::isnan(query.point[literal.feature]) && !literal.missing &&
                 (rule.fixed || !rule.missing_allowed);
        });
    if (!never) continue;
    for (const Literal& literal : clause.any_of) {
      const std::string title = title_of(explanation.schema.features[literal.feature]);
      if (std::count(titles.begin(), titles.end(), title) == 0) titles.push_back(title);
    }
  }
  return titles;
}

/// Says which values are missing and whether they stay missing. If the answer fills in a value, the
/// table shows it. If no point has the outcome, says how to allow changes of missing values.
std::string missing_note(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const bool changes = !answer.solutions.empty() && !answer.already_met;
  std::vector<std::string> missing;
  std::string liftable;
  bool all_stay = true;
  for (std::size_t i = 0; i < query.point.size(); ++i) {
    const bool filled = changes && !std::isnan(answer.best().point[i]);
    if (!std::isnan(query.point[i]) || filled) continue;
    const FeatureRule& rule = query.features[i];
    missing.push_back(title_of(schema.features[i]));
    all_stay = all_stay && (changes || rule.fixed || !rule.missing_allowed);
    if (liftable.empty() && !rule.fixed && !rule.missing_allowed) liftable = missing.back();
  }
  if (missing.empty()) return {};
  const bool one = missing.size() == 1;
  const char* stay = one ? " and stays missing" : " and stay missing";
  std::string text = fmt::format("The value{} of {} {} missing{}.", one ? "" : "s",
                                 and_list(missing), one ? "is" : "are", all_stay ? stay : "");
  if (answer.status == Status::infeasible && !liftable.empty()) {
    text += fmt::format(" The rule \"{} may be missing\" lets a change fill in a value.", liftable);
  }
  return text;
}

/// The features whose present category is one that the model does not name. If the model names no
/// category of a feature at all, it does not read the feature, and there is nothing to say.
std::vector<std::string> unseen_categories(const Explanation& explanation) {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < explanation.query.point.size(); ++i) {
    const std::vector<Category>& categories = explanation.ensemble.features[i].categories;
    if (categories.size() < 2) continue;
    for (const Category& category : categories) {
      if (category.others && static_cast<double>(category.code) == explanation.query.point[i]) {
        titles.push_back(fmt::format("\"{}\"", title_of(explanation.schema.features[i])));
      }
    }
  }
  return titles;
}

/// A distance with nine digits, unless they would promise more than the distance itself.
std::string distance_text(const FeatureSchema& feature, double distance) {
  FeatureSchema plain;
  plain.unit = feature.unit;
  // Not std::stod, which throws where the distance is the smallest of numbers.
  const double shorter = std::strtod(fmt::format("{:.9g}", distance).c_str(), nullptr);
  return value_text(plain, shorter <= distance ? shorter : distance, Precision::float64);
}

}  // namespace

std::string robust_promise(const Schema& schema, const Query& query, Precision precision) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < query.features.size(); ++d) {
    const FeatureRule& rule = query.features[d];
    const FeatureSchema& feature = schema.features[d];
    if (rule.robust > 0) {
      parts.push_back(fmt::format("by at most {} in \"{}\"", distance_text(feature, rule.robust),
                                  title_of(feature)));
    } else if (!rule.robust_codes.empty()) {
      std::vector<std::string> labels;
      for (const std::int32_t code : rule.robust_codes) {
        labels.push_back(value_text(feature, static_cast<double>(code), precision));
      }
      parts.push_back(
          fmt::format("in \"{}\", which may be {}", title_of(feature), or_list(labels)));
    }
  }
  for (const OneHot& group : query.groups) {
    const auto titled =
        std::find_if(schema.groups.begin(), schema.groups.end(),
                     [&](const GroupSchema& one) { return one.columns == group.columns; });
    if (group.robust.empty() || titled == schema.groups.end()) continue;
    std::vector<std::string> labels;
    for (const std::size_t hot : group.robust) {
      labels.push_back(titled->labels.empty() ? title_of(schema.features[group.columns[hot]])
                                              : titled->labels[hot]);
    }
    parts.push_back(fmt::format("in \"{}\", which may be {}", titled->title, or_list(labels)));
  }
  const bool rounds =
      precision == Precision::float32 &&
      std::any_of(query.features.begin(), query.features.end(), [](const auto& rule) {
        return rule.robust > 0 && rule.kind == FeatureKind::continuous;
      });
  return fmt::format(
      "the outcome also holds for every row that differs from the proposed values {}. {}"
      "This is promised for the proposed values, not for others in the same region.",
      and_list(parts),
      rounds ? "The model rounds numbers to float32; the distances are widened by this rounding. "
             : "");
}

std::string robust_note(const Schema& schema, const Query& query, Precision precision) {
  return "Robust: " + robust_promise(schema, query, precision);
}

std::string stop_text(Stop stop) {
  switch (stop) {
    case Stop::time:
      return "stopped at the time limit";
    case Stop::nodes:
      return "stopped at the node limit";
    case Stop::memory:
      return "stopped at the memory limit";
    case Stop::interrupt:
      return "interrupted";
    case Stop::precision:
      return "stopped at the precision of the model's numbers";
    case Stop::finished:
    case Stop::visitor:
      break;
  }
  return "stopped";
}

std::string cost_or_why(const Answer& answer) {
  switch (answer.status) {
    case Status::optimal:
      return "cost " + cost_text(answer.cost);
    case Status::feasible:
      return fmt::format("cost at most {} (not proven the least)", cost_text(answer.cost));
    case Status::infeasible:
      return "impossible";
    case Status::unknown:
      break;
  }
  return fmt::format("not decided ({})", stop_text(answer.stop));
}

std::string headline(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::vector<double> scores = ensemble.predict(query.point);
  const std::string standing = standing_text(standing_of(ensemble, schema, query, scores));
  std::string text =
      fmt::format("{}: {}", row_lead(schema, row), outcome_text(ensemble, schema, query, scores));
  // With several models: which model the shown outcome and probability belong to.
  const std::string whose = findings.models ? findings.models->name : "";
  const char* colon = whose.empty() || standing.empty() ? "" : ": ";
  if (!standing.empty() || !whose.empty()) text += fmt::format(" ({}{}{})", whose, colon, standing);
  return text;
}

std::string verdict(const Explanation& explanation) {
  const Answer& answer = explanation.answer;
  std::string phrase =
      target_phrase(wanted_by(explanation.ensemble, explanation.schema, explanation.query));
  if (only_breaks_rules(explanation)) phrase = "keeps to the rules and " + phrase;
  if (is_robust(explanation.query)) phrase += " together with every row near it";
  if (explanation.findings.earlier_alternatives > 0) {
    const std::size_t before = explanation.findings.earlier_alternatives;
    phrase += before == 1 ? std::string(" and differs from the alternative before")
                          : fmt::format(" and differs from the {} alternatives before", before);
  }
  const std::string time = duration_text(answer.statistics.seconds);
  if (answer.already_met) return "Nothing to change: this outcome is the one that was asked for.";
  switch (answer.status) {
    case Status::optimal:
      return fmt::format(
          "{} that {} (proven optimal, {}):",
          explanation.query.fewest_first ? "Change of the fewest features" : "Smallest change",
          phrase, time);
    case Status::feasible:
      if (answer.stop == Stop::finished) return fmt::format("Rounder change that {}:", phrase);
      return fmt::format("Best change found in {} that {} ({}):", time, phrase,
                         stop_text(answer.stop));
    case Status::infeasible:
      return fmt::format("Not possible: no allowed change {} (proven, {}).{}", phrase, time,
                         claim_of(explanation).certain ? fmt::format(" {}.", capital(stacks_text))
                                                       : std::string());
    case Status::unknown:
      break;
  }
  return fmt::format("No change found in {} that {} ({}). {}.", time, phrase,
                     stop_text(answer.stop), capital(claim_text(claim_of(explanation))));
}

std::string closing(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.solutions.empty() || answer.already_met) return {};
  std::string text = reached_text(ensemble, schema, query, ensemble.predict(answer.best().point));
  if (!text.empty() && findings.models) text += fmt::format(" ({})", findings.models->name);
  if (!text.empty()) text += " · ";
  return fmt::format("{}{} {} · {}", text, text.empty() ? "Cost" : "cost", cost_text(answer.cost),
                     claim_text(claim_of(explanation)));
}

std::string tie_count(const Answer& answer) {
  if (answer.solutions.size() < 2 && !answer.more_ties) return {};
  const std::size_t others = answer.solutions.empty() ? 0 : answer.solutions.size() - 1;
  if (others == 0) return "Other changes may cost the same";
  return fmt::format("{}{} other region{} a change of the same cost",
                     answer.more_ties ? "At least " : "", others, others == 1 ? " has" : "s have");
}

std::string text_of(const Note& note) {
  return note.is_warning ? "Note: " + note.sentences : note.sentences;
}

std::vector<Note> notes(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  std::vector<Note> all;
  const bool changes = !answer.solutions.empty() && !answer.already_met;
  if (const std::string missing = missing_note(explanation); !missing.empty()) {
    all.push_back({false, missing});
  }
  if (!answer.already_met && answer.status != Status::infeasible && in_raw_units(query)) {
    all.push_back({true,
                   "distances are in raw units, because no feature has a scale. Give data or "
                   "scales to make changes of different features comparable."});
  }
  if (const std::vector<std::string> unseen = unseen_categories(explanation); !unseen.empty()) {
    all.push_back(
        {true, fmt::format("the model does not know the present categor{} of {}, and treats "
                           "{} like all unknown ones.",
                           unseen.size() == 1 ? "y" : "ies", and_list(unseen),
                           unseen.size() == 1 ? "it" : "them")});
  }
  if (const std::vector<std::string> needed = missing_but_needed(explanation); !needed.empty()) {
    all.push_back(
        {true, fmt::format("a missing value stays missing, so no condition on the value of {} can "
                           "hold. Fill in the value, or add the rule: \"{}\" may be missing.",
                           and_list(needed), needed.front())});
  }
  if (query.agree && findings.models && !answer.solutions.empty()) {
    const auto counted =
        std::count_if(query.requirements.begin(), query.requirements.end(),
                      [](const Requirement& requirement) { return requirement.counted; });
    all.push_back({false, fmt::format("{} of {} models have this outcome there. This is known of "
                                      "these models, not of others.",
                                      findings.models->agreeing, counted)});
  }
  if (findings.models && !findings.models->normal.empty()) {
    all.push_back({false, findings.models->normal});
  }
  if (query.live > 0 && !answer.solutions.empty()) {
    const std::size_t rows = rows_around(query, answer.best().point);
    all.push_back({false, fmt::format("The region of the answer, in which every tree gives what it "
                                      "gives here, holds {} of the {} rows of the data.",
                                      rows, query.live_regions->rows)});
  }
  if (is_robust(query) && !answer.solutions.empty()) {
    all.push_back({false, robust_note(schema, query, ensemble.input)});
  }
  if (!changes) return all;

  const std::vector<double>& to = answer.best().point;
  std::vector<std::string> steps;
  bool next_floats = true;
  const std::vector<std::size_t> changed = changed_features(query, to);
  for (const std::size_t i : changed) {
    if (query.features[i].kind == FeatureKind::continuous && !query.features[i].derived &&
        is_too_small(query.point[i], to[i], ensemble.input)) {
      next_floats = next_floats && is_next_float(query.point[i], to[i], ensemble.input);
      steps.push_back(fmt::format("\"{}\"", title_of(schema.features[i])));
    }
  }
  if (steps.empty()) return all;
  std::string subject = subject_text(schema, row);
  subject[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(subject[0])));
  if (row_text(row).empty()) subject = "the " + subject;
  std::string what;
  if (steps.size() < changed.size()) {
    what = fmt::format("part of the change for {}, that of {}, is too small to act on", subject,
                       and_list(steps));
  } else if (next_floats) {
    what =
        fmt::format("{} sits on the edge of the model: the change is the smallest float step of {}",
                    subject, and_list(steps));
  } else {
    what = fmt::format("{} sits on the edge of the model: the change of {} is too small to act on",
                       subject, and_list(steps));
  }
  all.push_back({true, fmt::format("{}. Give {} a kind or a range in the schema for an answer that "
                                   "a person can act on.",
                                   what, steps.size() == 1 ? "it" : "them")});
  return all;
}

std::string checked_text(const Answer& answer) {
  if (answer.solutions.empty()) return "Checked again from the model alone: no fault found.";
  return "Checked again from the model alone: outcome, rules, cost and box hold.";
}

std::vector<std::string> fixed_titles(const Explanation& explanation) {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < explanation.query.features.size(); ++i) {
    const std::vector<FeatureRule>& rules = explanation.query.features;
    if (!rules[i].fixed) continue;
    const GroupSchema* group = group_of(explanation.schema, i);
    if (!group) {
      titles.push_back(shown_title(explanation.schema, i));
      continue;
    }
    // The columns of a group are one feature for people. If only some of them are fixed, the
    // feature itself may still change.
    const bool whole = std::all_of(group->columns.begin(), group->columns.end(),
                                   [&](std::size_t column) { return rules[column].fixed; });
    if (!whole) titles.push_back(title_of(explanation.schema.features[i]));
    if (whole && i == group->columns.front()) titles.push_back(shown_title(explanation.schema, i));
  }
  return titles;
}

}  // namespace boxwood
