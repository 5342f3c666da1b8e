// What a query asks of a model and what the model says, in words. Tables and sentences share it.
#pragma once

#include <boxwood/render.hpp>

#include <optional>
#include <span>
#include <string>

namespace boxwood {

/// "refused", "credit refused", "price 182 000 USD": the model's answer for these scores.
std::string outcome_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores);

/// How a row relates to the first requirement: `probability of "granted" 0.21` and what is needed,
/// "more than 0.50". Either may be empty.
struct Standing {
  std::string figure;
  std::string needed;
};
Standing standing_of(const Ensemble& ensemble, const Schema& schema, const Query& query,
                     std::span<const double> scores);
/// `probability of "granted" 0.21, needed more than 0.50`.
std::string standing_text(const Standing& standing);

/// The number, or the class, that the first requirement is about: "probability" and "0.53".
struct Figure {
  std::string name;
  std::string value;
  bool is_class = false;
};
Figure figure_of(const Ensemble& ensemble, const Schema& schema, const Query& query,
                 std::span<const double> scores);

/// The outcome of a row, with the figure that the question is about if that is not the outcome
/// itself: `refused (probability 0.32)`, `output 1 is 3.5`.
std::string outcome_and_figure(const Ensemble& ensemble, const Schema& schema, const Query& query,
                               std::span<const double> scores, const Figure& figure);
/// "output", "price"; of several outputs "output 1", "price (output 1)".
std::string output_name(const Ensemble& ensemble, const Schema& schema, std::size_t output);

/// `Probability there 0.53`, without what is needed.
std::string reached_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                         std::span<const double> scores);

/// The parts of a text about the first requirement, and the number of further requirements.
struct Wanted {
  /// The form of the sentence: "obeys" the rules if nothing is required, "is granted", `gives
  /// "granted"`, "brings the price to at least 9".
  enum class Verb { obeys, is, gives, brings };
  Verb verb = Verb::obeys;
  std::string figure;  ///< what is brought to a value ("price"), or the subject of "is" ("credit")
  std::string value;   ///< "granted", "at least 9"
  std::string certainty;   ///< " with probability at least 0.80"
  bool opposite = false;   ///< any value but this one
  std::size_t others = 0;  ///< further requirements that must hold
  std::string models;      ///< " in at least 4 of 5 models in a region with …"
};
Wanted wanted_by(const Ensemble& ensemble, const Schema& schema, const Query& query);
/// "is granted with probability at least 0.80", "brings the price to at least 9".
std::string target_phrase(const Wanted& wanted);
/// "credit is granted", `the model gives "granted"`, "that brings the price to at least 9".
std::string outcome_clause(const Wanted& wanted);

/// The label of the class that the scores give; nothing for regression.
std::optional<std::string> class_label(const Ensemble& ensemble, std::span<const double> scores);

/// What a robust answer promises, in the units of the features.
std::string robust_promise(const Schema& schema, const Query& query, Precision precision);
/// The same after "Robust: ".
std::string robust_note(const Schema& schema, const Query& query, Precision precision);
/// "stopped at the time limit", "interrupted".
std::string stop_text(Stop stop);

/// "3", "Smith"; empty where the row has no label.
std::string row_text(const RowLabel& row);

/// "Applicant 3", "Row 3", "Applicant Smith"; of a row without a label "Applicant" and "Row".
std::string subject_text(const Schema& schema, const RowLabel& row);
/// The same at the start of a line; "Now" where neither the row nor its kind has a name.
std::string row_lead(const Schema& schema, const RowLabel& row);

// The parts of an explanation that stand around the rows of its table.
std::string headline(const Explanation& explanation);
std::string verdict(const Explanation& explanation);
std::string closing(const Explanation& explanation);
/// "cost 0.31", "cost at most 0.31 (not proven the least)", "impossible", "not decided".
std::string cost_or_why(const Answer& answer);
std::string tie_count(const Answer& answer);
/// A fact about the row, or a warning that begins with "Note:".
struct Note {
  bool is_warning = false;
  std::string sentences;
};
std::string text_of(const Note& note);
/// Features that are missing, and changes too small to act on.
std::vector<Note> notes(const Explanation& explanation);
/// What `verify` confirms. It does not prove again that nothing cheaper exists, and the text does
/// not claim that.
std::string checked_text(const Answer& answer);
std::vector<std::string> fixed_titles(const Explanation& explanation);

}  // namespace boxwood
