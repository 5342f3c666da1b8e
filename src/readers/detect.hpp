// Detects the format of a model file from its bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace boxwood::readers {

enum class Format : std::uint8_t {
  boxwood_json,
  xgboost_json,
  xgboost_ubjson,
  lightgbm_text,
  catboost_json,
  catboost_binary,
  onnx
};

/// Throws Error naming what the bytes look like and how to get a file that can be read.
Format detect_format(std::string_view bytes, std::string_view place);

}  // namespace boxwood::readers
