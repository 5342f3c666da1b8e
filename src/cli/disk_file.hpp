// A file that is written through the operating system, so that it can be locked, cut, and forced to
// the disk. Each `write` is one call of the system: a killed process leaves whole texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace boxwood::cli {

class DiskFile {
 public:
  DiskFile() = default;
  /// Opens a file for writing, and creates it where there is none. Nothing in it changes yet.
  /// Throws Error about `asked_for`, the name that the user knows.
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

/// Renames a finished file, so that after a loss of power there is the old file or the whole new
/// one.
void replace(const std::filesystem::path& finished, const std::filesystem::path& file);

}  // namespace boxwood::cli
