#include "base/json_fields.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace boxwood {

nlohmann::json parse_json(std::string_view text, std::string_view place) {
  constexpr int deepest = 32;
  const auto limit_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > deepest) throw Error(std::string(place), "it is nested too deeply");
    return true;
  };
  try {
    return nlohmann::json::parse(text, limit_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format("{}, byte {}", place, error.byte), "this is not JSON",
                "The file may be damaged or of another kind");
  } catch (const nlohmann::json::exception& error) {  // a number beyond a double, say
    const std::string_view what = error.what();
    throw Error(std::string(place),
                fmt::format("this JSON cannot be read: {}", what.substr(what.find("] ") + 2)),
                "Check for a number whose exponent is too large");
  }
}

JsonField::JsonField(const nlohmann::json& value, std::string file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

void JsonField::fail(const std::string& reason, const std::string& remedy) const {
  throw Error(where(), reason, remedy);
}

std::string JsonField::where() const {
  if (parent_) return (*parent_)[index_].where();
  return path_.empty() ? file_ : fmt::format("{}: {}", file_, path_);
}

JsonField JsonField::operator[](const char* key) const {
  if (!value_->is_object()) fail("expected an object");
  const auto found = value_->find(key);
  if (found == value_->end()) fail(fmt::format("\"{}\" is missing", key));
  return {*found, file_, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
}

JsonField JsonField::operator[](std::size_t index) const {
  if (index >= size()) fail(fmt::format("it has no entry {}", index));
  return {(*value_)[index], file_, fmt::format("{}[{}]", path_, index)};
}

bool JsonField::has(const char* key) const {
  if (!value_->is_object()) fail("expected an object");
  return value_->contains(key);
}

std::size_t JsonField::size() const {
  if (!value_->is_array()) fail("expected an array");
  return value_->size();
}

std::vector<std::string> JsonField::keys() const {
  if (!value_->is_object()) fail("expected an object");
  std::vector<std::string> names;
  for (const auto& item : value_->items()) names.push_back(item.key());
  return names;
}

std::string JsonField::string() const {
  if (!value_->is_string()) fail("expected a string");
  return value_->get<std::string>();
}

double JsonField::number() const {
  if (value_->is_string()) {
    const auto& text = value_->get_ref<const std::string&>();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  if (!value_->is_number()) fail("expected a number");
  return value_->get<double>();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) fail("expected true or false");
  return value_->get<bool>();
}

std::int32_t JsonField::int32() const {
  const double value = number();
  if (value != std::floor(value) || value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    fail(fmt::format("{} is not a 32-bit integer", value));
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace boxwood
