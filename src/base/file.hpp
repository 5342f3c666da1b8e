// Reads files, with errors that name it and a limit that also holds for endless pipes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace boxwood {

/// Reads a file piece by piece: up to 4 GiB from a file and 256 MiB from anything else. `remedy` is
/// the advice if the file does not exist. Throws Error that names the file.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& file, const std::string& remedy = {});

  /// Reads `size` bytes, or fewer at the end of the file.
  std::size_t read(char* to, std::size_t size);
  /// Of a regular file; 0 where it is not known beforehand.
  std::uint64_t size() const { return size_; }

 private:
  [[noreturn]] void refuse_size() const;

  std::string place_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
  std::uint64_t limit_ = 0, size_ = 0, read_ = 0;
};

/// Reads a whole file into memory, within the same limits.
std::string read_file(const std::filesystem::path& file, const std::string& remedy = {});

}  // namespace boxwood
