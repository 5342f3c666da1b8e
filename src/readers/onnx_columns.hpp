// Columns of an ONNX graph between its inputs and its trees: numbers that are scaled, shifted or
// filled in, one by one, in float32, and categories that are encoded (onnx_encoders.hpp). Every
// step is a rising function of its number, so a split after the steps is equivalent to a split of
// the input.
#pragma once

#include <boxwood/ensemble.hpp>

#include "readers/onnx_encoders.hpp"
#include "readers/onnx_proto.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace boxwood::readers {

struct OnnxStep {
  enum class Kind : std::uint8_t { scale, multiply, divide, add, subtract, impute };
  Kind kind = Kind::scale;
  float number = 0;  ///< of `scale`: the offset
  float factor = 1;  ///< of `scale`: (x - number) * factor

  float apply(float x) const;
  /// All parameters are finite and factors are positive, so each step is a rising function.
  bool rises() const;
};

struct OnnxColumn {
  const OnnxInput* input = nullptr;
  std::int64_t index = 0;          ///< of the input's columns
  std::optional<OnnxCode> code{};  ///< encoded, before the steps
  std::vector<OnnxStep> steps{};
};

/// The result of the steps for a number.
float through(const std::vector<OnnxStep>& steps, float x);

/// Rewrites splits of columns as splits of the inputs' numbers. `raw` has the number of each
/// column's feature, and `inputs` are these features; encoded ones become categorical. `most`
/// bounds the entries of sets. Throws Error if a split compares for equality after a step.
void push_onnx_columns(const std::vector<OnnxColumn>& columns, const std::vector<std::int32_t>& raw,
                       std::string_view place, std::size_t most, std::vector<Feature>& inputs,
                       std::vector<Tree>& trees);

}  // namespace boxwood::readers
