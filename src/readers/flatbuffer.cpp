#include "readers/flatbuffer.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace boxwood::readers {

FlatTable::FlatTable(std::string_view bytes, std::string place)
    : buffer_(std::make_shared<Buffer>(Buffer{bytes, std::move(place)})) {
  *this = FlatTable(buffer_, follow(0));
}

/// A table begins with the distance back to its list of fields. That list begins with two sizes in
/// bytes: its own and that of the table; then it has the place of each field in the table.
FlatTable::FlatTable(std::shared_ptr<Buffer> buffer, std::size_t at)
    : buffer_(std::move(buffer)), at_(at) {
  const auto back = static_cast<std::int64_t>(at) - read<std::int32_t>(at);
  if (back < 0) fail("a table has no list of fields");
  fields_ = static_cast<std::size_t>(back);
  count_ = read<std::uint16_t>(fields_);
  size_ = read<std::uint16_t>(fields_ + 2);
  check(fields_, count_);
  check(at_, size_);
}

void FlatTable::fail(const std::string& reason) const {
  throw Error(buffer_->place, reason, "The file is damaged or cut off: save the model again");
}

void FlatTable::check(std::size_t at, std::size_t size) const {
  if (at > bytes().size() || size > bytes().size() - at) {
    fail(fmt::format("a part at byte {} ends beyond the {} bytes", at, bytes().size()));
  }
}

void FlatTable::take(const List& list, std::size_t size) const {
  constexpr std::size_t most = 64;
  if (shared_ && list.count > most) fail(fmt::format("a list of {} entries", list.count));
  if (!shared_) buffer_->taken += list.count * size;
  if (buffer_->taken > bytes().size()) fail("its parts overlap");
}

/// The position of a field, 0 if it is absent.
std::size_t FlatTable::find(std::size_t field, std::size_t size) const {
  const std::size_t entry = 4 + 2 * field;
  if (entry + 2 > count_) return 0;
  const std::size_t within = read<std::uint16_t>(fields_ + entry);
  if (within == 0) return 0;
  if (within + size > size_) fail(fmt::format("field {} of a table lies outside it", field));
  return at_ + within;
}

/// Offsets count from where they stand.
std::size_t FlatTable::follow(std::size_t at) const {
  const std::size_t to = at + read<std::uint32_t>(at);
  check(to, 4);
  return to;
}

FlatTable::List FlatTable::list_at(std::size_t at, std::size_t size) const {
  const List list{at + 4, read<std::uint32_t>(at)};
  if (list.count > bytes().size() / size) fail(fmt::format("a list of {} entries", list.count));
  check(list.begin, list.count * size);
  take(list, size);
  return list;
}

FlatTable::List FlatTable::list_of(std::size_t field, std::size_t size) const {
  const std::size_t at = find(field, 4);
  return at == 0 ? List{} : list_at(follow(at), size);
}

std::vector<std::size_t> FlatTable::offsets(std::size_t field) const {
  const List list = list_of(field, 4);
  std::vector<std::size_t> all;
  all.reserve(list.count);
  for (std::size_t i = 0; i < list.count; ++i) all.push_back(follow(list.begin + 4 * i));
  return all;
}

std::string_view FlatTable::raw(std::size_t field) const {
  const List list = list_of(field, 1);
  return bytes().substr(list.begin, list.count);
}

std::string_view FlatTable::text(std::size_t field) const { return raw(field); }

std::vector<std::string_view> FlatTable::texts(std::size_t field) const {
  std::vector<std::string_view> all;
  for (const std::size_t at : offsets(field)) {
    const List list = list_at(at, 1);
    all.push_back(bytes().substr(list.begin, list.count));
  }
  return all;
}

std::vector<FlatTable> FlatTable::tables(std::size_t field) const {
  std::vector<FlatTable> all;
  for (const std::size_t at : offsets(field)) all.push_back(FlatTable(buffer_, at));
  return all;
}

FlatTable FlatTable::table(std::size_t field) const {
  const std::size_t at = find(field, 4);
  if (at == 0) fail(fmt::format("field {} of a table is absent", field));
  return FlatTable(buffer_, follow(at));
}

FlatTable FlatTable::shared_table(std::size_t field) const {
  FlatTable found = table(field);
  found.shared_ = true;
  return found;
}

}  // namespace boxwood::readers
