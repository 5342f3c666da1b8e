// What tables of answers, menus and sweeps share: the lines of changes, and what was found around
// an answer.
#pragma once

#include "render/columns.hpp"

#include <string>

namespace boxwood {

/// A header and a line for each change, with the wide region in a last column where there is one.
Lines explained_changes(const Explanation& explanation);

/// The values of the wide region for features that do not change, the rounder point, and the path:
/// each a line or a block, if it was found.
std::string findings_text(const Explanation& explanation, const TableStyle& style);

/// The rules that block the outcome; empty unless they were asked for.
std::string why_not_text(const Explanation& explanation);
/// The same as sentences.
std::vector<std::string> why_not_sentences(const Explanation& explanation);

/// A hint that says how to ask which rules block the outcome. Empty unless the outcome is
/// impossible and nobody asked.
std::string why_not_hint(const Explanation& explanation, const TableStyle& style);

/// What verification says; empty unless it was asked.
std::string check_lines(const Explanation& explanation, const TableStyle& style);

/// The rounder point in a sentence; empty where there is none.
std::string rounding_text(const Explanation& explanation);

}  // namespace boxwood
