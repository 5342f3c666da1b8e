#include "query/text_tokens.hpp"

#include <boxwood/error.hpp>

#include "base/digits.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace boxwood::text {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 18;  // tokens take a hundred bytes each
constexpr std::size_t shown_around = 60;                    // columns of a line, left and right
constexpr std::size_t longest_reason = 400;

/// One UTF-8 character as a terminal shows it, or a byte that is none.
struct Glyph {
  std::size_t size = 1;  ///< bytes
  std::size_t width = 1;
};

std::size_t width_of(char32_t point) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array marks{Range{0x300, 0x36F}, Range{0x200B, 0x200F}, Range{0xFE00, 0xFE0F}};
  constexpr std::array wide{Range{0x1100, 0x115F},   Range{0x2E80, 0xA4CF},  Range{0xAC00, 0xD7A3},
                            Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},  Range{0xFF00, 0xFF60},
                            Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD}};
  const auto holds = [&](const Range& range) {
    return point >= range.first && point <= range.last;
  };
  if (std::any_of(marks.begin(), marks.end(), holds)) return 0;
  return std::any_of(wide.begin(), wide.end(), holds) ? 2 : 1;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

Glyph glyph_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {};
  const std::size_t size = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead >= 0xF5 || text.size() < size) return {};
  char32_t point = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return {};
    point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  // Overlong forms and halves of pairs are bytes by themselves.
  const bool sound = !(size == 3 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) &&
                     !(size == 4 && (point < 0x10000 || point > 0x10FFFF));
  return {sound ? size : 1, width_of(point)};
}

void show(std::string_view text, std::string& shown, std::string& padding) {
  while (!text.empty()) {
    const Glyph glyph = glyph_at(text);
    const std::string_view piece = text.substr(0, glyph.size);
    const bool blank = piece == "\t" || piece == "\r";
    const std::string written = blank ? " " : visible(piece);
    shown += written;
    padding.append(written == piece ? glyph.width : written.size(), ' ');
    text.remove_prefix(glyph.size);
  }
}

/// The beginning of an untrusted text, made safe for a terminal.
std::string plain(std::string_view text, std::size_t longest) {
  std::size_t size = 0;
  for (std::size_t n = 0; size < text.size() && n < longest; ++n) {
    size += glyph_at(text.substr(size)).size;
  }
  std::string shown, unused;
  show(text.substr(0, size), shown, unused);
  return size < text.size() ? shown + "…" : shown;
}

std::size_t count_glyphs(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(glyph_at(text).size);
  return count;
}

struct Line {
  std::size_t number = 1, begin = 0, end = 0;
};

Line line_at(std::string_view text, std::size_t at) {
  Line line;
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] != '\n') continue;
    ++line.number;
    line.begin = i + 1;
  }
  line.end = std::min(text.find('\n', at), text.size());
  return line;
}

