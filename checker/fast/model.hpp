// The fast checker's own model: read from Boxwood's model file, hashed, evaluated. Nothing here is
// shared with the library; docs/proof.md is the specification.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace check {

using Json = nlohmann::json;
constexpr double inf = std::numeric_limits<double>::infinity();

/// The certificate proves nothing.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A file is malformed or outside of what proofs cover.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A number of a JSON file; infinities and NaN are text there.
double number(const Json& value);
double no_nan(double value);
/// A whole number of a JSON file; others would be cut off to another number.
int whole(const Json& value);
/// A list of codes of categories: numbers >= 0 in ascending order.
std::vector<int> codes_of(const Json& list);
/// An object of a file at a key where a list must be.
const Json& list_at(const Json& object, const char* key);
/// Whether a file is of version 1.
bool is_version(const Json& data, const char* key);
/// A text of a JSON file that is one of these words.
std::string word(const Json& value, std::initializer_list<std::string_view> choices);
/// Refuses an object of a file that has other keys, whose meaning is not known here.
void known(const Json& object, std::initializer_list<std::string_view> keys, const char* what);
inline double to_single(double value) { return static_cast<double>(static_cast<float>(value)); }

struct Node {
  int kind = 0;  ///< 0 leaf, 1 <, 2 <=, 3 ==, 4 in
  int feature = -1, left = -1, right = -1, value = -1;
  double threshold = 0;
  bool missing_left = false, at_zero = false, zero_up = false;
};

struct Tree {
  int output = 0;
  std::vector<Node> nodes;
  std::vector<double> values;
  std::vector<std::vector<int>> sets;
};

struct Model {
  explicit Model(const Json& data);

  std::string task, link, form, input, accumulator, order, decision;
  double factor = 1, divisor = 1, steepness = 1;
  std::vector<double> base;
  std::size_t width = 0;
  std::vector<Tree> trees;
  bool single = false;  ///< sums run in float32

  double read(double value) const { return single ? to_single(value) : value; }
  /// Raw scores per unit of the trees' sum.
  double unit() const { return read(factor) / read(divisor); }
  /// The library's sum; `leaves` has the first number of each tree's leaf.
  std::vector<double> scores(const std::vector<const double*>& leaves) const;
  /// How far the library's sum may be from the exact one; infinite where it may overflow.
  double error(std::size_t k) const { return errors_[k]; }
  const std::string& digest() const { return digest_; }

 private:
  double error_of(std::size_t k) const;
  std::string make_digest() const;

  std::vector<double> errors_;
  std::string digest_;
};

bool goes_left(const Node& node, const Tree& tree, double value);

struct Cut {
  double value = 0;
  bool inclusive = false;
  auto operator<=>(const Cut&) const = default;
};
void add_set_cuts(const std::vector<int>& set, bool zero_up, std::vector<Cut>& cuts);
void add_cuts(const Node& node, const Tree& tree, std::vector<Cut>& cuts);

std::string sha256(const std::string& bytes);

}  // namespace check
