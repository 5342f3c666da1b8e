#include "cli/disk_file.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#ifdef _WIN32
#include <io.h>
#include <sys/stat.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

namespace boxwood::cli {
namespace {

#ifdef _WIN32
int open_file(const std::filesystem::path& file) {
  return _wopen(file.c_str(), _O_WRONLY | _O_CREAT | _O_BINARY, _S_IREAD | _S_IWRITE);
}
long long write_some(int descriptor, std::string_view text) {
  return _write(descriptor, text.data(), static_cast<unsigned>(text.size()));
}
bool cut_at(int descriptor, std::uint64_t bytes) {
  return _chsize_s(descriptor, static_cast<long long>(bytes)) == 0 &&
         _lseeki64(descriptor, 0, SEEK_END) >= 0;
}
bool sync_file(int descriptor) { return _commit(descriptor) == 0; }
void close_file(int descriptor) { _close(descriptor); }
void sync_folder(const std::filesystem::path&) {}
#else
int open_file(const std::filesystem::path& file) {
  return open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}
long long write_some(int descriptor, std::string_view text) {
  return ::write(descriptor, text.data(), text.size());
}
bool cut_at(int descriptor, std::uint64_t bytes) {
  return ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
         lseek(descriptor, 0, SEEK_END) >= 0;
}
/// Pipes and devices cannot be forced to a disk.
bool sync_file(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}
void close_file(int descriptor) { ::close(descriptor); }

/// The name of a renamed file is stored in its folder, which has to be forced to the disk too. If
/// folders cannot be opened, there is no way to do that.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  ::close(descriptor);
}
#endif

}  // namespace

DiskFile::DiskFile(const std::filesystem::path& file, const std::filesystem::path& asked_for)
    : file_(file), descriptor_(open_file(file)) {
  if (descriptor_ < 0) {
    throw Error(asked_for.string(),
                fmt::format("cannot be written: {}", std::generic_category().message(errno)),
                "Check the folder and the permissions");
  }
}

DiskFile::DiskFile(DiskFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool DiskFile::lock() {
#ifdef _WIN32
  return true;
#else
  // Some file systems do not support locks; the file is then written without one.
  return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
#endif
}

void DiskFile::write(std::string_view text) {
  while (!text.empty()) {
    const long long count = write_some(descriptor_, text);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void DiskFile::cut(std::uint64_t bytes) {
  if (!cut_at(descriptor_, bytes)) fail(errno);
}

void DiskFile::sync() {
  if (!sync_file(descriptor_)) fail(errno);
}

void DiskFile::close() {
  if (is_open()) close_file(std::exchange(descriptor_, -1));
}

void DiskFile::fail(int error) const {
  throw Error(file_.string(),
              fmt::format("cannot be written: {}", std::generic_category().message(error)),
              "The disk may be full, or the program that reads it has ended");
}

void replace(const std::filesystem::path& finished, const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::rename(finished, file, error);
  if (error) throw Error(file.string(), "cannot be written: " + error.message());
  sync_folder(file.parent_path());
}

}  // namespace boxwood::cli
