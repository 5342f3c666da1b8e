#include "base/json_fields.hpp"

#include "base/text.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace boxwood {

namespace {

/// Builds a document from the parser's events, in time linear in the bytes. nlohmann's own parser
/// with a callback is quadratic in the length of an array, and it keeps the last of equal keys.
class DocumentBuilder {
 public:
  using Json = nlohmann::json;

  explicit DocumentBuilder(std::string_view place) : place_(place) {}
  Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const Json::string_t&) { return add(value); }
  bool string(Json::string_t& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& value) { return add(std::move(value)); }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(Json::string_t& name) {
    const auto [entry, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!is_new) {
      throw Error(std::string(place_), fmt::format("the key \"{}\" is given twice", name),
                  "Remove one of the two");
    }
    member_ = &entry->second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) {
    // Codes 1xx are about syntax; a number that no double can hold is 406.
    if (error.id < 200) {
      throw Error(fmt::format("{}, byte {}", place_, byte), "this is not JSON",
                  "The file may be damaged or of another kind");
    }
    throw Error(fmt::format("{}, byte {}", place_, byte),
                "this number is outside the range of a double");
  }

 private:
  static constexpr std::size_t deepest = 32;

  template <typename Value>
  Json& place_value(Value&& value) {
    if (open_.empty()) return root_ = std::forward<Value>(value);
    if (!open_.back()->is_array()) return *member_ = std::forward<Value>(value);
    return open_.back()->get_ref<Json::array_t&>().emplace_back(std::forward<Value>(value));
  }
  template <typename Value>
  bool add(Value&& value) {
    place_value(std::forward<Value>(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() == deepest) {
      throw Error(std::string(place_), "it is nested too deeply");
    }
    // A container stays where it is while it is open: its parent gets no other entry meanwhile.
    open_.push_back(&place_value(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view place_;
  Json root_;
  std::vector<Json*> open_;
  Json* member_ = nullptr;  // the value of the key read last
};

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view place) {
  refuse_utf16(text, place);
  DocumentBuilder builder(place);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &builder);
  return builder.take();
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
