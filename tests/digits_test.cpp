// Numbers from text where the standard library has no std::from_chars for floats: the same numbers,
// the same ends, the same refusals. Compared where there is one, with nothing to compare elsewhere.
#include "base/digits.hpp"

#include "seeds.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#ifdef __cpp_lib_to_chars
namespace digits_test {

using namespace boxwood;

template <typename Number>
void expect_as_from_chars(const std::string& text) {
  SCOPED_TRACE(testing::Message() << "text \"" << text << "\" as " << sizeof(Number) << " bytes");
  Number wanted = 7, got = 7;
  const char *begin = text.data(), *end = begin + text.size();
  const std::from_chars_result truth = std::from_chars(begin, end, wanted);
  const std::from_chars_result result = from_digits_by_strtod(begin, end, got);
  EXPECT_EQ(result.ec, truth.ec);
  EXPECT_EQ(result.ptr - begin, truth.ptr - begin);
  if (wanted != wanted) {
    EXPECT_NE(got, got);
  } else {
    EXPECT_EQ(got, wanted);
    EXPECT_EQ(std::signbit(got), std::signbit(wanted));
  }
}

void expect_as_from_chars(const std::string& text) {
  expect_as_from_chars<double>(text);
  expect_as_from_chars<float>(text);
}

TEST(Digits, CornersAreThoseOfFromChars) {
  for (const char* text : {"",
                           "-",
                           "+1",
                           " 1",
                           "-+1",
                           "- 1",
                           "--1",
                           ".",
                           ".5",
                           "5.",
                           "-.5e1",
                           "1e",
                           "1e+",
                           "1e5x",
                           "0x10",
                           "-0x10",
                           "0X1p3",
                           "0",
                           "-0",
                           "1,5",
                           "1.5,",
                           "inf",
                           "-INF",
                           "infinity",
                           "infinit",
                           "nan",
                           "-NaN",
                           "nano",
                           "n",
                           "e5",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "-1e-400",
                           "1e39",
                           "1e-46",
                           "4.9e-324",
                           "1e-310",
                           "1e-40",
                           "1.17549435e-38",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "3.4028235e38",
                           "3.4028236e38",
                           "9007199254740993",
                           "0.1",
                           "16777217",
                           "1e23"}) {
    expect_as_from_chars(text);
  }
  expect_as_from_chars(std::string("1\0002", 3));
}

TEST(Digits, RandomTextsAreReadAlike) {
  std::mt19937_64 random(test_seed());
  const std::string letters = "0123456789.eE+-xXinfa ";
  for (int i = 0; i < test_cases(3000); ++i) {
    std::string text;
    for (std::size_t length = random() % 12; text.size() < length;) {
      text += letters[random() % letters.size()];
    }
    expect_as_from_chars(text);
    const auto number = std::bit_cast<double>(random());
    char written[64];
    const char* formats[] = {"%.17g", "%.9g", "%.25e", "%.3f"};
    if (std::abs(number) < 1e40) {
      std::snprintf(written, sizeof written, formats[random() % 3], number);
      expect_as_from_chars(written);
    }
    std::snprintf(written, sizeof written, formats[random() % 4],
                  static_cast<double>(static_cast<std::int64_t>(random())) / 1e12);
    expect_as_from_chars(written);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace digits_test
#endif
