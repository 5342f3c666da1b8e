#include "render/outcome.hpp"

#include "base/text.hpp"
#include "query/lead.hpp"
#include "render/changes.hpp"
#include "render/claim.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

/// An output of the model as a feature without limits, so that the functions for features can write
/// it.
FeatureSchema output_words(const Schema& schema) {
  FeatureSchema words;
  words.unit = schema.output_unit;
  return words;
}

/// An output with few digits, but enough of them to show on which side of the required limit it
/// lies.
std::string output_text(const Schema& schema, double value, Precision precision,
                        const Interval& needed) {
  for (int digits = 6; digits < 17; ++digits) {
    const double rounded = with_digits(value, digits);
    if (needed.contains(rounded) != needed.contains(value)) continue;
    return value_text(output_words(schema), rounded, Precision::float64);
  }
  return value_text(output_words(schema), value, precision);
}

/// What an output must be: "at most 300 000", "at most about 168 465". A limit that was computed
/// from the present output has many digits; "about" says that it is rounded here.
std::string limits_text(const Schema& schema, const Interval& range, Precision precision) {
  constexpr int read = 9, shown = 6;
  const auto is_long = [](double end) {
    return std::isfinite(end) && with_digits(end, read) != end;
  };
  Interval rounded = range;
  for (double* end : {&rounded.lower, &rounded.upper}) {
    if (is_long(*end)) *end = with_digits(*end, shown);
  }
  const bool is_short = rounded.lower == range.lower && rounded.upper == range.upper;
  if (precision == Precision::float32 || is_short || !(rounded.lower < rounded.upper)) {
    return interval_text(output_words(schema), range, precision);
  }
  std::string text = interval_text(output_words(schema), rounded, precision);
  const std::size_t number = text.find_first_of("-0123456789");
  return number == std::string::npos ? text : text.insert(number, "about ");
}

const Requirement* first_requirement(const Query& query) {
  return query.requirements.empty() ? nullptr : &query.requirements.front();
}

/// The output that the first requirement is about, and what it must be; the first output if the
/// requirement is about something else.
OutputIn wanted_output(const Query& query, std::size_t outputs) {
  const Requirement* requirement = first_requirement(query);
  if (!requirement) return {};
  if (const auto* wanted = std::get_if<OutputIn>(&requirement->outcome)) return *wanted;
  const auto* score = std::get_if<ScoreIn>(&requirement->outcome);
  return {Interval{}, score && score->output < outputs ? score->output : 0};
}

/// The library's probability of a class; no value if the model has none.
std::optional<double> probability_of(const Ensemble& ensemble, std::size_t target,
                                     std::span<const double> outputs) {
  if (!ensemble.has_probabilities()) return std::nullopt;
  return ensemble.probability(outputs, target);
}

/// The probability that must be reached: the one that was asked for, or one half for the class of a
/// binary model.
std::optional<double> probability_needed(const Ensemble& ensemble, const ClassIs& wanted) {
  if (wanted.probability) return wanted.probability;
  if (ensemble.task == Task::binary) return 0.5;
  const auto& threshold = ensemble.composition.threshold;
  if (threshold && !threshold->of_score && threshold->target == wanted.target) {
    return threshold->least;
  }
  return std::nullopt;
}

/// The number that a probability is compared with. Enough digits are shown to distinguish the two.
double compared_with(const Ensemble& ensemble, const ClassIs& wanted) {
  if (const auto needed = probability_needed(ensemble, wanted)) return *needed;
  const auto& threshold = ensemble.composition.threshold;
  if (threshold && !threshold->of_score) return 1 - threshold->least;
  return ensemble.class_count() == 2 ? 0.5 : -1;
}

std::string needed_text(double needed) {
  const std::string two = fmt::format("{:.2f}", needed);
  const std::string shortest = fmt::format("{}", needed);
  return shortest.size() > two.size() ? shortest : two;
}

/// What the probability of a class must be, in a model that predicts the first class with the
/// largest one.
std::string winning_text(const Ensemble& ensemble, std::size_t target) {
  if (const auto& threshold = ensemble.composition.threshold) {
    const std::string other = class_words(ensemble, threshold->target);
    if (threshold->of_score)
      return fmt::format("a raw score by which \"{}\" wins", class_words(ensemble, target));
    return fmt::format("that of \"{}\" below {}", other, needed_text(threshold->least));
  }
  if (ensemble.class_count() != 2) return "the highest of all classes";
  return fmt::format("{} that of \"{}\"", target == 0 ? "at least" : "more than",
                     class_words(ensemble, 1 - target));
}

