#include "render/columns.hpp"

#include "base/text.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace boxwood {
namespace {

std::vector<std::size_t> widths_of(const Lines& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  return widths;
}

}  // namespace

std::string inked(const std::string& text, Ink ink, const TableStyle& style) {
  if (!style.colour || text.empty()) return text;
  constexpr std::array<const char*, 5> codes = {"1", "2", "32", "33", "31"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(ink)], text);
}

Ink ink_of(Status status) {
  switch (status) {
    case Status::optimal:
      return Ink::green;
    case Status::infeasible:
      return Ink::red;
    case Status::feasible:
    case Status::unknown:
      break;
  }
  return Ink::yellow;
}

std::string columns(Lines lines, const TableStyle& style) {
  for (auto& line : lines) {
    for (std::string& cell : line) cell = visible(cell);
  }
  const std::vector<std::size_t> widths = widths_of(lines);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string row = " ";
    for (std::size_t c = 0; c < lines[i].size(); ++c) {
      row += c == 0 ? " " : "   ";
      row += c + 1 == lines[i].size() ? lines[i][c] : padded(lines[i][c], widths[c]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += (i == 0 ? inked(row, Ink::dim, style) : row) + "\n";
  }
  return text;
}

std::string ruled_columns(const Lines& lines, const TableStyle& style) {
  const std::vector<std::size_t> widths = widths_of(lines);
  std::size_t total = widths.empty() ? 0 : 3 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  const std::string rule(std::min(total, page_width), '-');
  return fmt::format("{}  {}\n", columns(lines, style), inked(rule, Ink::dim, style));
}

}  // namespace boxwood
