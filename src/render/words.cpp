#include "render/words.hpp"

#include "base/digits.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>

namespace boxwood {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// The part of Unicode's width table that labels need: combining marks, and the scripts and symbols
// that terminals draw two cells wide.
constexpr std::array<CodeRange, 6> combining = {{{0x0300, 0x036F},
                                                 {0x0483, 0x0489},
                                                 {0x0591, 0x05BD},
                                                 {0x200B, 0x200F},
                                                 {0x20D0, 0x20FF},
                                                 {0xFE00, 0xFE0F}}};
constexpr std::array<CodeRange, 9> wide = {{{0x1100, 0x115F},
                                            {0x2E80, 0x303E},
                                            {0x3041, 0xA4CF},
                                            {0xAC00, 0xD7A3},
                                            {0xF900, 0xFAFF},
                                            {0xFE30, 0xFE6F},
                                            {0xFF00, 0xFF60},
                                            {0x1F300, 0x1FAFF},
                                            {0x20000, 0x3FFFD}}};

template <std::size_t count>
bool within(char32_t code, const std::array<CodeRange, count>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](CodeRange range) { return code >= range.first && code <= range.last; });
}

}  // namespace

std::string with_thousands(std::string digits) {
  const std::size_t start = !digits.empty() && digits.front() == '-' ? 1 : 0;
  const std::size_t end = std::min(digits.find('.'), digits.size());
  if (digits.find_first_not_of("0123456789.", start) != std::string::npos) return digits;
  for (std::size_t at = end; at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ' ');
  }
  return digits;
}

double with_digits(double value, int digits) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  double rounded = value;
  from_digits(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::string grouped_number(double value, Precision precision) {
  if (value == 0) value = 0;  // no "-0"
  // Whole numbers keep all their digits even if the shortest text has an exponent, such as 1e+16.
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    return with_thousands(fmt::format("{:.0f}", value));
  }
  const std::string shortest =
      precision == Precision::float32 ? number_text(static_cast<float>(value)) : number_text(value);
  const std::size_t exponent = shortest.find("e-0");
  if (exponent == std::string::npos || std::abs(value) < 1e-9) return with_thousands(shortest);
  // 0.0000012 instead of 1.2e-06, with the same digits.
  const std::size_t point = std::min(shortest.find('.'), exponent);
  const auto digits = static_cast<int>(exponent - std::min(exponent, point + 1)) +
                      std::stoi(shortest.substr(exponent + 2));
  return fmt::format("{:.{}f}", value, digits);
}

std::string grouped_count(std::uint64_t value) { return with_thousands(std::to_string(value)); }

std::string probability_text(double value, double other) {
  constexpr int most = 9;
  const auto alike = [&](double mark, int digits) {
    return value != mark &&
           fmt::format("{:.{}f}", value, digits) == fmt::format("{:.{}f}", mark, digits);
  };
  int digits = 2;
  while (digits < most && (alike(other, digits) || alike(0, digits) || alike(1, digits))) ++digits;
  return alike(0, digits) ? fmt::format("{:.1g}", value) : fmt::format("{:.{}f}", value, digits);
}

std::string duration_text(double seconds) {
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string cost_text(double cost) { return fmt::format("{:.4g}", cost); }

std::string bound_text(double bound) {
  double rounded = with_digits(bound, 4);
  if (rounded > bound) {
    const double place = std::pow(10, std::floor(std::log10(bound)) - 3);
    rounded = with_digits(rounded - place, 4);
  }
  return cost_text(rounded);
}

bool is_useful_bound(double bound, double best_cost) {
  return bound > 0 && !(std::isfinite(best_cost) && bound < 1e-6 * best_cost);
}

std::string title_of(const FeatureSchema& feature) {
  return visible(feature.title.empty() ? feature.name : feature.title);
}

std::string class_words(const Ensemble& ensemble, std::size_t index) {
  return visible(ensemble.class_name(index));
}

std::string outcome_words(const Schema& schema) { return visible(schema.outcome); }

namespace {

std::string listed(const std::vector<std::string>& words, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::string and_list(const std::vector<std::string>& words) { return listed(words, " and "); }
std::string or_list(const std::vector<std::string>& words) { return listed(words, " or "); }

std::string capital(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
    }
    width += within(code, combining) ? 0 : within(code, wide) ? 2 : 1;
    i += length;
  }
  return width;
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    const std::size_t cells = display_width(word);
    if (used > 0 && used + 1 + cells > width) {
      lines += "\n";
      lines += indent;
      used = display_width(indent) + cells;
    } else {
      if (used > 0) lines += " ";
      used += (used > 0 ? 1 : 0) + cells;
    }
    lines += word;
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
  }
  return lines;
}

}  // namespace boxwood