bool has_several_outputs(const Ensemble& ensemble) {
  return ensemble.task == Task::regression && ensemble.output_count() > 1;
}

/// "7, 8 or 9", or "anything but 4" where that is shorter.
std::string classes_text(const Ensemble& ensemble, const ClassIn& wanted) {
  const std::size_t count = ensemble.class_count();
  const auto is_wanted = [&](std::size_t k) {
    return std::count(wanted.targets.begin(), wanted.targets.end(), k) > 0;
  };
  std::vector<std::string> inside, outside;
  for (std::size_t k = 0; k < count; ++k) {
    (is_wanted(k) ? inside : outside).push_back(fmt::format("\"{}\"", class_words(ensemble, k)));
  }
  if (outside.size() == 1 && inside.size() > 1) return "anything but " + outside.front();
  return or_list(inside);
}

/// Raw scores of a composition are those of its members: "member 2", or "output 0 of member 2".
std::string member_score_name(const Composition& composition, std::size_t output) {
  std::size_t number = 0;
  while (output >= composition.members[number].outputs) {
    output -= composition.members[number++].outputs;
  }
  const bool single = composition.members[number].outputs == 1;
  return (single ? std::string() : fmt::format("output {} of ", output)) +
         fmt::format("member {} of {}", number + 1, composition.members.size());
}

/// "raw score", "raw score of "a"", "lead of "a" over "b"".
std::string score_name(const Ensemble& ensemble, const ScoreIn& wanted) {
  const auto name = [&](std::size_t output) {
    if (ensemble.link == Link::composed) return member_score_name(ensemble.composition, output);
    return ensemble.task == Task::multiclass ? fmt::format("\"{}\"", class_words(ensemble, output))
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

}  // namespace

std::optional<SeveralModels> several_models(std::span<const Ensemble> ensembles,
                                            std::span<const std::string> names, const Query& query,
                                            const Answer& answer) {
  if (ensembles.size() < 2) return std::nullopt;
  const Requirement* first = first_requirement(query);
  const std::size_t asked = first ? first->ensemble : 0;
  const auto called = [&](std::size_t e) {
    return e < names.size() && !names[e].empty() ? fmt::format("model \"{}\"", visible(names[e]))
                                                 : fmt::format("model {}", e + 1);
  };
  SeveralModels models;
  models.name = called(asked);
  models.certain = asks_stacks(query, ensembles);
  if (answer.solutions.empty()) return models;
  const std::vector<double>& point = answer.best().point;
  models.agreeing = agreeing(query, ensembles, point);
  for (const Requirement& requirement : query.requirements) {
    const Ensemble& ensemble = ensembles[requirement.ensemble];
    const auto* wanted = std::get_if<OutputIn>(&requirement.outcome);
    if (&requirement == first || ensemble.link != Link::isolation || !wanted) continue;
    const double score = ensemble.transform(ensemble.predict(point))[0];
    models.normal += fmt::format("{}The row is normal to {}: its score is {}, needed {}.",
                                 models.normal.empty() ? "" : " ", called(requirement.ensemble),
                                 output_text({}, score, ensemble.accumulator, wanted->range),
                                 limits_text({}, wanted->range, ensemble.accumulator));
  }
  return models;
}

std::optional<std::string> class_label(const Ensemble& ensemble, std::span<const double> scores) {
  if (ensemble.task == Task::regression) return std::nullopt;
  return ensemble.class_name(ensemble.classify(scores));
}

std::string outcome_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores) {
  std::string text;
  if (!schema.outcome.empty()) text = outcome_words(schema) + " ";
  if (const auto label = class_label(ensemble, scores)) return text + visible(*label);
  const OutputIn wanted = wanted_output(query, ensemble.output_count());
  if (has_several_outputs(ensemble)) text = output_name(ensemble, schema, wanted.output) + " is ";
  return text + output_text(schema, ensemble.transform(scores)[wanted.output], ensemble.accumulator,
                            wanted.range);
}

