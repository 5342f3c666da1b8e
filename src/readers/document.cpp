#include "readers/document.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "readers/special_numbers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace boxwood::readers {
namespace {

using Json = nlohmann::json;

constexpr auto unknown_length = static_cast<std::size_t>(-1);

Json::input_format_t format_of(Encoding encoding) {
  return encoding == Encoding::json ? Json::input_format_t::json : Json::input_format_t::ubjson;
}

/// Shortens a message of nlohmann: removes error code, line number and long quoted tokens.
std::string plain_reason(std::string_view text) {
  if (text.find("number overflow") != std::string_view::npos) {
    return "this number is outside the range of a double";
  }
  constexpr std::string_view lead = "syntax error while parsing ";
  if (const auto at = text.find(lead); at != std::string_view::npos) {
    text.remove_prefix(at + lead.size());
    const auto colon = std::min(text.find(" - "), text.find(": "));
    if (colon != std::string_view::npos) text.remove_prefix(text.find(' ', colon + 1) + 1);
  } else if (const auto code = text.find("] "); code != std::string_view::npos) {
    text.remove_prefix(code + 2);
  }
  constexpr std::size_t longest = 160;
  std::string reason = "not well formed: " + std::string(text.substr(0, longest));
  if (text.size() > longest) reason += "...";
  for (char& c : reason) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  return reason;
}

/// The float32 nearest to a decimal number. `value` is the same number as read by nlohmann; it is
/// used only to distinguish overflow from underflow.
float float_from_digits(const std::string& digits, double value) {
  std::string text = digits;
  // The token contains the decimal point of the program's locale.
  for (char& c : text) {
    const bool expected = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e' || c == 'E';
    if (!expected) c = '.';
  }
  float number = 0;
  const auto [end, status] = from_digits(text.data(), text.data() + text.size(), number);
  if (status == std::errc::result_out_of_range) {
    return std::fabs(value) < 1
               ? std::copysign(0.0F, static_cast<float>(value))
               : std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value));
  }
  return number;
}

float float_from_double(double value) {
  if (std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max()) &&
      std::isfinite(value)) {
    return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F);
  }
  return static_cast<float>(value);
}

