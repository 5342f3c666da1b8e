#include "model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace check {
namespace {

constexpr double zero_size = static_cast<double>(1e-35F);

std::vector<bool> flags_of(const Json& tree, const char* key, std::size_t count) {
  const bool optional = std::string_view(key) != "missing_left";
  if (optional && (!tree.contains(key) || tree[key] == Json::array()))
    return std::vector<bool>(count, false);
  return tree.at(key).get<std::vector<bool>>();
}

void append(std::string& bytes, double value) {
  char raw[sizeof(double)];
  std::memcpy(raw, &value, sizeof(double));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(double));
  bytes.append(raw, sizeof(double));
}

void append_count(std::string& bytes, std::size_t count) {
  append(bytes, static_cast<double>(count));
}

}  // namespace

double number(const Json& value) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text == "inf") return inf;
    if (text == "-inf") return -inf;
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  if (!value.is_number()) throw Unsupported(value.dump() + " is not a number");
  return value.get<double>();
}

double no_nan(double value) {
  if (std::isnan(value)) throw Unsupported("nan where a number is needed");
  return value;
}

int whole(const Json& value) {
  // Numbers from 2^63 on are unsigned; as signed ones they would be negative.
  const auto number = value.is_number_integer() ? value.get<std::int64_t>() : 0;
  const bool wraps = value.is_number_unsigned() && number < 0;
  if (!value.is_number_integer() || wraps || static_cast<int>(number) != number) {
    throw Unsupported("a number that must be a whole number of 32 bits");
  }
  return static_cast<int>(number);
}

std::vector<int> codes_of(const Json& list) {
  if (!list.is_array()) throw Unsupported("a list of categories is missing");
  std::vector<int> codes;
  for (const Json& one : list) {
    codes.push_back(whole(one));
    const int least = codes.size() < 2 ? 0 : codes[codes.size() - 2] + 1;
    if (codes.back() < least) throw Unsupported("categories that do not ascend");
  }
  return codes;
}

const Json& list_at(const Json& object, const char* key) {
  const Json& list = object.at(key);
  if (!list.is_array()) throw Unsupported(std::string(key) + " is not a list");
  return list;
}

bool is_version(const Json& data, const char* key) {
  return data.contains(key) && data[key].is_number_integer() && data[key] == 1;
}

namespace {

double positive(const Json& value) {
  const double read = number(value);
  if (!(read > 0 && read < inf)) throw Unsupported(value.dump() + " is not positive");
  return read;
}

}  // namespace

std::string word(const Json& value, std::initializer_list<std::string_view> choices) {
  std::string text = value.get<std::string>();
  if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
    throw Unsupported("the word " + text);
  }
  return text;
}

void known(const Json& object, std::initializer_list<std::string_view> keys, const char* what) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    throw Unsupported(std::string(what) + " with " + key);
  }
}

