// Tables of a FlatBuffer, a format of tables, lists and texts that refer to each other by offsets.
// Every access is checked against the bytes of the buffer, and no count in it is trusted. What is
// read is counted, so that parts which overlap cannot make the result larger than the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

class FlatTable {
 public:
  /// The root table. `place` names the buffer in errors.
  FlatTable(std::string_view bytes, std::string place);

  /// Fields have numbers, in the order of the schema.
  template <typename Number>
  Number number(std::size_t field, Number otherwise) const {
    const std::size_t at = find(field, sizeof(Number));
    return at == 0 ? otherwise : read<Number>(at);
  }
  bool flag(std::size_t field, bool otherwise) const {
    return number<std::uint8_t>(field, otherwise ? 1 : 0) != 0;
  }
  /// Lists of numbers, and of structs of numbers of the same type (`width` in each). Absent lists
  /// are empty.
  template <typename Number>
  std::vector<Number> numbers(std::size_t field, std::size_t width = 1) const {
    const List list = list_of(field, sizeof(Number) * width);
    std::vector<Number> all(list.count * width);
    if (!all.empty())
      std::memcpy(all.data(), bytes().data() + list.begin, all.size() * sizeof(Number));
    return all;
  }
  std::string_view raw(std::size_t field) const;   ///< a list of bytes
  std::string_view text(std::size_t field) const;  ///< empty if absent
  std::vector<std::string_view> texts(std::size_t field) const;
  std::vector<FlatTable> tables(std::size_t field) const;
  /// Fails if absent.
  FlatTable table(std::size_t field) const;
  /// A table that other tables may refer to too: its lists may be read several times, and have at
  /// most 64 entries.
  FlatTable shared_table(std::size_t field) const;
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct Buffer {
    std::string_view bytes;
    std::string place;
    std::size_t taken = 0;  // bytes of lists and tables that were read
  };
  struct List {
    std::size_t begin = 0;
    std::size_t count = 0;
  };

  FlatTable(std::shared_ptr<Buffer> buffer, std::size_t at);
  std::string_view bytes() const { return buffer_->bytes; }
  template <typename Number>
  Number read(std::size_t at) const {
    check(at, sizeof(Number));
    Number value{};
    std::memcpy(&value, bytes().data() + at, sizeof(Number));
    return value;
  }
  void check(std::size_t at, std::size_t size) const;
  void take(const List& list, std::size_t size) const;
  std::size_t find(std::size_t field, std::size_t size) const;
  std::size_t follow(std::size_t at) const;
  List list_at(std::size_t at, std::size_t size) const;
  List list_of(std::size_t field, std::size_t size) const;
  std::vector<std::size_t> offsets(std::size_t field) const;

  std::shared_ptr<Buffer> buffer_;
  std::size_t at_ = 0;      // the table
  std::size_t fields_ = 0;  // its list of fields
  std::size_t count_ = 0;   // of bytes in that list
  std::size_t size_ = 0;    // of the table
  bool shared_ = false;
};

}  // namespace boxwood::readers
