// Tables for a terminal: columns that align, a dim header, and colour where it is wanted.
#pragma once

#include <boxwood/render.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace boxwood {

inline constexpr std::size_t page_width = 100;

enum class Ink { bold, dim, green, yellow, red };
std::string inked(const std::string& text, Ink ink, const TableStyle& style);
/// Proven is green, proven impossible is red, undecided is yellow.
Ink ink_of(Status status);

using Lines = std::vector<std::vector<std::string>>;

/// Columns as wide as their widest cell, three blanks apart. The first line is the header.
std::string columns(Lines lines, const TableStyle& style);
/// The same with a rule below.
std::string ruled_columns(const Lines& lines, const TableStyle& style);

}  // namespace boxwood
