// The part of Boxwood's model file that describes a composition (docs/formats.md).
#pragma once

#include "base/json_fields.hpp"

#include <boxwood/composition.hpp>

#include <nlohmann/json.hpp>

namespace boxwood {

nlohmann::ordered_json composition_json(const Composition& composition);
Composition composition_from(const JsonField& field);

}  // namespace boxwood
