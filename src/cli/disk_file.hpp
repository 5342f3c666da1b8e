// A file that is written through the operating system, so that it can be locked, cut, and forced to
// the disk. Each `write` is one system call, so a killed process leaves complete texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace boxwood::cli {

class DiskFile {
 public:
  DiskFile() = default;
  /// Opens a file for writing and creates it if it does not exist. Its content does not change yet.
  /// Throws Error about `asked_for`, the name that the user gave.
  DiskFile(const std::filesystem::path& file, const std::filesystem::path& asked_for);
  ~DiskFile() { close(); }
  DiskFile(DiskFile&& other) noexcept;
  DiskFile& operator=(DiskFile&& other) noexcept;

  /// Locks the file until it is closed or the process ends; false where another process has it.
  bool lock();
  void write(std::string_view text);
  /// Keeps the first bytes; what is written next follows them.
  void cut(std::uint64_t bytes);
  void sync();  ///< waits until everything written is on the disk
  void close();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// Renames a finished file in such a way that a loss of power leaves either the old file or the
/// complete new one.
void replace(const std::filesystem::path& finished, const std::filesystem::path& file);

}  // namespace boxwood::cli