/// Builds the tree of values from nlohmann's events. Between events the innermost open container is
/// `open_.back()`; in a skipped part only `skipping_` (its depth) and the counts change.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::size_t bytes, std::string_view place, const KeyRules& rules,
          const DocumentLimits& limits, bool special_numbers)
      : place_(place),
        rules_(rules),
        depth_limit_(limits.depth),
        // Every value of a valid file takes at least one byte.
        element_budget_(bytes),
        value_budget_(limits.values + bytes / 24),
        special_numbers_(special_numbers) {}

  Value take() { return std::move(root_); }

  bool null() override {
    check(Event::null);
    return add(Value{});
  }
  bool boolean(bool value) override {
    check(Event::boolean);
    if (add_to_numbers(std::int64_t{value})) return true;
    return add(Value{value});
  }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return integer(static_cast<std::int64_t>(value));
    }
    check(Event::whole);
    return number(static_cast<float>(value));
  }
  bool number_float(number_float_t value, const string_t& digits) override {
    check(Event::real);
    return number(digits.empty() ? float_from_double(value) : float_from_digits(digits, value));
  }
  bool string(string_t& text) override {
    if (special_numbers_) {
      if (const auto special = special_number(text)) {
        check(Event::real);
        return number(*special);
      }
    }
    check(Event::text);
    return add(Value{std::move(text)});
  }
  bool binary(binary_t& /*bytes*/) override { fail("unexpected binary value"); }

  bool start_object(std::size_t length) override {
    check(Event::object);
    return open(Value{Object{}}, length);
  }
  bool start_array(std::size_t length) override {
    check(Event::array);
    return open(Value{Array{}}, length);
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (skipping_ != 0) return true;
    Frame& frame = open_.back();
    const KeyRule rule = rules_(name);
    wanted_ = frame.free ? Shape::any : frame.parameters ? Shape::text : rule.shape;
    if (!rule.keep) {
      frame.skip_next = true;
      skipped_key_ = name;
      return true;
    }
    spend_value();
    auto& object = std::get<Object>(frame.value.content);
    object.push_back({std::move(name), Value{}});
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& problem) override {
    throw Error(fmt::format("{}: byte {}", place_, position), plain_reason(problem.what()),
                "The file is damaged or truncated; save the model again");
  }

 private:
  struct Frame {
    Value value;
    std::size_t length = 0;   // of an array, where the file says it beforehand
    bool skip_next = false;   // the key before the coming value is not kept
    bool free = false;        // "attributes", whose keys are the user's
    bool parameters = false;  // Shape::parameters
  };
  enum class Event : std::uint8_t { null, boolean, whole, real, text, array, object };

  /// Compares the coming value with the shape of its key or of the array around it.
  void check(Event event) {
    if (entries_ != Shape::any) {
      const bool whole =
          event == Event::whole || (event == Event::boolean && entries_ == Shape::flags);
      if (entries_ == Shape::reals ? event != Event::real : !whole) fail_shape(entries_);
      return;
    }
    const Shape wanted = std::exchange(wanted_, Shape::any);
    if (wanted == Shape::any) return;
    Event only = Event::array;
    if (wanted == Shape::text) only = Event::text;
    if (wanted == Shape::whole) only = Event::whole;
    if (wanted == Shape::parameters) only = Event::object;
    if (event != only) fail_shape(wanted);
    if (wanted == Shape::parameters) opens_parameters_ = true;
    if (event == Event::array) entries_ = wanted;
  }
  [[noreturn]] void fail_shape(Shape wanted) const {
    constexpr std::array names{"anything",
                               "a string",
                               "a whole number",
                               "an array of whole numbers",
                               "an array of whole numbers or booleans",
                               "an array of numbers with a fraction or an exponent",
                               "an object whose values are strings"};
    fail(fmt::format("expected {}", names[static_cast<std::size_t>(wanted)]));
  }

  bool integer(std::int64_t value) {
    check(Event::whole);
    if (add_to_numbers(value)) return true;
    return add(Value{value});
  }
  bool number(float value) {
    if (add_to_numbers(value)) return true;
    return add(Value{value});
  }

  void spend_element() {
    if (element_budget_ == 0) fail("it declares more values than the file has bytes");
    --element_budget_;
  }
  void spend_value() {
    if (value_budget_ == 0) fail("too many separate values for a file of this size");
    --value_budget_;
  }

  /// Whether the next value is skipped. Resets the flag that the key of the value has set.
  bool skipped() {
    if (skipping_ != 0) return true;
    if (open_.empty() || !open_.back().skip_next) return false;
    open_.back().skip_next = false;
    return true;
  }

  /// Entries of number arrays: true if the number has been stored.
  template <typename Number>
  bool add_to_numbers(Number value) {
    if (skipping_ != 0 || open_.empty() || open_.back().skip_next) return false;
    auto& content = open_.back().value.content;
    constexpr bool whole = std::is_same_v<Number, std::int64_t>;
    if (auto* array = std::get_if<Array>(&content)) {
      if (!array->empty()) return false;
      content = Integers{};
    }
    if (auto* integers = std::get_if<Integers>(&content)) {
      spend_element();
      if constexpr (whole) {
        if (std::in_range<std::int32_t>(value)) {
          // Only the innermost open array holds numbers, so at most one declared length allocates
          // memory at a time, and none exceeds the number of bytes.
          if (integers->empty()) integers->reserve(open_.back().length);
          integers->push_back(static_cast<std::int32_t>(value));
          return true;
        }
      }
      Floats floats;
      floats.reserve(std::max(integers->size() + 1, open_.back().length));
      for (const std::int32_t entry : *integers) floats.push_back(static_cast<float>(entry));
      floats.push_back(static_cast<float>(value));
      content = std::move(floats);
      return true;
    }
    if (auto* floats = std::get_if<Floats>(&content)) {
      spend_element();
      floats->push_back(static_cast<float>(value));
      return true;
    }
    return false;
  }

  bool add(Value value) {
    spend_element();
    if (skipped()) return true;
    spend_value();
    place_value(std::move(value));
    return true;
  }

  void place_value(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    auto& content = open_.back().value.content;
    if (auto* object = std::get_if<Object>(&content)) {
      object->back().value = std::move(value);
    } else if (auto* array = std::get_if<Array>(&content)) {
      array->push_back(std::move(value));
    } else {
      fail("an array mixes numbers with other values");
    }
  }

  bool open(Value value, std::size_t length) {
    spend_element();
    if (++depth_ > depth_limit_) {
      fail(fmt::format("nested deeper than {} levels; no model file is", depth_limit_));
    }
    if (length != unknown_length && length > element_budget_) {
      fail(fmt::format("it declares {} entries, more than the file has bytes", length));
    }
    if (skipped()) {
      ++skipping_;
      return true;
    }
    spend_value();
    const bool object = std::holds_alternative<Object>(value.content);
    const bool free = object && !open_.empty() && newest_key() == "attributes";
    open_.push_back({std::move(value), length == unknown_length ? 0 : length, false, free,
                     std::exchange(opens_parameters_, false)});
    return true;
  }

  std::string_view newest_key() const {
    const auto* object = std::get_if<Object>(&open_.back().value.content);
    return object && !object->empty() ? std::string_view(object->back().key) : std::string_view();
  }

  bool close() {
    --depth_;
    entries_ = Shape::any;
    if (skipping_ != 0) {
      --skipping_;
      return true;
    }
    Value value = std::move(open_.back().value);
    if (auto* object = std::get_if<Object>(&value.content)) refuse_equal_keys(*object);
    open_.pop_back();
    place_value(std::move(value));
    return true;
  }

  /// The keys are sorted, so that the time is linear in the bytes up to a logarithm, however many
  /// keys an object has. Duplicate keys are refused: parsers use the last of them, and the author
  /// of the file may have meant the first.
  void refuse_equal_keys(const Object& object) {
    if (object.size() < 2) return;
    keys_.clear();
    for (const Member& member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice == keys_.end()) return;
    throw Error(std::string(place_), fmt::format("the key {} is given twice", in_quotes(*twice)),
                "Remove one of the two, or save the model again");
  }

  std::string path() const {
    std::string text;
    for (const Frame& frame : open_) {
      if (const auto* object = std::get_if<Object>(&frame.value.content)) {
        const bool skips = &frame == &open_.back() && (skipping_ != 0 || frame.skip_next);
        if (object->empty() && !skips) break;
        if (!text.empty()) text += '.';
        const std::string& name = skips ? skipped_key_ : object->back().key;
        text += name.size() <= 64 ? name : name.substr(0, 64) + "...";
      } else {
        const std::size_t index = std::visit(
            [](const auto& content) -> std::size_t {
              if constexpr (requires { content.size(); }) return content.size();
              return 0;
            },
            frame.value.content);
        text += fmt::format("[{}]", index);
      }
    }
    return text;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    const std::string where = path();
    throw Error(where.empty() ? std::string(place_) : fmt::format("{}: {}", place_, where), reason);
  }

  std::string_view place_;
  const KeyRules& rules_;
  std::size_t depth_limit_;
  std::size_t element_budget_;
  std::size_t value_budget_;
  bool special_numbers_;
  Shape wanted_ = Shape::any;   // of the coming value
  Shape entries_ = Shape::any;  // of the innermost array
  bool opens_parameters_ = false;
  std::string skipped_key_;
  std::size_t depth_ = 0;
  std::size_t skipping_ = 0;  // open containers within a part that is not kept
  std::vector<Frame> open_;
  std::vector<std::string_view> keys_;  // of the object that is being closed
  Value root_;
};

