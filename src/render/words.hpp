// The words of tables and sentences: numbers for people, durations, columns that align.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// The nearest number with so many significant digits.
double with_digits(double value, int digits);

/// Digits with a blank between thousands: "4 870.5".
std::string with_thousands(std::string digits);
/// "4 870", "0.25": the shortest digits of the number, thousands apart.
std::string grouped_number(double value, Precision precision);
std::string grouped_count(std::uint64_t value);

/// A probability with two digits, or with as many as are needed to distinguish it from `other`, 0
/// and 1.
std::string probability_text(double value, double other);

/// "3 ms", "10.0 s", "2 min 5 s".
std::string duration_text(double seconds);

/// A cost or bound with four digits.
std::string cost_text(double cost);
/// A lower bound with four digits, rounded down, so that "nothing costs less than" stays true.
std::string bound_text(double bound);
/// Whether a bound is worth showing: one that is tiny compared with the best cost is not.
bool is_useful_bound(double bound, double best_cost);

/// "checking account": the title, or the name if there is none. All words that come from outside
/// are made `visible` (base/text.hpp) before they become part of a table, a sentence or a picture.
std::string title_of(const FeatureSchema& feature);
/// The label or the number of a class.
std::string class_words(const Ensemble& ensemble, std::size_t index);
/// The name of what is predicted: "credit"; empty if the schema has none.
std::string outcome_words(const Schema& schema);

/// The values that a feature may have. Code that depends on them looks at the kind, never at the
/// words.
struct Values {
  enum class Kind {
    all,      ///< every value that is allowed
    missing,  ///< only a missing value
    number,   ///< one number: "13 months"
    some,     ///< "at most 13 months", "one of: rent, own"; also one label, "rent"
  };
  Kind kind = Kind::some;
  std::string words;  ///< empty for `all` and `missing`
};
/// "anything", "missing", "exactly 13 months", or the words as they are.
std::string text_of(const Values& values);

/// The content of `interval_text` before it becomes text.
Values interval_values(const FeatureSchema& feature, const Interval& interval, Precision precision,
                       std::optional<double> now = std::nullopt);

/// The whole numbers in an interval that the model can read, as a closed interval; empty if lower >
/// upper. An open end is replaced by the next number of the precision, which for large numbers
/// differs by more than 1.
Interval whole_hull(const Interval& interval, Precision precision);

/// "a, b and c".
std::string and_list(const std::vector<std::string>& words);
/// "a, b or c".
std::string or_list(const std::vector<std::string>& words);

/// First letter in upper case.
std::string capital(std::string text);

/// The cells that a text takes on a terminal: UTF-8; wide characters count two, combining ones
/// zero.
std::size_t display_width(std::string_view text);

/// Text with blanks after it up to `width` cells.
std::string padded(std::string_view text, std::size_t width);

/// Text broken at blanks into lines of at most `width` cells, later lines indented.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace boxwood