std::string place_of(const Source& source, const Line& line) {
  const bool one_line = source.text.find('\n') == std::string_view::npos;
  return one_line ? std::string(source.place)
                  : fmt::format("{}, line {}", source.place, line.number);
}

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::string_view signs = ",;()[]{}<>=!+*%:\"#\n";
struct Spelling {
  std::string_view written, meant;
};
// Longer ones first.
constexpr std::array spellings{Spelling{"<=", "<="}, Spelling{">=", ">="}, Spelling{"!=", "!="},
                               Spelling{"==", "="},  Spelling{"..", ".."}, Spelling{"≤", "<="},
                               Spelling{"≥", ">="},  Spelling{"≠", "!="},  Spelling{"−", "-"}};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    add(TokenKind::stop, 0);
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (blanks.find(c) != std::string_view::npos) {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\n' || c == ';') {
      add(TokenKind::stop, 1);
    } else if (c == '"') {
      quoted();
    } else if (!symbol()) {
      word();
    }
  }

  void add(TokenKind kind, std::size_t size, std::string text = {}, double number = 0) {
    tokens_.push_back({kind, std::move(text), number, at_, at_ + size});
    at_ += size;
  }

  /// A quote within quotes is doubled.
  void quoted() {
    std::string inside;
    std::size_t i = at_ + 1;
    for (;; ++i) {
      if (i >= text_.size() || text_[i] == '\n') {
        fail_at(source_, at_, "the closing quote is missing");
      }
      if (text_[i] == '"' && !text_.substr(i + 1).starts_with('"')) break;
      if (text_[i] == '"') ++i;
      inside += text_[i];
    }
    add(TokenKind::quoted, i + 1 - at_, std::move(inside));
  }

  bool symbol() {
    const std::string_view rest = text_.substr(at_);
    for (const auto& [written, meant] : spellings) {
      if (!rest.starts_with(written)) continue;
      add(TokenKind::symbol, written.size(), std::string(meant));
      return true;
    }
    if (signs.find(rest.front()) == std::string_view::npos && rest.front() != '-') return false;
    add(TokenKind::symbol, 1, std::string(1, rest.front()));
    return true;
  }

  /// A word continues until a blank or a symbol; a minus inside it belongs to it: capital-gain.
  bool goes_on(std::size_t i) const {
    if (i >= text_.size()) return false;
    const char c = text_[i];
    if (blanks.find(c) != std::string_view::npos || signs.find(c) != std::string_view::npos) {
      return false;
    }
    if (c == '-') return i + 1 < text_.size() && text_[i + 1] != '-' && goes_on(i + 1);
    const std::string_view rest = text_.substr(i);
    return std::none_of(spellings.begin(), spellings.end(),
                        [&](const Spelling& one) { return rest.starts_with(one.written); });
  }

  void word() {
    std::size_t end = at_ + 1;
    while (goes_on(end)) ++end;
    // The plus of an exponent: 1e+30.
    const bool at_exponent = end + 1 < text_.size() && text_[end] == '+' &&
                             (text_[end - 1] == 'e' || text_[end - 1] == 'E') &&
                             is_digit(text_[end + 1]);
    if (at_exponent && is_number(text_.substr(at_, end - 1 - at_))) {
      ++end;
      while (goes_on(end)) ++end;
    }
    const std::string_view written = text_.substr(at_, end - at_);
    const bool starts_as_number =
        (written.front() >= '0' && written.front() <= '9') || written.front() == '.';
    double value = 0;
    const auto [last, error] = from_digits(written.data(), written.data() + written.size(), value);
    const bool whole = starts_as_number && last == written.data() + written.size();
    if (whole && error == std::errc::result_out_of_range) {
      fail_at(source_, at_, "this number is outside the range of a double");
    }
    const bool is_number = whole && error == std::errc{};
    add(is_number ? TokenKind::number : TokenKind::word, written.size(), std::string(written),
        is_number ? value : 0);
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_number(std::string_view written) {
    double value = 0;
    const char* const last = written.data() + written.size();
    return !written.empty() && (is_digit(written.front()) || written.front() == '.') &&
           from_digits(written.data(), last, value).ptr == last;
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const Source& source) {
  if (source.text.size() > longest_text) {
    throw Error(std::string(source.place),
                fmt::format("the text is longer than {} KiB", longest_text >> 10),
                "Move rules that always hold into the schema");
  }
  refuse_utf16(source.text, source.place);
  return Lexer(source).run();
}

void fail_at(const Source& source, std::size_t at, const std::string& reason,
             const std::string& remedy) {
  at = std::min(at, source.text.size());
  const Line line = line_at(source.text, at);
  std::size_t from = at, to = at;
  for (std::size_t n = 0; from > line.begin && n < shown_around; ++n) {
    --from;
    while (from > line.begin && is_continuation(source.text[from])) --from;
  }
  for (std::size_t n = 0; to < line.end && n < shown_around; ++n) {
    to += glyph_at(source.text.substr(to, line.end - to)).size;
  }
  std::string shown = from > line.begin ? "    …" : "    ";
  std::string padding = from > line.begin ? "     " : "    ";
  show(source.text.substr(from, at - from), shown, padding);
  std::string unused;
  show(source.text.substr(at, to - at), shown, unused);
  shown.erase(shown.find_last_not_of(' ') + 1);
  if (to < line.end) shown += "…";
  const std::size_t column = count_glyphs(source.text.substr(line.begin, at - line.begin)) + 1;
  throw Error(fmt::format("{}, column {}", place_of(source, line), column),
              plain(reason, longest_reason), plain(remedy, longest_reason),
              shown + "\n" + padding + "^");
}

std::string quote(const Part& part) {
  const std::string_view whole = part.source->text.substr(part.begin, part.end - part.begin);
  const std::string place = place_of(*part.source, line_at(part.source->text, part.begin));
  return fmt::format("\"{}\" ({})", plain(whole, shown_around), place);
}

}  // namespace boxwood::text
