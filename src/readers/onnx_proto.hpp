// The few messages of an ONNX file that a tree ensemble needs, as views into its bytes.
// Only names and constants are copied. Lists of numbers are decoded on demand, and no count in the
// file is trusted. onnx.cpp and the other onnx_*.cpp files use the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

/// Bytes of the file that hold one message. Errors name the byte they begin at.
struct OnnxBytes {
  std::string_view file;   ///< the whole
  std::string_view place;  ///< its name
  std::string_view bytes;  ///< the part

  OnnxBytes part(std::string_view inner) const { return {file, place, inner}; }
  std::string where() const;  ///< "model.onnx: byte 17"
};

/// Element types of ONNX tensors, by their number in the file.
enum class OnnxType : std::int32_t {
  float32 = 1,
  uint8 = 2,
  int32 = 6,
  int64 = 7,
  string = 8,
  float64 = 11
};

struct OnnxTensor {
  std::string name;
  std::int32_t type = 0;
  bool is_scalar_or_list = true;  ///< at most one of its sizes is not 1
  std::vector<double> numbers;    ///< every type of OnnxType but string
  std::vector<std::string> strings;
};

/// One attribute of a node; its content is decoded when asked for.
struct OnnxAttribute {
  std::string_view name;
  OnnxBytes bytes;
};

struct OnnxNode {
  OnnxBytes bytes;
  std::string_view type;    ///< "TreeEnsembleClassifier"
  std::string_view domain;  ///< "" and "ai.onnx" are the same
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<OnnxAttribute> attributes;

  /// For messages: "model.onnx: node 3 (Scaler)".
  std::string where(std::size_t index) const;

  /// Absent attributes are empty or have the default value.
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<float> floats(std::string_view name) const;
  std::vector<std::string_view> texts(std::string_view name) const;
  std::optional<OnnxTensor> tensor(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  float number(std::string_view name, float otherwise) const;
  std::string_view text(std::string_view name, std::string_view otherwise) const;
  bool has(std::string_view name) const;
  /// The place of an attribute: "model.onnx: nodes_modes (byte 170)".
  std::string where_is(std::string_view name) const;

 private:
  const OnnxAttribute* find(std::string_view name) const;
};

/// An input of the graph: one tensor, of rows and `width` columns (-1: not told).
struct OnnxInput {
  std::string_view name;
  std::int32_t type = 0;
  std::int64_t width = -1;
};

struct OnnxModel {
  std::string_view producer;
  std::string_view producer_version;
  std::vector<OnnxNode> nodes;  ///< in the file's order, in which each comes after its inputs
  std::vector<OnnxInput> inputs;
  std::vector<std::string_view> outputs;
  std::vector<OnnxTensor> constants;
};

/// Throws Error with a byte position.
OnnxModel load_onnx(std::string_view bytes, std::string_view place);

/// Whether bytes begin like an ONNX file. protobuf has no signature, so the outermost fields up to
/// the graph have to be those of a model.
bool looks_like_onnx(std::string_view bytes);

}  // namespace boxwood::readers
