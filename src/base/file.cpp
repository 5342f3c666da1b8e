#include "base/file.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

namespace boxwood {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;
constexpr std::uint64_t largest_stream = std::uint64_t{256} << 20;  // a pipe may never end

}  // namespace

std::string read_file(const std::filesystem::path& file, const std::string& remedy) {
  const std::string place = file.string();
  std::error_code problem;
  const auto status = std::filesystem::status(file, problem);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw Error(place, "no such file", remedy);
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(place, "this is a directory", "Name a file in it");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(place.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream) {
    throw Error(place, fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  const bool regular = std::filesystem::is_regular_file(status);
  const std::uint64_t limit = regular ? largest_file : largest_stream;
  std::string bytes;
  if (regular) {
    const auto size = std::filesystem::file_size(file, problem);
    if (!problem && size <= limit) bytes.reserve(size);
  }
  std::vector<char> chunk(std::size_t{1} << 16);
  for (;;) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), stream.get());
    bytes.append(chunk.data(), count);
    if (bytes.size() > limit) {
      throw Error(place, fmt::format("it is larger than the limit of {} MiB", limit >> 20));
    }
    if (count < chunk.size()) break;
  }
  if (std::ferror(stream.get()) != 0) throw Error(place, "reading it failed before its end");
  return bytes;
}

}  // namespace boxwood
