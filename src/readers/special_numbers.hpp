// XGBoost's JSON writer prints NaN, Infinity and -Infinity bare, which JSON does not have.
// They are replaced by strings of the same length, so that byte positions in errors stay true.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace boxwood::readers {

/// The text with bare words replaced, or nothing when there are none to replace.
std::optional<std::string> without_special_numbers(std::string_view text);

/// The number that a replacement stands for.
std::optional<float> special_number(std::string_view replacement);

}  // namespace boxwood::readers
