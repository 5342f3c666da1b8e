// Any bytes as CatBoost's JSON.
#include "exercise.hpp"
#include "readers/catboost.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  return boxwood_fuzz::exercise([&] { return boxwood::readers::read_catboost(bytes, "m", {}); });
}
