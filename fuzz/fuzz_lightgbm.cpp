// Any bytes as LightGBM's text.
#include "exercise.hpp"
#include "readers/lightgbm.hpp"

#include "model/validate.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  return boxwood_fuzz::exercise([&] {
    boxwood::Ensemble model = boxwood::readers::read_lightgbm(bytes, "m", {});
    boxwood::validate_within(model, "m");  // names that are there twice
    return model;
  });
}
