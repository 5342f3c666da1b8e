// Any bytes as any model: the detection of formats and Boxwood's own JSON.
#include <boxwood/read.hpp>

#include "exercise.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  return boxwood_fuzz::exercise([&] { return boxwood::read_model_bytes(bytes, "m"); });
}
