#include "render/outcome.hpp"

#include "query/lead.hpp"
#include "render/changes.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// An output of the model as a feature without limits, to speak of it in the same words.
FeatureSchema output_words(const Schema& schema) {
  FeatureSchema words;
  words.unit = schema.output_unit;
  return words;
}

/// An output with no more digits than people read, and with enough to be seen on the right side of
/// what is needed.
std::string output_text(const Schema& schema, double value, Precision precision,
                        const Interval& needed) {
  for (int digits = 6; digits < 17; ++digits) {
    const double rounded = with_digits(value, digits);
    if (needed.contains(rounded) != needed.contains(value)) continue;
    return value_text(output_words(schema), rounded, Precision::float64);
  }
  return value_text(output_words(schema), value, precision);
}

const Requirement* first_requirement(const Query& query) {
  return query.requirements.empty() ? nullptr : &query.requirements.front();
}

/// The library's probability of a class, where it gives one.
std::optional<double> probability_of(const Ensemble& ensemble, std::size_t target,
                                     std::span<const double> outputs) {
  if (!ensemble.has_probabilities()) return std::nullopt;
  return ensemble.probability(outputs, target);
}

/// What the probability must reach: the asked one, or one half for the class of a binary model.
std::optional<double> probability_needed(const Ensemble& ensemble, const ClassIs& wanted) {
  if (wanted.probability) return wanted.probability;
  if (ensemble.task == Task::binary) return 0.5;
  return std::nullopt;
}

std::string needed_text(double needed) {
  const std::string two = fmt::format("{:.2f}", needed);
  const std::string shortest = fmt::format("{}", needed);
  return shortest.size() > two.size() ? shortest : two;
}

std::string output_name(const Schema& schema) {
  return schema.outcome.empty() ? "output" : schema.outcome;
}

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

/// "7, 8 or 9", or "anything but 4" where that is shorter.
std::string classes_text(const Ensemble& ensemble, const ClassIn& wanted) {
  const std::size_t count = ensemble.class_count();
  const auto is_wanted = [&](std::size_t k) {
    return std::count(wanted.targets.begin(), wanted.targets.end(), k) > 0;
  };
  std::vector<std::string> inside, outside;
  for (std::size_t k = 0; k < count; ++k) {
    (is_wanted(k) ? inside : outside).push_back(fmt::format("\"{}\"", ensemble.class_name(k)));
  }
  if (outside.size() == 1 && inside.size() > 1) return "anything but " + outside.front();
  return or_list(inside);
}

/// "raw score", "raw score of "a"", "lead of "a" over "b"".
std::string score_name(const Ensemble& ensemble, const ScoreIn& wanted) {
  const auto name = [&](std::size_t output) {
    return ensemble.task == Task::multiclass ? fmt::format("\"{}\"", ensemble.class_name(output))
                                             : fmt::format("output {}", output);
  };
  if (wanted.rival)
    return fmt::format("lead of {} over {}", name(wanted.output), name(*wanted.rival));
  return ensemble.base.size() == 1 ? "raw score" : "raw score of " + name(wanted.output);
}

double score_value(const ScoreIn& wanted, std::span<const double> scores) {
  const double own = scores[wanted.output];
  return wanted.rival ? lead(own, scores[*wanted.rival]) : own;
}

/// Whether the row has the outcome as it is, but breaks a rule.
bool only_breaks_rules(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.already_met || query.requirements.empty()) return false;
  const std::size_t asked = query.requirements.front().ensemble;
  const std::vector<double> scores = ensemble.predict(query.point);
  return std::all_of(query.requirements.begin(), query.requirements.end(),
                     [&](const Requirement& requirement) {
                       return requirement.ensemble == asked && meets(requirement, ensemble, scores);
                     });
}

}  // namespace

const char* cost_name(Norm norm) {
  switch (norm) {
    case Norm::squared_l2:
      return " (weighted squared distance)";
    case Norm::l1:
      return " (weighted distance)";
    case Norm::l0:
      return " (weighted number of changes)";
    case Norm::linf:
      return " (largest weighted change)";
    case Norm::mixture:
      return " (mixture of distances)";
    case Norm::custom:
      break;
  }
  return "";
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
    case Stop::finished:
    case Stop::visitor:
      break;
  }
  return "stopped";
}