Standing standing_of(const Ensemble& ensemble, const Schema& schema, const Query& query,
                     std::span<const double> scores) {
  const std::vector<double> outputs = ensemble.transform(scores);
  const Requirement* requirement = first_requirement(query);
  if (!requirement) return {};
  const char* but = requirement->negated ? "anything but " : "";
  if (const auto* wanted = std::get_if<OutputIn>(&requirement->outcome)) {
    const std::string needed = but + limits_text(schema, wanted->range, ensemble.accumulator);
    if (ensemble.task == Task::regression) return {"", needed};
    return {"output " +
                output_text(schema, outputs[wanted->output], ensemble.accumulator, wanted->range),
            needed};
  }
  if (const auto* several = std::get_if<ClassIn>(&requirement->outcome)) {
    return {"", but + classes_text(ensemble, *several)};
  }
  if (const auto* score = std::get_if<ScoreIn>(&requirement->outcome)) {
    return {fmt::format("{} {}", score_name(ensemble, *score),
                        value_text({}, score_value(*score, scores), ensemble.accumulator)),
            but + interval_text({}, score->range, ensemble.accumulator)};
  }
  const auto& wanted = std::get<ClassIs>(requirement->outcome);
  if (wanted.margin) {
    return {"", fmt::format("{}\"{}\" by a margin of {}", but, class_words(ensemble, wanted.target),
                            *wanted.margin)};
  }
  const auto probability = probability_of(ensemble, wanted.target, outputs);
  if (!probability) return {};
  const auto needed = probability_needed(ensemble, wanted);
  Standing standing{fmt::format("probability of \"{}\" {}", class_words(ensemble, wanted.target),
                                probability_text(*probability, compared_with(ensemble, wanted))),
                    but + winning_text(ensemble, wanted.target)};
  if (!needed) return standing;
  const bool strict = !wanted.probability && wanted.target == 1 && ensemble.task == Task::binary;
  const bool below = requirement->negated && wanted.probability;
  standing.needed = (below ? "less than " : std::string(but) + (strict ? "more than " : "")) +
                    needed_text(*needed);
  return standing;
}

std::string standing_text(const Standing& standing) {
  if (standing.needed.empty()) return standing.figure;
  return fmt::format("{}{}needed {}", standing.figure, standing.figure.empty() ? "" : ", ",
                     standing.needed);
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
      return {"probability", probability_text(*probability, compared_with(ensemble, *wanted))};
    }
  }
  if (wanted || (requirement && std::holds_alternative<ClassIn>(requirement->outcome))) {
    return {"class", class_words(ensemble, ensemble.classify(scores)), true};
  }
  const OutputIn asked = wanted_output(query, ensemble.output_count());
  return {output_name(ensemble, schema, asked.output),
          output_text(schema, outputs[asked.output], ensemble.accumulator, asked.range)};
}

std::string output_name(const Ensemble& ensemble, const Schema& schema, std::size_t output) {
  if (ensemble.task != Task::regression) return "output";
  const std::string name = schema.outcome.empty() ? "" : outcome_words(schema);
  if (!has_several_outputs(ensemble)) return name.empty() ? "output" : name;
  return fmt::format(fmt::runtime(name.empty() ? "{}output {}" : "{} (output {})"), name, output);
}

std::string outcome_and_figure(const Ensemble& ensemble, const Schema& schema, const Query& query,
                               std::span<const double> scores, const Figure& figure) {
  const std::string outcome = outcome_text(ensemble, schema, query, scores);
  const Requirement* requirement = first_requirement(query);
  const bool is_told = ensemble.task == Task::regression &&
                       (!requirement || std::holds_alternative<OutputIn>(requirement->outcome));
  return is_told ? outcome : fmt::format("{} ({} {})", outcome, figure.name, figure.value);
}

std::string reached_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores) {
  const Requirement* requirement = first_requirement(query);
  const Figure figure = figure_of(ensemble, schema, query, scores);
  if (figure.is_class) {
    const bool several = std::holds_alternative<ClassIn>(requirement->outcome);
    return several ? fmt::format("There it is \"{}\"", figure.value) : std::string{};
  }
  return fmt::format("{} there {}", capital(figure.name), figure.value);
}

