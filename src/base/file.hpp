// A file as bytes, with errors that name it and limits that hold for pipes that never end.
#pragma once

#include <filesystem>
#include <string>

namespace boxwood {

/// Up to 4 GiB from a file and 256 MiB from anything else. `remedy` says what to do when there is
/// no such file.
std::string read_file(const std::filesystem::path& file, const std::string& remedy = {});

}  // namespace boxwood