std::optional<std::string> class_label(const Ensemble& ensemble, std::span<const double> scores) {
  if (ensemble.task == Task::regression) return std::nullopt;
  return ensemble.class_name(ensemble.classify(scores));
}

std::string outcome_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores) {
  std::string text;
  if (!schema.outcome.empty()) text = schema.outcome + " ";
  if (const auto label = class_label(ensemble, scores)) return text + *label;
  const Requirement* requirement = first_requirement(query);
  const auto* wanted = requirement ? std::get_if<OutputIn>(&requirement->outcome) : nullptr;
  return text + output_text(schema, ensemble.transform(scores)[0], ensemble.accumulator,
                            wanted && wanted->output == 0 ? wanted->range : Interval{});
}

std::string standing_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                          std::span<const double> scores) {
  const std::vector<double> outputs = ensemble.transform(scores);
  const Requirement* requirement = first_requirement(query);
  if (!requirement) return {};
  // What is not wanted is told with what it is not.
  const std::string_view need = requirement->negated ? "needed anything but" : "needed";
  if (const auto* wanted = std::get_if<OutputIn>(&requirement->outcome)) {
    const FeatureSchema words = output_words(schema);
    const std::string needed = interval_text(words, wanted->range, ensemble.accumulator);
    if (ensemble.task == Task::regression) return fmt::format("{} {}", need, needed);
    return fmt::format(
        "output {}, {} {}",
        output_text(schema, outputs[wanted->output], ensemble.accumulator, wanted->range), need,
        needed);
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement->outcome)) {
    return fmt::format("{} {}", need, classes_text(ensemble, *several));
  }
  if (const auto* score = std::get_if<ScoreIn>(&requirement->outcome)) {
    return fmt::format("{} {}, {} {}", score_name(ensemble, *score),
                       value_text({}, score_value(*score, scores), ensemble.accumulator), need,
                       interval_text({}, score->range, ensemble.accumulator));
  }
  const auto& wanted = std::get<ClassIs>(requirement->outcome);
  if (wanted.margin) {
    return fmt::format("{} \"{}\" by a margin of {}", need, ensemble.class_name(wanted.target),
                       *wanted.margin);
  }
  const auto probability = probability_of(ensemble, wanted.target, outputs);
  if (!probability) return {};
  const auto needed = probability_needed(ensemble, wanted);
  const std::string text =
      fmt::format("probability of \"{}\" {}", ensemble.class_name(wanted.target),
                  probability_text(*probability, needed.value_or(-1)));
  if (!needed) return fmt::format("{}, {} the highest", text, need);
  if (requirement->negated && wanted.probability) {
    return fmt::format("{}, needed less than {}", text, needed_text(*needed));
  }
  const bool strict = !wanted.probability && wanted.target == 1;
  return fmt::format("{}, {} {}{}", text, need, strict ? "more than " : "", needed_text(*needed));
}

Figure figure_of(const Ensemble& ensemble, const Schema& schema, const Query& query,
                 std::span<const double> scores) {
  const std::vector<double> outputs = ensemble.transform(scores);
  const Requirement* requirement = first_requirement(query);
  const auto* score = requirement ? std::get_if<ScoreIn>(&requirement->outcome) : nullptr;
  if (score) {
    return {score_name(ensemble, *score),
            value_text({}, score_value(*score, scores), ensemble.accumulator)};
  }
  const auto* wanted = requirement ? std::get_if<ClassIs>(&requirement->outcome) : nullptr;
  if (wanted) {
    if (const auto probability = probability_of(ensemble, wanted->target, outputs)) {
      return {"probability",
              probability_text(*probability, probability_needed(ensemble, *wanted).value_or(-1))};
    }
  }
  if (wanted || (requirement && std::holds_alternative<ClassIn>(requirement->outcome))) {
    return {"class", ensemble.class_name(ensemble.classify(scores))};
  }
  const auto* range = requirement ? &std::get<OutputIn>(requirement->outcome) : nullptr;
  const std::size_t output = range ? range->output : 0;
  const Interval needed = range ? range->range : Interval{};
  return {ensemble.task == Task::regression ? output_name(schema) : "output",
          output_text(schema, outputs[output], ensemble.accumulator, needed)};
}

