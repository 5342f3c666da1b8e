// Parses numbers independently of the locale, with std::from_chars. Older versions of libc++
// (macOS) have std::from_chars only for integers; there strtod with the locale "C" is used.
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
