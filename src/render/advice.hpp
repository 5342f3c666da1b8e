// What to do, in one sentence for people, and the words of which the sentence consists.
#pragma once

#include <boxwood/render.hpp>

#include <string>

namespace boxwood {

/// "Bring duration to at most 13 months (now 24 months), and credit is granted." From the widest
/// region that the explanation has; empty where there is nothing to change or no answer.
std::string advice(const Explanation& explanation);

/// The interval with rounder ends, moved inwards a little, so that the first interval contains
/// every number of the new one as the model reads it.
Interval plain_interval(const Interval& interval, Precision precision, double now);

}  // namespace boxwood
