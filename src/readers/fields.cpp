#include "readers/fields.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "base/names.hpp"

#include <fmt/format.h>

namespace boxwood::readers {
namespace {

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, status] = from_digits(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string Field::where() const {
  return path_.empty() ? std::string(place_) : fmt::format("{}: {}", place_, path_);
}

std::string Field::where(std::size_t index) const { return fmt::format("{}[{}]", where(), index); }

void Field::fail(const std::string& reason, const std::string& remedy) const {
  throw Error(where(), reason, remedy);
}

void Field::fail_at(std::size_t index, const std::string& reason) const {
  throw Error(where(index), reason);
}

std::optional<Field> Field::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_->content);
  if (object == nullptr) fail("expected an object");
  for (const Member& entry : *object) {
    if (entry.key != key) continue;
    return Field(entry.value, place_,
                 path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
  }
  return std::nullopt;
}

Field Field::operator[](std::string_view key) const {
  if (auto field = find(key)) return *field;
  throw Error(
      path_.empty() ? fmt::format("{}: {}", place_, key) : fmt::format("{}.{}", where(), key),
      "it is missing", "The file is not a complete XGBoost model; save it again");
}

Field Field::operator[](std::size_t index) const {
  const auto* array = std::get_if<Array>(&value_->content);
  if (array == nullptr || index >= array->size()) fail_at(index, "expected an object");
  return Field((*array)[index], place_, fmt::format("{}[{}]", path_, index));
}

std::size_t Field::size() const {
  if (const auto* array = std::get_if<Array>(&value_->content)) return array->size();
  if (const auto* integers = std::get_if<Integers>(&value_->content)) return integers->size();
  if (const auto* floats = std::get_if<Floats>(&value_->content)) return floats->size();
  fail("expected an array");
}

const std::string& Field::string() const {
  const auto* text = std::get_if<std::string>(&value_->content);
  if (text == nullptr) fail("expected a string");
  return *text;
}

std::vector<std::string> Field::strings() const {
  const auto* array = std::get_if<Array>(&value_->content);
  if (array == nullptr) fail("expected an array of strings");
  std::vector<std::string> texts;
  texts.reserve(array->size());
  for (const Value& entry : *array) {
    const auto* text = std::get_if<std::string>(&entry.content);
    if (text == nullptr) fail_at(texts.size(), "expected a string");
    texts.push_back(*text);
  }
  return texts;
}

std::int64_t Field::integer() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_->content)) return *number;
  const auto* text = std::get_if<std::string>(&value_->content);
  if (text == nullptr) fail("expected an integer");
  const auto number = parse_whole<std::int64_t>(trimmed(*text));
  if (!number) fail(fmt::format("{} is not an integer", in_quotes(*text)));
  return *number;
}

std::span<const std::int32_t> Field::integers() const {
  if (const auto* integers = std::get_if<Integers>(&value_->content)) return *integers;
  const auto* array = std::get_if<Array>(&value_->content);
  if (array == nullptr || !array->empty()) fail("expected an array of 32-bit integers");
  return {};
}

Floats Field::floats() const {
  if (const auto* floats = std::get_if<Floats>(&value_->content)) return *floats;
  if (std::holds_alternative<Array>(value_->content) && size() != 0) fail("expected numbers");
  const auto whole = integers();
  Floats numbers;
  numbers.reserve(whole.size());
  for (const std::int32_t number : whole) numbers.push_back(static_cast<float>(number));
  return numbers;
}

Floats Field::numbers_in_text() const {
  if (const auto* number = std::get_if<float>(&value_->content)) return {*number};
  if (const auto* number = std::get_if<std::int64_t>(&value_->content)) {
    return {static_cast<float>(*number)};
  }
  if (!is_string()) return floats();
  std::string_view text = trimmed(string());
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  Floats numbers;
  for (;;) {
    const auto comma = text.find(',');
    const std::string_view entry = trimmed(text.substr(0, comma));
    const auto number = parse_whole<float>(entry);
    if (!number) fail(fmt::format("{} is not a number", in_quotes(entry)));
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace boxwood::readers
