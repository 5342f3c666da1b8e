#include "readers/onnx_proto.hpp"

#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "base/bits.hpp"
#include "readers/document.hpp"

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace boxwood::readers {
namespace {

using protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

/// One field of a message. The kind of encoding is checked before the field is decoded, because
/// protozero itself only asserts it.
class Field {
 public:
  Field(pbf_reader& reader, const OnnxBytes& message) : reader_(reader), message_(message) {}

  std::uint32_t number() const { return reader_.tag(); }
  void skip() { reader_.skip(); }

  std::string_view bytes() {
    expect(Wire::length_delimited);
    const auto view = reader_.get_view();
    return {view.data(), view.size()};
  }
  OnnxBytes message() { return message_.part(bytes()); }
  std::int64_t integer() {
    expect(Wire::varint);
    return reader_.get_int64();
  }
  float number32() {
    expect(Wire::fixed32);
    return reader_.get_float();
  }
  /// Lists of numbers come packed or one by one.
  void append(std::vector<std::int64_t>& list) {
    if (reader_.wire_type() == Wire::varint) {
      list.push_back(reader_.get_int64());
      return;
    }
    expect(Wire::length_delimited);
    for (const std::int64_t value : reader_.get_packed_int64()) list.push_back(value);
  }
  void append(std::vector<float>& list) {
    if (reader_.wire_type() == Wire::fixed32) {
      list.push_back(reader_.get_float());
      return;
    }
    expect(Wire::length_delimited);
    for (const float value : reader_.get_packed_float()) list.push_back(value);
  }
  void append(std::vector<double>& list) {
    if (reader_.wire_type() == Wire::fixed64) {
      list.push_back(reader_.get_double());
      return;
    }
    expect(Wire::length_delimited);
    for (const double value : reader_.get_packed_double()) list.push_back(value);
  }

 private:
  void expect(Wire wire) const {
    if (reader_.wire_type() == wire) return;
    throw Error(message_.where(),
                fmt::format("field {} does not have the encoding of an ONNX file", number()));
  }

  pbf_reader& reader_;
  const OnnxBytes& message_;
};

/// Calls `handle` for every field of a message; it must consume or skip the field.
template <typename Handle>
void for_each_field(const OnnxBytes& message, Handle handle) {
  pbf_reader reader(message.bytes.data(), message.bytes.size());
  std::string_view rest = message.bytes;
  try {
    for (;;) {
      const auto left = reader.data();
      rest = {left.data(), left.size()};
      if (!reader.next()) return;
      Field field(reader, message);
      handle(field);
    }
  } catch (const protozero::exception& error) {
    throw Error(message.part(rest).where(),
                fmt::format("the file is damaged or truncated here ({})", error.what()),
                "Export the model again, or copy the file once more");
  }
}

std::int32_t small_number(std::int64_t value) {
  return value >= 0 && value < 1 << 16 ? static_cast<std::int32_t>(value) : -1;
}

template <typename Number>
void append_raw(const OnnxBytes& raw, std::vector<double>& numbers) {
  if (raw.bytes.size() % sizeof(Number) != 0) {
    throw Error(raw.where(), fmt::format("{} bytes cannot be divided into elements of {} bytes",
                                         raw.bytes.size(), sizeof(Number)));
  }
  using Bits =
      std::conditional_t<sizeof(Number) == 8, std::uint64_t,
                         std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint8_t>>;
  for (std::size_t at = 0; at < raw.bytes.size(); at += sizeof(Number)) {
    Bits bits = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {  // little endian
      const auto byte = static_cast<Bits>(static_cast<unsigned char>(raw.bytes[at + i]));
      bits = static_cast<Bits>(bits | static_cast<Bits>(byte << (8 * i)));
    }
    numbers.push_back(static_cast<double>(bits_as<Number>(bits)));
  }
}

void append_raw(const OnnxBytes& raw, std::int32_t type, std::vector<double>& numbers) {
  switch (static_cast<OnnxType>(type)) {
    case OnnxType::float32:
      return append_raw<float>(raw, numbers);
    case OnnxType::float64:
      return append_raw<double>(raw, numbers);
    case OnnxType::uint8:
      return append_raw<std::uint8_t>(raw, numbers);
    case OnnxType::int32:
      return append_raw<std::int32_t>(raw, numbers);
    case OnnxType::int64:
      return append_raw<std::int64_t>(raw, numbers);
    case OnnxType::string:
      break;
  }
}

OnnxTensor load_tensor(const OnnxBytes& message) {
  OnnxTensor tensor;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> integers;
  std::vector<float> floats;
  std::optional<OnnxBytes> raw;
  for_each_field(message, [&](Field& field) {
    switch (field.number()) {
      case 1:
        return field.append(sizes);
      case 2:
        tensor.type = small_number(field.integer());
        return;
      case 4:
        return field.append(floats);
      case 5:
      case 7:
        return field.append(integers);
      case 6:
        tensor.strings.emplace_back(field.bytes());
        return;
      case 8:
        tensor.name = field.bytes();
        return;
      case 9:
        raw = field.message();
        return;
      case 10:
        return field.append(tensor.numbers);
      case 14:
        if (field.integer() != 0) {
          throw UnsupportedModel(
              message.where(),
              fmt::format("the numbers of tensor {} are in another file", in_quotes(tensor.name)),
              "Save the model in one file");
        }
        return;
      default:
        return field.skip();
    }
  });
  for (const float value : floats) tensor.numbers.push_back(static_cast<double>(value));
  for (const std::int64_t value : integers) tensor.numbers.push_back(static_cast<double>(value));
  if (raw) append_raw(*raw, tensor.type, tensor.numbers);
  std::uint64_t count = 1;
  std::size_t wide = 0;
  const std::size_t there = tensor.numbers.size() + tensor.strings.size();
  for (const std::int64_t size : sizes) {
    // Once the product exceeds the number of elements it stays above it.
    count = std::min<std::uint64_t>(count, there + 1) *
            static_cast<std::uint64_t>(std::clamp<std::int64_t>(size, 0, std::int64_t{1} << 31));
    wide += size != 1 ? 1 : 0;
  }
  tensor.is_scalar_or_list = wide <= 1;
  const bool known = tensor.type == 1 || tensor.type == 2 || tensor.type == 6 || tensor.type == 7 ||
                     tensor.type == 8 || tensor.type == 11;
  if (known && count != there) {
    throw Error(message.where(),
                fmt::format("tensor {} holds {} elements, which does not match its shape",
                            in_quotes(tensor.name), there));
  }
  return tensor;
}

OnnxInput load_input(const OnnxBytes& message) {
  OnnxInput input;
  std::size_t dimension = 0;
  const auto load_size = [&](const OnnxBytes& bytes) {
    std::int64_t size = -1;
    for_each_field(bytes, [&](Field& field) {
      field.number() == 1 ? static_cast<void>(size = field.integer()) : field.skip();
    });
    if (++dimension == 2) input.width = size;
  };
  const auto inner = [](std::uint32_t number, const auto& load) {
    return [number, &load](Field& field) {
      field.number() == number ? load(field.message()) : field.skip();
    };
  };
  const auto load_shape = [&](const OnnxBytes& bytes) {
    for_each_field(bytes, inner(1, load_size));
  };
  const auto load_tensor_type = [&](const OnnxBytes& bytes) {
    for_each_field(bytes, [&](Field& field) {
      if (field.number() == 1) {
        input.type = small_number(field.integer());
      } else if (field.number() == 2) {
        load_shape(field.message());
      } else {
        field.skip();
      }
    });
  };
  const auto load_type = [&](const OnnxBytes& bytes) {
    for_each_field(bytes, inner(1, load_tensor_type));
  };
  for_each_field(message, [&](Field& field) {
    if (field.number() == 1) {
      input.name = field.bytes();
    } else if (field.number() == 2) {
      load_type(field.message());
    } else {
      field.skip();
    }
  });
  if (dimension != 2) input.width = -1;
  return input;
}

OnnxNode load_node(const OnnxBytes& message) {
  OnnxNode node;
  node.bytes = message;
  for_each_field(message, [&](Field& field) {
    switch (field.number()) {
      case 1:
        node.inputs.push_back(field.bytes());
        return;
      case 2:
        node.outputs.push_back(field.bytes());
        return;
      case 4:
        node.type = field.bytes();
        return;
      case 5: {
        OnnxAttribute attribute{{}, field.message()};
        for_each_field(attribute.bytes, [&](Field& part) {
          part.number() == 1 ? static_cast<void>(attribute.name = part.bytes()) : part.skip();
        });
        node.attributes.push_back(attribute);
        return;
      }
      case 7:
        node.domain = field.bytes();
        return;
      default:
        return field.skip();
    }
  });
  if (node.domain == "ai.onnx") node.domain = {};
  return node;
}

void load_graph(const OnnxBytes& message, OnnxModel& model) {
  for_each_field(message, [&](Field& field) {
    switch (field.number()) {
      case 1:
        model.nodes.push_back(load_node(field.message()));
        return;
      case 5:
        model.constants.push_back(load_tensor(field.message()));
        return;
      case 11:
        model.inputs.push_back(load_input(field.message()));
        return;
      case 12:
        model.outputs.push_back(load_input(field.message()).name);
        return;
      default:
        return field.skip();
    }
  });
}

}  // namespace

std::string OnnxBytes::where() const {
  return fmt::format("{}: byte {}", place, bytes.data() - file.data());
}

std::string OnnxNode::where(std::size_t index) const {
  return fmt::format("{}: node {} ({})", bytes.place, index, type);
}

const OnnxAttribute* OnnxNode::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const OnnxAttribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

bool OnnxNode::has(std::string_view name) const { return find(name) != nullptr; }

std::string OnnxNode::where_is(std::string_view name) const {
  const OnnxAttribute* attribute = find(name);
  if (attribute == nullptr) return fmt::format("{}: {} of {}", bytes.place, name, type);
  return fmt::format("{}: {} (byte {})", bytes.place, name,
                     attribute->bytes.bytes.data() - bytes.file.data());
}

namespace {

/// Collects the fields with a given number from an attribute that may be absent.
template <typename Take>
void take(const OnnxAttribute* attribute, std::uint32_t number, Take take_field) {
  if (attribute == nullptr) return;
  for_each_field(attribute->bytes, [&](Field& field) {
    field.number() == number ? take_field(field) : field.skip();
  });
}

}  // namespace

std::vector<std::int64_t> OnnxNode::integers(std::string_view name) const {
  std::vector<std::int64_t> list;
  take(find(name), 8, [&](Field& field) { field.append(list); });
  return list;
}

std::vector<float> OnnxNode::floats(std::string_view name) const {
  std::vector<float> list;
  take(find(name), 7, [&](Field& field) { field.append(list); });
  return list;
}

std::vector<std::string_view> OnnxNode::texts(std::string_view name) const {
  std::vector<std::string_view> list;
  take(find(name), 9, [&](Field& field) { list.push_back(field.bytes()); });
  return list;
}

std::optional<OnnxTensor> OnnxNode::tensor(std::string_view name) const {
  std::optional<OnnxTensor> tensor;
  take(find(name), 5, [&](Field& field) { tensor = load_tensor(field.message()); });
  return tensor;
}

std::int64_t OnnxNode::integer(std::string_view name, std::int64_t otherwise) const {
  take(find(name), 3, [&](Field& field) { otherwise = field.integer(); });
  return otherwise;
}

float OnnxNode::number(std::string_view name, float otherwise) const {
  take(find(name), 2, [&](Field& field) { otherwise = field.number32(); });
  return otherwise;
}

std::string_view OnnxNode::text(std::string_view name, std::string_view otherwise) const {
  take(find(name), 4, [&](Field& field) { otherwise = field.bytes(); });
  return otherwise;
}

OnnxModel load_onnx(std::string_view bytes, std::string_view place) {
  const OnnxBytes file{bytes, place, bytes};
  OnnxModel model;
  bool has_graph = false;
  for_each_field(file, [&](Field& field) {
    switch (field.number()) {
      case 2:
        model.producer = field.bytes();
        return;
      case 3:
        model.producer_version = field.bytes();
        return;
      case 7:
        has_graph = true;
        return load_graph(field.message(), model);
      default:
        return field.skip();
    }
  });
  if (!has_graph) throw Error(std::string(place), "the ONNX file has no graph");
  return model;
}

bool looks_like_onnx(std::string_view bytes) {
  // ir_version, model_version; producer, its version, domain, text, graph, operator sets, metadata,
  // training, functions, configuration.
  constexpr std::array<std::uint32_t, 2> numbers{1, 5};
  constexpr std::array<std::uint32_t, 10> parts{2, 3, 4, 6, 7, 8, 14, 20, 25, 26};
  const auto is_in = [](const auto& list, std::uint32_t number) {
    return std::find(list.begin(), list.end(), number) != list.end();
  };
  pbf_reader reader(bytes.data(), bytes.size());
  std::size_t known = 0;
  try {
    while (reader.next()) {
      const bool plausible = reader.wire_type() == Wire::varint ? is_in(numbers, reader.tag())
                                                                : is_in(parts, reader.tag());
      if (!plausible) return false;
      ++known;
      if (reader.wire_type() == Wire::varint) {
        const std::uint32_t number = reader.tag();
        const std::int64_t value = reader.get_int64();
        if (number == 1 && (value < 1 || value > 100)) return false;
        continue;
      }
      if (reader.wire_type() != Wire::length_delimited) return false;
      if (reader.tag() == 7) return known > 1;  // its length may be cut off
      reader.skip();
    }
  } catch (const protozero::exception&) {
    return known > 2;  // cut off before its graph
  }
  return known > 2;
}

}  // namespace boxwood::readers
