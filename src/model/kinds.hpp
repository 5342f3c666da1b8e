// The kinds of features by the names that our files use.
#pragma once

#include <boxwood/ensemble.hpp>

#include <array>
#include <utility>

namespace boxwood {

inline constexpr std::array kind_names{
    std::pair{"continuous", FeatureKind::continuous}, std::pair{"integer", FeatureKind::integer},
    std::pair{"ordinal", FeatureKind::ordinal}, std::pair{"categorical", FeatureKind::categorical}};

}  // namespace boxwood