/// Collects the keys of the outermost object and stops the parser at the first decisive one.
class KeyListener final : public nlohmann::json_sax<Json> {
 public:
  explicit KeyListener(const std::function<bool(std::string_view)>& stop) : stop_(stop) {}
  std::vector<std::string> keys;

  bool null() override { return go_on(); }
  bool boolean(bool) override { return go_on(); }
  bool number_integer(number_integer_t) override { return go_on(); }
  bool number_unsigned(number_unsigned_t) override { return go_on(); }
  bool number_float(number_float_t, const string_t&) override { return go_on(); }
  bool string(string_t&) override { return go_on(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return ++depth_ <= depth_limit && go_on(); }
  bool start_array(std::size_t) override { return ++depth_ <= depth_limit && go_on(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    if (keys.size() == 64) return false;
    keys.push_back(name);
    return !stop_(name);
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr std::size_t depth_limit = 32;

  bool leave() {
    --depth_;
    return true;
  }
  // Typed containers make events without reading bytes.
  bool go_on() { return ++events_ < 1'000'000; }

  const std::function<bool(std::string_view)>& stop_;
  std::size_t depth_ = 0;
  std::size_t events_ = 0;
};

}  // namespace

Value load_document(std::string_view bytes, std::string_view place, Encoding encoding,
                    const KeyRules& rules, const DocumentLimits& limits) {
  std::optional<std::string> changed;
  if (encoding == Encoding::json) changed = without_special_numbers(bytes);
  const std::string_view text = changed ? std::string_view(*changed) : bytes;
  Builder builder(bytes.size(), place, rules, limits, changed.has_value());
  Json::sax_parse(text.data(), text.data() + text.size(), &builder, format_of(encoding));
  return builder.take();
}

std::vector<std::string> outer_keys(std::string_view bytes, Encoding encoding,
                                    const std::function<bool(std::string_view)>& stop) {
  KeyListener listener(stop);
  Json::sax_parse(bytes.data(), bytes.data() + bytes.size(), &listener, format_of(encoding));
  return listener.keys;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string shown = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) {
      shown += '?';
    } else {
      shown += c;
    }
  }
  return shown + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace boxwood::readers
