#include "base/text.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace boxwood {
namespace {

/// Insertions, deletions, replacements, and swaps of two neighbours; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      next[j] = std::min({replaced, row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

struct Decoded {
  char32_t code = 0;
  std::size_t length = 0;  ///< 0 where the bytes are not UTF-8
};

/// The character at the start of a text that is not empty.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

/// A terminal obeys it, or it changes the order in which other text is shown.
bool is_hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string escape_of(char32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x20 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                         : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = decode(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string visible(std::string_view text, std::string_view keep) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = decode(text);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_hidden(code) && keep.find(text.substr(0, length)) == std::string_view::npos) {
      shown += escape_of(code);
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string cut_middle(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto starts_character = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80;
  };
  std::size_t first = most * 2 / 3;
  std::size_t last = text.size() - most / 3;
  while (first > 0 && !starts_character(first)) --first;
  while (last < text.size() && !starts_character(last)) ++last;
  return fmt::format("{} … {} bytes … {}", text.substr(0, first), last - first, text.substr(last));
}

std::string number_text(double value) { return fmt::format("{}", value); }
std::string number_text(float value) { return fmt::format("{}", value); }

void refuse_utf16(std::string_view text, std::string_view place) {
  using namespace std::string_view_literals;
  // Without a mark, every other byte of English text is zero.
  const auto zero = [&](std::size_t i) { return text[i] == '\0'; };
  const bool unmarked = text.size() >= 4 && zero(0) != zero(1) && zero(0) == zero(2) &&
                        zero(1) == zero(3) &&
                        std::isprint(static_cast<unsigned char>(zero(0) ? text[1] : text[0])) != 0;
  const bool wide = text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv);
  if (!wide && !unmarked && !text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF")) return;
  throw Error(std::string(place), fmt::format("this text is UTF-{}", wide ? 32 : 16),
              "Save it as UTF-8");
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> names) {
  constexpr std::size_t longest =
      64;  // edit distance is quadratic: limits the time for hostile names
  if (wrong.size() > longest) return {};
  // A third of the letters may be wrong, and one of two: "foo" is not near "job".
  std::size_t best = std::min(wrong.size(), std::max<std::size_t>(1, (wrong.size() + 1) / 3) + 1);
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    if (name.size() > longest) continue;
    const std::size_t d = edit_distance(wrong, name);
    if (d < best) {
      best = d;
      nearest = &name;
    }
  }
  return nearest ? fmt::format("Did you mean \"{}\"?", *nearest) : std::string{};
}

}  // namespace boxwood
