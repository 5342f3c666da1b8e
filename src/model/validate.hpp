// The last step of every reader.
#pragma once

#include <boxwood/ensemble.hpp>

#include <string_view>

namespace boxwood {

/// Ensemble::validate, with `place` (a file) in front of the place that an Error names.
void validate_within(const Ensemble& ensemble, std::string_view place);

}  // namespace boxwood
