#include "readers/lightgbm_text.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "readers/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace boxwood::readers {
namespace {

/// Strict: LightGBM itself would read "12abc" as 12.
template <typename Number>
bool parse_whole_text(std::string_view text, Number& number) {
  const auto [end, status] = from_digits(text.data(), text.data() + text.size(), number);
  return status == std::errc{} && end == text.data() + text.size();
}

/// The next word of a list, cut off from the front of `text`; empty at its end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<std::string_view> LightgbmLines::peek() const {
  if (text_.empty()) return std::nullopt;
  return text_.substr(0, text_.find_first_of("\r\n"));
}

void LightgbmLines::next() {
  const auto end = text_.find_first_of("\r\n");
  if (end == std::string_view::npos) {
    text_ = {};
    return;
  }
  text_.remove_prefix(end + (text_.substr(end).starts_with("\r\n") ? 2 : 1));
}

void LightgbmLines::skip_blank() {
  while (!text_.empty() && (text_.front() == '\r' || text_.front() == '\n')) {
    text_.remove_prefix(1);
  }
}

std::vector<std::string_view> LightgbmField::words() const {
  std::vector<std::string_view> all;
  std::string_view rest = text_;
  for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) all.push_back(word);
  return all;
}

std::int64_t LightgbmField::integer(std::int64_t least, std::int64_t most) const {
  std::int64_t number = 0;
  if (!parse_whole_text(text_, number)) {
    fail(fmt::format("{} is not a whole number", in_quotes(text_)));
  }
  if (number < least || number > most) {
    fail(fmt::format("{} is not between {} and {}", number, least, most));
  }
  return number;
}

template <typename Number>
std::vector<Number> LightgbmField::list(std::size_t count, std::string_view why) const {
  std::vector<Number> numbers;
  // Each number takes at least a digit and a space, whatever count the file declares.
  numbers.reserve(std::min(count, text_.size() / 2 + 1));
  std::string_view rest = text_;
  for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
    Number number{};
    if (!parse_whole_text(word, number)) {
      fail_at(numbers.size(), fmt::format("{} is not a number", in_quotes(word)));
    }
    numbers.push_back(number);
  }
  if (numbers.size() != count) {
    fail(fmt::format("it has {} entries, but {} requires {}", numbers.size(), why, count));
  }
  return numbers;
}

std::vector<std::int64_t> LightgbmField::integers(std::size_t count, std::string_view why) const {
  return list<std::int64_t>(count, why);
}

std::vector<double> LightgbmField::numbers(std::size_t count, std::string_view why) const {
  return list<double>(count, why);
}

std::string LightgbmField::where() const { return fmt::format("{}: {}", place_, key_); }

void LightgbmField::fail(const std::string& reason, const std::string& remedy) const {
  throw Error(where(), reason, remedy);
}

void LightgbmField::fail_at(std::size_t index, const std::string& reason) const {
  throw Error(fmt::format("{}[{}]", where(), index), reason);
}

void LightgbmBlock::add(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) {
    lines_.push_back({line, {}});
  } else {
    lines_.push_back({line.substr(0, equals), line.substr(equals + 1)});
  }
}

std::optional<LightgbmField> LightgbmBlock::find(std::string_view key) const {
  const auto has_key = [&](const Line& line) { return line.key == key; };
  const auto found = std::find_if(lines_.begin(), lines_.end(), has_key);
  if (found == lines_.end()) return std::nullopt;
  const LightgbmField field(found->key, found->value, place_);
  if (std::find_if(found + 1, lines_.end(), has_key) != lines_.end()) {
    field.fail("this key occurs twice");
  }
  return field;
}

LightgbmField LightgbmBlock::operator[](std::string_view key) const {
  if (auto field = find(key)) return *field;
  throw Error(fmt::format("{}: {}", place_, key), "it is missing",
              "The file is not a complete LightGBM model; save it again with save_model");
}

}  // namespace boxwood::readers