Model::Model(const Json& data) {
  if (!data.is_object() || !is_version(data, "boxwood_model")) {
    throw Unsupported("the model file is not Boxwood's of version 1");
  }
  known(data,
        {"boxwood_model", "source", "library", "objective", "notes", "task", "link", "link_form",
         "input", "accumulator", "order", "factor", "divisor", "steepness", "decision", "classes",
         "base", "features", "trees"},
        "a model");
  task = word(data.at("task"), {"regression", "binary", "multiclass"});
  link = word(data.at("link"), {"identity", "sigmoid", "exponential", "softmax", "winner", "votes",
                                "square", "softplus", "isolation"});
  form = word(data.value("link_form", Json("plain")), {"plain", "onnxruntime", "catboost"});
  input = word(data.at("input"), {"float32", "float64"});
  accumulator = word(data.at("accumulator"), {"float32", "float64"});
  order = word(data.at("order"), {"base_first", "base_last"});
  decision = word(data.value("decision", Json("output_above_half")),
                  {"output_above_half", "score_above_zero", "score_from_zero", "score_above_half",
                   "largest_score"});
  // Bounds of scores hold for positive factors only, and not for NaN.
  factor = positive(data.value("factor", Json(1.0)));
  divisor = positive(data.value("divisor", Json(1.0)));
  steepness = positive(data.value("steepness", Json(1.0)));
  for (const Json& value : list_at(data, "base")) base.push_back(no_nan(number(value)));
  if (task == "binary" && base.size() != 1) throw Unsupported("a binary model of several outputs");
  width = list_at(data, "features").size();
  single = accumulator == "float32";
  if (!(read(factor) > 0 && read(factor) < inf && read(divisor) > 0 && read(divisor) < inf)) {
    throw Unsupported("a factor that float32 cannot hold");
  }
  const std::array<std::string, 5> kinds{"leaf", "<", "<=", "==", "in"};
  for (const Json& one : list_at(data, "trees")) {
    Tree tree;
    known(one,
          {"output", "values", "sets", "kind", "feature", "threshold", "left", "right", "value",
           "missing_left", "missing_at_zero", "zero_up"},
          "a tree");
    tree.output = whole(one.at("output"));
    for (const Json& value : list_at(one, "values")) tree.values.push_back(no_nan(number(value)));
    if (one.contains("sets")) {
      for (const Json& set : list_at(one, "sets")) tree.sets.push_back(codes_of(set));
    }
    const std::size_t count = one.at("kind").size();
    for (const auto& [key, column] : one.items()) {
      if (key == "output" || key == "values" || key == "sets") continue;
      const bool absent = (key == "missing_at_zero" || key == "zero_up") && column == Json::array();
      if (!column.is_array() || (column.size() != count && !absent)) {
        throw Unsupported("a tree whose columns have different lengths");
      }
    }
    const auto missing = flags_of(one, "missing_left", count);
    const auto at_zero = flags_of(one, "missing_at_zero", count);
    const auto zero_up = flags_of(one, "zero_up", count);
    const auto outputs = tree.output == -1 ? base.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const auto kind = std::find(kinds.begin(), kinds.end(), one.at("kind").at(i));
      if (kind == kinds.end()) throw Unsupported("a node of an unknown kind");
      Node node{static_cast<int>(kind - kinds.begin()),
                whole(one.at("feature").at(i)),
                whole(one.at("left").at(i)),
                whole(one.at("right").at(i)),
                whole(one.at("value").at(i)),
                no_nan(number(one.at("threshold").at(i))),
                missing.at(i),
                at_zero.at(i),
                zero_up.at(i)};
      const auto size = static_cast<int>(count), self = static_cast<int>(i);
      const bool fits =
          node.kind == 0
              ? node.value >= 0 &&
                    static_cast<std::size_t>(node.value) + outputs <= tree.values.size()
              : node.left > self && node.left < size && node.right > self && node.right < size &&
                    node.feature >= 0 && static_cast<std::size_t>(node.feature) < width &&
                    (node.kind == 4 ? node.value >= 0 && !node.at_zero &&
                                          static_cast<std::size_t>(node.value) < tree.sets.size()
                                    : !node.zero_up && !(node.at_zero && node.kind == 3));
      if (!fits) throw Unsupported("a node that refers to nothing");
      tree.nodes.push_back(node);
    }
    if (tree.nodes.empty() || tree.output < -1 || tree.output >= static_cast<int>(base.size())) {
      throw Unsupported("a tree without nodes or of an unknown output");
    }
    trees.push_back(std::move(tree));
  }
  for (std::size_t k = 0; k < base.size(); ++k) errors_.push_back(error_of(k));
  digest_ = make_digest();
}

std::vector<double> Model::scores(const std::vector<const double*>& leaves) const {
  const bool first = order == "base_first";
  std::vector<double> sums;
  for (const double value : base) sums.push_back(first ? read(value) : 0.0);
  // A double holds the sum of two float32 numbers so exactly that rounding it again gives the
  // float32 sum; the same holds for products and quotients.
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (trees[t].output >= 0) {
      double& sum = sums[static_cast<std::size_t>(trees[t].output)];
      sum = read(sum + read(*leaves[t]));
      continue;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = read(sums[k] + read(leaves[t][k]));
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (factor != 1) sums[k] = read(sums[k] * read(factor));
    if (divisor != 1) sums[k] = read(sums[k] / read(divisor));
    if (!first) sums[k] = read(sums[k] + read(base[k]));
  }
  return sums;
}

double Model::error_of(std::size_t k) const {
  const double own = std::abs(read(base[k]));
  double total = 0, count = 6;
  for (const Tree& tree : trees) {
    if (tree.output != -1 && tree.output != static_cast<int>(k)) continue;
    double largest = 0;
    for (const Node& node : tree.nodes) {  // the numbers of leaves may overlap in `values`
      if (node.kind != 0) continue;
      const std::size_t at = static_cast<std::size_t>(node.value) + (tree.output == -1 ? k : 0);
      largest = std::max(largest, std::abs(read(tree.values[at])));
    }
    total += largest;
    count += 1;
  }
  const double share = std::ldexp(count, single ? -24 : -53);
  const double reach = (total + own) * std::max(1.0, read(factor)) * std::max(1.0, unit()) + own;
  if (!(reach < std::ldexp(0.99, single ? 126 : 1022)) || share > 0.2499) return inf;
  const double size = (total + own) * unit() + own;
  // What our own double arithmetic, also in the sums of trees, may be off comes on top.
  return size * (share / (1 - share) + count * 0x1p-51 + 0x1p-46) * (1 + 1e-9) +
         std::ldexp(1.01, single ? -140 : -1060);
}

bool goes_left(const Node& node, const Tree& tree, double value) {
  if (std::isnan(value)) return node.missing_left;
  if (node.at_zero && std::abs(value) <= zero_size) return node.missing_left;
  switch (node.kind) {
    case 1:
      return value < node.threshold;
    case 2:
      return value <= node.threshold;
    case 3:
      return value == node.threshold;
    default: {
      if (!(value > -1 && value < 0x1p31) || (node.zero_up && value < 0)) return false;
      const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
      return std::binary_search(set.begin(), set.end(), static_cast<int>(value));
    }
  }
}

