// Reads JSON with errors that name the path: JsonField is a value with its position.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boxwood {

/// Parses text in time linear in its bytes. Throws Error with the byte position; a key that is
/// given twice, a number beyond a double and deep nesting are errors.
nlohmann::json parse_json(std::string_view text, std::string_view place);

class JsonField {
 public:
  /// `file` names the document, `path` the value within it: "schema.json" and "features[2].kind".
  JsonField(const nlohmann::json& value, std::string file, std::string path = {});

  JsonField operator[](const char* key) const;    ///< fails when absent
  JsonField operator[](std::size_t index) const;  ///< fails when out of range
  bool has(const char* key) const;
  std::size_t size() const;  ///< of an array; fails for anything else
  std::vector<std::string> keys() const;

  bool is_string() const { return value_->is_string(); }
  bool is_boolean() const { return value_->is_boolean(); }
  bool is_array() const { return value_->is_array(); }
  bool is_null() const { return value_->is_null(); }
  std::string string() const;
  double number() const;  ///< also from the strings "inf" and "-inf"
  bool boolean() const;
  std::int32_t int32() const;

  // Whole arrays at once: the path of an entry is built only for an error.
  std::vector<double> numbers() const { return all<double>(&JsonField::number); }
  std::vector<bool> booleans() const { return all<bool>(&JsonField::boolean); }
  std::vector<std::int32_t> int32s() const { return all<std::int32_t>(&JsonField::int32); }
  std::vector<std::string> strings() const { return all<std::string>(&JsonField::string); }

  template <typename Value, std::size_t count>
  Value choice(const std::array<std::pair<const char*, Value>, count>& names) const {
    const std::string text = string();
    std::string known;
    for (const auto& [name, value] : names) {
      if (text == name) return value;
      known += known.empty() ? name : std::string(", ") + name;
    }
    fail("\"" + text + "\" is not one of: " + known);
  }
  template <typename Value, std::size_t count>
  std::vector<Value> choices(const std::array<std::pair<const char*, Value>, count>& names) const {
    return all<Value>([&](const JsonField& entry) { return entry.choice(names); });
  }

  std::string where() const;  ///< "schema.json: features[2].kind"
  [[noreturn]] void fail(const std::string& reason, const std::string& remedy = {}) const;

 private:
  JsonField(const nlohmann::json& value, const JsonField& parent, std::size_t index)
      : value_(&value), parent_(&parent), index_(index) {}

  template <typename Value, typename Read>
  std::vector<Value> all(Read read) const {
    std::vector<Value> values;
    values.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      values.push_back(std::invoke(read, JsonField((*value_)[i], *this, i)));
    }
    return values;
  }

  const nlohmann::json* value_;
  std::string file_;
  std::string path_;
  const JsonField* parent_ = nullptr;  // set only while `all` runs
  std::size_t index_ = 0;
};

template <typename Value, std::size_t count>
std::string name_of(const std::array<std::pair<const char*, Value>, count>& names, Value wanted) {
  for (const auto& [name, value] : names) {
    if (value == wanted) return name;
  }
  return {};
}

}  // namespace boxwood
