// Categories in an XGBoost file: the splits of a tree that ask for them, and their names.
//
// XGBoost sends a category of a split's set right. Everything else goes left: other categories,
// negative numbers (those between -1 and 0 too) and numbers from 2^24 on. A fraction counts as its
// whole part.
#include "readers/xgboost.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace boxwood::readers {
namespace {

/// float32 represents all integers below this exactly; XGBoost allows no category from here on.
constexpr std::int32_t category_end = 1 << 24;

/// The strings of a column: one array of bytes and offsets into it. Before 3.4 XGBoost counts
/// characters instead of bytes, so the offsets are wrong if a name has non-ASCII characters. Such a
/// column gets codes without labels.
std::vector<std::string> string_labels(const Field& column, const XgboostVersion& version) {
  const Field offsets_field = column["offsets"];
  const Field bytes_field = column["values"];
  const auto offsets = offsets_field.integers();
  const auto bytes = bytes_field.integers();
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::int32_t start = i == 0 ? 0 : offsets[i - 1];
    if (offsets[i] < start || static_cast<std::size_t>(offsets[i]) > bytes.size() ||
        (i == 0 && offsets[i] != 0)) {
      offsets_field.fail_at(i, fmt::format("{} is not a valid end of a name: there are {} bytes",
                                           offsets[i], bytes.size()));
    }
    if (i == 0) continue;
    std::string& label = labels.emplace_back();
    for (std::int32_t at = start; at < offsets[i]; ++at) {
      // Bytes are written as signed numbers.
      label += static_cast<char>(static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)]));
    }
  }
  const bool ascii = std::all_of(bytes.begin(), bytes.end(),
                                 [](std::int32_t byte) { return byte >= 0 && byte < 0x80; });
  if (!ascii && !version.at_least(3, 4)) return std::vector<std::string>(labels.size());
  return labels;
}

/// Numbers as labels. UBJSON has no unsigned types of 16 and 32 bits: XGBoost writes the signed
/// number of the same bits. Numbers beyond 32 bits are left without a label, which then only names
/// the code.
std::vector<std::string> number_labels(const Field& column) {
  constexpr std::int64_t unsigned_16 = 12, unsigned_32 = 14;
  const std::int64_t type = column["type"].integer();
  const Field values = column["values"];
  std::vector<std::string> labels(values.size());
  if (!values.holds_integers()) return labels;
  const auto numbers = values.integers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::int64_t number = numbers[i];
    if (number < 0 && type == unsigned_16) number += std::int64_t{1} << 16;
    if (number < 0 && type == unsigned_32) number += std::int64_t{1} << 32;
    labels[i] = std::to_string(number);
  }
  return labels;
}

}  // namespace

CategorySplits::CategorySplits(const Field& tree) {
  const auto nodes_field = tree.find("categories_nodes");
  if (!nodes_field) return;  // before 1.3
  const Field starts_field = tree["categories_segments"];
  const Field sizes_field = tree["categories_sizes"];
  const Field codes_field = tree["categories"];
  nodes_ = nodes_field->integers();
  starts_ = starts_field.integers();
  sizes_ = sizes_field.integers();
  codes_ = codes_field.integers();
  for (const auto& [field, length] :
       {std::pair{&starts_field, starts_.size()}, {&sizes_field, sizes_.size()}}) {
    if (length == nodes_.size()) continue;
    field->fail(
        fmt::format("it has {} entries, but categories_nodes has {}", length, nodes_.size()));
  }
  // XGBoost writes the sets one after the other. Requiring this ensures that no part of the file is
  // used twice, so memory stays proportional to the file size.
  std::size_t end = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] < 0 || (i > 0 && nodes_[i] <= nodes_[i - 1])) {
      nodes_field->fail_at(i, fmt::format("node {} is not in ascending order", nodes_[i]));
    }
    if (starts_[i] < 0 || static_cast<std::size_t>(starts_[i]) != end) {
      starts_field.fail_at(
          i, fmt::format("its categories start at {}, but those of the previous node end at {}",
                         starts_[i], end));
    }
    if (sizes_[i] <= 0 || static_cast<std::size_t>(sizes_[i]) > codes_.size() - end) {
      sizes_field.fail_at(i, fmt::format("{} categories starting at {} exceed the {} of the tree",
                                         sizes_[i], end, codes_.size()));
    }
    const std::size_t start = end;
    end += static_cast<std::size_t>(sizes_[i]);
    for (std::size_t at = start; at < end; ++at) {
      if (codes_[at] < 0 || codes_[at] >= category_end) {
        codes_field.fail_at(at, fmt::format("{} is not a category; categories are 0 to {}",
                                            codes_[at], category_end - 1));
      }
      if (at > start && codes_[at] <= codes_[at - 1]) {
        codes_field.fail_at(at, fmt::format("category {} is not greater than the previous one, {}",
                                            codes_[at], codes_[at - 1]));
      }
    }
  }
  if (end != codes_.size()) {
    codes_field.fail(fmt::format("the splits use only {} of {} entries", end, codes_.size()));
  }
}

std::span<const std::int32_t> CategorySplits::right_of(std::size_t node) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), node,
                                      [](std::int32_t entry, std::size_t wanted) {
                                        return static_cast<std::size_t>(entry) < wanted;
                                      });
  if (found == nodes_.end() || static_cast<std::size_t>(*found) != node) return {};
  const auto at = static_cast<std::size_t>(found - nodes_.begin());
  return codes_.subspan(static_cast<std::size_t>(starts_[at]),
                        static_cast<std::size_t>(sizes_[at]));
}

void name_categories(const Field& model, const XgboostVersion& version,
                     std::vector<Feature>& features) {
  const auto container = model.find("cats");  // since 3.1
  if (!container) return;
  const Field columns = (*container)["enc"];
  const std::size_t count = columns.size();
  if (count == 0) return;  // trained without names
  if (count != features.size()) {
    columns.fail(fmt::format("{} entries for {} features", count, features.size()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Field column = columns[i];
    std::vector<std::string> labels =
        column.find("offsets") ? string_labels(column, version) : number_labels(column);
    if (labels.size() > static_cast<std::size_t>(category_end)) {
      column.fail(fmt::format("{} categories exceed the limit of XGBoost", labels.size()));
    }
    features[i].categories.reserve(labels.size());
    for (std::size_t code = 0; code < labels.size(); ++code) {
      features[i].categories.push_back({static_cast<std::int32_t>(code), std::move(labels[code])});
    }
  }
}

void find_categories(const std::vector<Tree>& trees, std::vector<Feature>& features) {
  std::vector<std::vector<std::int32_t>> codes(features.size());
  for (const Tree& tree : trees) {
    if (tree.sets.empty()) continue;
    for (const Node& node : tree.nodes) {
      if (node.kind != NodeKind::in_set) continue;
      const auto& set = tree.sets[static_cast<std::size_t>(node.value)];
      auto& known = codes[static_cast<std::size_t>(node.feature)];
      known.insert(known.end(), set.begin(), set.end());
    }
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (codes[i].empty()) continue;
    features[i].kind = FeatureKind::categorical;  // files may lack feature_types
    if (!features[i].categories.empty()) continue;
    std::sort(codes[i].begin(), codes[i].end());
    codes[i].erase(std::unique(codes[i].begin(), codes[i].end()), codes[i].end());
    for (const std::int32_t code : codes[i]) features[i].categories.push_back({code, {}});
  }
}

}  // namespace boxwood::readers
