// The text of a LightGBM model as lines: blocks of "key=value", each line with its place.
// lightgbm.cpp reads the blocks in their order; counts are compared with what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

/// Iterates over lines that end with LF, CR LF or CR.
class LightgbmLines {
 public:
  explicit LightgbmLines(std::string_view text) : text_(text) {}

  std::optional<std::string_view> peek() const;
  void next();
  void skip_blank();
  std::size_t bytes_left() const { return text_.size(); }

 private:
  std::string_view text_;
};

/// One "key=value" of a block. Borrows the text. Accessors throw Error ("model.txt: Tree=3:
/// left_child[4]") when the value is of another kind.
class LightgbmField {
 public:
  LightgbmField(std::string_view key, std::string_view text, std::string_view place)
      : key_(key), text_(text), place_(place) {}

  std::string_view key() const { return key_; }
  std::string_view text() const { return text_; }
  std::vector<std::string_view> words() const;  ///< separated by spaces

  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  /// Exactly `count` numbers; `why` names the source of that count in the error message.
  std::vector<std::int64_t> integers(std::size_t count, std::string_view why) const;
  std::vector<double> numbers(std::size_t count, std::string_view why) const;

  std::string where() const;  ///< "model.txt: Tree=3: left_child"
  [[noreturn]] void fail(const std::string& reason, const std::string& remedy = {}) const;
  [[noreturn]] void fail_at(std::size_t index, const std::string& reason) const;

 private:
  template <typename Number>
  std::vector<Number> list(std::size_t count, std::string_view why) const;

  std::string_view key_;
  std::string_view text_;
  std::string_view place_;
};

/// The head of a model, or one of its trees.
class LightgbmBlock {
 public:
  /// `place` names the block: "model.txt" or "model.txt: Tree=3".
  explicit LightgbmBlock(std::string place) : place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  void add(std::string_view line);
  bool has(std::string_view key) const { return find(key).has_value(); }
  /// Nothing if the key is absent; an Error if it occurs twice.
  std::optional<LightgbmField> find(std::string_view key) const;
  LightgbmField operator[](std::string_view key) const;  ///< an Error if the key is absent

 private:
  struct Line {
    std::string_view key;
    std::string_view value;
  };
  std::string place_;
  std::vector<Line> lines_;
};

}  // namespace boxwood::readers