void add_set_cuts(const std::vector<int>& set, bool zero_up, std::vector<Cut>& cuts) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    const double code = set[i];
    if (i == 0 || set[i - 1] + 1.0 != code) {
      cuts.push_back(code == 0 && !zero_up ? Cut{-1, true} : Cut{code, false});
    }
    if (i + 1 == set.size() || set[i + 1] - 1.0 != code) cuts.push_back({code + 1, false});
  }
}

void add_cuts(const Node& node, const Tree& tree, std::vector<Cut>& cuts) {
  if (node.kind == 4) {
    add_set_cuts(tree.sets[static_cast<std::size_t>(node.value)], node.zero_up, cuts);
    return;
  }
  const double threshold = node.threshold + 0.0;
  if (node.kind == 1 || node.kind == 3) cuts.push_back({threshold, false});
  if (node.kind == 2 || node.kind == 3) cuts.push_back({threshold, true});
  if (!node.at_zero) return;
  cuts.push_back({-zero_size, false});
  cuts.push_back({zero_size, true});
}

/// The nodes in pre-order; none is the child of two, so that there are no more than the file lists.
static void append_nodes(std::string& bytes, const Tree& tree, std::size_t outputs) {
  std::vector<int> open{0};
  for (std::size_t count = 0; !open.empty(); ++count) {
    if (count == tree.nodes.size()) throw Unsupported("a node that is the child of two");
    const Node& node = tree.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    append(bytes, node.kind);
    if (node.kind == 0) {
      append_count(bytes, outputs);
      const auto first = static_cast<std::size_t>(node.value);
      for (std::size_t k = first; k < first + outputs; ++k) append(bytes, tree.values[k]);
      continue;
    }
    append(bytes, node.feature);
    if (node.kind == 4) {
      const std::vector<int>& set = tree.sets[static_cast<std::size_t>(node.value)];
      append_count(bytes, set.size());
      for (const int code : set) append(bytes, code);
    } else {
      append(bytes, node.threshold);
    }
    for (const bool flag : {node.missing_left, node.at_zero, node.zero_up}) {
      append(bytes, flag ? 1.0 : 0.0);
    }
    open.insert(open.end(), {node.right, node.left});
  }
}

std::string Model::make_digest() const {
  std::string bytes = "boxwood model 1 ";
  for (const std::string* word : {&input, &accumulator, &order, &link, &form, &task, &decision}) {
    bytes += *word + " ";
  }
  append(bytes, factor);
  append(bytes, divisor);
  append(bytes, steepness);
  append_count(bytes, base.size());
  for (const double value : base) append(bytes, value);
  append_count(bytes, width);
  append_count(bytes, trees.size());
  for (const Tree& tree : trees) {
    append(bytes, tree.output);
    append_nodes(bytes, tree, tree.output == -1 ? base.size() : 1);
  }
  return sha256(bytes);
}

namespace {

/// The first bits of the fractional parts of roots of primes: the constants of SHA-256.
std::uint32_t root_bits(unsigned prime, double exponent) {
  const long double root =
      std::pow(static_cast<long double>(prime),
               static_cast<long double>(1) / static_cast<long double>(exponent));
  return static_cast<std::uint32_t>((root - std::floor(root)) * 0x1p32L);
}

std::vector<unsigned> primes(std::size_t count) {
  std::vector<unsigned> found;
  for (unsigned n = 2; found.size() < count; ++n) {
    if (std::none_of(found.begin(), found.end(), [&](unsigned p) { return n % p == 0; })) {
      found.push_back(n);
    }
  }
  return found;
}

}  // namespace

std::string sha256(const std::string& given) {
  static const std::vector<unsigned> prime = primes(64);
  std::array<std::uint32_t, 8> state{};
  std::array<std::uint32_t, 64> constant{};
  for (std::size_t i = 0; i < 8; ++i) state[i] = root_bits(prime[i], 2);
  for (std::size_t i = 0; i < 64; ++i) constant[i] = root_bits(prime[i], 3);
  std::string bytes = given + '\x80';
  bytes.resize((bytes.size() + 8 + 63) / 64 * 64 - 8, '\0');
  for (int i = 7; i >= 0; --i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(given.size()) * 8 >> (8 * i) & 255);
  }
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) {
      if (i < 16) {
        for (std::size_t k = 0; k < 4; ++k) {
          w[i] = w[i] << 8 | static_cast<unsigned char>(bytes[at + 4 * i + k]);
        }
      } else {
        const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
    }
    auto s = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const auto a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const auto choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const auto majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t t = s[7] + e + choice + constant[i] + w[i];
      s = {t + a + majority, s[0], s[1], s[2], s[3] + t, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i];
  }
  std::string text;
  for (const std::uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

}  // namespace check
