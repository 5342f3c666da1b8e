#include "readers/special_numbers.hpp"

#include <array>
#include <limits>

namespace boxwood::readers {
namespace {

struct Word {
  std::string_view bare;
  std::string_view replacement;  // of the same length, quotes included
  float number;
};

// DEL is legal within a JSON string and does not occur in names.
constexpr std::array words{
    Word{"NaN", "\"\x7F\"", std::numeric_limits<float>::quiet_NaN()},
    Word{"-Infinity", "\"\x7F-Infin\"", -std::numeric_limits<float>::infinity()},
    Word{"Infinity", "\"\x7FInfin\"", std::numeric_limits<float>::infinity()},
};
static_assert(words[0].bare.size() == words[0].replacement.size());
static_assert(words[1].bare.size() == words[1].replacement.size());
static_assert(words[2].bare.size() == words[2].replacement.size());

}  // namespace

std::optional<std::string> without_special_numbers(std::string_view text) {
  if (text.find("NaN") == std::string_view::npos &&
      text.find("Infinity") == std::string_view::npos) {
    return std::nullopt;
  }
  std::string changed(text);
  bool within_string = false;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const char c = changed[i];
    if (within_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        within_string = false;
      }
      continue;
    }
    if (c == '"') within_string = true;
    if (c != 'N' && c != 'I' && c != '-') continue;
    for (const Word& word : words) {
      if (text.substr(i, word.bare.size()) != word.bare) continue;
      changed.replace(i, word.bare.size(), word.replacement);
      i += word.bare.size() - 1;
      break;
    }
  }
  return changed;
}

std::optional<float> special_number(std::string_view replacement) {
  for (const Word& word : words) {
    if (replacement == word.replacement.substr(1, word.replacement.size() - 2)) return word.number;
  }
  return std::nullopt;
}

}  // namespace boxwood::readers