std::string reached_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores) {
  const Requirement* requirement = first_requirement(query);
  const Figure figure = figure_of(ensemble, schema, query, scores);
  if (figure.name == "class") {
    const bool several = std::holds_alternative<ClassIn>(requirement->outcome);
    return several ? fmt::format("There it is \"{}\"", figure.value) : std::string{};
  }
  return fmt::format("{} there {}", capital(figure.name), figure.value);
}

std::string target_phrase(const Ensemble& ensemble, const Schema& schema, const Query& query) {
  const Requirement* requirement = first_requirement(query);
  if (!requirement) return "is allowed";
  const auto* one_class = std::get_if<ClassIs>(&requirement->outcome);
  const bool below =
      requirement->negated && one_class && one_class->probability && !one_class->margin;
  if (requirement->negated && !below) {
    Query opposite = query;
    opposite.requirements.front().negated = false;
    return "does anything else than what " + target_phrase(ensemble, schema, opposite);
  }
  std::string phrase;
  if (const auto* wanted = std::get_if<OutputIn>(&requirement->outcome)) {
    const std::string name =
        ensemble.task == Task::regression ? output_name(schema) : std::string("output");
    phrase = fmt::format("brings the {} to {}", name,
                         interval_text(output_words(schema), wanted->range, ensemble.accumulator));
  } else if (const auto* several = std::get_if<ClassIn>(&requirement->outcome)) {
    phrase = "gives " + classes_text(ensemble, *several);
  } else if (const auto* score = std::get_if<ScoreIn>(&requirement->outcome)) {
    phrase = fmt::format("brings the {} to {}", score_name(ensemble, *score),
                         interval_text({}, score->range, ensemble.accumulator));
  } else {
    const auto& class_is = std::get<ClassIs>(requirement->outcome);
    const std::string label = ensemble.class_name(class_is.target);
    // "is granted" reads well of a credit; of what the schema does not name nothing is known.
    const bool reads_well = !schema.outcome.empty() && !ensemble.classes.empty();
    phrase = reads_well ? "is " + label : fmt::format("gives \"{}\"", label);
    if (class_is.probability) {
      phrase += fmt::format(" with probability {} {}", below ? "below" : "at least",
                            needed_text(*class_is.probability));
    }
    if (class_is.margin) phrase += fmt::format(" by a margin of at least {}", *class_is.margin);
  }
  if (query.requirements.size() > 1) {
    const std::size_t others = query.requirements.size() - 1;
    phrase += fmt::format(" and meets {} more requirement{}", others, others == 1 ? "" : "s");
  }
  return phrase;
}

