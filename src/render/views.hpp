// The parts that the table and the HTML of a menu, a sweep and robustness share.
#pragma once

#include "render/columns.hpp"

#include <string>

namespace boxwood {

std::string menu_headline(const MenuView& view);
/// "Alternative 2 · cost 0.31 · probability there 0.53".
std::string alternative_headline(const Explanation& explanation, std::size_t number);
/// Whether there are further alternatives; empty where as many were found as were asked for.
std::string menu_end(const MenuView& view);

std::string sweep_headline(const SweepView& view);
Lines sweep_lines(const SweepView& view);
std::string sweep_end(const SweepView& view);

/// "Applicant 3: credit refused. No allowed change nearer than 0.13 (L2 by scale) has another
/// outcome (proven, 3 ms)."
std::string robustness_statement(const Explanation& explanation);
/// "The nearest other outcome, credit granted, is at distance 0.13:".
std::string robustness_nearest(const Explanation& explanation);

/// "proven", or the limit that ended a search.
Badge stop_badge(Stop stop);

/// The changes of an answer with a picture of each.
std::string changes_html(const Explanation& explanation);

}  // namespace boxwood
