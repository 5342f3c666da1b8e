// HTML for notebooks: escaped text, a frame and tables. Colours are the page's own, with some
// transparency, so that light and dark pages both read well.
#pragma once

#include "render/columns.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace boxwood {

/// Text as a part of a page. Thousands ("4 870") are kept on one line.
std::string escaped(std::string_view text);

/// Text in a block of its own; nothing for an empty text. `quiet`: less conspicuous.
std::string html_block(std::string_view text, bool quiet = false);
/// A text with line breaks that are kept.
std::string html_lines(std::string_view text);
/// Everything in one element.
std::string html_frame(const std::string& content);
/// The first line is the header. Cells are escaped. `pictures`, if given, is one more column of
/// finished HTML, placed before the column `before`.
std::string html_table(const Lines& lines, const std::vector<std::string>& pictures = {},
                       std::size_t before = 0);
/// A coloured label.
std::string html_badge(const Badge& badge);

}  // namespace boxwood