Wanted wanted_by(const Ensemble& ensemble, const Schema& schema, const Query& query) {
  Wanted wanted;
  const Requirement* requirement = first_requirement(query);
  if (!requirement) return wanted;
  const auto counted =
      static_cast<std::size_t>(std::count_if(query.requirements.begin(), query.requirements.end(),
                                             [](const Requirement& one) { return one.counted; }));
  wanted.others = query.requirements.size() - (requirement->counted ? counted : 1);
  if (query.agree && requirement->counted) {
    wanted.models = *query.agree == counted
                        ? fmt::format(" in all {} models", counted)
                        : fmt::format(" in at least {} of {} models", *query.agree, counted);
  }
  if (query.live > 0) {
    wanted.models += fmt::format(" in a region with at least {} of {} rows", query.live,
                                 query.live_regions->rows);
  }
  wanted.opposite = requirement->negated;
  if (const auto* output = std::get_if<OutputIn>(&requirement->outcome)) {
    wanted.verb = Wanted::Verb::brings;
    wanted.figure = (has_several_outputs(ensemble) && schema.outcome.empty() ? "" : "the ") +
                    output_name(ensemble, schema, output->output);
    wanted.value = limits_text(schema, output->range, ensemble.accumulator);
  } else if (const auto* score = std::get_if<ScoreIn>(&requirement->outcome)) {
    wanted.verb = Wanted::Verb::brings;
    wanted.figure = "the " + score_name(ensemble, *score);
    wanted.value = interval_text({}, score->range, ensemble.accumulator);
  } else if (const auto* several = std::get_if<ClassIn>(&requirement->outcome)) {
    wanted.verb = Wanted::Verb::gives;
    wanted.value = classes_text(ensemble, *several);
  } else {
    const auto& class_is = std::get<ClassIs>(requirement->outcome);
    const std::string label = class_words(ensemble, class_is.target);
    // "is granted" reads well of a credit. Where the schema does not name the outcome, the label
    // may be anything.
    const bool reads_well = !schema.outcome.empty() && !ensemble.classes.empty();
    wanted.verb = reads_well ? Wanted::Verb::is : Wanted::Verb::gives;
    wanted.figure = outcome_words(schema);
    wanted.value = reads_well ? label : fmt::format("\"{}\"", label);
    if (class_is.probability) {
      // The opposite of "at least" is "below", so no further negation is needed.
      const bool below = requirement->negated && !class_is.margin;
      wanted.opposite = requirement->negated && !below;
      wanted.certainty = fmt::format(" with probability {} {}", below ? "below" : "at least",
                                     needed_text(*class_is.probability));
    }
    if (class_is.margin) {
      wanted.certainty += fmt::format(" by a margin of at least {}", *class_is.margin);
    }
  }
  return wanted;
}

std::string target_phrase(const Wanted& wanted) {
  const char* but = wanted.opposite ? "anything but " : "";
  std::string phrase;
  switch (wanted.verb) {
    case Wanted::Verb::obeys:
      return "is allowed";
    case Wanted::Verb::is:
      phrase = (wanted.opposite ? "is not " : "is ") + wanted.value;
      break;
    case Wanted::Verb::gives:
      phrase = fmt::format("gives {}{}", but, wanted.value);
      break;
    case Wanted::Verb::brings:
      phrase = fmt::format("brings {} to {}{}", wanted.figure, but, wanted.value);
      break;
  }
  phrase += wanted.certainty + wanted.models;
  if (wanted.others > 0) {
    phrase += fmt::format(" and meets {} more requirement{}", wanted.others,
                          wanted.others == 1 ? "" : "s");
  }
  return phrase;
}

std::string outcome_clause(const Wanted& wanted) {
  const std::string subject = wanted.verb == Wanted::Verb::is       ? wanted.figure
                              : wanted.verb == Wanted::Verb::brings ? "that"
                                                                    : "the model";
  return fmt::format("{} {}", subject, target_phrase(wanted));
}

std::string wanted_text(const Ensemble& ensemble, const Schema& schema, const Query& query) {
  const Wanted wanted = wanted_by(ensemble, schema, query);
  return wanted.verb == Wanted::Verb::brings ? target_phrase(wanted) : outcome_clause(wanted);
}

std::string row_text(const RowLabel& row) {
  return row.number ? std::to_string(*row.number) : visible(row.name);
}

std::string subject_text(const Schema& schema, const RowLabel& row) {
  const std::string subject = schema.subject.empty() ? "Row" : capital(visible(schema.subject));
  const std::string label = row_text(row);
  return label.empty() ? subject : fmt::format("{} {}", subject, label);
}

std::string row_lead(const Schema& schema, const RowLabel& row) {
  // "Row: refused" would read like a heading of the table.
  const bool is_nameless = row_text(row).empty() && schema.subject.empty();
  return is_nameless ? "Now" : subject_text(schema, row);
}

}  // namespace boxwood
