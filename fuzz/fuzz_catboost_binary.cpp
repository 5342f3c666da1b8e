// Any bytes as CatBoost's binary format.
#include "exercise.hpp"
#include "readers/catboost.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("CBM1")) return -1;  // other formats have targets of their own
  return boxwood_fuzz::exercise(
      [&] { return boxwood::readers::read_catboost_binary(bytes, "m", {}); });
}
