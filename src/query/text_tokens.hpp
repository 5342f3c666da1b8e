// Query text cut into tokens, and errors that show the line with a caret below the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::text {

/// A text and the name of the place that it comes from; both must outlive it.
struct Source {
  std::string_view text;
  std::string_view place;
  bool is_default = false;  ///< as QueryText::is_default
};

/// `stop` ends a statement: a semicolon, a line's end, or the end of the text.
enum class TokenKind : std::uint8_t { word, quoted, number, symbol, stop };

struct Token {
  TokenKind kind = TokenKind::stop;
  std::string text{};  ///< of a quoted one what is inside; empty for a stop
  double number = 0;
  std::size_t begin = 0, end = 0;  ///< bytes of the source

  /// An unquoted word, such as a word of the language.
  bool is_word(std::string_view wanted) const { return kind == TokenKind::word && text == wanted; }
  bool is_symbol(std::string_view wanted) const {
    return kind == TokenKind::symbol && text == wanted;
  }
  /// Whether it can be a name, a label or a class.
  bool is_name() const {
    return kind == TokenKind::word || kind == TokenKind::quoted || kind == TokenKind::number;
  }
};

/// Ends in a stop, always. Throws Error for quotes that are not closed, numbers beyond a double and
/// texts that are too long.
std::vector<Token> tokens_of(const Source& source);

/// Throws Error: the line around byte `at` with a caret below it, and the reason.
[[noreturn]] void fail_at(const Source& source, std::size_t at, const std::string& reason,
                          const std::string& remedy = {});

/// A part of a text, where a statement stands.
struct Part {
  const Source* source = nullptr;
  std::size_t begin = 0, end = 0;
};
/// `"duration >= 20" (rules.txt, line 3)`, to name it in an error about another one.
std::string quote(const Part& part);

}  // namespace boxwood::text
