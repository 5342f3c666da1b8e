// Models that are sound and cannot be represented: what is wrong with them, and what to do.
#pragma once

#include <boxwood/read.hpp>

#include <string>

namespace boxwood::readers {

/// `field` is where the file says it: a Field, JsonField or LightgbmField.
template <typename Any>
[[noreturn]] void refuse(const Any& field, const std::string& reason, const std::string& remedy) {
  throw UnsupportedModel(field.where(), reason, remedy);
}

}  // namespace boxwood::readers
