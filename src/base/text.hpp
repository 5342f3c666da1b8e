// Small text helpers: numbers as short as they can be read back, similar names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// The shortest decimal that reads back as the same double.
std::string number_text(double value);
/// The shortest decimal that reads back as the same float32.
std::string number_text(float value);

/// `Did you mean "sex"?`, or nothing when no name is near.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> names);

}  // namespace boxwood
