// XGBoost's JSON writer writes NaN, Infinity and -Infinity without quotes, which is not valid JSON.
// They are replaced by strings of the same length, so that byte positions in errors stay correct.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace boxwood::readers {

/// The text with bare words replaced, or nothing when there are none to replace.
std::optional<std::string> without_special_numbers(std::string_view text);

/// The number that a replacement string stands for.
std::optional<float> special_number(std::string_view replacement);

}  // namespace boxwood::readers
