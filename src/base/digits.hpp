// Numbers from text by std::from_chars, whatever the locale, and the same where the standard
// library has it for whole numbers alone, as libc++ and so macOS had for long.
#pragma once

#include <charconv>
#include <concepts>

namespace boxwood {

/// What std::from_chars would do, by strtof and strtod in the locale "C".
std::from_chars_result from_digits_by_strtod(const char* begin, const char* end, float& number);
std::from_chars_result from_digits_by_strtod(const char* begin, const char* end, double& number);

template <typename Number>
std::from_chars_result from_digits(const char* begin, const char* end, Number& number) {
#if !defined(__cpp_lib_to_chars)
  if constexpr (std::floating_point<Number>)
    return from_digits_by_strtod(begin, end, number);
  else
#endif
    return std::from_chars(begin, end, number);
}

}  // namespace boxwood
