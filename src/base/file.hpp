// Reads a file into memory, with errors that name it and a limit that also holds for endless pipes.
#pragma once

#include <filesystem>
#include <string>

namespace boxwood {

/// Reads up to 4 GiB from a file and 256 MiB from anything else. `remedy` is the advice if the file
/// does not exist.
std::string read_file(const std::filesystem::path& file, const std::string& remedy = {});

}  // namespace boxwood
