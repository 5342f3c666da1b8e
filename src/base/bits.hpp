// The bits of a value as a value of another type. It is std::bit_cast, which the standard library
// of the WebAssembly build lacks.
#pragma once

#include <cstring>
#include <type_traits>

namespace boxwood {

template <typename To, typename From>
To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace boxwood
