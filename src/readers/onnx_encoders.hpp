// Encoders of an ONNX graph before its trees: OneHotEncoder and LabelEncoder, of texts or whole
// numbers. They replace each category of a column by a number, so a split after them is equivalent
// to a split of the input by a set of categories.
#pragma once

#include <boxwood/ensemble.hpp>

#include "readers/onnx_proto.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

struct OnnxColumn;

/// The categories that an encoder lists: texts, or whole numbers.
struct OnnxKeys {
  std::vector<std::string> texts{};
  std::vector<std::int32_t> numbers{};
  bool refuses_others = false;  ///< onnxruntime fails for a value that is not listed

  std::size_t size() const { return texts.empty() ? numbers.size() : texts.size(); }
};

/// One column that an encoder writes.
struct OnnxCode {
  std::shared_ptr<const OnnxKeys> keys;
  /// The number of each category; if empty, 1 for category `hot` and 0 for the others.
  std::shared_ptr<const std::vector<float>> values{};
  std::size_t hot = 0;
  float otherwise = 0;               ///< the number of every value that is not listed
  std::optional<float> filled_in{};  ///< the number that replaces missing values before

  float value_of(std::size_t key) const {
    return values ? (*values)[key] : key == hot ? 1.0F : 0.0F;
  }
};

/// The columns that an encoder makes of a column of texts or whole numbers, and the OnnxType of
/// their numbers. If the encoder is not supported, there are no columns and `reason` says why.
std::vector<OnnxColumn> encode_onnx_column(const OnnxNode& node, const OnnxColumn& column,
                                           bool texts, std::int32_t& type, std::string& reason);

/// The categories of the graph's inputs.
class OnnxCategories {
 public:
  /// Makes inputs that encoders read categorical. Throws Error if the trees also read such a column
  /// without an encoder.
  OnnxCategories(const std::vector<OnnxColumn>& columns, const std::vector<std::int32_t>& raw,
                 std::string_view place, std::vector<Feature>& inputs);

  /// Rewrites a split of an encoded column as a split of the input. `most` bounds the entries of
  /// all sets.
  void push(const OnnxColumn& column, std::int32_t raw, std::size_t most, Tree& tree, Node& node);

 private:
  const std::vector<std::int32_t>& codes_of(const OnnxKeys& keys, std::int32_t raw) const;

  std::string place_;
  std::map<std::pair<const OnnxKeys*, std::int32_t>, std::vector<std::int32_t>> codes_;
  std::size_t in_sets_ = 0;
};

}  // namespace boxwood::readers
