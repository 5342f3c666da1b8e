#include "base/digits.hpp"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#if __has_include(<xlocale.h>)  // macOS, BSD
#include <xlocale.h>
#endif

namespace boxwood {
namespace {

#ifdef _WIN32
_locale_t plain_locale() {
  static const _locale_t plain = _create_locale(LC_ALL, "C");
  return plain;
}
#else
locale_t plain_locale() {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  return plain;
}
#endif

template <typename Number>
Number convert(const char* text, char** stop) {
#ifdef _WIN32
  if constexpr (std::is_same_v<Number, float>)
    return _strtof_l(text, stop, plain_locale());
  else
    return _strtod_l(text, stop, plain_locale());
#else
  if constexpr (std::is_same_v<Number, float>)
    return strtof_l(text, stop, plain_locale());
  else
    return strtod_l(text, stop, plain_locale());
#endif
}

template <typename Number>
std::from_chars_result parse(const char* begin, const char* end, Number& number) {
  const std::from_chars_result none{begin, std::errc::invalid_argument};
  const char* first = begin != end && *begin == '-' ? begin + 1 : begin;
  // strtod also accepts leading spaces, a plus sign and hexadecimal digits.
  if (first == end || std::string_view(" \t\n\v\f\r+-").find(*first) != std::string_view::npos) {
    return none;
  }
  std::string text(begin, end);
  text.resize(std::min(text.size(), text.find_first_of("xX")));
  char* stop = nullptr;
  const int before = errno;
  errno = 0;
  const Number value = convert<Number>(text.c_str(), &stop);
  const bool beyond = errno == ERANGE;
  errno = before;
  if (stop == text.c_str()) return none;
  const char* last = begin + (stop - text.c_str());
  // strtod also sets ERANGE for subnormal numbers, which are valid.
  if (beyond && (std::isinf(value) || value == 0)) return {last, std::errc::result_out_of_range};
  number = value;
  return {last, std::errc{}};
}

}  // namespace

std::from_chars_result from_digits_by_strtod(const char* begin, const char* end, float& number) {
  return parse(begin, end, number);
}

std::from_chars_result from_digits_by_strtod(const char* begin, const char* end, double& number) {
  return parse(begin, end, number);
}

}  // namespace boxwood