std::string outcome_clause(const Ensemble& ensemble, const Schema& schema, const Query& query) {
  const std::string phrase = target_phrase(ensemble, schema, query);
  const char* subject = phrase.starts_with("is ")       ? schema.outcome.c_str()
                        : phrase.starts_with("brings ") ? "that"
                                                        : "the model";
  return fmt::format("{} {}", subject, phrase);
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

std::string row_text(const RowLabel& row) {
  return row.number ? std::to_string(*row.number) : row.name;
}

std::string subject_text(const Schema& schema, const RowLabel& row) {
  const std::string subject = schema.subject.empty() ? "Row" : capital(schema.subject);
  const std::string label = row_text(row);
  return label.empty() ? subject : fmt::format("{} {}", subject, label);
}

std::string headline(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  const std::vector<double> scores = ensemble.predict(query.point);
  const std::string standing = standing_text(ensemble, schema, query, scores);
  // "Row: refused" would sound like a word of the table's.
  const bool is_nameless = row_text(row).empty() && schema.subject.empty();
  std::string text = fmt::format("{}: {}", is_nameless ? "Now" : subject_text(schema, row),
                                 outcome_text(ensemble, schema, query, scores));
  if (!standing.empty()) text += fmt::format(" ({})", standing);
  return text;
}

std::string verdict(const Explanation& explanation) {
  const Answer& answer = explanation.answer;
  std::string phrase = target_phrase(explanation.ensemble, explanation.schema, explanation.query);
  if (only_breaks_rules(explanation)) phrase = "keeps to the rules and " + phrase;
  const std::string time = duration_text(answer.statistics.seconds);
  if (answer.already_met) return "Nothing to change: this outcome is the one that was asked for.";
  switch (answer.status) {
    case Status::optimal:
      return fmt::format("Smallest change that {} (proven optimal, {}):", phrase, time);
    case Status::feasible:
      return fmt::format("Best change found in {} that {} ({}):", time, phrase,
                         stop_text(answer.stop));
    case Status::infeasible:
      return fmt::format("Not possible: no allowed change {} (proven, {}).", phrase, time);
    case Status::unknown:
      break;
  }
  const std::string open =
      answer.lower_bound > 0
          ? fmt::format("If there is one, it costs at least {}", cost_text(answer.lower_bound))
          : std::string("Whether there is one stays open");
  return fmt::format("No change found in {} that {} ({}). {}.", time, phrase,
                     stop_text(answer.stop), open);
}

std::string closing(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  if (answer.solutions.empty() || answer.already_met) return {};
  std::string text = reached_text(ensemble, schema, query, ensemble.predict(answer.best().point));
  if (!text.empty()) text += " · ";
  text += fmt::format("{} {}{}", text.empty() ? "Cost" : "cost", cost_text(answer.cost),
                      cost_name(query.norm));
  if (answer.status == Status::optimal) return text + " · nothing nearer exists";
  if (!is_useful_bound(answer.lower_bound, answer.cost)) {
    return text + " · no useful lower bound yet";
  }
  return fmt::format("{} · nothing cheaper than {} exists (gap {:.1f} %)", text,
                     cost_text(answer.lower_bound), 100 * answer.gap());
}

std::string tie_count(const Answer& answer) {
  if (answer.solutions.size() < 2 && !answer.more_ties) return {};
  const std::size_t others = answer.solutions.empty() ? 0 : answer.solutions.size() - 1;
  if (others == 0) return "Other changes cost the same.";
  return fmt::format("{}{} other change{} the same{}", answer.more_ties ? "At least " : "", others,
                     others == 1 ? " costs" : "s cost", others <= 3 ? ":" : ", among them:");
}

std::vector<std::string> notes(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  std::vector<std::string> all;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < query.point.size(); ++i) {
    if (std::isnan(query.point[i])) missing.push_back(title_of(schema.features[i]));
  }
  if (!missing.empty())
    all.push_back(fmt::format("Missing, stays missing: {}.", and_list(missing)));
  if (answer.solutions.empty() || answer.already_met) return all;

  const std::vector<double>& to = answer.best().point;
  std::vector<std::string> steps;
  bool next_floats = true;
  const std::vector<std::size_t> changed = changed_features(query, to);
  for (const std::size_t i : changed) {
    if (query.features[i].kind == FeatureKind::continuous &&
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
  all.push_back(
      fmt::format("Note: {}. Give {} a kind or a range in the schema for an answer that a person "
                  "can act on.",
                  what, steps.size() == 1 ? "it" : "them"));
  return all;
}

std::string checked_text(const Answer& answer) {
  if (answer.solutions.empty()) return "Checked again from the model alone: no fault found.";
  return "Checked again from the model alone: outcome, rules, cost and box hold.";
}

std::vector<std::string> fixed_titles(const Explanation& explanation) {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < explanation.query.features.size(); ++i) {
    if (!explanation.query.features[i].fixed) continue;
    std::string title = shown_title(explanation.schema, i);
    // The columns of a group are one feature for people.
    const bool told =
        group_of(explanation.schema, i) && std::count(titles.begin(), titles.end(), title) > 0;
    if (!told) titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace boxwood
