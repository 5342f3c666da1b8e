#include "base/file.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace boxwood {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;
constexpr std::uint64_t largest_stream = std::uint64_t{256} << 20;  // a pipe may never end

}  // namespace

FileReader::FileReader(const std::filesystem::path& file, const std::string& remedy)
    : place_(file.string()), stream_(nullptr, &std::fclose) {
  std::error_code problem;
  const auto status = std::filesystem::status(file, problem);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw Error(place_, "no such file", remedy);
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(place_, "this is a directory", "Name a file in it");
  }
  stream_.reset(std::fopen(place_.c_str(), "rb"));
  if (!stream_) {
    throw Error(place_,
                fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  if (!std::filesystem::is_regular_file(status)) {
    limit_ = largest_stream;
    return;
  }
  limit_ = largest_file;
  const auto size = std::filesystem::file_size(file, problem);
  if (problem) return;
  if (size > limit_) refuse_size();  // before any of it is read
  size_ = size;
}

std::size_t FileReader::read(char* to, std::size_t size) {
  const std::size_t count = std::fread(to, 1, size, stream_.get());
  if (count < size && std::ferror(stream_.get()) != 0) {
    throw Error(place_, "reading it failed before its end");
  }
  read_ += count;
  if (read_ > limit_) refuse_size();
  return count;
}

void FileReader::refuse_size() const {
  throw Error(place_, fmt::format("it is larger than {} MiB, the most that Boxwood reads from a {}",
                                  limit_ >> 20, limit_ == largest_file ? "file" : "pipe"));
}

std::string read_file(const std::filesystem::path& file, const std::string& remedy) {
  FileReader reader(file, remedy);
  std::string bytes;
  bytes.reserve(reader.size());
  std::vector<char> chunk(std::size_t{1} << 16);
  for (;;) {
    const std::size_t count = reader.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), count);
    if (count < chunk.size()) return bytes;
  }
}

}  // namespace boxwood
