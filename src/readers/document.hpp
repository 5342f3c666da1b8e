// JSON and UBJSON as a compact tree of values; safe for untrusted files.
// Arrays of numbers stay flat; parts that are not needed are checked but not kept. Depth, element
// counts and memory are bounded by the number of input bytes, whatever counts the file declares.
// Model readers (xgboost.cpp) walk the result through fields.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace boxwood::readers {

struct Value;
struct Member;
using Array = std::vector<Value>;
/// In file order; no two keys are equal.
using Object = std::vector<Member>;
using Integers = std::vector<std::int32_t>;  ///< whole numbers and booleans
using Floats = std::vector<float>;  ///< at least one entry has a fraction or is beyond 32 bits

/// Single numbers are floats unless written as integers.
struct Value {
  std::variant<std::monostate, bool, std::int64_t, float, std::string, Integers, Floats, Array,
               Object>
      content;
};

struct Member {
  std::string key;
  Value value;
};

enum class Encoding : std::uint8_t { json, ubjson };

struct DocumentLimits {
  std::size_t depth = 32;
  /// Values other than entries of number arrays: these, and one more for every 24 bytes.
  std::size_t values = 4'000'000;
};

/// The type that the value of a key must have. Boxwood refuses the types that the library refuses.
enum class Shape : std::uint8_t {
  any,
  text,
  whole,       ///< a whole number
  wholes,      ///< an array of whole numbers
  flags,       ///< an array of whole numbers or booleans
  reals,       ///< an array of numbers that have a fraction or an exponent
  parameters,  ///< an object of texts
};

/// What is done with the value of a key. Values that are not kept are checked too.
struct KeyRule {
  bool keep = true;
  Shape shape = Shape::any;
};
using KeyRules = std::function<KeyRule(std::string_view key)>;

/// Numbers with a fraction are read as float32 straight from their digits. JSON may hold the bare
/// words NaN, Infinity and -Infinity, which XGBoost writes. Throws Error: "PLACE: byte 17: ..." for
/// syntax, "PLACE: learner.trees: ..." for limits.
Value load_document(std::string_view bytes, std::string_view place, Encoding encoding,
                    const KeyRules& rules, const DocumentLimits& limits = {});

/// The keys of the outermost object up to and including the first for which `stop` says true.
/// Reads no further, so that it costs little on a large file.
std::vector<std::string> outer_keys(std::string_view bytes, Encoding encoding,
                                    const std::function<bool(std::string_view)>& stop);

/// A piece of the file for a message: quoted, shortened, without control characters.
std::string in_quotes(std::string_view text);

}  // namespace boxwood::readers
